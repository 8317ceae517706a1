"""The cells of a table of measurements: what is read, with the interval beside it."""

from typing import Any, NamedTuple

from app.measurement_marks import BASELINES
from app.measurement_tables import plain_row
from app.measurements import Correlated, Measurement

NO_BREAK = "\u00a0"
RATES = (  # fields that are told in per cent
    *("accuracy", "control_accuracy", "selectivity", "error", "error_margin"),
    *("score", "development", "majority", "baselines", "precision_at", "published"),
)
HIDDEN = ("settings", "accuracies")  # an export has the settings
CORRELATION = "published r"  # a score of the literature that is no rate
POINTS = (*RATES, "pearson", "spearman", "value", CORRELATION)

TITLES = {
    "encoder": "Encoder",
    "data": "File",
    "task": "Task",
    "language": "Language",
    "classifier": "Classifier",
    "n": "n",
    "n_train": "Training rows",
    "n_classes": "Classes",
    "accuracy": "Accuracy, %",
    "control_accuracy": "Control task, %",
    "selectivity": "Selectivity, points",
    "note": "Note",
    "source": "Source",
    "target": "Target",
    "n_pool": "Pool",
    "error": "Error, %",
    "error_margin": "Error by margin, %",
    "precision_at": "Among the first {k}, %",
    "first": "First",
    "second": "Second",
    "similarity": "By",
    "pearson": "Pearson’s r",
    "spearman": "Spearman’s ρ",
    "measure": "Measure",
    "value": "Value",
    "protocol": "Protocol",
    "metric": "Metric",
    "score": "Score, %",
    "development": "Development, %",
    "n_development": "Development rows",
    "probing": "Probing",
    "downstream": "Set against",
    "p": "p",
    "p_corrected": "p, corrected",
    "n_tests": "Tests",
    "majority": "Most frequent class, %",
}


class Cell(NamedTuple):
    """What stands in a cell, and by what it is sorted."""

    text: str
    value: float | str | None


NONE = Cell("", None)


def cells_of(row: Measurement) -> list[tuple[str, Cell]]:
    """Give the cells of a row by heading; an interval stands in its figure's cell."""
    plain = plain_row(row)
    found: list[tuple[str, Cell]] = []
    for name, value in plain.items():
        if name in HIDDEN or name.endswith("_interval"):
            continue
        interval = plain.get(f"{name}_interval")
        if not isinstance(value, dict):
            found.append((_title(name), _cell(name, value, interval)))
            continue
        field = CORRELATION if isinstance(row, Correlated) else name
        for key, one in value.items():
            cell = _cell(field, one, (interval or {}).get(key))
            found.append((_title(field, key), cell))
    return found


def cell_of(row: Measurement, name: str) -> tuple[str, Cell]:
    """Give one field's heading and cell; an interval stands in it."""
    interval = getattr(row, f"{name}_interval", None)
    return _title(name), _cell(name, getattr(row, name), interval)


def _cell(name: str, value: Any, interval: Any) -> Cell:
    if value is None or isinstance(value, str):
        return Cell(value or "", value)
    if name not in POINTS:
        return Cell(f"{value:,}" if isinstance(value, int) else f"{value:.3g}", value)
    text = _figure(name, value)
    if interval is not None:
        low, high = (_figure(name, end) for end in interval)
        text += f"{NO_BREAK}({low} – {high})".replace(" ", NO_BREAK)
    return Cell(text, float(value))


def _figure(name: str, value: float) -> str:
    text = f"{100 * value:.1f}" if name in RATES else f"{value:.3f}"
    return text.replace("-", "−")


def _title(name: str, key: str = "") -> str:
    if name == "baselines":
        return f"{BASELINES.get(key, key)}, %"
    if name == CORRELATION:
        return f"{key}, r"
    if name == "published":
        return f"{key}, %"
    title = TITLES.get(name, name.replace("_", " ").capitalize())
    return title.format(k=key)


__all__ = ["NONE", "Cell", "cell_of", "cells_of"]
