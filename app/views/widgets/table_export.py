"""Export tables as CSV, TSV, JSON lines or LaTeX without blocking the window."""

import csv
import io
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from app.number_format import WORD_JOINER
from app.params.base import FORMULA_MARKS
from app.views.client.state import AppState
from app.views.widgets.number_format import pluralize

N_ALIGNED = 100  # rows that decide on the alignment of the columns in LaTeX
STEP_S = 0.015  # time the GUI thread writes before handling other events
_CLEAN = str.maketrans({"\t": " ", "\n": " ", "\r": " ", WORD_JOINER: None})
_LATEX = str.maketrans(
    {
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "\u00a0": "~",
        "−": "$-$",
    }
)
_FIGURE = re.compile(r"[+−-]?\d[\d.,]*(\s?%)?(\s\(.*\))?")  # 13.3 (6.9 – 24.2)
_LONG_NUMBER = re.compile(r"-?\d+\.\d{4,}")
_NUMBER = re.compile(r"[+-]?\d[\d.,\s]*(e[+-]?\d+)?\s?%?", re.IGNORECASE)


class TableExporter(QObject):
    """Writes rows while the window is idle; the file appears when it is complete."""

    finished = Signal(Path, int)  # file, rows without the header
    failed = Signal(str)

    def __init__(
        self, file: Path, table: Iterator[Sequence[str]], parent: QObject | None = None
    ):
        """Start writing.

        Args:
            file: file to write; replaced when all rows are written.
            table: rows, the header first.
            parent: ends the export when it is deleted.
        """
        super().__init__(parent)
        self._file, self._table, self._n = file, table, -1
        self._writer = _make_writer(file.suffix.lower())
        self._part = file.with_name(f"{file.name}.{os.getpid()}.part")
        self._stream: IO[str] | None = None
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._on_pause)
        self._timer.start()

    def _on_pause(self) -> None:
        try:
            self._write_chunk()
        except OSError as error:
            self._end()
            with suppress(OSError):
                self._part.unlink()
            words = self.tr("{file} can't be written ({reason}). Choose another place.")
            self.failed.emit(words.format(file=self._file, reason=error.strerror))

    def _write_chunk(self) -> None:
        if self._stream is None:
            self._stream = self._part.open("w", encoding="utf-8", newline="\n")
        end = time.perf_counter() + STEP_S
        while time.perf_counter() < end:
            cells = next(self._table, None)
            if cells is None:
                self._stream.write(self._writer.end())
                self._end()
                self._part.replace(self._file)
                self.finished.emit(self._file, max(self._n, 0))
                return
            self._stream.write(self._writer.write_row(cells))
            self._n += 1

    def _end(self) -> None:
        self._timer.stop()
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        self.deleteLater()


class _RowWriter(Protocol):
    """Writes a table row by row, the header first."""

    def write_row(self, cells: Sequence[str]) -> str:
        """Return the text of a row."""

    def end(self) -> str:
        """Return the text after the last row."""


def _make_writer(suffix: str) -> _RowWriter:
    match suffix:
        case ".jsonl":
            return _JsonLines()
        case ".tex":
            return _LatexTable()
    return _Lines(_csv_line if suffix == ".csv" else _tsv_line)


class _Lines:
    """Writes each row as a line of its own."""

    def __init__(self, write: Callable[[Sequence[str]], str]):
        self._write = write

    def write_row(self, cells: Sequence[str]) -> str:
        """Return the line of a row."""
        return self._write(cells)

    def end(self) -> str:
        """Return nothing."""
        return ""


def _tsv_line(cells: Sequence[str]) -> str:
    return "\t".join(cell.translate(_CLEAN) for cell in cells) + "\n"


def _csv_line(cells: Sequence[str]) -> str:
    stream = io.StringIO()
    row = [_protect(cell.translate(_CLEAN)) for cell in cells]
    csv.writer(stream, lineterminator="\n").writerow(row)
    return stream.getvalue()


