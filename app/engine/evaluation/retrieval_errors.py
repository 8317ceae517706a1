"""Errors of a retrieval evaluation in one direction."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.engine.encoders.registry import load_encoder
from app.engine.encoders.vector_cache import encode_cached
from app.engine.evaluation.aligned_texts import find_sets, read_sides
from app.engine.evaluation.recording import digest_texts
from app.engine.evaluation.retrieval_texts import (
    digest_direction,
    read_retrieval_texts,
)
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.search.knn import top_k
from app.engine.store.runs import (
    RetrievalHits,
    read_measurements,
    read_retrieval_hits,
    read_run,
)
from app.errors import UserError
from app.params import params_from_json
from app.params.evaluation import EvaluateRetrieval
from app.params.vectors import EvaluateTatoeba
from app.protocol.answers.evaluation import RetrievalError, RetrievalErrors
from app.protocol.queries.evaluation import RetrievalErrorsQuery
from app.results.measurements import Retrieved

if TYPE_CHECKING:
    from app.engine.project.project import Project

MAX_LISTED = 500  # errors per answer
MAX_TEXT = 1_000  # characters of a sentence
AGAIN = "Run the evaluation again to list its errors."


class _Direction(NamedTuple):
    """The texts of a direction; the target of a source is in the same row.

    Attributes:
        line_of: returns a source's line in its corpus or file.
    """

    sources: list[str]
    candidates: list[str]
    digest: str
    line_of: Callable[[int], int]


def list_retrieval_errors(
    project: "Project", query: RetrievalErrorsQuery
) -> RetrievalErrors:
    """Return the sentences whose nearest sentence is wrong, with both sentences.

    Raises:
        UserError: the run did not record hits, or the texts have changed since.
    """
    run = read_run(project.store, query.run)
    if run is None:
        raise UserError("The evaluation was deleted.")
    params = params_from_json(run.params)
    hits = _find_hits(project, query)
    if isinstance(params, EvaluateRetrieval):
        texts = _read_texts(project, params, query)
    else:
        texts = _read_tatoeba(params, query)
    if texts.digest != hits.data:
        raise UserError(f"The texts have changed since. {AGAIN}")
    wrong = np.flatnonzero(~hits.is_right)
    encoder = load_encoder(_find_encoder(project, query), project.folder)
    sources, candidates = (
        normalise_rows(encode_cached(project, encoder, some, Report()))[0]
        for some in (texts.sources, texts.candidates)
    )
    asked = sources[wrong]
    scores, rows = top_k(asked, candidates, 1)
    own = (asked * candidates[wrong]).sum(axis=1)
    errors = [
        RetrievalError(
            line=texts.line_of(row),
            source=texts.sources[row][:MAX_TEXT],
            expected=texts.candidates[row][:MAX_TEXT],
            found=texts.candidates[nearest][:MAX_TEXT],
            expected_cosine=round(expected, 6),
            found_cosine=round(found, 6),
        )
        for row, nearest, expected, found in zip(
            *(some.tolist() for some in (wrong, rows[:, 0], own, scores[:, 0])),
            strict=True,
        )
    ]
    return RetrievalErrors(
        n=hits.n,
        n_wrong=len(errors),
        n_copies=sum(one.is_copy for one in errors),
        errors=tuple(errors[:MAX_LISTED]),
    )


def _find_hits(project: "Project", query: RetrievalErrorsQuery) -> RetrievalHits:
    for hits in read_retrieval_hits(project.store, query.run):
        if (hits.source, hits.target) == (query.source, query.target):
            return hits
    raise UserError(f"This result does not record which sentences were found. {AGAIN}")


def _find_encoder(project: "Project", query: RetrievalErrorsQuery) -> str:
    rows = read_measurements(project.store, query.run)
    return next(row.encoder for row in rows if isinstance(row, Retrieved))


def _read_texts(
    project: "Project", params: EvaluateRetrieval, query: RetrievalErrorsQuery
) -> _Direction:
    """Read the texts of one direction as the evaluation did.

    Raises:
        UserError: random candidates were searched.
    """
    if params.n_random is not None:
        raise UserError(
            "Errors among random candidates can't be listed. Evaluate without random "
            "candidates."
        )
    texts = read_retrieval_texts(params, project)
    names = query.source, query.target
    if not {*names} <= texts.aligned.texts.keys():
        raise UserError(f"The texts have changed since. {AGAIN}")
    return _Direction(
        texts.aligned.texts[query.source],
        texts.candidates(query.target),
        digest_direction(texts, params, names),
        partial(texts.aligned.line, query.source),
    )


def _read_tatoeba(params: EvaluateTatoeba, query: RetrievalErrorsQuery) -> _Direction:
    """Read the texts of one direction of a test set.

    Raises:
        UserError: the set is no longer in the folder.
    """
    sets = find_sets(params.directory)
    is_foreign = query.source in sets
    code = query.source if is_foreign else query.target
    if code not in sets:
        raise UserError(f"{params.directory} no longer contains {code}.")
    foreign, english = read_sides(*sets[code])
    sides = (foreign, english) if is_foreign else (english, foreign)
    return _Direction(*sides, digest_texts(*sides), lambda row: row + 1)
