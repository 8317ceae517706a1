"""Measurements as tables: values, formatted cells, and runs side by side."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from app.number_format import NO_BREAK, format_score
from app.results.annotations import BASELINES, measure_title, name_classifier
from app.results.measurements import (
    Correlated,
    GridMeasured,
    Measurement,
    Retrieved,
    SpaceMeasured,
)
from app.results.probing_tasks import count_classes

EMPTY_VALUES = ("", None)
IDENTITY = (  # fields that identify a measurement
    *("data", "classifier", "source", "target", "first", "second"),
    *("similarity", "measure", "metric", "probing", "downstream"),
)


def join_runs(rows_of: Mapping[int, Sequence[Measurement]]) -> list[Measurement]:
    """Join runs; an encoder measured by two runs gets the name of its run.

    Args:
        rows_of: measurements of each run, by run id.
    """
    seen: dict[tuple[object, ...], set[int]] = {}
    for run, rows in rows_of.items():
        for row in rows:
            seen.setdefault(_identity(row), set()).add(run)
    twice = {what[1] for what, runs in seen.items() if len(runs) > 1}
    return [
        msgspec.structs.replace(row, encoder=f"{row.encoder} (run {run})")
        if row.encoder in twice
        else row
        for run, rows in rows_of.items()
        for row in rows
    ]


def _identity(row: Measurement) -> tuple[object, ...]:
    """Return the key of a measurement: kind, encoder and data."""
    return (
        type(row),
        row.encoder,
        *(getattr(row, name, "") for name in IDENTITY),
    )


def flatten(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Return the cells of a row by column; intervals and mappings become columns."""
    for name, value in row.items():
        if isinstance(value, dict) and name.endswith("_interval"):
            for key, (low, high) in value.items():
                yield f"{name} {key} low", low
                yield f"{name} {key} high", high
        elif isinstance(value, dict):
            yield from ((f"{name} {key}", one) for key, one in value.items())
        elif name.endswith("_interval") and value is not None:
            yield f"{name} low", value[0]
            yield f"{name} high", value[1]
        elif not isinstance(value, list | tuple):
            yield name, value


def plain_row(row: Measurement) -> dict[str, Any]:
    """Return the fields of a row in order, with intervals as pairs."""
    fields = row.__struct_fields__
    return {name: msgspec.to_builtins(getattr(row, name)) for name in fields}


