"""Empty state of a view: a message about missing data and the next step."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import Stretch, make_column, make_row
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.icons import draw_icon
from app.views.widgets.theme import GRID, colours_of, scaled

ICON_PX = 48


class EmptyState(QWidget):
    """A page in the middle of an empty view."""

    def __init__(
        self,
        heading: str,
        text: str,
        buttons: Sequence[QPushButton] = (),
        *,
        icon: str = "",
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self._icon_name = icon
        self._icon = QLabel()
        self._heading = make_label(heading, "heading")
        self._text = make_label(text, "secondary", wraps=True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._buttons = list(buttons)
        row = WrappingRow(is_centred=True)
        for button in buttons:
            row.addWidget(button)
        layout = make_column(Stretch(2), parent=self, gap=2 * GRID, margins=None)
        for widget in (self._icon, self._heading):
            layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        # No alignment: with one, the height would not fit the wrapped lines.
        middle = make_row(Stretch(), (self._text, 100), Stretch(), gap=None)
        layout.addLayout(middle)
        layout.addLayout(row)
        self._examples_title = make_label("", "secondary")
        self._examples_title.hide()
        layout.addWidget(self._examples_title, 0, Qt.AlignmentFlag.AlignHCenter)
        self._examples = WrappingRow(is_centred=True)
        self._example_buttons: list[QPushButton] = []
        layout.addLayout(self._examples)
        layout.addStretch(3)
        self._draw_icon()
        self._limit_width()

    @property
    def words(self) -> tuple[str, str]:
        """Heading and text."""
        return self._heading.text(), self._text.text()

    def set_words(self, heading: str, text: str) -> None:
        """Change the heading and the text."""
        self._heading.setText(heading)
        self._text.setText(text)

    def show_examples(
        self, title: str, examples: Sequence[tuple[str, str, Callable[[], object]]]
    ) -> None:
        """Replace the examples: text, tooltip and effect of a click."""
        for button in self._example_buttons:
            self._examples.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._example_buttons = [
            make_button(words, hint, on_click, kind="quiet")
            for words, hint, on_click in examples
        ]
        for button in self._example_buttons:
            self._examples.addWidget(button)
        self._examples_title.setText(title)
        self._examples_title.setVisible(bool(examples))

    def show_buttons(self, are_shown: bool) -> None:
        """Show or hide the buttons."""
        for button in self._buttons:
            button.setVisible(are_shown)

    def _draw_icon(self) -> None:
        if self._icon_name:
            colour = colours_of(self).secondary
            self._icon.setPixmap(draw_icon(self._icon_name, colour, ICON_PX))

    def _limit_width(self) -> None:
        """Limit lines to a readable length."""
        self._text.setMaximumWidth(scaled(52 * GRID))

    def changeEvent(self, event: QEvent) -> None:
        """Apply a changed theme or text size."""
        if event.type() == QEvent.Type.PaletteChange:
            self._draw_icon()
        elif event.type() == QEvent.Type.FontChange:
            self._limit_width()
        super().changeEvent(event)
