"""Task: score the pairs of an existing bitext."""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.arrays import IdArray
from app.engine.encoders.registry import load_encoder
from app.engine.encoders.vector_cache import encode_cached
from app.engine.evaluation.aligned_texts import read_aligned
from app.engine.mining.bitext import (
    Bitext,
    BitextSummary,
    ScoredPairs,
    ScoredTable,
    check_place,
    places_of,
    score_bitext,
    summarise,
    write_table,
)
from app.engine.mining.exact_search import ExactSide, Neighbours
from app.engine.mining.neighbour_cache import load_or_find_neighbours
from app.engine.mining.neighbours import PassSettings, find_neighbours
from app.engine.mining.result_limits import truncate_list, truncate_text
from app.engine.mining.sides import ProjectSide, load_side, select_participants
from app.engine.numeric import normalise_rows
from app.engine.project.active_sentences import active_links
from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.lookup import find_corpus
from app.engine.store.pairs.sets import (
    NewPairs,
    NewPairSet,
    PairSetCounts,
    find_free_set_name,
    read_links,
    write_pair_set,
)
from app.engine.store.sentences import read_texts
from app.engine.text.normalisation import text_hashes
from app.errors import UserError
from app.params.mining import NO_BETTER_THAN_NEIGHBOURS, MarginName, ScorePairs
from app.plurals import count_text
from app.results.task import TaskResult

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project.project import Project

READING_STAGE, SCORING_STAGE = "Reading sentences", "Scoring pairs"


class ScoredText(msgspec.Struct, frozen=True):
    """A pair and its score; None: the encoder knows none of a text's pieces."""

    score: float | None
    source: str
    target: str


class ScorePairsResult(TaskResult, frozen=True, kw_only=True):
    """Scores of a bitext.

    Attributes:
        pairs: pairs of the bitext.
        unknown: pairs without a score: the encoder knows none of the pieces of one
            side.
        worst: pairs with the lowest scores.
        mining: id of the pair set that was saved in the project.
        out: the written TSV file.
    """

    pairs: int
    unknown: int
    margin: str
    encoder: str
    summary: BitextSummary
    worst: list[ScoredText]
    mining: int | None
    out: Path | None
    seconds: float


class _Loaded(NamedTuple):
    """A bitext, and the texts of its pairs in their original order.

    Attributes:
        bitext: pairs that the encoder knows.
        is_known: bool (all,), mask of the known pairs.
        sides: sides from corpora of the project; None for files.
        rows: int64 (p,) each, positions of the known pairs in the two corpora.
    """

    bitext: Bitext
    is_known: NDArray[np.bool_]
    sources: Sequence[str]
    targets: Sequence[str]
    sides: tuple[ProjectSide, ProjectSide] | None = None
    rows: tuple[IdArray, IdArray] | None = None


def score_pairs(
    project: "Project | None", params: ScorePairs, report: Report
) -> ScorePairsResult:
    """Score the pairs of an existing bitext.

    Raises:
        UserError: a side is neither a file nor a corpus, the sides are not aligned, or
            the output file exists.
    """
    begun = time.monotonic()
    if params.out is not None:
        check_place(params.out)
    encoder = load_encoder(params.encoder, project.folder if project else None)
    loaded = _load(project, encoder, params, report)
    scored = run_in_thread(
        lambda: score_bitext(loaded.bitext, params.margin), report, SCORING_STAGE
    )
    summary = summarise(scored)
    mining = None
    if project is not None and loaded.sides and not project.is_read_only:
        mining = _keep(project, encoder, params, (loaded, scored, summary), report)
    if params.out is not None:
        table = ScoredTable(loaded.is_known, loaded.sources, loaded.targets, scored)
        write_table(params.out, table, report)
    n, n_known = len(loaded.sources), len(scored.scores)
    return ScorePairsResult(
        pairs=n,
        unknown=n - n_known,
        margin=params.margin,
        encoder=encoder.name,
        summary=summary,
        worst=_worst(loaded, scored),
        mining=mining,
        out=params.out,
        seconds=time.monotonic() - begun,
        message=_message(n, scored, params.margin),
    )


def _message(n: int, scored: ScoredPairs, margin: MarginName) -> str:
    """Describe how many pairs were scored, and how many are probably wrong."""
    n_known, limit = len(scored.scores), NO_BETTER_THAN_NEIGHBOURS.get(margin)
    done = f"{n_known:,} of {count_text(n, 'pair')} were scored."
    if not n_known or limit is None:
        return done
    n_low = int((scored.scores < limit).sum())
    if n_low == 1:
        return f"{done} 1 pair scores below {limit:g} and is probably wrong."
    if not n_low:
        return f"{done} No pair scores below {limit:g}."
    return f"{done} {n_low:,} pairs score below {limit:g} and are probably wrong."


def _load(
    project: "Project | None", encoder: "Encoder", params: ScorePairs, report: Report
) -> _Loaded:
    """Load two files if both exist, else two corpora of the project."""
    files = Path(params.source), Path(params.target)
    if all(file.is_file() for file in files):
        return _load_files(project, encoder, files, params.k, report)
    if project is None:
        missing = next(file for file in files if not file.is_file())
        raise UserError(
            f"{missing} is not a file. Choose two files, or two corpora and their "
            "project with --project."
        )
    return _load_corpora(project, encoder, params, report)