def value_table(rows: Sequence[Measurement]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of a table of all fields, without formatting."""
    flat = [dict(flatten(plain_row(row))) for row in rows]
    used = {
        name for row in flat for name, value in row.items() if value not in EMPTY_VALUES
    }
    head = [n for n in dict.fromkeys(n for row in flat for n in row) if n in used]
    cells = [[_plain_cell(row.get(name)) for name in head] for row in flat]
    return [name.replace("_", " ") for name in head], cells


def _plain_cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def share_columns(rows: Sequence[Measurement]) -> Sequence[Measurement]:
    """Arrange a comparison of encoders in the columns of one table.

    Shares of kept neighbours and retrieval errors become another measure of two
    languages. Other rows are not changed.
    """
    if {type(row) for row in rows} != {Retrieved, SpaceMeasured}:
        return rows
    return [
        SpaceMeasured(
            encoder=row.encoder,
            measure="retrieval_error",
            first=row.source,
            second=row.target,
            n=row.n,
            value=row.error,
            value_interval=row.error_interval,
            note=row.note,
        )
        if isinstance(row, Retrieved)
        and row.error_margin is None
        and not row.precision_at
        else row
        for row in rows
    ]


RATE_FIELDS = (  # fields that are shown in %
    *("accuracy", "control_accuracy", "selectivity", "error", "error_margin"),
    *("bleu", "chrf", "by_length"),
    *("score", "development", "majority", "baselines", "precision_at", "published"),
)
HIDDEN_FIELDS = (  # included in exports
    *("settings", "accuracies", "n_classes_published"),
    "is_done",
)
PUBLISHED_CORRELATION = "published r"  # a published score that is not a rate
TIMES_100 = {  # correlations of textual similarity, as in its charts
    "pearson": "pearson × 100",
    "spearman": "spearman × 100",
}
TRAINED_FIELDS = ("n_steps", "n_parameters", "seconds")  # unknown before a training
GRID_FIELDS = ("varied", "scores")  # with their own titles; scores in %
SCORE_FIELDS = (
    *(*RATE_FIELDS, "pearson", "spearman", "value", PUBLISHED_CORRELATION),
    *TIMES_100.values(),
    "scores",
)

FIELD_TITLES = {
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
    "n_pool": "Candidates",
    "n_sets": "Sets",
    "error": "Error, %",
    "error_margin": "Error by margin, %",
    "precision_at": "Precision at {k}, %",
    "first": "First",
    "second": "Second",
    "similarity": "Similarity",
    "direction": "Direction",
    "bleu": "BLEU",
    "chrf": "chrF",
    "by_length": "BLEU, {k} words",
    "pearson": "Pearson’s r",
    "pearson × 100": "Pearson’s r × 100",
    "spearman": "Spearman’s ρ",
    "spearman × 100": "Spearman’s ρ × 100",
    "measure": "Measure",
    "value": "Value",
    "protocol": "Protocol",
    "metric": "Metric",
    "score": "Score, %",
    "development": "Development, %",
    "n_development": "Development rows",
    "probing": "Probing",
    "downstream": "Compared score",
    "p": "p",
    "p_corrected": "p, corrected",
    "n_tests": "Tests",
    "majority": "Most frequent class, %",
    "mean_squared_error": "Mean squared error",
    "n_steps": "Steps",
    "kept_step": "Step kept",
    "n_parameters": "Parameters",
    "seconds": "Seconds",
}


class Cell(NamedTuple):
    """The text and the sort value of a cell."""

    text: str
    value: float | str | None


EMPTY_CELL = Cell("", None)


def cells_of(row: Measurement) -> list[tuple[str, Cell]]:
    """Return the cells of a row by heading; a cell includes its interval."""
    plain = plain_row(row)
    found: list[tuple[str, Cell]] = []
    for name, value in plain.items():
        if name in HIDDEN_FIELDS or name.endswith("_interval"):
            continue
        if name in TRAINED_FIELDS and isinstance(row, GridMeasured) and not row.n_steps:
            continue
        if name == "n_classes":
            words = count_classes(plain["task"], value)
            found.append((_title(name), Cell(words, value)))
            continue
        if name == "classifier":
            value = name_classifier(value)
        if name == "measure":
            found.append((_title(name), Cell(measure_title(value), value)))
            continue
        interval = plain.get(f"{name}_interval")
        if isinstance(row, Correlated):
            name = TIMES_100.get(name, name)
        if not isinstance(value, dict):
            found.append((_title(name), _cell(name, value, interval)))
            continue
        field = PUBLISHED_CORRELATION if isinstance(row, Correlated) else name
        for key, one in value.items():
            cell = _cell(field, one, (interval or {}).get(key))
            found.append((_title(field, key), cell))
    return found


def cell_of(row: Measurement, name: str) -> tuple[str, Cell]:
    """Return the heading and the cell of one field; it includes its interval."""
    interval = getattr(row, f"{name}_interval", None)
    value = getattr(row, name)
    if isinstance(row, Correlated):
        name = TIMES_100.get(name, name)
    return _title(name), _cell(name, value, interval)


def _cell(name: str, value: Any, interval: Any) -> Cell:
    if value is None or isinstance(value, str):
        return Cell(value or "", value)
    if name not in SCORE_FIELDS:
        return Cell(f"{value:,}" if isinstance(value, int) else f"{value:.3g}", value)
    text = _format_value(name, value)
    if (
        interval is not None and interval[0] != interval[1]
    ):  # otherwise all resamples were equal
        low, high = (_format_value(name, end) for end in interval)
        text += f"{NO_BREAK}({low} – {high})".replace(" ", NO_BREAK)
    return Cell(text, float(value))


def _format_value(name: str, value: float) -> str:
    if name == "scores":
        return format_score(value, 1)
    is_scaled = name in (*RATE_FIELDS, *TIMES_100.values(), PUBLISHED_CORRELATION)
    return format_score(100 * value, 1) if is_scaled else format_score(value)


def _title(name: str, key: str = "") -> str:
    if name == "baselines":
        return f"{BASELINES.get(key, key)}, %"
    if name in GRID_FIELDS:
        return key
    if name == PUBLISHED_CORRELATION:
        return f"{key}, r × 100"
    if name == "published":
        return f"{key}, %"
    title = FIELD_TITLES.get(name, name.replace("_", " ").capitalize())
    return title.format(k=key)
