"""A row of controls that goes on in the next line where it does not fit."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QLabel, QLayout, QLayoutItem, QSizePolicy, QSpacerItem

from app.views.theme import GRID

ACROSS = Qt.Orientation.Horizontal


class WrappingRow(QLayout):
    """Lays widgets out as words of a text: in lines, each as high as it must be.

    What room a line leaves goes to its stretch and to the widgets that expand.
    """

    def __init__(self, spacing: int = GRID):
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def add_stretch(self) -> None:
        """Put what follows at the end of the line."""
        policy = QSizePolicy.Policy
        self.addItem(QSpacerItem(0, 0, policy.Expanding, policy.Minimum))

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = [[]]
        for item in self._items:
            if item.widget() is not None and item.isEmpty():
                continue  # hidden
            if lines[-1] and self._wanted([*lines[-1], item]) > width:
                lines.append([])
            lines[-1].append(item)
        return lines

    def _wanted(self, line: list[QLayoutItem]) -> int:
        """Give the width that a line asks for; a stretch has no gap of its own."""
        n_gaps = sum(item.widget() is not None for item in line) - 1
        return sum(map(_width, line)) + max(n_gaps, 0) * self.spacing()

    def _place(self, line: list[QLayoutItem], rect: QRect) -> None:
        rest = max(rect.width() - self._wanted(line), 0)
        extra = _share_out(line, rest)
        x = rect.x()
        for item, more in zip(line, extra, strict=True):
            width = min(_width(item) + more, rect.right() + 1 - x)
            item.setGeometry(QRect(x, rect.y(), width, rect.height()))
            x += width + (self.spacing() if item.widget() is not None else 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Give the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem:
        """Give an item; none where there is none, as Qt wants it."""
        return self._items[index] if 0 <= index < len(self._items) else _none()

    def takeAt(self, index: int) -> QLayoutItem:
        """Take an item out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else _none()

    def expandingDirections(self) -> Qt.Orientation:
        """Take all the width there is."""
        return ACROSS

    def hasHeightForWidth(self) -> bool:
        """Say that narrow rows are higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Give the height of all lines."""
        heights = [_height(line, width) for line in self._lines(width)]
        return sum(heights) + (len(heights) - 1) * self.spacing()

    def sizeHint(self) -> QSize:
        """Ask for one line."""
        shown = [item for line in self._lines(1 << 24) for item in line]
        return QSize(self._wanted(shown), _height(shown))

    def minimumSize(self) -> QSize:
        """Allow lines of one widget each."""
        shown = [item for line in self._lines(1 << 24) for item in line]
        least = max((item.minimumSize().width() for item in shown), default=0)
        return QSize(least, _height(shown))

    def setGeometry(self, rect: QRect) -> None:
        """Place the lines one below the other."""
        super().setGeometry(rect)
        y = rect.y()
        for line in self._lines(rect.width()):
            height = _height(line, rect.width())
            self._place(line, QRect(rect.x(), y, rect.width(), height))
            y += height + self.spacing()


def _none() -> QLayoutItem:
    return None  # type: ignore[return-value] # Qt asks until there is none


def _width(item: QLayoutItem) -> int:
    """Give the width that an item asks for; the least where it does with any."""
    widget = item.widget()
    if widget is not None and _does_with_any(item):
        return max(widget.minimumSizeHint().width(), item.minimumSize().width())
    if isinstance(widget, QLabel) and widget.wordWrap():
        return _one_line(widget)
    return item.sizeHint().width()


def _one_line(label: QLabel) -> int:
    """Give the width of a label in one line: Qt's hint would break it before."""
    margins = label.contentsMargins()
    sides = margins.left() + margins.right() + 1
    return label.fontMetrics().horizontalAdvance(label.text()) + sides


def _does_with_any(item: QLayoutItem) -> bool:
    widget, policy = item.widget(), QSizePolicy.Policy.Ignored
    return widget is not None and widget.sizePolicy().horizontalPolicy() == policy


def _height(line: list[QLayoutItem], width: int = 1 << 24) -> int:
    """Give the height of a line; what is wider than the row is higher if it wraps."""
    heights = [
        item.heightForWidth(min(_width(item), width))
        if item.hasHeightForWidth()
        else item.sizeHint().height()
        for item in line
    ]
    return max(heights, default=0)


def _share_out(line: list[QLayoutItem], rest: int) -> list[int]:
    """Share what is left among the items that grow, none above its most."""
    extra = [0] * len(line)
    growing = [
        (item.maximumSize().width() - _width(item), place)
        for place, item in enumerate(line)
        if item.expandingDirections() & ACROSS or _does_with_any(item)
    ]
    for n_done, (room, place) in enumerate(sorted(growing)):
        extra[place] = max(min(rest // (len(growing) - n_done), room), 0)
        rest -= extra[place]
    return extra
