"""Record measurements in the project."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.engine.runtime.report import Report
from app.engine.store.runs import write_measurements
from app.results.measurements import Interval, Measurement

if TYPE_CHECKING:
    from app.engine.project.project import Project
    from app.engine.statistics import Estimate

DIGITS = 6  # after the point: far below any interval


def record_measurements(
    project: "Project | None", rows: Sequence[Measurement], report: Report
) -> None:
    """Write the rows of a run and say so; outside a project do nothing."""
    if project is None or project.is_read_only or report.run is None:
        return
    write_measurements(project.store, report.run, rows)
    report.changed("measurement", report.run)


def rounded_interval(estimate: "Estimate") -> Interval:
    """Return the two ends of an estimate, rounded as they are kept."""
    return round(float(estimate.low), DIGITS), round(float(estimate.high), DIGITS)
