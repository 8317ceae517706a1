"""Task: evaluate retrieval on a folder of Tatoeba test sets, as LASER does."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from app.engine.encoders.registry import load_encoder
from app.engine.evaluation.laser_figures import LASER_ERRORS
from app.engine.evaluation.recording import (
    DIGITS,
    record_measurements,
    rounded_interval,
)
from app.engine.runtime.report import Report
from app.engine.statistics import wilson_interval
from app.engine.tasks.evaluate_retrieval import measure_files
from app.engine.text.files import strip_compression
from app.errors import UserError
from app.params.vectors import EvaluateTatoeba
from app.results.measurements import Measurement, Retrieved

if TYPE_CHECKING:
    from app.engine.project.project import Project

STAGE = "Measuring retrieval"
TWELVE = (
    *("deu", "fra", "spa", "tur", "jpn", "fin"),
    *("nld", "cmn", "rus", "por", "ara", "ita"),
)


class TatoebaLanguage(msgspec.Struct, frozen=True):
    """One language; rates 0…1; source = the foreign file, target = the English one.

    Attributes:
        n: pairs.
        error_source_to_target, error_target_to_source: the two directions.
        error: their mean.
        laser_error: LASER's mean of both directions; None if it was not published.
    """

    n: int
    error_source_to_target: float
    error_target_to_source: float
    error: float
    laser_error: float | None


class LaserSummary(msgspec.Struct, frozen=True):
    """LASER's figures over the languages measured here, as published; rates 0…1."""

    mean_error: float | None
    mean_error_twelve: float | None
    languages_under_10_percent: int


class EvaluateTatoebaResult(msgspec.Struct, frozen=True):
    """What was measured; rates 0…1.

    Attributes:
        mean_error: mean over the languages of the mean of both directions.
        mean_error_twelve: over those of the twelve large languages that are there.
        languages_under_10_percent: languages with an error below 0.1.
        laser: the same figures of LASER.
        languages: each language's figures by its code.
    """

    mean_error: float
    mean_error_twelve: float | None
    languages_under_10_percent: int
    laser: LaserSummary
    languages: dict[str, TatoebaLanguage]


def evaluate_tatoeba(
    project: "Project | None", params: EvaluateTatoeba, report: Report
) -> EvaluateTatoebaResult:
    """Measure every test set of a folder.

    Raises:
        UserError: the folder holds no test set, or one that is not aligned.
    """
    sets = find_sets(params.directory)
    encoder = load_encoder(params.encoder, project.folder if project else None)
    languages: dict[str, TatoebaLanguage] = {}
    rows: list[Measurement] = []
    for done, (code, files) in enumerate(sets.items()):
        report.step(STAGE, done, len(sets), code)
        error = measure_files(project, encoder, files, Report())
        languages[code] = TatoebaLanguage(
            error.n,
            error.source_to_target,
            error.target_to_source,
            error.mean,
            LASER_ERRORS.get(code),
        )
        rows += [
            _row(encoder.name, code, "eng", error.n, error.source_to_target),
            _row(encoder.name, "eng", code, error.n, error.target_to_source),
        ]
    report.step(STAGE, len(sets), len(sets))
    record_measurements(project, rows, report)
    return _summarise(languages)


def _row(encoder: str, source: str, target: str, n: int, error: float) -> Retrieved:
    interval = rounded_interval(wilson_interval(error * n, n))
    return Retrieved(
        encoder=encoder,
        source=source,
        target=target,
        n=n,
        n_pool=n,
        error=round(error, DIGITS),
        error_interval=interval,
    )


def find_sets(directory: Path) -> dict[str, tuple[Path, Path]]:
    """Find the foreign and the English file of each language that has both.

    Raises:
        UserError: the folder contains no test set.
    """
    found = sorted(directory.glob("tatoeba.*-eng.*"))
    files = {strip_compression(file).name: file for file in found}
    sets = {}
    for name, english in files.items():
        code = name.removeprefix("tatoeba.").removesuffix("-eng.eng")
        foreign = files.get(f"tatoeba.{code}-eng.{code}")
        if name.endswith("-eng.eng") and foreign is not None:
            sets[code] = (foreign, english)
    if not sets:
        raise UserError(
            f"{directory} contains no test set. A test set is a pair of files "
            "tatoeba.CODE-eng.CODE and tatoeba.CODE-eng.eng (also .gz, .xz, .zst)."
        )
    return sets


def _summarise(languages: dict[str, TatoebaLanguage]) -> EvaluateTatoebaResult:
    """Take the means over the languages."""
    errors = {code: one.error for code, one in languages.items()}
    laser = {
        code: one.laser_error
        for code, one in languages.items()
        if one.laser_error is not None
    }
    return EvaluateTatoebaResult(
        mean_error=float(np.mean(list(errors.values()))),
        mean_error_twelve=_mean_of(errors, TWELVE),
        languages_under_10_percent=sum(error < 0.1 for error in errors.values()),
        laser=LaserSummary(
            _mean_of(laser, tuple(laser)),
            _mean_of(laser, TWELVE),
            sum(error < 0.1 for error in laser.values()),
        ),
        languages=languages,
    )


def _mean_of(errors: dict[str, float], codes: tuple[str, ...]) -> float | None:
    """Return the mean over the codes that have an error; None if none has."""
    found = [errors[code] for code in codes if code in errors]
    return float(np.mean(found)) if found else None
