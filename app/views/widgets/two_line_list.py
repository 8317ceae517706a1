"""Lists whose rows are painted: the model of any rows, and lists of two lines."""

from collections.abc import Callable, Collection, Sequence
from math import ceil
from typing import Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QObject,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.views.widgets.cells import DISPLAY_ROLE, ID_ROLE, Index
from app.views.widgets.controls import describe
from app.views.widgets.kept_rows import RowKeeper, arrange_newest_first
from app.views.widgets.tables import paint_back
from app.views.widgets.text_layout import elide_name
from app.views.widgets.theme import colours_of, scaled

ROW_HEIGHT, MIN_WIDTH, PADDING = 52, 140, 12
MAX_TITLE_WIDTH = 160  # pixels of a title that a list keeps room for

PaintRow = Callable[[QPainter, QRectF, QStyleOptionViewItem, Index], None]


class RowDelegate(QStyledItemDelegate):
    """Paints the background of a row; the delegate of the list paints its content."""

    def __init__(self, paint_row: PaintRow, parent: QObject, height: int = ROW_HEIGHT):
        """Create the delegate; `paint_row`: paints a row into a rectangle."""
        super().__init__(parent)
        self._paint_row, self._height = paint_row, height

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the row."""
        item, _ = paint_back(self, painter, option, index)
        painter.save()
        rect = QRectF(item.rect).adjusted(PADDING, 8, -PADDING, -8)
        self._paint_row(painter, rect, item, index)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return every row the same height."""
        return QSize(MIN_WIDTH, scaled(self._height, option.font))


def paint_two_lines(
    painter: QPainter,
    rect: QRectF,
    item: QStyleOptionViewItem,
    lines: tuple[str, str],
    *,
    colour: str = "",
    number: str = "",
) -> None:
    """Paint a title and the facts below it, each cut to its place.

    Args:
        painter: on the row's ground.
        item: the row, for its font and whether it is selected.
        lines: title and facts.
        colour: of the facts; empty: the secondary text's.
        number: shown to the right of the title.
    """
    colours = colours_of(QApplication.palette())
    is_selected = bool(item.state & QStyle.StateFlag.State_Selected)
    bold, small = QFont(item.font), QFont(item.font)
    bold.setWeight(QFont.Weight.DemiBold if is_selected else QFont.Weight.Medium)
    small.setPixelSize(scaled(12, item.font))
    top = QRectF(rect.left(), rect.top(), rect.width(), rect.height() / 2)
    bottom = top.translated(0, rect.height() / 2)
    if number:
        _paint_words(painter, top, number, (bold, colours.text), is_right=True)
        top.setRight(top.right() - QFontMetricsF(bold).horizontalAdvance(number))
    title, facts = lines
    title = elide_name(title, top.width(), QFontMetricsF(bold))
    _paint_words(painter, top, title, (bold, colours.text))
    _paint_words(painter, bottom, facts, (small, colour or colours.secondary))


def _paint_words(
    painter: QPainter,
    line: QRectF,
    words: str,
    look: tuple[QFont, str],
    *,
    is_right: bool = False,
) -> None:
    font, colour = look
    painter.setFont(font)
    painter.setPen(QColor(colour))
    elide, side = Qt.TextElideMode.ElideRight, Qt.AlignmentFlag.AlignLeft
    if is_right:
        elide, side = Qt.TextElideMode.ElideNone, Qt.AlignmentFlag.AlignRight
    shown = QFontMetricsF(font).elidedText(words, elide, line.width())
    painter.drawText(line, side | Qt.AlignmentFlag.AlignVCenter, shown)


ROW_ROLE = ID_ROLE  # the object in a row
R = TypeVar("R")


class RowText(NamedTuple):
    """Text of a row in a list.

    Attributes:
        key: the same while the row shows the same object.
        title: of the row.
        words: for a screen reader.
        hint: the tooltip; empty: the words.
    """

    key: object
    title: str
    words: str
    hint: str = ""


