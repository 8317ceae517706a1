"""Sort a word list by a column: in the engine or in the table."""

import msgspec
from PySide6.QtCore import QObject, Signal

from app.params.words import SortCollocates
from app.views.words.columns import sort_rows
from app.views.words.session import LoadedWordList, WordListSession
from app.views.words.settings import FREQUENCY_ORDERS, WordListSettings
from app.views.words.table import WordTable

SCORE_COLUMNS: dict[SortCollocates, str] = {
    "log-likelihood": "log_likelihood",
    "log-dice": "log_dice",
    "t-score": "t_score",
    "frequency": "n",
}


class WordListSorter(QObject):
    """Sorts the list by the column that the user clicks.

    Attributes:
        key, is_descending: the current sort order.
    """

    query_requested = Signal(object)  # WordListSettings: frequencies in a new order

    def __init__(self, session: WordListSession, table: WordTable, parent: QObject):
        super().__init__(parent)
        self._session, self._table = session, table
        self.key, self.is_descending = "n", True
        table.sort_requested.connect(self._on_sort_requested)

    def show(self, settings: WordListSettings) -> None:
        """Mark the sort column of a new list."""
        self.key, self.is_descending = "log_likelihood", True
        match settings.page:
            case "frequencies":
                self.key, self.is_descending = settings.order, settings.descending
            case "collocates":
                self.key = SCORE_COLUMNS[settings.score]
            case "equivalents":
                self.key = "score"
            case "translations":
                self.key = "csls"
        self._mark()

    def _on_sort_requested(self, key: str) -> None:
        """Sort by a column; the same column again reverses the order."""
        shown = self._session.shown
        if shown is None:
            return
        if shown.settings.page == "frequencies":
            self._sort_in_engine(shown, key)
            return
        is_same = key == self.key
        self.key = key
        self.is_descending = not self.is_descending if is_same else key != "item"
        words = self._table.words
        column = next(column for column in words.columns if column.key == key)
        rows = sort_rows(words.rows, column, descending=self.is_descending)
        self._table.show_rows(
            words.columns, rows, n_items=len(rows), language=words.language
        )
        self._mark()

    def _sort_in_engine(self, shown: LoadedWordList, key: str) -> None:
        """Request a new order: the table contains only some pages of frequencies."""
        descending = not self.is_descending if key == self.key else key != "item"
        order = key if key in FREQUENCY_ORDERS else "n"
        if key not in FREQUENCY_ORDERS and self.key == "n":
            # rank and frequency per million have the order of the count
            descending = not self.is_descending
        self.query_requested.emit(
            msgspec.structs.replace(shown.settings, order=order, descending=descending)
        )

    def _mark(self) -> None:
        self._table.mark_sort(self.key, descending=self.is_descending)
