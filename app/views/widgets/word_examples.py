"""Examples of an equivalent: pairs of sentences, each with its place."""

import re
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.engine.store.rows import SentenceRow
from app.views.theme import GRID, TEXT_PX
from app.views.widgets.controls import make_label
from app.views.widgets.marked_label import MarkedLabel, Span

Pair = tuple[SentenceRow, str, SentenceRow, str]  # each sentence and its corpus


class ExampleCard(QFrame):
    """A sentence and its translation, one below the other; Enter selects it."""

    chosen = Signal(object)  # id of the source

    def __init__(
        self, pair: Pair, words: tuple[str, str], parent: QWidget | None = None
    ):
        """Make a card; `words`: what is marked in either sentence."""
        super().__init__(parent)
        source, source_corpus, target, target_corpus = pair
        self._id = source.id
        self.setProperty("card", True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"{source.text} = {target.text}")
        self.setToolTip(self.tr("Select this sentence: the inspector shows it."))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(4)
        sides = ((source, source_corpus), (target, target_corpus))
        for (row, corpus), word in zip(sides, words, strict=True):
            label = MarkedLabel(TEXT_PX)
            label.show_marked(row.text, row.language, (), find_word(row.text, word))
            label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
            layout.addWidget(label)
            layout.addWidget(make_label(f"{corpus}, {row.line:,}", "secondary"))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select the sentence."""
        self.chosen.emit(self._id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Select the sentence by Enter or Space."""
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if event.key() in keys:
            self.chosen.emit(self._id)
        else:
            super().keyPressEvent(event)


class WordExamples(QWidget):
    """A column of examples under a heading."""

    chosen = Signal(object)  # id of a sentence

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._heading = make_label("", "section")
        self.missing = make_label("", "secondary", wraps=True)
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self._heading)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(self.missing)
        self.show_examples("", [])
        self.show_missing("")

    @property
    def cards(self) -> list[ExampleCard]:
        """The examples that are shown."""
        return self.findChildren(ExampleCard)

    @property
    def heading(self) -> QLabel:
        """What stands above them."""
        return self._heading

    def show_examples(
        self, heading: str, pairs: Sequence[Pair], words: tuple[str, str] = ("", "")
    ) -> None:
        """Show other examples, a word marked in either sentence."""
        self._heading.setText(heading)
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, GRID, 0)
        column.setSpacing(GRID)
        for pair in pairs:
            card = ExampleCard(pair, words)
            card.chosen.connect(self.chosen)
            column.addWidget(card)
        column.addStretch(1)
        self._scroll.setWidget(inner)

    def show_missing(self, text: str) -> None:
        """Say below what the pairs lack; empty: nothing."""
        self.missing.setText(text)
        self.missing.setVisible(bool(text))


def find_word(text: str, word: str) -> list[Span]:
    """Find a word, a phrase or a beginning (haus*) in a text, whatever its case.

    It is found as a whole word; where it is none, as in scripts without spaces, as it
    stands.
    """
    parts = [re.escape(part).replace(r"\*", r"\w*") for part in word.split()]
    if not parts:
        return []
    whole = r"\W+".join(parts)
    for pattern in (rf"(?<!\w){whole}(?!\w)", whole):
        found = [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
        if found:
            return found
    return []


__all__ = ["ExampleCard", "Pair", "WordExamples", "find_word"]