class RowListModel(QAbstractListModel, Generic[R]):
    """Rows of a list: objects of any kind, which the list paints and describes.

    Attributes:
        rows: the objects.
    """

    def __init__(self, describe_row: Callable[[R], RowText], parent: QObject):
        """Make an empty model; `describe_row`: returns the texts of a row."""
        super().__init__(parent)
        self.rows: list[R] = []
        self._describe_row = describe_row

    @property
    def keys(self) -> list[object]:
        """Keys that identify the rows."""
        return [self._describe_row(row).key for row in self.rows]

    def key_of(self, index: Index) -> object:
        """Return what identifies the row of an index."""
        return self._describe_row(self.rows[index.row()]).key

    def show_rows(self, rows: Sequence[R]) -> None:
        """Show rows, in place if they are the same objects as before."""
        keys = [self._describe_row(row).key for row in rows]
        if keys == self.keys:
            self.rows = list(rows)
            if keys:
                self.dataChanged.emit(self.index(0), self.index(len(keys) - 1))
            return
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return a row or one of its texts."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        match role:
            case _ if role == ROW_ROLE:
                return row
            case Qt.ItemDataRole.DisplayRole:
                return self._describe_row(row).title
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._describe_row(row).words
            case Qt.ItemDataRole.ToolTipRole:
                text = self._describe_row(row)
                return text.hint or text.words
        return None


def set_up_list(view: QListView, delegate: RowDelegate, name: str, hint: str) -> None:
    """Let a list paint rows of the same height, and describe it."""
    view.setItemDelegate(delegate)
    model = view.model()
    if isinstance(model, RowListModel) and view.findChild(RowKeeper) is None:
        RowKeeper(view, model.key_of).keep_on_reset(model)
    view.setUniformItemSizes(True)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    describe(view, name, hint, has_tooltip=False)


def selected_rows(view: QListView) -> list[int]:
    """Return the selected rows of a list, in their order."""
    return sorted(index.row() for index in view.selectionModel().selectedIndexes())


def select_rows(view: QListView, rows: Collection[int]) -> None:
    """Select rows of a list and no others, without a signal; the last is current."""
    model = view.selectionModel()
    flag = model.SelectionFlag
    model.blockSignals(True)
    model.clear()
    for row in sorted(rows):
        index = view.model().index(row, 0)
        model.select(index, flag.Select)
        model.setCurrentIndex(index, flag.NoUpdate)
    model.blockSignals(False)
    view.viewport().update()


class TwoLineRow(NamedTuple):
    """A row: the id of its object, its two lines, more for the tooltip."""

    id: int
    title: str
    facts: str
    hint: str = ""


