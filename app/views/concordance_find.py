"""Finds within the lines of a concordance: those whose sentence has a word stay."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.engine.store.arrays import map_array
from app.engine.store.rows import first_id
from app.errors import ErrorInfo
from app.questions import OrderQuery
from app.views.widgets.kwic_model import KwicLines
from app.views.words import format_count

if TYPE_CHECKING:
    from app.views.concordance_question import ConcordanceQuestion
    from app.views.concordance_view import ConcordanceView


class ConcordanceFind(QObject):
    """Keeps the sentences that have what is looked for."""

    changed = Signal()  # other lines are to be shown

    def __init__(self, view: "ConcordanceView"):
        super().__init__(view)
        self._view, self._row = view, view.page.find_row
        self._text = ""
        self._ids: NDArray[np.int64] | None = None  # None: nothing is looked for
        self._row.changed.connect(self._on_changed)
        self._row.entered.connect(view.table.go_in)
        self._row.left.connect(view.focus_first)

    def keep_to(self, question: "ConcordanceQuestion") -> None:
        """Forget what was looked for, unless only the order of lines is another."""
        shown = self._view.desk.shown
        if shown is None or _without_order(shown.question) != _without_order(question):
            self.forget()

    def forget(self) -> None:
        """Show every line."""
        self._text, self._ids = "", None
        self._row.forget()

    def narrow(self, lines: KwicLines) -> KwicLines:
        """Give the lines whose sentence has what is looked for, in their order."""
        if self._ids is None:
            self._row.say("")
            return lines
        is_kept = are_among(lines.lines[:, 0], self._ids)
        words = lines.words[is_kept] if lines.words is not None else None
        left = KwicLines(lines.lines[is_kept], words)
        told = self.tr("{n} of {total} lines")
        n, total = format_count(len(left)), format_count(len(lines))
        self._row.say(told.format(n=n, total=total))
        return left

    def _on_changed(self, text: str) -> None:
        """Ask which sentences have it: any number of them, so the engine looks."""
        shown = self._view.desk.shown
        self._text = text
        if not text or shown is None:
            self._ids = None
            self.changed.emit()
            return
        question = shown.question  # of a kept list its own, not the one before
        query = OrderQuery(
            corpora=question.corpora,
            subcorpora=question.subcorpora,
            languages=question.languages,
            find=text,
            asker="concordance",
        )
        self._view.state.ask(query, lambda answer: self._on_answer(text, answer))

    def _on_answer(self, text: str, answer: dict[str, Any] | ErrorInfo) -> None:
        project = self._view.state.project
        if text != self._text or project is None:
            return
        if isinstance(answer, ErrorInfo):
            self._row.say("" if answer.kind == "superseded" else answer.message)
            return
        self._ids = map_array(project.folder / answer["file"])
        self.changed.emit()


def are_among(ids: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which ids of sentences are among others: bool (n,).

    Corpus by corpus: ids of one lie near each other, so that numpy looks them up in a
    table; those of two lie so far apart that it would sort all of them.
    """
    found = np.zeros(len(ids), np.bool_)
    stride = first_id(1)
    corpora, of_others = ids // stride, others // stride
    for corpus in np.unique(corpora):
        own = corpora == corpus
        found[own] = np.isin(ids[own], others[of_others == corpus])
    return found


def _without_order(question: "ConcordanceQuestion") -> tuple[object, ...]:
    values = question.to_json()
    values.pop("sort")
    return tuple(map(str, values.values()))
