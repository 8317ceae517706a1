"""Recording of measurements in the project."""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from app.engine.runtime.report import Report
from app.engine.statistics import LEVEL, Estimate
from app.engine.store.runs import (
    RetrievalHits,
    write_measurements,
    write_retrieval_hits,
)
from app.number_format import format_percent
from app.results.measurements import Interval, Measurement

if TYPE_CHECKING:
    from app.engine.project.project import Project

DIGITS = 6  # after the point: far below any interval


def record_measurements(
    project: "Project | None", rows: Sequence[Measurement], report: Report
) -> None:
    """Write the rows of a run and report them; do nothing outside a project."""
    if project is None or project.is_read_only or report.run is None:
        return
    write_measurements(project.store, report.run, rows)
    report.changed("measurement", report.run)


def record_hits(
    project: "Project | None", rows: Sequence[RetrievalHits], report: Report
) -> None:
    """Write which sentences a run found; do nothing outside a project."""
    if project is None or project.is_read_only or report.run is None:
        return
    write_retrieval_hits(project.store, report.run, rows)


def digest_texts(*columns: Sequence[str]) -> str:
    """Return the SHA-256 of texts in order, in hex."""
    digest = hashlib.sha256()
    for texts in columns:
        digest.update(msgspec.json.encode(texts))
    return digest.hexdigest()


def rounded_interval(estimate: Estimate) -> Interval:
    """Return both ends of an interval, rounded as stored."""
    return round(float(estimate.low), DIGITS), round(float(estimate.high), DIGITS)


def percent_text(rate: float, interval: Interval) -> str:
    """Format a rate with its interval: 21.7 % (95 % interval 21.5 to 21.9 %)."""
    rate, (low, high) = round(rate, DIGITS), interval  # as the tables, so .05 is equal
    ends = f"{100 * low:.1f} to {format_percent(high, 1)}"
    return f"{format_percent(rate, 1)} (95\u00a0% interval {ends})"


def middle_interval(drawn: ArrayLike) -> Interval:
    """Return the ends of the middle 95 % of a statistic over resamples (r,)."""
    low, high = np.quantile(np.asarray(drawn), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return round(float(low), DIGITS), round(float(high), DIGITS)
