"""Rows of controls that wrap, overflow into a menu, or drop what does not fit."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QLayout,
    QLayoutItem,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSpacerItem,
    QWidget,
)

from app.views.widgets.boxes import Stretch, as_widget, make_column, make_row
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.theme import GRID

HORIZONTAL = Qt.Orientation.Horizontal


class WrappingRow(QLayout):
    """Lays out widgets in lines, as a text wraps its words.

    What room a line leaves goes to its stretch and to the widgets that expand, else to
    its end, or to both sides of a centred row.
    """

    def __init__(
        self,
        spacing: int = GRID,
        *,
        line_gap: int | None = None,
        is_centred: bool = False,
    ):
        """Start empty; `line_gap`: between two lines, else as between two widgets."""
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._is_centred = is_centred
        self._line_gap = spacing if line_gap is None else line_gap
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def add_stretch(self) -> None:
        """Put what follows at the end of the line."""
        policy = QSizePolicy.Policy
        self.addItem(QSpacerItem(0, 0, policy.Expanding, policy.Minimum))

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = [[]]
        used = 0  # of the last line, with a gap behind each widget
        for item in self._items:
            if item.widget() is not None and item.isEmpty():
                continue  # hidden
            wanted = _item_width(item)
            # A stretch has no gap of its own: the line ends with the widget before it.
            end = used + wanted - (0 if item.widget() is not None else self.spacing())
            if lines[-1] and end > width:
                lines.append([])
                used = 0
            lines[-1].append(item)
            used += wanted + (self.spacing() if item.widget() is not None else 0)
        return lines

    def _wanted(self, line: list[QLayoutItem]) -> int:
        """Return the width that a line asks for; a stretch has no gap of its own."""
        n_gaps = sum(item.widget() is not None for item in line) - 1
        return sum(map(_item_width, line)) + max(n_gaps, 0) * self.spacing()

    def _place(self, line: list[QLayoutItem], rect: QRect) -> None:
        rest = max(rect.width() - self._wanted(line), 0)
        extra = _distribute_width(line, rest)
        x = rect.x() + (rest - sum(extra)) // 2 * self._is_centred
        for item, more in zip(line, extra, strict=True):
            width = min(_item_width(item) + more, rect.right() + 1 - x)
            item.setGeometry(QRect(x, rect.y(), width, rect.height()))
            x += width + (self.spacing() if item.widget() is not None else 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem:
        """Return an item, or None, as Qt expects."""
        return self._items[index] if 0 <= index < len(self._items) else _no_item()

    def takeAt(self, index: int) -> QLayoutItem:
        """Remove an item and return it."""
        return self._items.pop(index) if 0 <= index < len(self._items) else _no_item()

    def expandingDirections(self) -> Qt.Orientation:
        """Expand horizontally."""
        return HORIZONTAL

    def hasHeightForWidth(self) -> bool:
        """Return True: narrow rows are higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines."""
        heights = [_line_height(line, width) for line in self._lines(width)]
        return sum(heights) + (len(heights) - 1) * self._line_gap

    def sizeHint(self) -> QSize:
        """Ask for one line."""
        shown = [item for line in self._lines(1 << 24) for item in line]
        return QSize(self._wanted(shown), _line_height(shown))

    def minimumSize(self) -> QSize:
        """Allow lines of one widget each."""
        shown = [item for line in self._lines(1 << 24) for item in line]
        least = max((item.minimumSize().width() for item in shown), default=0)
        return QSize(least, _line_height(shown))

    def setGeometry(self, rect: QRect) -> None:
        """Place the lines one below the other."""
        super().setGeometry(rect)
        y = rect.y()
        for line in self._lines(rect.width()):
            height = _line_height(line, rect.width())
            self._place(line, QRect(rect.x(), y, rect.width(), height))
            y += height + self._line_gap


def _no_item() -> QLayoutItem:
    return None  # type: ignore[return-value] # Qt asks until there is none


def _item_width(item: QLayoutItem) -> int:
    """Return the width that an item asks for; the least where it does with any."""
    widget = item.widget()
    if widget is not None and _can_shrink(item):
        return max(widget.minimumSizeHint().width(), item.minimumSize().width())
    if isinstance(widget, QLabel) and widget.wordWrap():
        return _single_line_width(widget)
    return item.sizeHint().width()


def _single_line_width(label: QLabel) -> int:
    """Return the width of a label in one line: Qt's hint would break it before."""
    margins = label.contentsMargins()
    sides = margins.left() + margins.right() + 1
    return label.fontMetrics().horizontalAdvance(label.text()) + sides


def _can_shrink(item: QLayoutItem) -> bool:
    widget, policy = item.widget(), QSizePolicy.Policy.Ignored
    return widget is not None and widget.sizePolicy().horizontalPolicy() == policy


def _line_height(line: list[QLayoutItem], width: int = 1 << 24) -> int:
    """Return the height of a line; what is wider than the row is higher if it wraps."""
    heights = [
        item.heightForWidth(min(_item_width(item), width))
        if item.hasHeightForWidth()
        else item.sizeHint().height()
        for item in line
    ]
    return max(heights, default=0)


