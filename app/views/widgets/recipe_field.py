"""A recipe as a field of a form: one filter a line, or taken from elsewhere."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSizePolicy, QWidget

from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.controls import describe
from app.views.widgets.fields import Field
from app.views.widgets.recipe_source import RecipeSource

N_LINES = 3


class RecipeField(QWidget):
    """Lines of filters, and a button that fills them in."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.edit = QPlainTextEdit()
        self.edit.setPlaceholderText(self.tr("No filters: one a line, such as length"))
        self.edit.setTabChangesFocus(True)
        describe(self.edit, self.tr("Recipe"), self.tr("Filters, one a line."))
        height = self.edit.fontMetrics().lineSpacing()
        self.edit.setFixedHeight(N_LINES * height + 3 * GRID)
        self.source = RecipeSource(state, self.write, self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(self.edit, 1)
        button = self.source.make_button(self.tr("Choose"))
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self.setFocusProxy(self.edit)

    @property
    def lines(self) -> list[str]:
        """The filters."""
        lines = (line.strip() for line in self.edit.toPlainText().splitlines())
        return [line for line in lines if line]

    def write(self, lines: Any) -> None:
        """Show other filters."""
        self.edit.setPlainText("\n".join(lines or ()))

    def as_field(self) -> Field:
        """Give what a form wants of an input."""
        return Field(
            self,
            lambda: self.lines,
            self.write,
            lambda f: self.edit.textChanged.connect(lambda: f()),
        )
