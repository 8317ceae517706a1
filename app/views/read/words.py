"""The word under the pointer, and its translations in the other columns."""

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from app.errors import ErrorInfo
from app.number_format import format_percent
from app.protocol.answers.reading import WordLinksAnswer, WordSpan
from app.protocol.queries.reading import WordLinksQuery
from app.views.client.state import AppState
from app.views.read.board import ReadingBoard
from app.views.read.painter import WordMark
from app.views.widgets.number_format import format_count

MIN_CONFIDENCE = 0.25  # of marked translations
MAX_ANSWERS = 300  # cached answers
MAX_NAMED = 3  # translations per column in the description
LEFT_TO_RIGHT = "\u200e"  # starts a line that may start with another script
ASK_AFTER_MS = 60  # after the last word

# sentence ids of a cell and of another cell in its row
_Cells = tuple[tuple[int, ...], tuple[int, ...]]


class _Word(NamedTuple):
    """A word: its sentence and a UTF-16 offset in it."""

    sentence: int
    at: int


class WordHighlighter(QObject):
    """Marks the word under the pointer and its likely translations in the row.

    Attributes:
        description: the translations with confidences; empty without a word.
    """

    described = Signal(str)

    def __init__(self, state: AppState, board: ReadingBoard, parent: QObject):
        super().__init__(parent)
        self._state, self._board = state, board
        self._word: _Word | None = None
        self._step = 0  # words to move by, once the words of the row are known
        self._answers: dict[_Cells, WordLinksAnswer] = {}
        self._asked: set[_Cells] = set()
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self._ask)
        self.description = ""
        board.word_pointed.connect(self.point)
        board.sentence_selected.connect(self._on_sentence_selected)

    def reset(self) -> None:
        """Clear all answers after a change of rows or links."""
        self._timer.stop()
        self._answers, self._asked, self._step = {}, set(), 0
        self.point(None)

    def point(self, sentence: int | None, at: int = 0) -> None:
        """Point at a letter of a sentence, or at nothing."""
        self._step = 0
        self._word = None if sentence is None else _Word(sentence, at)
        if self._word is not None and self._missing():
            self._timer.start()
        self._show()

    def step(self, by: int) -> None:
        """Point at the next or the previous word of the selected sentence."""
        sentence = self._board.sentence
        if sentence is None:
            return
        self._board.show_selection()
        if self._word is None or self._word.sentence != sentence:
            self._word = _Word(sentence, -1)
        self._step = by
        if self._missing():
            self._ask()
        self._take_step()
        self._show()

    def _on_sentence_selected(self, sentence: int | None) -> None:
        """Clear a word that is in another sentence."""
        if self._word is not None and self._word.sentence != sentence:
            self.point(None)

    # --- answers ---

    def _cells(self) -> list[tuple[int, _Cells]]:
        """Return the cells with sentences in the other columns of the word's row."""
        rows = self._board.rows
        place = rows.place_of(self._word.sentence) if self._word is not None else None
        if place is None:
            return []
        own = tuple(rows.ids(place.row, place.column))
        others = [
            (column, tuple(rows.ids(place.row, column)))
            for column in range(rows.n_columns)
            if column != place.column
        ]
        return [(column, (own, its)) for column, its in others if its]

    def _missing(self) -> list[tuple[int, _Cells]]:
        return [one for one in self._cells() if one[1] not in self._answers]

    def _ask(self) -> None:
        for column, cells in self._missing():
            if cells not in self._asked:
                self._asked.add(cells)
                query = WordLinksQuery(
                    first=cells[0], second=cells[1], requester=f"read-{column}"
                )
                self._state.ask(query, partial(self._on_answer, cells))

    def _on_answer(self, cells: _Cells, answer: WordLinksAnswer | ErrorInfo) -> None:
        self._asked.discard(cells)
        if isinstance(answer, ErrorInfo):
            if answer.kind == "superseded" and cells in [c for _, c in self._missing()]:
                self._timer.start()
            return
        if len(self._answers) >= MAX_ANSWERS:
            self._answers.clear()
        self._answers[cells] = answer
        self._take_step()
        self._show()

    # --- display ---

    def _take_step(self) -> None:
        """Move by the requested number of words once the words are known."""
        word = self._word
        if not self._step or word is None:
            return
        found = next((self._answers.get(cells) for _, cells in self._cells()), None)
        if found is None:
            return
        by, self._step = self._step, 0
        spans = [
            self._utf16(span) for span in found.first if span.sentence == word.sentence
        ]
        if not spans:
            return
        current = [n for n, (begin, _) in enumerate(spans) if begin <= word.at]
        index = (current[-1] if current else (-1 if by > 0 else 0)) + by
        self._word = word._replace(at=spans[index % len(spans)][0])

    def _show(self) -> None:
        """Mark the word and its translations, and describe them."""
        marks: dict[int, list[WordMark]] = {}
        parts: list[str] = []
        name, n_pairs = "", 0
        for column, cells in self._cells():
            answer = self._answers.get(cells)
            at = self._find(answer) if answer is not None else None
            if answer is None or at is None:
                continue
            begin, end = self._utf16(answer.first[at])
            own = marks.setdefault(answer.first[at].sentence, [])
            if not own:
                own.append(WordMark(begin, end))
            name, n_pairs = self._text(answer.first[at]), max(n_pairs, answer.n_pairs)
            links = [
                link
                for link in answer.links
                if link.first == at and link.confidence >= MIN_CONFIDENCE
            ]
            for link in links:
                span = answer.second[link.second]
                mark = WordMark(*self._utf16(span), link.confidence)
                marks.setdefault(span.sentence, []).append(mark)
            named = [
                f"{_isolate(self._text(answer.second[link.second]))} "
                f"{format_percent(link.confidence)}"
                for link in links[:MAX_NAMED]
            ]
            column_name = _isolate(self._board.names.names[column])
            found = ", ".join(named) or self.tr("no likely translation")
            parts.append(f"{column_name}: {found}")
        self._board.mark_words(marks)
        self.description = ""
        if name:
            words = self.tr("{word} → {translations} (from {n} linked sentences)")
            self.description = LEFT_TO_RIGHT + words.format(
                word=_isolate(name),
                translations=" · ".join(parts),
                n=format_count(n_pairs),
            )
        self.described.emit(self.description)

    def _find(self, answer: WordLinksAnswer) -> int | None:
        """Return the index of the word in the answer."""
        word = self._word
        for index, span in enumerate(answer.first):
            if word is not None and span.sentence == word.sentence:
                begin, end = self._utf16(span)
                if begin <= word.at < end:
                    return index
        return None

    def _text(self, span: WordSpan) -> str:
        row = self._board.read_sentence(span.sentence)
        return row.text[span.begin : span.end] if row is not None else ""

    def _utf16(self, span: WordSpan) -> tuple[int, int]:
        """Return the start and end of a word in UTF-16 units, the units of Qt."""
        row = self._board.read_sentence(span.sentence)
        text = row.text if row is not None else ""
        begin, end = (
            len(text[:index].encode("utf-16-le", "surrogatepass")) // 2
            for index in (span.begin, span.end)
        )
        return begin, end


def _isolate(text: str) -> str:
    """Isolate the direction of a text from the surrounding text."""
    return f"\u2068{text}\u2069"  # first strong isolate … pop directional isolate