class TwoLineList(QListView):
    """A list of which one row is chosen, or several.

    A row that arrives in a list of the newest first, while it is shown, moves no other
    row; it is marked until it is chosen or the list is shown again.
    """

    choice_changed = Signal()
    _n_fitted, _least = 0, 1  # rows that `fit` was asked for

    def __init__(
        self,
        name: str,
        hint: str,
        parent: QWidget | None = None,
        *,
        takes_several: bool = False,
        is_newest_first: bool = False,
        has_fixed_room: bool = False,
    ):
        """Make an empty list.

        Args:
            takes_several: rows are chosen with Ctrl or Shift.
            is_newest_first: ids rise, and the highest comes first.
            has_fixed_room: reserve the width of a long title, whatever the rows are.
        """
        super().__init__(parent)
        self._takes_several = takes_several
        self._is_newest_first = is_newest_first
        self._in_order: list[TwoLineRow] = []  # without marks
        self._new: set[int] = set()  # ids
        self._has_fixed_room = has_fixed_room
        self._keeper = RowKeeper(self, lambda index: index.data(ROW_ROLE).id)
        self._model = RowListModel(_describe_row, self)
        self.setModel(self._model)
        set_up_list(self, RowDelegate(_paint_row, self), name, hint)
        if takes_several:
            self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
            self.selectionModel().selectionChanged.connect(self._on_changed)
        else:
            self.selectionModel().currentChanged.connect(self._on_changed)
        self._keep_room()

    @property
    def all_chosen(self) -> list[int]:
        """Ids of the selected rows, in the order of the list."""
        return [self._model.rows[row].id for row in selected_rows(self)]

    def choose_all(self, ids: Collection[int]) -> list[int]:
        """Select only these rows; return the existing ones."""
        self._select(ids)
        self._on_changed()
        return self.all_chosen

    @property
    def chosen(self) -> int | None:
        """Id of the selected row."""
        row = self.currentIndex().row()
        return self._model.rows[row].id if row >= 0 else None

    @property
    def ids(self) -> list[int]:
        """Ids of all rows."""
        return [row.id for row in self._model.rows]

    @property
    def rows(self) -> list[TwoLineRow]:
        """All rows."""
        return self._model.rows

    def fit(self, n_rows: int, *, least: int = 1) -> None:
        """Fit the height to the rows, within a minimum and maximum number."""
        self._n_fitted, self._least = n_rows, least
        n = min(max(len(self.rows), least), n_rows)
        self.setFixedHeight(n * scaled(ROW_HEIGHT, self.font()) + 4)

    def show_rows(self, rows: list[TwoLineRow]) -> None:
        """Show rows, and keep the selected row if it is among them."""
        if self._is_newest_first:
            self._in_order, rows = rows, self._arrange(rows)
        with self._keeper.keep():
            self._show_rows(rows)

    def _arrange(self, rows: list[TwoLineRow]) -> list[TwoLineRow]:
        """Insert new rows where they move no other row, and mark them."""
        by_id = {row.id: row for row in rows}
        order = arrange_newest_first(self, self.ids, list(by_id))
        newest = max(self.ids, default=None)
        if self.isVisible() and newest is not None:
            self._new |= {id_ for id_ in by_id if id_ > newest}
            self._new -= set(self.all_chosen)
        else:
            self._new.clear()
        words = self.tr("new")
        return [
            by_id[id_]._replace(facts=f"{words} · {by_id[id_].facts}")
            if id_ in self._new
            else by_id[id_]
            for id_ in order
        ]

    def _show_rows(self, rows: list[TwoLineRow]) -> None:
        kept, all_kept = self.chosen, self.all_chosen
        self.selectionModel().blockSignals(True)
        self._model.show_rows(rows)
        if not self._takes_several and kept is not None:
            self._set_current(kept)
        self.selectionModel().blockSignals(False)
        if self._takes_several:
            self._select(all_kept)
        self._keep_room()

    def choose(self, id_: int | None) -> bool:
        """Select a row, or none; return whether the row exists."""
        if id_ is None:
            self.selectionModel().clear()
            return False
        return self._set_current(id_)

    def _select(self, ids: Collection[int]) -> None:
        select_rows(self, [row for row, id_ in enumerate(self.ids) if id_ in ids])

    def _set_current(self, id_: int) -> bool:
        if id_ not in self.ids:
            return False
        self.setCurrentIndex(self._model.index(self.ids.index(id_)))
        return True

    def _on_changed(self) -> None:
        if self._new.intersection(self.all_chosen):
            self.show_rows(self._in_order)  # without their marks
        if self.chosen is not None or self._takes_several:
            self.choice_changed.emit()

    def _keep_room(self) -> None:
        """Keep room for titles, of a moderate length."""
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        metrics = QFontMetricsF(font)
        titles = [metrics.horizontalAdvance(row.title) for row in self.rows]
        most = scaled(MAX_TITLE_WIDTH, self.font())
        width = most if self._has_fixed_room else min(max(titles, default=0), most)
        self.setMinimumWidth(ceil(width) + 2 * PADDING + 2 * self.frameWidth())

    def showEvent(self, event: QShowEvent) -> None:
        """Put the newest first when the user comes back to the list."""
        if self._is_newest_first and not event.spontaneous():
            self._new.clear()
            self._show_rows(self._in_order)
        super().showEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Be as high and as wide as the rows are in the size of texts in use."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_model"):
            self._keep_room()
        if event.type() == QEvent.Type.FontChange and self._n_fitted:
            self.fit(self._n_fitted, least=self._least)


def _describe_row(row: TwoLineRow) -> RowText:
    hint = "\n".join(part for part in row[1:] if part)
    return RowText(row.id, row.title, f"{row.title}, {row.facts}", hint)


def _paint_row(
    painter: QPainter, rect: QRectF, item: QStyleOptionViewItem, index: Index
) -> None:
    row: TwoLineRow = index.data(ROW_ROLE)
    paint_two_lines(painter, rect, item, (row.title, row.facts))
