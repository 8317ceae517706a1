"""Words that translate what is searched or selected: asked, coloured and named."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor

from app.errors import ErrorInfo
from app.number_format import format_percent
from app.protocol.answers.reading import TranslatedWord, WordMarksAnswer
from app.protocol.queries.reading import MarkedText, WordMarksQuery
from app.views.client.state import AppState
from app.views.widgets.text_layout import ColouredSpan
from app.views.widgets.theme import ThemeColours, confidence_colours

MAX_WORDS = 6  # of a text that is marked as a whole


class WordMarker(QObject):
    """Asks which words of sentences translate a text; only the newest answer counts.

    Attributes:
        words: the translated words, by the id of their sentence.
    """

    changed = Signal()

    def __init__(self, state: AppState, requester: str, parent: QObject):
        super().__init__(parent)
        self._state, self._requester = state, requester
        self._newest: MarkedText | None = None
        self.words: dict[int, list[TranslatedWord]] = {}

    def clear(self) -> None:
        """Remove the marks."""
        self._newest = None
        if self.words:
            self.words = {}
            self.changed.emit()

    def ask(self, text: MarkedText) -> None:
        """Mark the words that translate a text, or a part of it."""
        self._newest = text
        query = WordMarksQuery(texts=(text,), requester=self._requester)
        self._state.ask(query, lambda answer: self._on_answer(text, answer))

    def _on_answer(self, text: MarkedText, answer: WordMarksAnswer | ErrorInfo) -> None:
        if text is self._newest and not isinstance(answer, ErrorInfo):
            self.words = group_words(answer.found[0])
            self.changed.emit()


def group_words(found: Sequence[TranslatedWord]) -> dict[int, list[TranslatedWord]]:
    """Group words by their sentence."""
    groups: dict[int, list[TranslatedWord]] = {}
    for word in found:
        groups.setdefault(word.sentence, []).append(word)
    return groups


def colour_words(
    words: Sequence[TranslatedWord], colours: ThemeColours
) -> list[ColouredSpan]:
    """Shade words: the more confident, the deeper."""
    spans = []
    for word in words:
        fill, text = map(QColor, confidence_colours(colours, word.confidence))
        spans.append(ColouredSpan(word.begin, word.end, fill, text))
    return spans


def code_points(text: str, utf16: int) -> int:
    """Convert an index in UTF-16 units, as in Qt, to code points."""
    raw = text.encode("utf-16-le", "surrogatepass")[: 2 * utf16]
    return len(raw.decode("utf-16-le", "ignore"))


def name_words(text: str, words: Sequence[TranslatedWord]) -> list[str]:
    """Name the words of a text with their confidences: storm 83 %."""
    return [
        f"{text[word.begin : word.end]} {format_percent(word.confidence)}"
        for word in words
    ]
