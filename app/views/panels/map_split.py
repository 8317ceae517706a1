"""Where maps stand: two side by side, and a table beside them or below."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from app.views.theme import GRID
from app.views.widgets.splits import make_split

WIDE = 150 * GRID  # from here on the table stands beside the maps, else below them
MAP_SHARE = 0.62  # of the room, where there is a table
ACROSS, DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


class MapSplit(QSplitter):
    """Shares the room; who drags the line between two of them changes the shares."""

    def __init__(self, maps: tuple[QWidget, QWidget], table: QWidget):
        """Take two maps, and the table of what is selected on them."""
        super().__init__(DOWN)
        self._table = table
        self.setChildrenCollapsible(False)
        self.setHandleWidth(2 * GRID)
        self.setStyleSheet("QSplitter::handle { background: transparent; }")
        self.addWidget(make_split(*maps))
        self.addWidget(table)

    def show_table(self, is_shown: bool) -> None:
        """Show the table, at its usual size, or leave it out."""
        if is_shown and self._table.isHidden():
            self._table.show()
            size = self.width() if self.orientation() == ACROSS else self.height()
            shares = (MAP_SHARE, 1 - MAP_SHARE)
            self.setSizes([round(share * size) for share in shares])
        self._table.setVisible(is_shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the table where there is room for it."""
        super().resizeEvent(event)
        self.setOrientation(ACROSS if self.width() >= WIDE else DOWN)
