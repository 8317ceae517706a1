"""Overview of all keyboard shortcuts, grouped by menu."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.views.widgets.controls import make_button, make_label
from app.views.widgets.dialogs import lay_out_dialog
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.theme import GRID, scaled

N_COLUMNS = 3
COLUMN_WIDTH = 44 * GRID  # width of a column in pixels, for text of 13 pixels


class ShortcutOverview(QDialog):
    """Dialog that lists the actions with a shortcut; Escape closes it."""

    def __init__(
        self,
        actions: Sequence[tuple[str, QAction]],
        parent: QWidget,
        *,
        first: str = "",
    ):
        """List actions with their categories; `first`: the category to show first."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        groups: dict[str, list[QAction]] = {first: []}
        for category, action in actions:
            if not action.shortcut().isEmpty():
                groups.setdefault(category, []).append(action)
        groups = {name: members for name, members in groups.items() if members}
        page = QWidget()
        columns = QHBoxLayout(page)
        columns.setContentsMargins(0, 0, 2 * GRID, 0)
        columns.setSpacing(5 * GRID)
        n_fitting = max(parent.width() // scaled(COLUMN_WIDTH), 1)
        n_columns = min(N_COLUMNS, n_fitting, max(len(groups), 1))
        parts = [QVBoxLayout() for _ in range(n_columns)]
        heights = [0] * len(parts)
        for category, members in groups.items():
            shortest = heights.index(min(heights))
            parts[shortest].addLayout(_make_group(category, members))
            heights[shortest] += len(members) + 2
        for part in parts:
            part.addStretch()
            columns.addLayout(part)
        close = make_button(
            self.tr("Close"), self.tr("Close this window."), self.accept
        )
        close.setDefault(True)
        layout = lay_out_dialog(self)
        layout.addWidget(make_label(self.windowTitle(), "heading"))
        layout.addWidget(make_scroll_area(page), 1)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        # as wide as the columns, as high as fits the window
        needed = page.sizeHint() + QSize(12 * GRID, 20 * GRID)
        self.resize(needed.boundedTo(parent.size() - QSize(4 * GRID, 8 * GRID)))


def _make_group(category: str, actions: list[QAction]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(2 * GRID)
    grid.setVerticalSpacing(GRID)
    grid.setContentsMargins(0, 0, 0, 2 * GRID)
    grid.addWidget(make_label(category, "section"), 0, 0, 1, 2)
    for row, action in enumerate(actions, 1):
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        grid.addWidget(make_label(keys, "key"), row, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(make_label(action.text().replace("&", ""), wraps=True), row, 1)
    grid.setColumnMinimumWidth(0, 14 * GRID)
    grid.setColumnStretch(1, 1)
    return grid
