"""Filter of concordance lines by the text of their sentences."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.arrays import IntArray
from app.engine.store.arrays import map_array
from app.engine.store.corpora import first_sentence_id
from app.errors import ErrorInfo
from app.protocol.answers.search import OrderAnswer
from app.protocol.queries.search import OrderQuery
from app.views.client.state import AppState
from app.views.concordance.model import KwicLines
from app.views.concordance.page import FindRow
from app.views.concordance.session import QuerySession
from app.views.concordance.settings import ConcordanceSettings
from app.views.widgets.number_format import format_count


class LineFilter(QObject):
    """Filters the lines by the text of the find row and a part of the breakdown.

    Attributes:
        part: function from sentence ids, int64 (n,), to a mask of the sentences in
            the selected part of the breakdown, bool (n,); None: all sentences.
    """

    changed = Signal()  # the lines have to be filtered again

    def __init__(
        self, state: AppState, find_row: FindRow, session: QuerySession, parent: QObject
    ):
        super().__init__(parent)
        self._state, self._row, self._session = state, find_row, session
        self._text = ""
        self._ids: IntArray | None = None  # None: no filter
        self.part: Callable[[IntArray], NDArray[np.bool_]] | None = None
        find_row.changed.connect(self._on_text_changed)

    def keep_for(self, settings: ConcordanceSettings) -> bool:
        """Clear the filter unless the new query differs only in its sort order.

        Returns:
            Whether the filter stays active.
        """
        shown = self._session.shown
        is_kept = shown is not None and shown.settings.differs_only_in_sort(settings)
        if not is_kept:
            self.clear()
        return is_kept

    def clear(self) -> None:
        """Show every line."""
        self._text, self._ids, self.part = "", None, None
        self._row.clear()

    def apply(self, lines: KwicLines) -> KwicLines:
        """Return the matching lines in their order."""
        if self.part is not None:
            lines = _select(lines, self.part(lines.lines[:, 0]))
        if self._ids is None:
            self._row.show_count("")
            return lines
        left = _select(lines, are_among(lines.lines[:, 0], self._ids))
        text = self.tr("{n} of {total} lines")
        n, total = format_count(len(left)), format_count(len(lines))
        self._row.show_count(text.format(n=n, total=total))
        return left

    def _on_text_changed(self, text: str) -> None:
        """Query the engine for the matching sentences."""
        shown = self._session.shown
        self._text = text
        if not text or shown is None:
            self._ids = None
            self.changed.emit()
            return
        settings = shown.settings
        query = OrderQuery(
            corpora=settings.corpora,
            subcorpora=settings.subcorpora,
            languages=settings.languages,
            find=text,
            requester="concordance",
        )
        self._state.ask(query, partial(self._on_answer, text))

    def _on_answer(self, text: str, answer: OrderAnswer | ErrorInfo) -> None:
        project = self._state.project
        if text != self._text or project is None:
            return
        if isinstance(answer, ErrorInfo):
            self._row.show_count("" if answer.kind == "superseded" else answer.message)
            return
        self._ids = map_array(project.folder / answer.file)
        self.changed.emit()


def _select(lines: KwicLines, matches: NDArray[np.bool_]) -> KwicLines:
    words = lines.words[matches] if lines.words is not None else None
    return KwicLines(lines.lines[matches], words)


def are_among(ids: IntArray, others: IntArray) -> NDArray[np.bool_]:
    """Return a mask of the sentence ids that are in another array: bool (n,).

    Corpus by corpus: numpy looks up ids that are close together in a table, but would
    sort all ids of corpora that are far apart.
    """
    found = np.zeros(len(ids), np.bool_)
    stride = first_sentence_id(1)
    corpora, of_others = ids // stride, others // stride
    for corpus in np.unique(corpora):
        own = corpora == corpus
        found[own] = np.isin(ids[own], others[of_others == corpus])
    return found
