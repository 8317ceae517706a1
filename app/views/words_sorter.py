"""Which column a list of words is sorted by: the engine sorts what comes in pages."""

from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject

from app.views.words_columns import sort_rows
from app.views.words_question import FREQUENCY_ORDERS, WordsQuestion

if TYPE_CHECKING:
    from app.views.words_view import WordsView

SCORES = {  # of collocates: the column of each
    "log-likelihood": "log_likelihood",
    "log-dice": "log_dice",
    "t-score": "t_score",
    "frequency": "n",
}


class WordsSorter(QObject):
    """Sorts the list that is shown.

    Attributes:
        key, is_falling: of the column that sorts it now, and which way.
    """

    def __init__(self, view: "WordsView"):
        super().__init__(view)
        self._view = view
        self.key, self.is_falling = "n", True

    def show(self, question: WordsQuestion) -> None:
        """Mark the column by which a new list comes sorted."""
        self.key, self.is_falling = "log_likelihood", True
        match question.page:
            case "frequencies":
                self.key, self.is_falling = question.order, question.descending
            case "collocates":
                self.key = SCORES[question.score]
            case "equivalents":
                self.key = "score"
        self._mark()

    def sort(self, key: str) -> None:
        """Sort by a column; the same one again turns it round."""
        view = self._view
        shown = view.desk.shown
        if shown is None:
            return
        if shown.question.page == "frequencies":
            # rank and share per million follow the count, the other way and this
            falling = not self.is_falling if key == self.key else key != "item"
            order = key if key in FREQUENCY_ORDERS else "n"
            if key not in FREQUENCY_ORDERS and self.key == "n":
                falling = not self.is_falling
            wanted = {"order": order, "descending": falling}
            view.ask(msgspec.structs.replace(view.bar.question(), **wanted))
            return
        is_again = key == self.key
        self.key = key
        self.is_falling = not self.is_falling if is_again else key != "item"
        words = view.table.words
        ordered = sort_rows(words.rows, key, descending=self.is_falling)
        view.table.show_rows(
            words.columns, ordered, n_items=len(ordered), language=words.language
        )
        self._mark()

    def _mark(self) -> None:
        self._view.table.mark_sort(self.key, descending=self.is_falling)


__all__ = ["WordsSorter"]
