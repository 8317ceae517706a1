"""Task: evaluate translation retrieval between line-aligned files or columns."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from app.arrays import BoolArray, FloatArray
from app.engine.encoders.registry import load_encoder
from app.engine.encoders.vector_cache import encode_cached
from app.engine.evaluation.aligned_texts import (
    AlignedData,
    note_copies,
    note_duplicates,
)
from app.engine.evaluation.recording import (
    percent_text,
    record_hits,
    record_measurements,
)
from app.engine.evaluation.retrieval import (
    DirectionResult,
    mean_interval,
    measure_retrieval,
    note_vectors,
)
from app.engine.evaluation.retrieval_texts import (
    RetrievalTexts,
    digest_direction,
    read_retrieval_texts,
)
from app.engine.evaluation.sampled_retrieval import measure_sampled
from app.engine.evaluation.training_texts import TrainedTexts, find_trained_aligned
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.store.runs import RetrievalHits
from app.params.evaluation import EvaluateRetrieval
from app.plurals import count_text
from app.results.measurements import Interval, Retrieved

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project.project import Project

STAGE = "Measuring retrieval"
Both = tuple[DirectionResult, DirectionResult]  # source to target, and target to source


class ColumnError(msgspec.Struct, frozen=True):
    """The retrieval error of one column; rates 0…1.

    Target = the compared column; in a matrix the mean over all other columns.
    """

    error_source_to_target: float
    error_target_to_source: float


class EvaluateRetrievalResult(msgspec.Struct, frozen=True):
    """Retrieval errors; rates 0…1.

    Attributes:
        n: pairs (per column).
        error_source_to_target: share of sources whose nearest target is wrong; for a
            table, the mean over its columns.
        error_target_to_source: the same in the other direction.
        mean_error: mean of both directions.
        columns: figures of each column; empty for two files.
        notes: sentences on limitations of the figures.
        mean_error_margin: mean of both directions with the ratio margin; None with
            random candidates.
        error_margin_source_to_target: the same for sources only, as xsim reports it.
        intervals: intervals of the measured rates above, by name: bootstrap over the
            rows, which are drawn together in all columns.
        results: a row for each direction of each pair, with intervals and P@k.
        matrix: error by source (outer) and target; only if requested.
        message: the mean in a sentence.
    """

    n: int
    error_source_to_target: float
    error_target_to_source: float
    mean_error: float
    columns: dict[str, ColumnError]
    notes: tuple[str, ...] = ()
    mean_error_margin: float | None = None
    error_margin_source_to_target: float | None = None
    intervals: dict[str, Interval] = {}
    results: tuple[Retrieved, ...] = ()
    matrix: dict[str, dict[str, float]] = {}
    message: str = ""


def evaluate_retrieval(
    project: "Project | None", params: EvaluateRetrieval, report: Report
) -> EvaluateRetrievalResult:
    """Encode both sides and count how often the nearest sentence is the aligned one.

    Raises:
        UserError: a file can't be read, or the sides are not aligned.
    """
    texts = read_retrieval_texts(params, project)
    aligned = texts.aligned
    encoder = load_encoder(params.encoder, project.folder if project else None)
    vectors = _encode(project, encoder, aligned, report)
    if texts.pool:
        further = encode_cached(project, encoder, texts.pool, report)
        target = texts.pool_name
        vectors[target] = np.concatenate([vectors[target], further])
    trained = find_trained_aligned(project, params)
    notes = trained.notes
    notes += [note for name in vectors for note in _note(name, vectors[name])]
    if params.n_random is None:
        vectors = {name: normalise_rows(some)[0] for name, some in vectors.items()}
    found: dict[tuple[str, str], Both] = {}
    for done, (source, target) in enumerate(aligned.pairs):
        report.step(STAGE, done, len(aligned.pairs), f"{source} – {target}")
        sides = vectors[source], vectors[target]
        if params.n_random is None:
            found[source, target] = measure_retrieval(*sides, aligned.n, report)
            continue
        found[source, target] = measure_sampled(
            *sides,
            aligned.n,
            n_random=params.n_random,
            seed=params.seed,
            report=report,
        )
    report.step(STAGE, len(found), len(found))
    data = params.table.name if params.table is not None else ""
    result = _summarise(encoder.name, data, texts, found)
    result = msgspec.structs.replace(result, results=_mark(result.results, trained))
    if params.n_random is not None:
        notes += _note_few_candidates(params.n_random, result.results)
    if texts.n_variants:
        notes.append(f"{count_text(texts.n_variants, 'variant')} in the search pool.")
    result = msgspec.structs.replace(result, notes=(*notes, *result.notes))
    if params.table is None:
        result = msgspec.structs.replace(result, columns={})
    record_measurements(project, result.results, report)
    record_hits(project, _list_hits(texts, params, found), report)
    return result


def _mark(rows: Sequence[Retrieved], trained: TrainedTexts) -> tuple[Retrieved, ...]:
    """Note in each row whether the encoder was trained on its texts."""
    return tuple(
        msgspec.structs.replace(row, note=trained.row_note(row.source, row.target))
        for row in rows
    )


def _list_hits(
    texts: RetrievalTexts,
    params: EvaluateRetrieval,
    found: dict[tuple[str, str], Both],
) -> list[RetrievalHits]:
    """List the sentences whose translation was found, a row for each direction."""
    rows = []
    for (source, target), both in found.items():
        for names, way in zip(((source, target), (target, source)), both, strict=True):
            data = digest_direction(texts, params, names)
            rows.append(RetrievalHits.of(names, data, ~way.is_wrong))
    return rows


def _encode(
    project: "Project | None", encoder: "Encoder", aligned: AlignedData, report: Report
) -> dict[str, FloatArray]:
    """Return the vectors of every file or column, float32 (n, d), of any length."""
    vectors = {}
    for done, (name, texts) in enumerate(aligned.texts.items()):
        report.step("Encoding columns", done, len(aligned.texts), name)
        vectors[name] = encode_cached(project, encoder, texts, report)
    return vectors


def _summarise(
    encoder: str,
    data: str,
    texts: RetrievalTexts,
    found: dict[tuple[str, str], Both],
) -> EvaluateRetrievalResult:
    """Compute the means, and list a row for each direction."""
    rows, aligned = [], texts.aligned
    matrix: dict[str, dict[str, float]] = {name: {} for name in aligned.texts}
    for (source, target), (forward, backward) in found.items():
        rows += [
            forward.as_row(encoder, source, target, data),
            backward.as_row(encoder, target, source, data),
        ]
        matrix[source][target] = forward.error
        matrix[target][source] = backward.error
    wrong = _group_by_rate(found)
    rates = {name: float(np.mean(rows)) for name, rows in wrong.items()}
    intervals = {name: mean_interval(rows) for name, rows in wrong.items()}
    n_ways = count_text(len(rows), "direction")
    mean = percent_text(rates["mean_error"], intervals["mean_error"])
    return EvaluateRetrievalResult(
        n=aligned.n,
        error_source_to_target=rates["error_source_to_target"],
        error_target_to_source=rates["error_target_to_source"],
        mean_error=rates["mean_error"],
        mean_error_margin=rates.get("mean_error_margin"),
        error_margin_source_to_target=rates.get("error_margin_source_to_target"),
        columns=_columns(found, matrix, is_matrix=aligned.is_matrix),
        notes=tuple(_notes(texts, found)),
        intervals=intervals,
        results=tuple(rows),
        matrix=matrix if aligned.is_matrix else {},
        message=f"{encoder}: mean retrieval error of {n_ways}: {mean}.",
    )


def _group_by_rate(found: dict[tuple[str, str], Both]) -> dict[str, list[BoolArray]]:
    """Return the hits that each mean is computed from: bool (n,) per direction."""
    ahead, back = zip(*found.values(), strict=True)
    groups = {
        "error_source_to_target": [one.is_wrong for one in ahead],
        "error_target_to_source": [one.is_wrong for one in back],
        "mean_error": [one.is_wrong for one in (*ahead, *back)],
        "mean_error_margin": [one.is_wrong_margin for one in (*ahead, *back)],
        "error_margin_source_to_target": [one.is_wrong_margin for one in ahead],
    }
    return {  # among random candidates there is no margin
        name: [one for one in wrong if one is not None]
        for name, wrong in groups.items()
        if wrong[0] is not None
    }


def _columns(
    found: dict[tuple[str, str], Both],
    matrix: dict[str, dict[str, float]],
    *,
    is_matrix: bool,
) -> dict[str, ColumnError]:
    """Return each column's error: against the compared column, or the mean over all."""
    if not is_matrix:
        return {
            source: ColumnError(forward.error, backward.error)
            for (source, _), (forward, backward) in found.items()
        }
    return {
        name: ColumnError(
            float(np.mean(list(row.values()))),
            float(np.mean([matrix[other][name] for other in row])),
        )
        for name, row in matrix.items()
    }


