"""One language's hits: a list of cards, moved through by keys and mouse."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.languages import language_name
from app.views.theme import tokens_of
from app.views.widgets.hit_card import CardLook, measure_card, paint_card
from app.views.widgets.hits import Hit, describe_place

HIT_ROLE = int(Qt.ItemDataRole.UserRole)
MARKS_ROLE = HIT_ROLE + 1
GAP = 8  # pixels between cards
_MOVES = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_STEPS = (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Space)


class HitModel(QAbstractListModel):
    """The hits of one language, best first."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.hits: list[Hit] = []
        self._marks: tuple[str, ...] = ()

    def show_hits(self, hits: Sequence[Hit], marks: Sequence[str]) -> None:
        """Show other hits."""
        self.beginResetModel()
        self.hits, self._marks = list(hits), tuple(marks)
        self.endResetModel()

    def rowCount(
        self, parent: QModelIndex | QPersistentModelIndex | None = None
    ) -> int:
        """Count the hits."""
        return 0 if parent is not None and parent.isValid() else len(self.hits)

    def data(
        self,
        index: QModelIndex | QPersistentModelIndex,
        role: int = int(Qt.ItemDataRole.DisplayRole),
    ) -> Any:
        """Give a hit, its text, or its words for a screen reader."""
        if not index.isValid():
            return None
        hit = self.hits[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return hit.sentence.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._describe(hit)
            case _ if role == HIT_ROLE:
                return hit
            case _ if role == MARKS_ROLE:
                return self._marks
        return None

    def _describe(self, hit: Hit) -> str:
        parts = [hit.sentence.text, describe_place(hit.source, hit.sentence.line)]
        if hit.score is not None:
            parts.append(self.tr("score {score}").format(score=f"{hit.score:.2f}"))
        if hit.is_translation:
            parts.append(self.tr("known translation"))
        return ", ".join(parts)


class HitDelegate(QStyledItemDelegate):
    """Paints cards of different heights; the heights of a width are kept."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._heights: dict[tuple[int, int, int], int] = {}

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint the card."""
        look = CardLook(
            option.font,
            tokens_of(QApplication.palette()),
            is_chosen=bool(option.state & QStyle.StateFlag.State_Selected),
            is_hovered=bool(option.state & QStyle.StateFlag.State_MouseOver),
            has_keyboard=bool(option.state & QStyle.StateFlag.State_HasFocus),
            marks=index.data(MARKS_ROLE) or (),
        )
        card = QRectF(option.rect).adjusted(1, 1, -1, 1 - GAP)
        paint_card(painter, card, index.data(HIT_ROLE), look)

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Measure the card in the width of its column."""
        hit: Hit = index.data(HIT_ROLE)
        column = option.widget
        width = column.viewport().width() if isinstance(column, QListView) else 200
        key = (hit.sentence.id, width, option.font.pixelSize())
        if key not in self._heights:
            tokens = tokens_of(QApplication.palette())
            height = measure_card(hit, width - 2, option.font, tokens)
            self._heights[key] = round(height) + GAP
        return QSize(width, self._heights[key])


class HitColumn(QListView):
    """The cards of one language.

    Attributes:
        language: what the hits are written in.
    """

    hit_selected = Signal(object)  # Hit
    hit_chosen = Signal(object)  # Hit: a click or Enter makes it the query
    digit_pressed = Signal(int)  # 0 … 9: label the hit, or what was asked for
    left = Signal(int)  # -1 or 1: to the column before or behind

    def __init__(self, language: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.language = language
        self._hits = HitModel(self)
        self.setObjectName("hitColumn")
        self.setModel(self._hits)
        self.setItemDelegate(HitDelegate(self))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(
            self.tr("Hits in {language}").format(language=language_name(language))
        )
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    @property
    def hits(self) -> list[Hit]:
        """The hits, best first."""
        return self._hits.hits

    def show_hits(self, hits: Sequence[Hit], marks: Sequence[str] = ()) -> None:
        """Show other hits; words to mark stand in `marks`."""
        self._hits.show_hits(hits, marks)

    @property
    def _has_choice(self) -> bool:
        return self.selectionModel().hasSelection()

    def select_row(self, row: int) -> None:
        """Select a card and give it the keyboard."""
        index = self._hits.index(min(row, self._hits.rowCount() - 1))
        flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(index, flag)

    def clear_choice(self) -> None:
        """Select nothing: another column has the selection."""
        self.selectionModel().clearSelection()

    def _on_selection_changed(self, selected: QItemSelection) -> None:
        for index in selected.indexes():
            self.hit_selected.emit(index.data(HIT_ROLE))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move within the column, leave it sideways, choose by Enter."""
        key = Qt.Key(event.key())
        current = self.currentIndex()
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            event.ignore()
        elif key in _MOVES:
            self.left.emit(_MOVES[key])
        elif key in _STEPS and current.isValid() and not self._has_choice:
            self.select_row(current.row())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current.isValid():
            self.hit_chosen.emit(current.data(HIT_ROLE))
        elif Qt.Key.Key_0 <= key <= Qt.Key.Key_9:
            self.digit_pressed.emit(key - Qt.Key.Key_0)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the card that was clicked."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        is_same = index.isValid() and index == self.currentIndex()
        if event.button() == Qt.MouseButton.LeftButton and is_same:
            self.hit_chosen.emit(index.data(HIT_ROLE))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Measure the cards again when the width is another."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def minimumSizeHint(self) -> QSize:
        """Allow any height."""
        return QSize(80, 80)