def _load_files(
    project: "Project | None",
    encoder: "Encoder",
    files: tuple[Path, Path],
    k: int,
    report: Report,
) -> _Loaded:
    """Encode two line-aligned files."""
    texts = run_in_thread(lambda: read_aligned(*files), report, READING_STAGE)
    exact, places = [], []
    for side in texts:
        vectors, norms = normalise_rows(encode_cached(project, encoder, side, report))
        participants = select_participants(text_hashes(side), norms)
        exact.append(ExactSide(vectors, participants.rows))
        places.append(places_of(participants, np.arange(len(side))))
    settings = PassSettings(k, device=preferred_device())
    near = find_neighbours(exact[0], exact[1], settings, report)
    bitext, is_known = _bitext(places, (exact[0], exact[1]), near)
    return _Loaded(bitext, is_known, *texts)


def _load_corpora(
    project: "Project", encoder: "Encoder", params: ScorePairs, report: Report
) -> _Loaded:
    """Load the linked sentences of two corpora."""
    corpora = [
        find_corpus(project.store, name) for name in (params.source, params.target)
    ]
    rows = read_links(project.store, corpora[0].id, corpora[1].id)
    if not len(rows[0]):
        raise UserError(
            f"No sentence of {corpora[0].name} is linked with one of "
            f"{corpora[1].name}. Import both as a parallel text, or mine pairs."
        )
    rows = active_links(project, corpora, rows)
    if not len(rows[0]):
        raise UserError(
            f"All linked sentences of {corpora[0].name} and {corpora[1].name} are "
            "hidden or outside the sub-corpus."
        )
    source, target = (
        run_in_thread(
            partial(load_side, project, corpus, encoder), report, READING_STAGE
        )
        for corpus in corpora
    )
    near = load_or_find_neighbours(project, source, target, (params.k, "exact"), report)
    places = [
        places_of(side.participants, own)
        for side, own in zip((source, target), rows, strict=True)
    ]
    exact = source.exact, target.exact
    bitext, is_known = _bitext(places, exact, (near.of_sources, near.of_targets))
    sources, targets = (
        run_in_thread(partial(_texts_at, project, corpus, own), report, READING_STAGE)
        for corpus, own in zip(corpora, rows, strict=True)
    )
    known = rows[0][is_known], rows[1][is_known]
    return _Loaded(bitext, is_known, sources, targets, (source, target), known)


def _texts_at(project: "Project", corpus: CorpusRow, rows: IdArray) -> list[str]:
    listed = read_texts(project.store, corpus.id, 0, corpus.n_sentences)
    return [listed[row] for row in rows.tolist()]


def _bitext(
    indices: list[IdArray],
    exact: tuple[ExactSide, ExactSide],
    near: tuple[Neighbours, Neighbours],
) -> tuple[Bitext, NDArray[np.bool_]]:
    is_known = (indices[0] >= 0) & (indices[1] >= 0)
    return Bitext(indices[0][is_known], indices[1][is_known], *exact, *near), is_known


def _worst(loaded: _Loaded, scored: ScoredPairs) -> list[ScoredText]:
    """Return the pairs with the lowest scores."""
    known = np.nonzero(loaded.is_known)[0]
    return truncate_list(
        ScoredText(
            float(scored.scores[index]),
            truncate_text(loaded.sources[known[index]]),
            truncate_text(loaded.targets[known[index]]),
        )
        for index in np.argsort(scored.scores, kind="stable")
    )


def _keep(
    project: "Project",
    encoder: "Encoder",
    params: ScorePairs,
    scoring: tuple[_Loaded, ScoredPairs, BitextSummary],
    report: Report,
) -> int:
    """Save the scored pairs in the project for review."""
    loaded, scored, summary = scoring
    assert loaded.sides is not None
    assert loaded.rows is not None
    source, target = loaded.sides
    order = np.argsort(-scored.scores, kind="stable")
    rivals, reverse = scored.runners_up, scored.reverse
    pairs = NewPairs(
        source_ids=loaded.rows[0][order] + first_sentence_id(source.corpus.id),
        target_ids=loaded.rows[1][order] + first_sentence_id(target.corpus.id),
        scores=scored.scores[order],
        cosines=scored.cosines[order],
        source_means=scored.source_means[order],
        target_means=scored.target_means[order],
        runner_up_ids=target.sentence_ids(rivals.rows[order]),
        runner_up_scores=rivals.scores[order],
        reverse_ids=source.sentence_ids(reverse.rows[order]),
        reverse_scores=reverse.scores[order],
    )
    new = NewPairSet(
        name=find_free_set_name(
            project.store, f"{source.corpus.name} – {target.corpus.name}", "scored"
        ),
        kind="scored",
        source_corpus_id=source.corpus.id,
        target_corpus_id=target.corpus.id,
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        margin=params.margin,
        k=params.k,
    )
    record = msgspec.json.encode(summary).decode()
    counts = PairSetCounts(len(order), 0, record)
    return write_pair_set(project.store, new, pairs, counts, report)
