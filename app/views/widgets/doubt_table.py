"""Labels that are perhaps wrong: keys 1 to 9 mend them, Enter takes the proposal."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QObject, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QApplication, QHeaderView, QTableView, QWidget

from app.views.classify_words import format_rate
from app.views.label_checks import Doubt
from app.views.theme import scaled, tokens_of
from app.views.widgets.controls import describe
from app.views.widgets.large_table import set_up_large_table
from app.views.widgets.page_model import LANGUAGE_ROLE, Index
from app.views.widgets.text_delegate import TextDelegate

SURE, TEXT, LABEL, PROPOSED = range(4)
WIDTHS = {SURE: 72, LABEL: 112, PROPOSED: 96}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class DoubtModel(QAbstractTableModel):
    """Doubtful labels, the most likely wrong first."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.doubts: tuple[Doubt, ...] = ()
        self._labels: dict[int, str] = {}
        self._language = ""

    def show_doubts(self, doubts: tuple[Doubt, ...], language: str) -> None:
        """Show doubts about sentences of a language."""
        self.beginResetModel()
        self.doubts, self._language = doubts, language
        self.endResetModel()

    def show_labels(self, labels: dict[int, str]) -> None:
        """Show the labels as they are now, by sentence."""
        self._labels = labels
        if self.doubts:
            last = self.index(len(self.doubts) - 1, PROPOSED)
            self.dataChanged.emit(self.index(0, 0), last)

    def label_of(self, one: Doubt) -> str:
        """Give the label that a sentence has now."""
        return self._labels.get(one.place, "") if self._labels else one.label

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the doubts."""
        return 0 if parent is not None and parent.isValid() else len(self.doubts)

    def columnCount(self, parent: Index | None = None) -> int:
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else PROPOSED + 1

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Give what a cell shows; a label that was mended is in a human's colour."""
        if not index.isValid():
            return None
        one, column = self.doubts[index.row()], index.column()
        label = self.label_of(one)
        is_mended = label != one.label
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                cells = {
                    SURE: format_rate(one.probability),
                    TEXT: " | ".join(one.texts),
                    LABEL: f"✓ {label}" if is_mended else label,
                    PROPOSED: one.suggested,
                }
                return cells[column]
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if column == SURE else _LEFT
            case Qt.ItemDataRole.ForegroundRole if column == LABEL and is_mended:
                return QColor(tokens_of(QApplication.palette()).human)
            case _ if role == LANGUAGE_ROLE:
                return self._language
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = int(Qt.ItemDataRole.DisplayRole),
    ) -> Any:
        """Name the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        titles = (
            self.tr("Sure"),
            self.tr("Sentence"),
            self.tr("Label"),
            self.tr("Proposed"),
        )
        if role == Qt.ItemDataRole.DisplayRole:
            return titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section == SURE else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole and section == SURE:
            return self.tr(
                "Probability of the proposed class, by classifiers that were trained "
                "on the other rows (5-fold)."
            )
        return None


class DoubtTable(QTableView):
    """Shows doubtful labels."""

    label_wanted = Signal(object, str)  # id of a sentence, class
    digit_pressed = Signal(int, object)  # 0 … 9, id of the sentence
    sentence_opened = Signal(object)  # id

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.doubts = DoubtModel(self)
        self.setModel(self.doubts)
        set_up_large_table(self)
        self.setItemDelegateForColumn(TEXT, TextDelegate(self))
        header = self.horizontalHeader()
        for column, width in WIDTHS.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            self.setColumnWidth(column, scaled(width, self))
        header.setSectionResizeMode(TEXT, QHeaderView.ResizeMode.Stretch)
        describe(
            self,
            self.tr("Doubtful labels"),
            self.tr("Enter takes the proposed class, the keys 1 to 9 give another."),
        )
        self.setToolTip("")
        self.doubleClicked.connect(
            lambda index: self.sentence_opened.emit(self._doubts[index.row()].place)
        )

    @property
    def _doubts(self) -> Sequence[Doubt]:
        return self.doubts.doubts

    def step_on(self) -> None:
        """Go to the next row."""
        self.selectRow(min(self.currentIndex().row() + 1, len(self._doubts) - 1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Label the current sentence."""
        row = self.currentIndex().row()
        is_digit = Qt.Key.Key_0 <= event.key() <= Qt.Key.Key_9
        if row >= 0 and is_digit:
            digit = event.key() - Qt.Key.Key_0
            self.digit_pressed.emit(digit, self._doubts[row].place)
        elif row >= 0 and event.key() in _ENTER:
            one = self._doubts[row]
            self.label_wanted.emit(one.place, one.suggested)
        else:
            super().keyPressEvent(event)
