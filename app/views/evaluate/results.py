"""Evaluations as text and rows, and the table of their figures."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)
from sqlalchemy import Engine

from app.engine.store.runs import list_measured_runs, read_measurements, read_run
from app.params import command_name
from app.params.probing import Probe
from app.results.annotations import task_title
from app.results.measurements import Measurement
from app.results.tables import EMPTY_CELL, cells_of, join_runs
from app.views.client.runs import read_params
from app.views.widgets.controls import describe
from app.views.widgets.number_format import format_ago
from app.views.widgets.pair_set_text import SEPARATOR
from app.views.widgets.tables import SortableItem
from app.views.widgets.theme import scaled

N_NAMED = 2  # files or encoders named before the rest are counted
PROBE_TASK = command_name(Probe)  # its notes are of what could not be probed
FAILURES_KEY = "failures"  # of a result: sentences on what was skipped; else "notes"


class Evaluation(NamedTuple):
    """A run that measured something.

    Attributes:
        params: None where another version made it.
    """

    id: int
    task: str
    params: Any
    ended_at: float
    encoders: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name it: Retrieval · 12 corpora."""
        return SEPARATOR.join(
            [
                describe_evaluation_kind(self.task),
                *([data] if (data := self.data) else []),
            ]
        )

    @property
    def data(self) -> str:
        """Return what it was measured on; empty: it is not known."""
        params = self.params
        corpora = getattr(params, "corpora", ())
        if len(corpora) > N_NAMED:
            return _tr("{n} corpora").format(n=len(corpora))
        if corpora:
            return " – ".join(corpora)
        if (table := getattr(params, "table", None)) is not None:
            return str(table.name)
        if (source := getattr(params, "source", None)) is not None:
            return f"{source.name} – {params.target.name}"
        fields = ("data", "scores")
        files = [one for name in fields for one in getattr(params, name, ())]
        return _shorten_list(
            [Path(str(one).partition("=")[2] or str(one)).name for one in files]
        )

    @property
    def facts(self) -> str:
        """Return which encoders, and when."""
        ago = format_ago(max(time.time() - self.ended_at, 0))
        return SEPARATOR.join([_shorten_list(self.encoders), ago])


def list_evaluations(store: Engine) -> list[Evaluation]:
    """Read the evaluations of a project, the newest first."""
    return [
        Evaluation(
            run.id, run.task, read_params(run.params), run.ended_at, run.encoders
        )
        for run in list_measured_runs(store)
    ]


def read_result_rows(store: Engine, runs: Sequence[int]) -> list[Measurement]:
    """Read what runs measured, side by side."""
    return join_runs({run: read_measurements(store, run) for run in runs})


def read_result_notes(
    store: Engine, runs: Sequence[int]
) -> tuple[list[str], list[str]]:
    """Read what runs said: of what they skipped, and of the figures."""
    skipped: list[str] = []
    notes: list[str] = []
    for run in runs:
        row = read_run(store, run)
        result = json.loads(row.result or "{}") if row is not None else {}
        told = [note for note in result.get("notes") or () if isinstance(note, str)]
        is_of_failures = row is not None and row.task == PROBE_TASK
        (skipped if is_of_failures else notes).extend(told)
        skipped += [
            one for one in result.get(FAILURES_KEY) or () if isinstance(one, str)
        ]
    return list(dict.fromkeys(skipped)), list(dict.fromkeys(notes))


def describe_evaluation_kind(task: str) -> str:
    """Return what was measured."""
    return _tr(task_title(task))


def _shorten_list(names: Sequence[str]) -> str:
    """Name some, and count the rest: a.tsv, b.tsv and 6 more."""
    if len(names) <= N_NAMED:
        return ", ".join(names)
    words = _tr("{names} and {n} more")
    return words.format(names=names[0], n=len(names) - 1)


def _tr(text: str) -> str:
    return QCoreApplication.translate("evaluations", text)


ROW_HEIGHT = 26
MAX_COLUMN_WIDTH = 260  # pixels of a column
HEADING_PADDING = "\u2002"  # behind a heading: the mark of the order stands there


class MeasurementTable(QTableWidget):
    """Rows of any kind; a heading sorts."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(scaled(ROW_HEIGHT, self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().setHighlightSections(False)
        hint = self.tr(
            "One figure a row; a heading sorts, Ctrl+C copies what is chosen."
        )
        describe(self, self.tr("What was measured"), hint)
        self.setToolTip("")

    def show_rows(self, rows: Sequence[Measurement]) -> None:
        """Show rows in their order."""
        cells = [{_tr(name): cell for name, cell in cells_of(row)} for row in rows]
        used = {name for row in cells for name, cell in row.items() if cell.text}
        names = [n for n in dict.fromkeys(n for row in cells for n in row) if n in used]
        self.setSortingEnabled(False)
        self.clear()
        self.setRowCount(len(rows))
        self.setColumnCount(len(names))
        header = self.horizontalHeader()
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        for column, name in enumerate(names):
            values = [row.get(name, EMPTY_CELL).value for row in cells]
            is_text = any(isinstance(value, str) for value in values)
            heading = QTableWidgetItem(name + HEADING_PADDING * (not is_text))
            heading.setTextAlignment(_LEFT if is_text else _RIGHT)
            self.setHorizontalHeaderItem(column, heading)
            for place, row in enumerate(cells):
                cell = row.get(name, EMPTY_CELL)
                item = SortableItem(*cell)
                item.setTextAlignment(_LEFT if is_text else _RIGHT)
                item.setToolTip(cell.text)
                self.setItem(place, column, item)
        self.setSortingEnabled(True)
        self._fit()

    def texts(self, *, chosen: bool = False) -> list[list[str]]:
        """Return the cells as they are sorted, the header first."""
        places = sorted({index.row() for index in self.selectedIndexes()})
        shown = places if chosen and places else range(self.rowCount())
        columns = range(self.columnCount())
        head = [self.horizontalHeaderItem(c) for c in columns]
        found = [[one.text().strip() if one else "" for one in head]]
        for row in shown:
            cells = [self.item(row, c) for c in columns]
            found.append([cell.text() if cell else "" for cell in cells])
        return found

    def _fit(self) -> None:
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.resizeColumnsToContents()
        for column in range(self.columnCount()):
            if self.columnWidth(column) > scaled(MAX_COLUMN_WIDTH, self):
                self.setColumnWidth(column, scaled(MAX_COLUMN_WIDTH, self))


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
