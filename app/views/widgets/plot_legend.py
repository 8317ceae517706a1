"""The legend of a plot: signs in their colours, and what they stand for."""

import html
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel

from app.views.widgets.controls import describe

NO_HYPHEN = "&#8209;"  # no line ends at it

LegendEntry = tuple[str, str, str]  # sign, colour as #RRGGBB, words


class PlotLegend(QLabel):
    """A line of signs and words; it wraps between them only."""

    def __init__(self, list_entries: Callable[[], Sequence[LegendEntry]]):
        """Make it empty.

        Args:
            list_entries: returns the entries in the colours of the theme in use.
        """
        super().__init__()
        self._list_entries = list_entries
        self._is_shown = False
        self.setProperty("role", "text")
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)

    @property
    def words(self) -> str:
        """The text without signs."""
        return self.accessibleName()

    def show_entries(self) -> None:
        """Show the entries that there are now."""
        self._is_shown = True
        entries = self._list_entries()
        self.setText(
            " &nbsp; ".join(
                f'<span style="color:{colour}">{sign}</span>&nbsp;'
                + html.escape(words).replace(" ", "&nbsp;").replace("-", NO_HYPHEN)
                for sign, colour, words in entries
            )
        )
        describe(self, ", ".join(words for _, _, words in entries), has_tooltip=False)

    def changeEvent(self, event: QEvent) -> None:
        """Show the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._is_shown:
            self.show_entries()