class _JsonLines:
    """Writes each row as an object whose keys are the cells of the header."""

    def __init__(self) -> None:
        self._keys: Sequence[str] | None = None

    def write_row(self, cells: Sequence[str]) -> str:
        """Return the object of a row."""
        if self._keys is None:
            self._keys = cells
            return ""
        row = dict(zip(self._keys, cells, strict=True))
        return json.dumps(row, ensure_ascii=False) + "\n"

    def end(self) -> str:
        """Return nothing."""
        return ""


class _LatexTable:
    """Writes a table of the package booktabs; figures are aligned at the right."""

    def __init__(self) -> None:
        self._first: list[
            Sequence[str]
        ] = []  # the header, and rows until some are read
        self._is_begun = False

    def write_row(self, cells: Sequence[str]) -> str:
        """Return a row; the first ones together, since they decide on the alignment."""
        if self._is_begun:
            return _latex_line(cells)
        self._first.append(cells)
        return self._begin() if len(self._first) > N_ALIGNED else ""

    def end(self) -> str:
        """Return the end of the table."""
        start = "" if self._is_begun else self._begin()
        return start + "\\bottomrule\n\\end{tabular}\n"

    def _begin(self) -> str:
        self._is_begun = True
        header, *rows = self._first or [()]
        kinds = map(_alignment, zip(*rows, strict=True))
        columns = "".join(kinds) or "l" * len(header)
        return (
            "% \\usepackage{booktabs}\n"
            f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
            f"{_latex_line(header)}\\midrule\n"
        ) + "".join(map(_latex_line, rows))


def _alignment(cells: Sequence[str]) -> str:
    """Return r for a column of numbers or empty cells, else l."""
    filled = list(filter(None, cells))
    return "r" if filled and all(map(_FIGURE.fullmatch, filled)) else "l"


def _latex_line(cells: Sequence[str]) -> str:
    return " & ".join(map(_latex_cell, cells)) + " \\\\\n"


def _latex_cell(cell: str) -> str:
    """Escape a cell; round a number with many digits."""
    text = cell.translate(_CLEAN)
    if _LONG_NUMBER.fullmatch(text):
        value = float(text)
        text = f"{value:.3f}" if abs(value) >= 1 else f"{value:.3g}"
    return text.translate(_LATEX)


def _protect(cell: str) -> str:
    """Put an apostrophe before text that a spreadsheet would read as a formula."""
    is_formula = cell.lstrip().startswith(FORMULA_MARKS)
    return f"'{cell}" if is_formula and not _NUMBER.fullmatch(cell) else cell


def export_table(
    state: AppState,
    file: Path,
    table: Iterator[Sequence[str]],
    on_ended: Callable[[str], object],
) -> None:
    """Write a table to a file, and report the result.

    Args:
        file: where to; its suffix is the format.
        table: rows, the header first.
        on_ended: called with the reason if it fails, else with an empty text.
    """
    export_tables(state, {file: table}, on_ended)


def export_tables(
    state: AppState,
    tables: dict[Path, Iterator[Sequence[str]]],
    on_ended: Callable[[str], object],
) -> None:
    """Write tables to files, and report the result in one message.

    Args:
        state: of the window, which shows what was written, and offers the first file.
        tables: rows by file, as of `export_table`.
        on_ended: called with the reason if one fails, else with an empty text.
    """
    files, written = list(tables), list[str]()
    one, many = state.tr("1 row was written"), state.tr("{n} rows were written")
    words = state.tr("{written} to {file}.")

    def write_next() -> None:
        file = files[len(written)]
        export = TableExporter(file, tables[file], state)
        export.finished.connect(report)
        export.failed.connect(on_ended)

    def report(file: Path, n: int) -> None:
        written.append(words.format(written=pluralize(n, one, many), file=file))
        if len(written) < len(files):
            write_next()
            return
        state.file_written.emit(files[0], " ".join(written))
        on_ended("")

    write_next()