def _note(name: str, vectors: FloatArray) -> Iterator[str]:
    yield from note_vectors(name, normalise_rows(vectors)[0])


def _note_few_candidates(n_random: int, rows: Sequence[Retrieved]) -> Iterator[str]:
    fewest = min(row.n_pool for row in rows) - 1
    if fewest < n_random:
        yield (
            f"There are only {fewest:,} other sentences to draw {n_random:,} "
            "candidates from, so precision is higher than with all of them."
        )


def _notes(texts: RetrievalTexts, found: dict[tuple[str, str], Both]) -> Iterator[str]:
    """Return notes on the selection of rows, on copies and on duplicates."""
    aligned = texts.aligned
    yield from aligned.notes
    for source, target in aligned.pairs:
        yield from note_copies(source, aligned.texts[source], aligned.texts[target])
    for name, own in aligned.texts.items():
        counts = _count_duplicate_errors(name, texts.candidates(name), found)
        way = f"{_name_sources(name, aligned.pairs)} → {name}"
        yield from note_duplicates(name, own, way, *counts)


def _name_sources(target: str, pairs: Sequence[tuple[str, str]]) -> str:
    """Return the name of the source column, or the number of source columns."""
    found = [pair for pair in pairs if target in pair]
    others = [one if two == target else two for one, two in found]
    return others[0] if len(others) == 1 else f"{len(others):,} others"


def _count_duplicate_errors(
    target: str, candidates: Sequence[str], found: dict[tuple[str, str], Both]
) -> tuple[int, int]:
    """Count the errors where a copy of the target was found, and all errors."""
    ways = [ahead for (_, other), (ahead, _) in found.items() if other == target]
    ways += [back for (other, _), (_, back) in found.items() if other == target]
    n_copies = sum(
        candidates[nearest] == candidates[row]
        for way in ways
        if way.nearest is not None
        for row, nearest in enumerate(way.nearest.tolist())
        if way.is_wrong[row]
    )
    return n_copies, sum(way.n_wrong for way in ways)