def _distribute_width(line: list[QLayoutItem], rest: int) -> list[int]:
    """Share the spare width: texts that were cut come first, then items that grow."""
    extra = [0] * len(line)
    cut = [
        (widget.sizeHint().width() - _item_width(item), index)
        for index, item in enumerate(line)
        if (widget := item.widget()) is not None and _can_shrink(item)
    ]
    growing = [
        (item.maximumSize().width() - _item_width(item), index)
        for index, item in enumerate(line)
        if item.expandingDirections() & HORIZONTAL or _can_shrink(item)
    ]
    for takers in (cut, growing):
        for n_done, (room, index) in enumerate(sorted(takers)):
            share = rest // (len(takers) - n_done)
            more = max(min(share, room - extra[index]), 0)
            extra[index] += more
            rest -= more
    return extra


GAP = 4


class ActionRow(QWidget):
    """Buttons of the visible actions, as many as fit."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._buttons: list[tuple[QAction, QPushButton]] = []
        self._more = make_button(
            self.tr("More"), self.tr("Show more actions."), kind="quiet"
        )
        self._more.setParent(self)
        self._more.setMenu(QMenu(self._more))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_actions(self, actions: Sequence[tuple[QAction, str]]) -> None:
        """Make the buttons, each with its words."""
        for action, words in actions:
            button = _make_button(action, words)
            button.setParent(self)
            self._buttons.append((action, button))
            action.visibleChanged.connect(self._place)
        self.updateGeometry()
        self._place()

    def _place(self) -> None:
        for action, button in self._buttons:
            if not action.isVisible():
                button.hide()
        shown = [one for one in self._buttons if one[0].isVisible()]
        widths = [button.sizeHint().width() + GAP for _, button in shown]
        room, n_shown = self.width() + GAP, len(widths)
        if sum(widths) > room:
            room -= self._more.sizeHint().width() + GAP
            n_shown = sum(sum(widths[: n + 1]) <= room for n in range(len(widths)))
            n_shown = max(min(n_shown, len(widths) - 2), 0)  # no menu of one action
        x, height = 0, self.sizeHint().height()
        menu = self._more.menu()
        menu.clear()
        for index, (action, button) in enumerate(shown):
            button.setVisible(index < n_shown)
            if index < n_shown:
                button.setGeometry(x, 0, widths[index] - GAP, height)
                x += widths[index]
            else:
                menu.addAction(action)
        self._more.setVisible(n_shown < len(widths))
        self._more.setGeometry(x, 0, self._more.sizeHint().width(), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many buttons as fit."""
        super().resizeEvent(event)
        self._place()

    def sizeHint(self) -> QSize:
        """Ask for one row."""
        hints = [button.sizeHint() for _, button in self._buttons]
        height = max((hint.height() for hint in hints), default=0)
        return QSize(sum(hint.width() + GAP for hint in hints), height)

    def minimumSizeHint(self) -> QSize:
        """Allow a row of nothing but the button of the rest."""
        return QSize(self._more.sizeHint().width(), self.sizeHint().height())


def _make_button(action: QAction, words: str) -> QPushButton:
    button = make_button(words, action.statusTip(), action.trigger, kind="quiet")
    button.setProperty("shape", "flush")

    def _follow() -> None:
        button.setEnabled(action.isEnabled())
        button.setToolTip(action.statusTip())

    action.changed.connect(_follow)
    _follow()
    return button


class FigureRow(QWidget):
    """Numbers that are updated while they are shown.

    Attributes:
        hint: words for the tooltip.
    """

    def __init__(self, parent: QWidget | None = None, *, wraps: bool = False):
        """Start empty; what does not fit has another line if it wraps, else none."""
        super().__init__(parent)
        self._wraps, self.hint = wraps, ""
        if wraps:
            self._row: QLayout = WrappingRow(3 * GRID, line_gap=GRID)
            make_column(self._row, parent=self)
        else:
            self._row = make_row(gap=4 * GRID)
            make_row(self._row, Stretch(), parent=self, gap=0)
        self._figures: dict[str, str] = {}
        self._numbers: list[QWidget] = []

    @property
    def text(self) -> str:
        """The full text of the row."""
        return self.accessibleName()

    def show_figures(self, figures: Sequence[tuple[str, str]]) -> None:
        """Show pairs of a name and a number."""
        self.setAccessibleName(", ".join(f"{title} {n}" for title, n in figures))
        titles = [title for title, _ in figures]
        if titles != list(self._figures):
            self._rebuild(titles)
        for (_, number), label in zip(figures, self._labels, strict=True):
            if label.text() != number:
                label.setText(number)
        self._figures = dict(figures)
        self._show_what_fits()

    def _show_what_fits(self) -> None:
        end = 0
        for widget in self._numbers:
            end += widget.sizeHint().width()
            widget.setVisible(self._wraps or end <= self.width())
            end += self._row.spacing()
        is_cut = any(widget.isHidden() for widget in self._numbers)
        parts = (self.text if is_cut else "", self.hint)
        self.setToolTip("\n".join(part for part in parts if part))

    def _rebuild(self, titles: Sequence[str]) -> None:
        for widget in self._numbers:
            self._row.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._numbers, self._labels = [], []
        for title in titles:
            number = make_label("", "figure")
            widget = as_widget(
                make_column(number, make_label(title, "secondary"), gap=0)
            )
            self._row.addWidget(widget)
            self._numbers.append(widget)
            self._labels.append(number)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many as fit now, the first ones first."""
        super().resizeEvent(event)
        self._show_what_fits()

    def minimumSizeHint(self) -> QSize:
        """Allow a narrow row."""
        return QSize(0, super().minimumSizeHint().height())
