"""The table of what was measured: a figure a row, its interval beside it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.measurement_charts import BASELINES
from app.measurement_tables import plain_row
from app.measurements import Correlated, Measurement
from app.views.theme import scaled
from app.views.widgets.controls import describe
from app.views.widgets.sorted_item import SortedItem

ROW_HEIGHT = 26
WIDEST = 260  # pixels of a column
HEAD_ROOM = "\u2002"  # behind a heading: the mark of the order stands there
NO_BREAK = "\u00a0"
RATES = (  # fields that are told in per cent
    *("accuracy", "control_accuracy", "selectivity", "error", "error_margin"),
    *("score", "development", "majority", "baselines", "precision_at", "published"),
)
HIDDEN = ("settings",)  # an export has them
CORRELATION = "published r"  # a score of the literature that is no rate
POINTS = (*RATES, "pearson", "spearman", "value", CORRELATION)


class Cell(NamedTuple):
    """What stands in a cell, and by what it is sorted."""

    text: str
    value: float | str | None


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
        cells = [dict(_cells(row)) for row in rows]
        used = {name for row in cells for name, cell in row.items() if cell.text}
        names = [n for n in dict.fromkeys(n for row in cells for n in row) if n in used]
        self.setSortingEnabled(False)
        self.clear()
        self.setRowCount(len(rows))
        self.setColumnCount(len(names))
        header = self.horizontalHeader()
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        for column, name in enumerate(names):
            values = [row.get(name, NONE).value for row in cells]
            is_text = any(isinstance(value, str) for value in values)
            heading = QTableWidgetItem(name + HEAD_ROOM * (not is_text))
            heading.setTextAlignment(_LEFT if is_text else _RIGHT)
            self.setHorizontalHeaderItem(column, heading)
            for place, row in enumerate(cells):
                cell = row.get(name, NONE)
                item = SortedItem(*cell)
                item.setTextAlignment(_LEFT if is_text else _RIGHT)
                item.setToolTip(cell.text)
                self.setItem(place, column, item)
        self.setSortingEnabled(True)
        self._fit()

    def texts(self, *, chosen: bool = False) -> list[list[str]]:
        """Give the cells as they are sorted, the header first."""
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
            if self.columnWidth(column) > scaled(WIDEST, self):
                self.setColumnWidth(column, scaled(WIDEST, self))


NONE = Cell("", None)


def _cells(row: Measurement) -> list[tuple[str, Cell]]:
    """Give the cells of a row by heading; an interval stands in its figure's cell."""
    plain = plain_row(row)
    found: list[tuple[str, Cell]] = []
    for name, value in plain.items():
        if (
            name in HIDDEN
            or name.endswith("_interval")
            or isinstance(value, list | tuple)
        ):
            continue
        if isinstance(value, dict):
            intervals = plain.get(f"{name}_interval") or {}
            field = CORRELATION if isinstance(row, Correlated) else name
            for key, one in value.items():
                cell = _cell(field, one, intervals.get(key))
                found.append((_title(field, key), cell))
        else:
            found.append(
                (_title(name), _cell(name, value, plain.get(f"{name}_interval")))
            )
    return found


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
    titles = {
        "encoder": _tr("Encoder"),
        "data": _tr("File"),
        "task": _tr("Task"),
        "language": _tr("Language"),
        "classifier": _tr("Classifier"),
        "n": _tr("n"),
        "n_train": _tr("Training rows"),
        "n_classes": _tr("Classes"),
        "accuracy": _tr("Accuracy, %"),
        "control_accuracy": _tr("Control task, %"),
        "selectivity": _tr("Selectivity, points"),
        "note": _tr("Note"),
        "source": _tr("Source"),
        "target": _tr("Target"),
        "n_pool": _tr("Pool"),
        "error": _tr("Error, %"),
        "error_margin": _tr("Error by margin, %"),
        "precision_at": _tr("Among the first {k}, %"),
        "first": _tr("First"),
        "second": _tr("Second"),
        "similarity": _tr("By"),
        "pearson": _tr("Pearson’s r"),
        "spearman": _tr("Spearman’s ρ"),
        "measure": _tr("Measure"),
        "value": _tr("Value"),
        "protocol": _tr("Protocol"),
        "metric": _tr("Metric"),
        "score": _tr("Score, %"),
        "development": _tr("Development, %"),
        "n_development": _tr("Development rows"),
        "probing": _tr("Probing"),
        "downstream": _tr("Set against"),
        "p": _tr("p"),
        "p_corrected": _tr("p, corrected"),
        "n_tests": _tr("Tests"),
        "majority": _tr("Most frequent class, %"),
    }
    if name == "baselines":
        return f"{BASELINES.get(key, key)}, %"
    if name == CORRELATION:
        return f"{key}, r"
    if name == "published":
        return f"{key}, %"
    title = titles.get(name, name.replace("_", " ").capitalize())
    return title.format(k=key)


def _tr(text: str) -> str:
    return QCoreApplication.translate("measurement_table", text)


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
