"""Send concordance queries, receive their lines, and keep the query history.

Words that are not indexed yet are indexed first, by a job; then it asks again.
"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from app.engine.store.arrays import map_array
from app.engine.store.journal import list_searches
from app.errors import ErrorInfo
from app.protocol.edits.general import AddSearch
from app.views.client.indexed_queries import IndexedQueryController
from app.views.concordance.model import KwicLines, LineArray
from app.views.concordance.settings import ConcordanceSettings, read_settings
from app.views.widgets.query_field import shorten

if TYPE_CHECKING:
    from pathlib import Path

    from app.views.client.state import AppState


class LoadedConcordance(NamedTuple):
    """The lines of a question, and what is known of them.

    Attributes:
        lines: those that came so far.
        n: all hits.
        n_sentences: that hold one.
        n_searched: sentences that were searched.
        n_tokens: words of these; None: they were not counted.
        is_cut: the time was over before all was read.
        is_whole: no more lines will come.
        elapsed_s: of the first answer.
        not_indexed: ids of corpora that were left out.
        notes: sentences on the answer.
    """

    question: ConcordanceSettings
    lines: KwicLines = KwicLines()
    n: int = 0
    n_sentences: int = 0
    n_searched: int = 0
    n_tokens: int | None = None
    is_cut: bool = False
    is_whole: bool = True
    elapsed_s: float = 0.0
    not_indexed: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


class QuerySession(IndexedQueryController[ConcordanceSettings, LoadedConcordance]):
    """Asks the engine, one question at a time."""

    answered = Signal(object)  # Concord: the first lines, then all

    def ask(self, question: ConcordanceSettings) -> None:
        """Ask for the first lines; all of them are asked for when these are there."""
        self._question = question
        self._send(question, is_first=True)

    def show(self, question: ConcordanceSettings, lines: LineArray) -> None:
        """Show lines that are known already: int64 (m, 3), those of a kept list."""
        self._question = None
        self.shown = LoadedConcordance(question, KwicLines(lines), len(lines))
        self.answered.emit(self.shown)

    def _send(self, question: ConcordanceSettings, *, is_first: bool) -> None:
        self._state.ask(
            question.to_query(is_first=is_first),
            lambda answer: self._on_answer(question, answer, is_first),
        )

    def _on_answer(
        self,
        question: ConcordanceSettings,
        answer: dict[str, Any] | ErrorInfo,
        is_first: bool,
    ) -> None:
        project = self._state.project
        if question is not self._question or project is None:
            return
        if isinstance(answer, ErrorInfo):
            self._on_refused(answer)
            return
        found = _read(question, answer, project.folder)
        if not is_first:
            elapsed_s = self.shown.elapsed_s if self.shown else found.elapsed_s
            found = found._replace(elapsed_s=elapsed_s, is_whole=True)
        self.shown = found
        if found.is_whole:
            self._question = None
        self.answered.emit(found)
        if not found.is_whole and question is self._question:
            self._send(question, is_first=False)
        if is_first:
            self._index(found.not_indexed)


def _read(
    question: ConcordanceSettings, answer: dict[str, Any], folder: "Path"
) -> LoadedConcordance:
    words = map_array(folder / answer["words"]) if answer.get("words") else None
    lines = KwicLines(map_array(folder / answer["file"]), words)
    return LoadedConcordance(
        question,
        lines,
        int(answer["n"]),
        int(answer.get("n_sentences", 0)),
        int(answer.get("n_searched", 0)),
        answer.get("n_tokens"),
        bool(answer.get("is_cut")),
        len(lines) >= int(answer["n"]),
        float(answer.get("elapsed_s", 0.0)),
        tuple(answer.get("not_indexed", ())),
        tuple(answer.get("notes", ())),
    )


HISTORY_KEY = "concordance"  # key in the history: whose query it was
N_SHOWN, N_READ = 30, 300  # past queries in the menu; those looked through for them


class QueryHistory(QObject):
    """Keeps questions in the project, and offers them again."""

    def __init__(
        self,
        state: "AppState",
        ask: Callable[[ConcordanceSettings], object],
        parent: QObject,
    ):
        """Take the window's state, and what asks a question again."""
        super().__init__(parent)
        self._state, self._ask = state, ask

    def remember(self, question: ConcordanceSettings) -> None:
        """Keep a question, where the project can be written."""
        project = self._state.project
        if project is not None and not project.is_read_only:
            self._state.edit(
                AddSearch(question.text, {HISTORY_KEY: question.to_json()})
            )

    def questions(self) -> list[ConcordanceSettings]:
        """Return past questions, the newest first, each text once in each mode."""
        project = self._state.project
        if project is None:
            return []
        found: dict[tuple[str, str], ConcordanceSettings] = {}
        for _, _, filters in list_searches(project.store, limit=N_READ):
            values = json.loads(filters).get(HISTORY_KEY)
            question = read_settings(values)
            if not question.is_empty:
                found.setdefault((question.text, question.mode), question)
        return list(found.values())[:N_SHOWN]

    def fill(self, menu: QMenu) -> None:
        """Put past questions into a menu."""
        for question in self.questions():
            action = menu.addAction(shorten(question.text))
            action.setToolTip(question.text)
            action.triggered.connect(lambda _=False, q=question: self._ask(q))
