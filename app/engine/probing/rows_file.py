"""Measurements as a TSV: a row each, a column for each field."""

from collections.abc import Iterable
from pathlib import Path

from app.errors import UserError
from app.measurements import Probed

BASELINES = ("majority", "length", "tfidf", "random_vectors", "untrained")
COLUMNS = (
    *("data", "task", "language", "encoder", "classifier", "n", "n_train", "n_classes"),
    *("accuracy", "low", "high", "control_accuracy", "selectivity"),
    *BASELINES,
    "settings",
    "note",
)


def check_rows_file(file: Path) -> None:
    """Refuse a file that cannot be written, before the work.

    Raises:
        UserError: its folder does not exist, or it is a folder.
    """
    if not file.parent.is_dir():
        raise UserError(f"The folder {file.parent} does not exist: make it first.")
    if file.is_dir():
        raise UserError(f"{file} is a folder: name a file in it.")


def write_rows_file(file: Path, rows: Iterable[Probed]) -> None:
    """Write rows under a temporary name first; rates 0…1, empty: not measured."""
    lines = ["\t".join(COLUMNS)]
    for row in rows:
        values = {
            **{name: getattr(row, name, "") for name in COLUMNS},
            **dict(zip(("low", "high"), row.accuracy_interval, strict=True)),
            **{name: row.baselines.get(name) for name in BASELINES},
            "settings": " ".join(f"{key}={v:g}" for key, v in row.settings.items()),
        }
        lines.append("\t".join(_cell(values[name]) for name in COLUMNS))
    part = file.with_name(f"{file.name}.part")
    part.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    part.replace(file)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)
