"""Task: evaluate retrieval on a folder of Tatoeba test sets, as LASER does."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from app.arrays import DoubleArray
from app.engine.encoders.registry import load_encoder
from app.engine.encoders.vector_cache import encode_cached
from app.engine.evaluation.aligned_texts import find_sets, read_sides
from app.engine.evaluation.laser_figures import LASER_ERRORS
from app.engine.evaluation.recording import (
    digest_texts,
    middle_interval,
    percent_text,
    record_hits,
    record_measurements,
)
from app.engine.evaluation.retrieval import DirectionResult, measure_retrieval
from app.engine.evaluation.training_texts import (
    ROW_NOTE,
    TrainedTexts,
    find_trained_texts,
)
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.statistics import N_RESAMPLES
from app.engine.store.runs import RetrievalHits
from app.params.vectors import EvaluateTatoeba
from app.plurals import count_text
from app.results.measurements import Interval, Retrieved

if TYPE_CHECKING:
    from app.engine.project.project import Project

STAGE, SET_NAME = "Measuring retrieval", "Tatoeba"
LOW_ERROR = 0.1  # below this error, a language counts as supported
SEED = 1  # seed of the resamples
TWELVE = (
    *("deu", "fra", "spa", "tur", "jpn", "fin"),
    *("nld", "cmn", "rus", "por", "ara", "ita"),
)


class TatoebaLanguage(msgspec.Struct, frozen=True):
    """Errors of one language; rates 0…1; source: the foreign file, target: English.

    Attributes:
        n: pairs.
        error_source_to_target, error_target_to_source: errors of the two directions.
        error: mean of both directions.
        laser_error: LASER's mean of both directions; None if it was not published.
    """

    n: int
    error_source_to_target: float
    error_target_to_source: float
    error: float
    laser_error: float | None


class LaserSummary(msgspec.Struct, frozen=True):
    """LASER's published figures over the languages measured here; rates 0…1."""

    mean_error: float | None
    mean_error_twelve: float | None
    languages_under_10_percent: int


class EvaluateTatoebaResult(msgspec.Struct, frozen=True):
    """Retrieval errors of all languages; rates 0…1.

    Attributes:
        mean_error: mean over the languages of the mean of both directions.
        mean_error_twelve: mean over the present languages of the twelve large ones.
        languages_under_10_percent: languages with an error below 0.1.
        …_interval: 95 %, bootstrap over the pairs of each language, with the languages
            fixed.
        laser: LASER's figures.
        languages: figures of each language, by its code.
        message: the mean in a sentence.
        notes: sentences on limitations of the figures.
    """

    mean_error: float
    mean_error_interval: Interval
    mean_error_twelve: float | None
    mean_error_twelve_interval: Interval | None
    languages_under_10_percent: int
    languages_under_10_percent_interval: Interval
    laser: LaserSummary
    languages: dict[str, TatoebaLanguage]
    message: str = ""
    notes: tuple[str, ...] = ()


def evaluate_tatoeba(
    project: "Project | None", params: EvaluateTatoeba, report: Report
) -> EvaluateTatoebaResult:
    """Measure every test set of a folder.

    Raises:
        UserError: the folder contains no test set, or a test set that is not aligned.
    """
    sets = find_sets(params.directory)
    encoder = load_encoder(params.encoder, project.folder if project else None)
    found: dict[str, tuple[DirectionResult, DirectionResult]] = {}
    hits: list[RetrievalHits] = []
    for done, (code, files) in enumerate(sets.items()):
        report.step(STAGE, done, len(sets), code)
        texts = read_sides(*files)
        sources, targets = (
            normalise_rows(encode_cached(project, encoder, some, Report()))[0]
            for some in texts
        )
        found[code] = measure_retrieval(sources, targets, len(sources), Report())
        hits += _list_hits(code, texts, found[code])
    report.step(STAGE, len(sets), len(sets))
    rows: list[Retrieved] = []
    for code, (ahead, back) in found.items():
        rows += [
            ahead.as_row(encoder.name, code, "eng", SET_NAME),
            back.as_row(encoder.name, "eng", code, SET_NAME),
        ]
    every_file = [file for pair in sets.values() for file in pair]
    trained = find_trained_texts(project, params.encoder, files=every_file)
    record_measurements(project, _mark(rows, sets, trained), report)
    record_hits(project, hits, report)
    result = _summarise(encoder.name, found)
    return msgspec.structs.replace(result, notes=tuple(trained.notes))


