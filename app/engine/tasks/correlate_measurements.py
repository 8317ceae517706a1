"""Task: correlate probing results with downstream scores over all encoders."""

import msgspec

from app.engine.evaluation.probing_correlation import (
    MIN_ENCODERS,
    collect_scores,
    correlate,
)
from app.engine.evaluation.recording import record_measurements
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.runs import read_latest_measurements
from app.errors import UserError
from app.params.evaluation import CorrelateMeasurements
from app.results.measurements import ScoresCorrelated

STAGE = "Correlating"


class CorrelateMeasurementsResult(msgspec.Struct, frozen=True):
    """A correlation matrix, with one row per cell.

    Attributes:
        encoders: encoders with both kinds of measurements.
        probing, downstream: names of rows and columns.
        correction: method that corrects p for `n_tests` tests.
        notes: sentences on limitations of the figures.
    """

    encoders: tuple[str, ...]
    probing: tuple[str, ...]
    downstream: tuple[str, ...]
    cells: tuple[ScoresCorrelated, ...]
    correction: str
    n_tests: int
    notes: tuple[str, ...]


def correlate_measurements(
    project: Project, params: CorrelateMeasurements, report: Report
) -> CorrelateMeasurementsResult:
    """Correlate the newest measurements of each encoder, without new measurements.

    Raises:
        UserError: too few encoders have both kinds of measurements.
    """
    report.step(STAGE, 0, 1)
    rows = read_latest_measurements(project.store)
    sides = collect_scores(rows, params.against)
    encoders = sides.encoders
    if len(encoders) < MIN_ENCODERS:
        named = f" ({', '.join(encoders)})" if encoders else ""
        raise UserError(
            f"{len(encoders)} encoders of this project{named} have both probing and "
            f"downstream scores; at least {MIN_ENCODERS} are needed. Run probe and "
            "evaluate-downstream with more encoders."
        )
    cells = correlate(sides, params.correction)
    n_tests = sum(cell.p is not None for cell in cells)
    record_measurements(project, cells, report)
    report.step(STAGE, 1, 1)
    return CorrelateMeasurementsResult(
        encoders,
        tuple(sides.probing),
        tuple(sides.downstream),
        tuple(cells),
        params.correction,
        n_tests,
        tuple(_notes(cells, n_tests)),
    )


def _notes(cells: list[ScoresCorrelated], n_tests: int) -> list[str]:
    """Return notes on missing figures and on the limits of the correlations."""
    notes = []
    if n_tests < len(cells):
        notes.append(
            f"{len(cells) - n_tests:,} of {len(cells):,} cells are empty because fewer "
            f"than {MIN_ENCODERS} encoders have both scores, or because one score "
            "doesn't vary."
        )
    known = [cell.n for cell in cells if cell.p is not None]
    if known and min(known) < 6:
        notes.append(
            f"With {min(known)} encoders, hardly any correlation is significant after "
            f"correction for {n_tests:,} tests. Evaluate more encoders."
        )
    return notes
