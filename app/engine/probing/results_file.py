"""Write probing results as a TSV file."""

from collections.abc import Iterable
from pathlib import Path

from app.engine.text.line_files import read_lines
from app.engine.text.writers.output import OutputFiles
from app.errors import ResourceError, UserError
from app.results.measurements import Probed

BASELINES = (
    *("majority", "length", "tfidf", "bigrams", "random_vectors", "word_vectors"),
    *("untrained", "human", "idf_vectors", "sif_vectors", "sif_less_component"),
)
COLUMNS = (
    *("data", "task", "language", "encoder", "classifier", "n", "n_train", "n_classes"),
    "n_classes_published",
    *("accuracy", "low", "high", "control_accuracy", "selectivity"),
    *BASELINES,
    "settings",
    "note",
)
N_COLUMNS_OF_ALL = 8  # the first columns, which files of older versions also have


def check_results_file(file: Path) -> None:
    """Reject a file that can't be written, before any work.

    Only files with earlier measurements are replaced; other files may be data.

    Raises:
        UserError: the folder does not exist, or another file or folder has this name.
    """
    if not file.parent.is_dir():
        raise UserError(f"The folder {file.parent} doesn't exist. Create it first.")
    if file.is_dir():
        raise UserError(f"{file} is a folder. Choose a file.")
    if file.exists() and not _contains_results(file):
        raise UserError(
            f"{file} exists and doesn't contain measurements. Choose another name."
        )


def write_results_file(file: Path, rows: Iterable[Probed]) -> None:
    """Write rows under a temporary name and rename; rates 0…1, empty: not measured."""
    lines = ["\t".join(COLUMNS)]
    for row in rows:
        values = {
            **{name: getattr(row, name, "") for name in COLUMNS},
            **dict(zip(("low", "high"), row.accuracy_interval, strict=True)),
            **{name: row.baselines.get(name) for name in BASELINES},
            "settings": " ".join(f"{key}={v:g}" for key, v in row.settings.items()),
        }
        lines.append("\t".join(_cell(values[name]) for name in COLUMNS))
    with OutputFiles(replace=True) as files:
        files.open(file).write(("\n".join(lines) + "\n").encode())
        files.commit()


def _contains_results(file: Path) -> bool:
    """Return whether a file has the header of a results file."""
    try:
        head = next(read_lines(file)).split("\t")
    except (UserError, ResourceError):  # empty, or not text
        return False
    return head[:N_COLUMNS_OF_ALL] == list(COLUMNS[:N_COLUMNS_OF_ALL])


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)