def _mark(
    rows: Sequence[Retrieved],
    sets: dict[str, tuple[Path, Path]],
    trained: TrainedTexts,
) -> list[Retrieved]:
    """Note in each row whether the encoder was trained on a file of its language."""
    seen = {
        code
        for code, files in sets.items()
        if {file.name for file in files} & {*trained.files}
    }
    return [
        msgspec.structs.replace(row, note=ROW_NOTE)
        if {row.source, row.target} & seen
        else row
        for row in rows
    ]


def _list_hits(
    code: str,
    texts: tuple[list[str], list[str]],
    both: tuple[DirectionResult, DirectionResult],
) -> list[RetrievalHits]:
    """List which sentences of a language were retrieved, in both directions."""
    foreign, english = texts
    return [
        RetrievalHits.of(names, digest_texts(*sides), ~way.is_wrong, sample=code)
        for names, sides, way in (
            ((code, "eng"), (foreign, english), both[0]),
            (("eng", code), (english, foreign), both[1]),
        )
    ]


def _summarise(
    encoder: str, found: dict[str, tuple[DirectionResult, DirectionResult]]
) -> EvaluateTatoebaResult:
    """Compute the means over the languages, and their bootstrap intervals."""
    languages = {code: _language(code, *both) for code, both in found.items()}
    errors = {code: one.error for code, one in languages.items()}
    laser = {
        code: one.laser_error
        for code, one in languages.items()
        if one.laser_error is not None
    }
    generator = np.random.default_rng(SEED)
    drawn = {code: _draw_errors(*both, generator) for code, both in found.items()}
    of_twelve = [drawn[code] for code in TWELVE if code in drawn]
    every = np.stack(list(drawn.values()))  # (languages, resamples)
    mean = float(np.mean(list(errors.values())))
    interval = middle_interval(every.mean(axis=0))
    return EvaluateTatoebaResult(
        mean_error=mean,
        mean_error_interval=interval,
        mean_error_twelve=_mean_of(errors, TWELVE),
        mean_error_twelve_interval=middle_interval(np.mean(of_twelve, axis=0))
        if of_twelve
        else None,
        languages_under_10_percent=sum(error < LOW_ERROR for error in errors.values()),
        languages_under_10_percent_interval=middle_interval(
            (every < LOW_ERROR).sum(axis=0)
        ),
        laser=LaserSummary(
            _mean_of(laser, tuple(laser)),
            _mean_of(laser, TWELVE),
            sum(error < LOW_ERROR for error in laser.values()),
        ),
        languages=languages,
        message=f"{encoder}: mean retrieval error over "
        f"{count_text(len(errors), 'language')} of {SET_NAME}: "
        f"{percent_text(mean, interval)}.",
    )


def _language(
    code: str, ahead: DirectionResult, back: DirectionResult
) -> TatoebaLanguage:
    return TatoebaLanguage(
        ahead.n,
        ahead.error,
        back.error,
        (ahead.error + back.error) / 2,
        LASER_ERRORS.get(code),
    )


def _draw_errors(
    ahead: DirectionResult, back: DirectionResult, generator: np.random.Generator
) -> DoubleArray:
    """Return the error of a language over resamples of its pairs, float64 (r,)."""
    n_wrong = ahead.is_wrong.astype(np.int64) + back.is_wrong  # (n,), 0…2 of a pair
    shares = np.bincount(n_wrong, minlength=3) / ahead.n
    drawn = generator.multinomial(ahead.n, shares, N_RESAMPLES)  # (r, 3)
    errors: DoubleArray = drawn @ [0.0, 0.5, 1.0] / ahead.n
    return errors


def _mean_of(errors: dict[str, float], codes: tuple[str, ...]) -> float | None:
    """Return the mean over the codes with an error; None if there are none."""
    found = [errors[code] for code in codes if code in errors]
    return float(np.mean(found)) if found else None
