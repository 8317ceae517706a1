"""Task: measure the geometry of vector spaces and the similarity of languages."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from app.arrays import BoolArray, FloatArray
from app.engine.encoders.registry import load_encoder
from app.engine.encoders.vector_cache import encode_cached
from app.engine.evaluation.aligned_texts import AlignedData, read_aligned_texts
from app.engine.evaluation.batch import FaultTolerantBatch
from app.engine.evaluation.recording import (
    DIGITS,
    record_measurements,
    rounded_interval,
)
from app.engine.evaluation.space_measures import (
    OF_ONE,
    OF_TWO,
    ONE_WAY,
    Measure,
    Space,
    check_space,
)
from app.engine.evaluation.training_texts import TrainedTexts, find_trained_aligned
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.statistics import Estimate
from app.errors import UserError
from app.params.evaluation import EvaluateSimilarityOfSpaces, MeasureName
from app.results.measurements import SpaceMeasured

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project.project import Project


class EvaluateSimilarityOfSpacesResult(msgspec.Struct, frozen=True):
    """Measures of vector spaces.

    Attributes:
        results: a row for each measure of each language and language pair.
        failures: a sentence for each measure that failed.
        notes: sentences on limitations of the figures.
    """

    results: tuple[SpaceMeasured, ...]
    failures: tuple[str, ...]
    notes: tuple[str, ...]


class _Work(NamedTuple):
    """One measure of one language (`second` is empty) or of two."""

    name: MeasureName
    measure: Measure
    first: str
    second: str = ""

    @property
    def title(self) -> str:
        """Return the title in messages: hubness of de – en."""
        sides = f"{self.first} – {self.second}" if self.second else self.first
        return f"{self.name} of {sides}"


class _Vectors(NamedTuple):
    """Unit vectors of a language, and a mask of the nonzero vectors."""

    rows: FloatArray
    is_there: BoolArray


def evaluate_similarity_of_spaces(
    project: "Project | None", params: EvaluateSimilarityOfSpaces, report: Report
) -> EvaluateSimilarityOfSpacesResult:
    """Measure every language and every compared pair of languages.

    Raises:
        UserError: the texts cannot be read or are not aligned, or nothing could be
            measured.
    """
    aligned = read_aligned_texts(params, project)
    encoder = load_encoder(params.encoder, project.folder if project else None)
    trained = find_trained_aligned(project, params)
    vectors, notes = _encode(project, encoder, aligned, params, report)
    works = list(_list_work(aligned, params))
    batch = FaultTolerantBatch("Measuring spaces", len(works), report)
    rows: list[SpaceMeasured] = []
    for work in works:
        run = partial(_measure, work, vectors, params, report)
        found = batch.try_one(work.title, run)
        if found is not None:
            estimate, n = found
            rows.append(_row(encoder.name, work, n, estimate, trained))
    batch.check_any(rows)
    record_measurements(project, rows, report)
    return EvaluateSimilarityOfSpacesResult(
        tuple(rows), tuple(batch.failures), (*trained.notes, *notes)
    )


def _encode(
    project: "Project | None",
    encoder: "Encoder",
    aligned: AlignedData,
    params: EvaluateSimilarityOfSpaces,
    report: Report,
) -> tuple[dict[str, _Vectors], list[str]]:
    """Return the vectors of the measured rows, the same rows in all languages."""
    n, notes = aligned.n, list(aligned.notes)
    rows = np.arange(n)
    if n > params.n_sentences:
        generator = np.random.default_rng(params.seed)
        rows = np.sort(generator.choice(n, params.n_sentences, replace=False))
        notes.append(f"Of {n:,} rows, {len(rows):,} were sampled (seed {params.seed}).")
    vectors = {}
    for name, texts in aligned.texts.items():
        drawn = [texts[row] for row in rows.tolist()]
        unit, norms = normalise_rows(encode_cached(project, encoder, drawn, report))
        vectors[name] = _Vectors(unit, norms > 0)
        n_zero = int((norms == 0).sum())
        if n_zero:
            notes.append(
                f"{name}: {n_zero:,} of {len(unit):,} sentences have no vector because "
                "the encoder knows none of their tokens, and were skipped."
            )
    return vectors, notes


def _list_work(
    aligned: AlignedData, params: EvaluateSimilarityOfSpaces
) -> Iterator[_Work]:
    """List the requested measures, first of languages and then of language pairs."""
    measures = params.measures or tuple(dict.fromkeys([*OF_ONE, *OF_TWO]))
    for name in aligned.texts:
        for measure in measures:
            if measure in OF_ONE:
                yield _Work(measure, OF_ONE[measure], name)
    for first, second in aligned.pairs:
        for measure in measures:
            if measure in OF_TWO:
                yield _Work(measure, OF_TWO[measure], first, second)
            if measure == ONE_WAY:
                yield _Work(measure, OF_TWO[measure], second, first)


def _measure(
    work: _Work,
    vectors: Mapping[str, _Vectors],
    params: EvaluateSimilarityOfSpaces,
    report: Report,
) -> tuple[Estimate, int]:
    """Measure the rows that have a vector in all the languages of the measure.

    Raises:
        UserError: there are too few rows, or all rows are equal.
    """
    first = vectors[work.first]
    is_there, others = first.is_there, None
    if work.second:
        second = vectors[work.second]
        is_there = is_there & second.is_there
        others = second.rows[is_there]
    space = Space(first.rows[is_there], others)
    check_space(space, work.title)
    try:
        return work.measure(space, params, report), len(space.vectors)
    except UserError as error:
        raise UserError(f"{work.title}: {error}") from error


def _row(
    encoder: str, work: _Work, n: int, estimate: Estimate, trained: TrainedTexts
) -> SpaceMeasured:
    has_interval = not np.isnan(estimate.low)
    return SpaceMeasured(
        encoder=encoder,
        measure=work.name,
        first=work.first,
        second=work.second,
        n=n,
        value=round(float(estimate.value), DIGITS),
        value_interval=rounded_interval(estimate) if has_interval else None,
        note=trained.row_note(*filter(None, (work.first, work.second))),
    )
