"""Details next to a word list: a chart, or examples of an equivalent."""

import re
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QStackedLayout, QWidget

from app.engine.store import corpora
from app.engine.store.sentences import SentenceRow, read_sentences
from app.protocol.answers.words import EquivalentRow, WordRow
from app.results.word_charts import draw_word_list
from app.views.client.state import AppState
from app.views.widgets.boxes import make_column
from app.views.widgets.chart_pane import ChartPane
from app.views.widgets.controls import ENTER_KEYS, make_label
from app.views.widgets.sentence_label import HighlightedLabel, Span
from app.views.widgets.theme import GRID, TEXT_PX
from app.views.widgets.view_protocol import ReadingRequest
from app.views.words.columns import written_form
from app.views.words.session import LoadedWordList

MIN_CHART_HEIGHT = 8 * GRID  # visible part: the query bar needs much of the window
Pair = tuple[SentenceRow, str, SentenceRow, str]  # two sentences, each with its corpus


class ExampleCard(QFrame):
    """A sentence with its translation below; Enter opens both in Read."""

    chosen = Signal(object)  # ReadingRequest

    def __init__(
        self, pair: Pair, words: tuple[str, str], parent: QWidget | None = None
    ):
        """Make a card; `words`: words to mark in the two sentences."""
        super().__init__(parent)
        source, source_corpus, target, target_corpus = pair
        beside = (corpora.corpus_of(target.id),)
        self._request = ReadingRequest(source.id, others=beside)
        self.setProperty("card", True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"{source.text} = {target.text}")
        self.setToolTip(self.tr("Show these sentences in Read."))
        layout = make_column(parent=self, gap=4, margins=GRID)
        sides = ((source, source_corpus), (target, target_corpus))
        for (row, corpus), word in zip(sides, words, strict=True):
            label = HighlightedLabel(TEXT_PX)
            label.show_marked(row.text, row.language, (), find_word(row.text, word))
            label.ignore_mouse()
            layout.addWidget(label)
            layout.addWidget(make_label(f"{corpus}, {row.line:,}", "secondary"))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the sentences."""
        self.chosen.emit(self._request)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the sentences with Enter or Space."""
        keys = (*ENTER_KEYS, Qt.Key.Key_Space)
        if event.key() in keys:
            self.chosen.emit(self._request)
        else:
            super().keyPressEvent(event)


class WordExamples(QWidget):
    """A column of examples under a heading."""

    chosen = Signal(object)  # ReadingRequest

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._heading = make_label("", "section", wraps=True)
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        make_column(self._heading, (self._scroll, 1), parent=self)
        self.show_examples("", [])

    @property
    def cards(self) -> list[ExampleCard]:
        """The displayed examples."""
        return self.findChildren(ExampleCard)

    @property
    def heading(self) -> QLabel:
        """The heading above the examples."""
        return self._heading

    def show_examples(
        self, heading: str, pairs: Sequence[Pair], words: tuple[str, str] = ("", "")
    ) -> None:
        """Show examples with a marked word in each sentence."""
        self._heading.setText(heading)
        inner = QWidget()
        column = make_column(parent=inner, margins=(0, 0, GRID, 0))
        for pair in pairs:
            card = ExampleCard(pair, words)
            card.chosen.connect(self.chosen)
            column.addWidget(card)
        column.addStretch(1)
        self._scroll.setWidget(inner)


def find_word(text: str, word: str) -> list[Span]:
    """Find a word, a phrase or a prefix (haus*) in a text, ignoring case.

    If no complete word matches, as in scripts without spaces, match part of a word.
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


class WordDetails(QWidget):
    """The chart of a list, or examples of an equivalent.

    Attributes:
        charts: chart of the list.
        examples: examples of an equivalent.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._word = ""  # word of the query
        self.charts = ChartPane(state, min_chart_height=MIN_CHART_HEIGHT)
        self.examples = WordExamples()
        self.examples.chosen.connect(state.view_requests.reading_requested)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self.charts)
        self._pages.addWidget(self.examples)

    def show_list(self, listed: LoadedWordList) -> None:
        """Show the chart of a list, or space for examples; otherwise hide the panel."""
        self._word = listed.settings.text
        is_equivalents = listed.settings.page == "equivalents"
        self._pages.setCurrentWidget(self.examples if is_equivalents else self.charts)
        chart = draw_word_list(listed.rows)
        self.charts.show_charts([chart] if chart is not None else [])
        self.setVisible(is_equivalents or chart is not None)

    def show_row(self, row: WordRow | None) -> None:
        """Show examples of an equivalent."""
        project = self._state.project
        if project is None or not isinstance(row, EquivalentRow):
            self.examples.show_examples("", [])
            return
        ids = [id_ for pair in row.examples for id_ in pair]
        found = {one.id: one for one in read_sentences(project.store, ids) if one}
        names = {corpus.id: corpus.name for corpus in project.corpora}
        shown: list[Pair] = [
            (
                *(found[source], names.get(corpora.corpus_of(source), "")),
                *(found[target], names.get(corpora.corpus_of(target), "")),
            )
            for source, target in row.examples
            if source in found and target in found
        ]
        heading = self.tr("Examples of “{word}”").format(word=written_form(row))
        words = (self._word, row.item)
        self.examples.show_examples(heading, shown, words)
