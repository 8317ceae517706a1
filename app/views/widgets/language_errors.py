"""Retrieval errors by language: the worst first, a bar each, the mean on top."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QItemSelectionModel, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.views.theme import GRID, mix, scaled, tokens_of
from app.views.widgets.controls import describe
from app.views.widgets.corpus_list import Index
from app.views.words import format_error

KEY_ROLE = int(Qt.ItemDataRole.UserRole)
SHARE_ROLE = KEY_ROLE + 1
BAR_HEIGHT = 6
ROW = 28


class LanguageError(NamedTuple):
    """The error of one language (or their mean) in one or two trainings.

    Attributes:
        key: name of its curve.
        title: of the language.
        values: 0…1, one a training; None where it was not measured.
        best: the lowest of a single training; None: not measured.
    """

    key: str
    title: str
    values: tuple[float | None, ...]
    best: float | None = None


class LanguageErrors(QTableWidget):
    """A table of errors; the rows that are selected are drawn in the plot.

    The last column is the best of one training, or the change from one to the other.
    """

    choice_changed = Signal()

    def __init__(self, columns: Sequence[str], parent: QWidget | None = None):
        """Make an empty table; `columns`: titles of the columns of numbers."""
        super().__init__(0, 1 + len(columns), parent)
        self.setHorizontalHeaderLabels([self.tr("Language"), *columns])
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(scaled(ROW))
        self.setShowGrid(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setTabKeyNavigation(False)
        self.setItemDelegateForColumn(1, _BarDelegate(self))
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        header.setHighlightSections(False)
        describe(
            self,
            self.tr("Retrieval error by language, the worst first"),
            self.tr("Select languages to draw their curves."),
        )
        self.setToolTip("")
        self.itemSelectionChanged.connect(self.choice_changed)

    @property
    def chosen(self) -> list[str]:
        """Keys of the rows that are selected, from the top."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self.model().index(row, 0).data(KEY_ROLE) for row in rows]

    def show_errors(self, mean: LanguageError, errors: Sequence[LanguageError]) -> None:
        """Show the mean, and the languages from the worst to the best."""
        chosen, current = set(self.chosen), self.currentRow()
        self.blockSignals(True)
        rows = [mean, *sorted(errors, key=_badness)]
        self.setRowCount(len(rows))
        for place, row in enumerate(rows):
            self._show_row(place, row)
        self.selectionModel().clearSelection()
        flag = QItemSelectionModel.SelectionFlag
        for place, row in enumerate(rows):
            if row.key in chosen:
                index = self.model().index(place, 0)
                self.selectionModel().select(index, flag.Select | flag.Rows)
        if current >= 0:
            index = self.model().index(min(current, len(rows) - 1), 0)
            self.selectionModel().setCurrentIndex(index, flag.NoUpdate)
        self.blockSignals(False)

    def texts(self) -> list[list[str]]:
        """Give what the table says, row by row."""
        model = self.model()
        return [
            [str(model.index(row, j).data()) for j in range(self.columnCount())]
            for row in range(self.rowCount())
        ]

    def _show_row(self, place: int, row: LanguageError) -> None:
        is_pair = len(row.values) == 2
        last = _difference(row.values) if is_pair else row.best
        numbers = [_write(value) for value in row.values]
        texts = [row.title, *numbers, _write(last, is_difference=is_pair)]
        for column, text in enumerate(texts):
            item = self._item(place, column)
            item.setText(text)
            item.setToolTip(f"{row.title}: {text}" if column else row.title)
            font = item.font()
            font.setBold(place == 0)
            item.setFont(font)
        self._item(place, 0).setData(KEY_ROLE, row.key)
        self._item(place, 1).setData(SHARE_ROLE, row.values[0])

    def _item(self, row: int, column: int) -> QTableWidgetItem:
        """Give the item of a cell; it is made when there is none."""
        item = self.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            if column:
                side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                item.setTextAlignment(side)
            self.setItem(row, column, item)
        return item


class _BarDelegate(QStyledItemDelegate):
    """Paints an error as a number with a bar on its left."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the cell."""
        super().paint(painter, option, index)
        share = index.data(SHARE_ROLE)
        if share is None or math.isnan(share):
            return
        tokens = tokens_of(QApplication.palette())
        item = QStyleOptionViewItem(option)
        self.initStyleOption(item, index)
        metrics = QFontMetricsF(item.font)
        number = metrics.horizontalAdvance(format_error(1.0)) + 2 * GRID
        place = QRectF(item.rect)
        track = QRectF(
            place.left() + GRID,
            place.center().y() - BAR_HEIGHT / 2,
            place.width() - number - GRID,
            BAR_HEIGHT,
        )
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix(tokens, "secondary", 0.18)))
        painter.drawRoundedRect(track, BAR_HEIGHT / 2, BAR_HEIGHT / 2)
        track.setWidth(max(track.width() * min(share, 1.0), BAR_HEIGHT))
        painter.setBrush(QColor(tokens.accent))
        painter.drawRoundedRect(track, BAR_HEIGHT / 2, BAR_HEIGHT / 2)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Ask for a bar beside the number."""
        hint = super().sizeHint(option, index)
        hint.setWidth(hint.width() + scaled(7 * GRID))
        return hint


def _badness(row: LanguageError) -> tuple[float, str]:
    value = row.values[0]
    return (1.0 if value is None else -value, row.title)


def _difference(values: Sequence[float | None]) -> float | None:
    one, other = values[0], values[-1]
    return None if one is None or other is None else other - one


def _write(number: float | None, *, is_difference: bool = False) -> str:
    if number is None or math.isnan(number):
        return "–"
    text = format_error(abs(number))
    if not is_difference:
        return text
    return f"+{text}" if number > 0 else f"−{text}" if number < 0 else text
