"""Legend of a plot: coloured symbols and their labels."""

import html
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel

from app.views.widgets.controls import describe

NO_HYPHEN = "&#8209;"  # non-breaking hyphen

LegendEntry = tuple[str, str, str]  # symbol, colour as #RRGGBB, label


class PlotLegend(QLabel):
    """A line of symbols and labels, which wraps only between entries."""

    def __init__(self, list_entries: Callable[[], Sequence[LegendEntry]]):
        """Create an empty legend.

        Args:
            list_entries: returns the entries in the colours of the current theme.
        """
        super().__init__()
        self._list_entries = list_entries
        self._is_shown = False
        self.setProperty("role", "text")
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)

    @property
    def words(self) -> str:
        """The labels without symbols."""
        return self.accessibleName()

    def show_entries(self) -> None:
        """Update the entries."""
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
        """Update the colours for a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._is_shown:
            self.show_entries()
