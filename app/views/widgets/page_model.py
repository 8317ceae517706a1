"""Table model for any number of rows, which reads them page by page."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QLocale, QObject, Qt
from PySide6.QtGui import QColor, QGuiApplication
from sqlalchemy import Engine

from app.engine.store.labels import read_labels
from app.engine.store.sentences import SentenceRow, count_translations, read_sentences
from app.languages import is_right_to_left, language_name
from app.views.widgets.cells import (
    ALIGN_LEFT,
    ALIGN_MIRRORED,
    ALIGN_RIGHT,
    DISPLAY_ROLE,
    ID_ROLE,
    LANGUAGE_ROLE,
    MARKS_ROLE,
    Index,
    TableModel,
)
from app.views.widgets.id_order import IdOrder, RangeOrder
from app.views.widgets.theme import colours_of

P = TypeVar("P")


class PageCache(Generic[P]):
    """Reads pages on demand, and caches the most recently used pages.

    Attributes:
        n_reads: number of pages read so far.
    """

    def __init__(self, read: Callable[[int], P], most: int):
        """Create a cache; `most`: the largest number of cached pages."""
        self._read, self._most = read, most
        self.n_reads = 0
        self._kept: OrderedDict[int, P] = OrderedDict()

    def __getitem__(self, number: int) -> P:
        """Return a page by its number."""
        page = self._kept.get(number)
        if page is None:
            page = self._kept[number] = self._read(number)
            self.n_reads += 1
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        self._kept.move_to_end(number)
        return page

    def forget(self, number: int | None = None) -> None:
        """Remove a page from the cache; None: all pages."""
        if number is None:
            self._kept.clear()
        else:
            self._kept.pop(number, None)


PAGE_SIZE = 256
N_PAGES = 8


@dataclass(frozen=True)
class Column:
    """A column: its key, which also names the sort order, and its kind of content.

    Attributes:
        title: heading of a column filled by a reader; other columns have fixed ones.
        is_text: whether the column shows text, in the font of its language.
        rank: in narrow tables, columns with a higher rank are hidden first; rank 0 is
            never hidden.
    """

    key: str
    is_number: bool = False
    is_sortable: bool = True
    title: str = ""
    is_text: bool = False
    rank: int = 2


LINE = Column("line", is_number=True)
SENTENCE = Column("text", is_text=True, rank=0)
SECOND = Column("second", is_sortable=False, is_text=True)  # second text of a pair
LANGUAGE = Column("language", rank=3)
LENGTH = Column("length", is_number=True)
TRANSLATIONS = Column("translations", is_number=True, is_sortable=False)
LABEL = Column("label", is_sortable=False, rank=1)
PLAIN_COLUMNS = (LINE, SENTENCE, LANGUAGE, LENGTH)


Reader = Callable[[list[int]], dict[int, str]]  # a column's texts by sentence id


@dataclass(frozen=True)
class _Page:
    sentences: list[SentenceRow | None]
    translations: dict[int, int]
    labels: dict[int, str]
    others: dict[str, dict[int, str]] = field(default_factory=dict)


class PageModel(TableModel):
    """Model of the sentences of a project, read page by page.

    Attributes:
        columns: columns of the table.
        readers: functions that return the texts of a page, by the column's key.
    """

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.columns: tuple[Column, ...] = PLAIN_COLUMNS
        self.readers: dict[str, Reader] = {}
        self._store: Engine | None = None
        self._order: IdOrder = RangeOrder()
        self._find = ""
        self._sort = ("", False)
        self.pages = PageCache(self._read_page, N_PAGES)

    def show_ids(
        self,
        store: Engine | None,
        order: IdOrder,
        *,
        columns: tuple[Column, ...] = PLAIN_COLUMNS,
        find: str = "",
    ) -> None:
        """Show sentences in this order; mark the text `find`."""
        self.beginResetModel()
        self._store, self._order, self.columns = store, order, columns
        self._find = find
        self.pages.forget()
        self.endResetModel()

    def show_sort(self, key: str, *, is_descending: bool) -> None:
        """Mark the sorted column; an empty key: no column."""
        self._sort = (key, is_descending)
        last = len(self.columns) - 1
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)

    def forget_rows(self) -> None:
        """Read the visible rows again after a change in the store."""
        self.pages.forget()
        self.emit_all_changed()

    def id_at(self, row: int) -> int:
        """Return the id of the sentence in a row."""
        return int(self._order.part(row, row + 1)[0])

    def ids_at(self, start: int, stop: int) -> list[int]:
        """Return the sentence ids of rows start … stop - 1."""
        ids: list[int] = self._order.part(start, stop).tolist()
        return ids

    def row_of(self, sentence_id: int) -> int:
        """Return the row of a sentence, or -1 if it is not in the table."""
        row = self._order.row_of(sentence_id)
        return row if row < self.rowCount() else -1

    def sentence_at(self, row: int) -> SentenceRow | None:
        """Read the sentence in a row; None if it was deleted."""
        return self.pages[row // PAGE_SIZE].sentences[row % PAGE_SIZE]

    def _read_page(self, number: int) -> _Page:
        start = number * PAGE_SIZE
        ids = self._order.part(start, min(start + PAGE_SIZE, len(self._order))).tolist()
        if self._store is None:
            return _Page([None] * len(ids), {}, {})
        counts = labels = None
        if TRANSLATIONS in self.columns:
            counts = count_translations(self._store, ids)
        if LABEL in self.columns:
            labels = read_labels(self._store, ids)
        sentences = read_sentences(self._store, ids)
        others = {
            column.key: self.readers[column.key](ids)
            for column in self.columns
            if column.key in self.readers
        }
        return _Page(sentences, counts or {}, labels or {}, others)

    def _text(self, row: int, column: Column) -> str:
        sentence = self.sentence_at(row)
        if sentence is None:
            return self.tr("(deleted)") if column is SENTENCE else ""
        page = self.pages[row // PAGE_SIZE]
        if column is SENTENCE:
            return sentence.text
        if column is LANGUAGE:
            return language_name(sentence.language)
        if column.key in page.others:
            return page.others.get(column.key, {}).get(sentence.id, "")
        if column is LABEL:
            return page.labels.get(sentence.id, "")
        if column is TRANSLATIONS:
            number = page.translations.get(sentence.id, 0)
            return str(number) if number else ""
        value = sentence.line if column is LINE else sentence.length
        return QLocale().toString(value)

    def _alignment(self, row: int, column: Column) -> Qt.AlignmentFlag:
        if column.is_number:
            return ALIGN_RIGHT
        sentence = self.sentence_at(row) if column.is_text else None
        if sentence is not None and is_right_to_left(sentence.language):
            return ALIGN_MIRRORED
        return ALIGN_LEFT

    def n_rows(self) -> int:
        """Return the number of sentences."""
        return len(self._order)

    def n_columns(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    def title(self, column: int) -> str:
        """Return the title of a column, with its sort direction."""
        key, is_descending = self._sort
        shown = self.columns[column]
        arrow = " ↓" if is_descending else " ↑"
        return column_title(shown) + (arrow if key == shown.key else "")

    def title_hint(self, column: int) -> str | None:
        """Explain the sort order of a click, or the counted items."""
        shown = self.columns[column]
        if shown is TRANSLATIONS:
            return self.tr(
                "Links that were imported or made manually, accepted pairs, and "
                "confirmed links of an alignment."
            )
        text = self.tr("Click to sort by %1").replace("%1", column_title(shown))
        return text if shown.is_sortable else None

    def alignment(self, column: int) -> Qt.AlignmentFlag:
        """Return the alignment of a column's title."""
        return ALIGN_RIGHT if self.columns[column].is_number else ALIGN_LEFT

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return the data of a cell for a role."""
        if not index.isValid():
            return None
        row, column = index.row(), self.columns[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return self._text(row, column)
            case Qt.ItemDataRole.ToolTipRole if column.key in self.readers:
                return self._text(row, column)  # it may be elided
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._alignment(row, column)
            case Qt.ItemDataRole.ForegroundRole if column is LABEL:
                return QColor(colours_of(QGuiApplication.palette()).human)
            case _ if role == ID_ROLE:
                return self.id_at(row)
            case _ if role == LANGUAGE_ROLE:
                sentence = self.sentence_at(row)
                return sentence.language if sentence else ""
            case _ if role == MARKS_ROLE:
                return self._find if column is SENTENCE else ""
        return None


def column_title(column: Column) -> str:
    """Return the title of a column."""
    if column.title:
        return column.title
    titles = {
        LINE.key: QCoreApplication.translate("PageModel", "Line"),
        SENTENCE.key: QCoreApplication.translate("PageModel", "Sentence"),
        SECOND.key: QCoreApplication.translate("PageModel", "Second text"),
        LANGUAGE.key: QCoreApplication.translate("PageModel", "Language"),
        LENGTH.key: QCoreApplication.translate("PageModel", "Length"),
        TRANSLATIONS.key: QCoreApplication.translate("PageModel", "Translations"),
        LABEL.key: QCoreApplication.translate("PageModel", "Label"),
    }
    return titles[column.key]
