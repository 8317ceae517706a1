"""Table model of concordance lines, read by page."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QObject, Qt
from PySide6.QtGui import QColor, QGuiApplication

from app.engine.store import corpora as store_corpora
from app.engine.store.documents import DocumentCache
from app.engine.store.labels import read_labels
from app.engine.store.sentences import SentenceRow, read_sentences
from app.views.concordance.context import POSITIONS, KwicParts, Span, cut_line
from app.views.widgets.cells import (
    ALIGN_RIGHT,
    DISPLAY_ROLE,
    MAX_ROWS,
    Index,
    TableModel,
)
from app.views.widgets.hits import name_source
from app.views.widgets.number_format import format_count
from app.views.widgets.page_model import PageCache
from app.views.widgets.theme import colours_of

if TYPE_CHECKING:
    from sqlalchemy import Engine

PAGE_SIZE, N_PAGES = 128, 24
NUMBER, PLACE, LINE, KWIC, LABEL = range(5)  # columns
ROW_ROLE = int(Qt.ItemDataRole.UserRole)
ACCESSIBLE_CONTEXT = 60  # characters of context for screen readers

LineArray = NDArray[np.int64]
WordArray = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class KwicLines:
    """The positions of hits.

    Attributes:
        lines: int64 (m, 3), sentence id, start and end in code points.
        words: int32 (m, 12), start and end of the words L3 … R3 in code points; -1
            if there is no such word. None: not known.
    """

    lines: LineArray = field(default_factory=lambda: np.empty((0, 3), np.int64))
    words: WordArray | None = None

    def __len__(self) -> int:
        """Count the lines."""
        return len(self.lines)

    def begins_with(self, other: "KwicLines") -> bool:
        """Return whether these lines begin with the other lines."""
        n = len(other)
        return n <= len(self) and np.array_equal(self.lines[:n], other.lines)


class KwicRow(NamedTuple):
    """A line: its sentence, and spans of the hit and nearby words in code points."""

    sentence: SentenceRow
    hit: Span
    words: dict[str, Span]

    def parts(self) -> KwicParts:
        """Split the sentence at the hit."""
        return _cut(self.sentence.text, self.hit, tuple(self.words.items()))


class _Page(NamedTuple):
    rows: list[KwicRow | None]
    labels: dict[int, str]


class KwicModel(TableModel):
    """Lines of a concordance.

    Attributes:
        shown: the lines.
        documents: the documents of the corpora.
    """

    numbers = (NUMBER, LINE)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.shown = KwicLines()
        self._store: Engine | None = None
        self._corpora: dict[int, str] = {}
        self.documents = DocumentCache(None)
        self.pages = PageCache(self._read_page, N_PAGES)

    def show_lines(
        self, store: "Engine | None", corpora: dict[int, str], lines: KwicLines
    ) -> bool:
        """Show lines; only append lines if the current lines are the first of them.

        Args:
            corpora: corpus names by id.

        Returns:
            Whether lines were only appended.
        """
        n, n_new = self.rowCount(), min(len(lines), MAX_ROWS)
        grows = 0 < n <= n_new and store is self._store
        if grows and lines.begins_with(self.shown):
            if n_new > n:
                self.beginInsertRows(QModelIndex(), n, n_new - 1)
                self.pages.forget(n // PAGE_SIZE)  # the last page was not full
                self.shown = lines
                self.endInsertRows()
            self.shown, self._corpora = lines, corpora
            self.documents = DocumentCache(store)
            return True
        self.beginResetModel()
        self._store, self._corpora, self.shown = store, corpora, lines
        self.pages.forget()
        self.documents = DocumentCache(store)
        self.endResetModel()
        return False

    @property
    def names(self) -> list[str]:
        """Corpus and document names of the first lines, which set the column width."""
        first = self.shown.lines[:PAGE_SIZE, 0] if self._store is not None else ()
        return list({self.place_of(int(id_)) for id_ in first})

    def forget_rows(self) -> None:
        """Clear the cache of rows after a change in the store."""
        self.pages.forget()
        self.emit_all_changed()

    def line_at(self, row: int) -> tuple[int, int, int]:
        """Return the sentence id, start and end of a line."""
        sentence, start, end = self.shown.lines[row].tolist()
        return sentence, start, end

    def row_of(self, line: tuple[int, int]) -> int:
        """Return the row of a line (sentence id and start of the hit), or -1."""
        lines = self.shown.lines
        found = np.flatnonzero((lines[:, 0] == line[0]) & (lines[:, 1] == line[1]))
        row = int(found[0]) if len(found) else -1
        return row if row < self.rowCount() else -1

    def row_at(self, row: int) -> KwicRow | None:
        """Read a line; None if its sentence was deleted."""
        return self.pages[row // PAGE_SIZE].rows[row % PAGE_SIZE]

    def place_of(self, sentence_id: int) -> str:
        """Return the corpus and document names of a sentence."""
        return name_source(self.corpus_of(sentence_id), self.document_of(sentence_id))

    def corpus_of(self, sentence_id: int) -> str:
        """Return the name of a sentence's corpus."""
        return self._corpora.get(store_corpora.corpus_of(sentence_id), "")

    def document_of(self, sentence_id: int) -> str:
        """Return the name of a sentence's document, or an empty string."""
        return self.documents.name_of(sentence_id)

    # --- pages ---

    def _read_page(self, number: int) -> _Page:
        part = slice(number * PAGE_SIZE, (number + 1) * PAGE_SIZE)
        lines: list[list[int]] = self.shown.lines[part].tolist()
        if self._store is None:
            return _Page([None] * len(lines), {})
        ids = list(dict.fromkeys(line[0] for line in lines))
        read = dict(zip(ids, read_sentences(self._store, ids), strict=True))
        words: list[list[int]] = [[] for _ in lines]
        if self.shown.words is not None:
            words = self.shown.words[part].tolist()
        found = [
            _make_row(read[id_], (start, end), spans)
            for (id_, start, end), spans in zip(lines, words, strict=True)
        ]
        return _Page(found, read_labels(self._store, ids))

    # --- Qt ---

    def _text(self, number: int, column: int) -> str:
        if column == NUMBER:
            return format_count(number + 1)
        row = self.row_at(number)
        if row is None:
            return self.tr("(deleted)") if column == KWIC else ""
        if column == PLACE:
            return self.place_of(row.sentence.id)
        if column == LINE:
            return format_count(row.sentence.line)
        if column == LABEL:
            page = self.pages[number // PAGE_SIZE]
            return page.labels.get(row.sentence.id, "")
        before, hit, after = row.parts()
        gaps = (" " * before.has_gap, " " * after.has_gap)
        left, right = (
            before.text[-ACCESSIBLE_CONTEXT:] + gaps[0],
            gaps[1] + after.text[:ACCESSIBLE_CONTEXT],
        )
        return f"{left}[{hit.text}]{right}"

    def n_rows(self) -> int:
        """Return the number of lines."""
        return len(self.shown)

    def n_columns(self) -> int:
        """Return the number of columns."""
        return LABEL + 1

    def title(self, column: int) -> str:
        """Return the title of a column."""
        return (
            *(self.tr("No."), self.tr("Corpus"), self.tr("Line")),
            *(self.tr("Hit"), self.tr("Label")),
        )[column]

    def alignment(self, column: int) -> Qt.AlignmentFlag:
        """Return the alignment of a column's title."""
        centre = Qt.AlignmentFlag.AlignCenter
        return centre if column == KWIC else super().alignment(column)

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return the data of a cell."""
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return self._text(row, column)
            case Qt.ItemDataRole.ToolTipRole if column == PLACE:
                return self._text(row, column)
            case Qt.ItemDataRole.ToolTipRole if column == KWIC:
                found = self.row_at(row)
                return found.sentence.text if found is not None else None
            case Qt.ItemDataRole.TextAlignmentRole if column in (NUMBER, LINE):
                return ALIGN_RIGHT
            case Qt.ItemDataRole.ForegroundRole if column == LABEL:
                return QColor(colours_of(QGuiApplication.palette()).human)
            case Qt.ItemDataRole.ForegroundRole if column != KWIC:
                return QColor(colours_of(QGuiApplication.palette()).secondary)
            case _ if role == ROW_ROLE:
                return self.row_at(row)
        return None


def _make_row(
    sentence: SentenceRow | None, hit: Span, spans: list[int]
) -> KwicRow | None:
    if sentence is None:
        return None
    pairs = zip(spans[::2], spans[1::2], strict=True)
    named = zip(POSITIONS, pairs, strict=False)
    return KwicRow(sentence, hit, {name: span for name, span in named if span[0] >= 0})


@lru_cache(maxsize=1_024)
def _cut(text: str, hit: Span, words: tuple[tuple[str, Span], ...]) -> KwicParts:
    return cut_line(text, hit, dict(words))
