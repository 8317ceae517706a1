"""A sentence with marked places: underlined and shaded, so by more than a colour."""

import html
from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QWidget

from app.views.theme import mix, tokens_of
from app.views.widgets.sentence_label import MAX_SHOWN, SentenceLabel

Span = tuple[int, int]


class MarkedLabel(SentenceLabel):
    """Shows a sentence; numbers that differ are marked strongly, names less so."""

    def __init__(self, pixels: int, parent: QWidget | None = None):
        super().__init__(pixels, parent)
        self._shown: tuple[str, str, list[Span], list[Span]] = ("", "", [], [])

    @property
    def marked(self) -> list[str]:
        """The words that are marked."""
        text, _, *places = self._shown
        return [text[start:end] for spans in places for start, end in spans]

    def show_marked(
        self, text: str, language: str, numbers: Sequence[Span], names: Sequence[Span]
    ) -> None:
        """Show a text with marks."""
        self._shown = (text[:MAX_SHOWN], language, list(numbers), list(names))
        self._draw()

    def _draw(self) -> None:
        text, language, numbers, names = self._shown
        is_marked = bool(numbers or names)
        self.setTextFormat(
            Qt.TextFormat.RichText if is_marked else Qt.TextFormat.PlainText
        )
        self.show_sentence(text, language)
        if is_marked:
            self.setText(self._to_html(text, numbers, names))
        self.setAccessibleName(text)

    def _to_html(
        self, text: str, numbers: Sequence[Span], names: Sequence[Span]
    ) -> str:
        tokens = tokens_of(self)
        number = mix(tokens, "warning", 0.22)
        styles = [
            *(
                (span, f"background:{number};text-decoration:underline")
                for span in numbers
            ),
            *((span, "text-decoration:underline") for span in names),
        ]
        parts, done = [], 0
        for (start, end), style in sorted(styles):
            if start < done:
                continue
            parts.append(html.escape(text[done:start]))
            words = html.escape(text[start:end])
            parts.append(f'<span style="{style}">{words}</span>')
            done = end
        parts.append(html.escape(text[done:]))
        return f'<div style="white-space:pre-wrap">{"".join(parts)}</div>'

    def changeEvent(self, event: QEvent) -> None:
        """Draw the marks in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_shown"):
            self._draw()
