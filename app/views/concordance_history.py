"""The questions that were asked of the concordance before."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from app.engine.store.rows import list_searches
from app.messages import AddSearch
from app.views.concordance_question import ConcordanceQuestion, read_concordance
from app.views.widgets.query_field import shorten

if TYPE_CHECKING:
    from app.views.state import AppState

VIEW = "concordance"  # key in the history: whose query it was
N_SHOWN, N_READ = 30, 300  # past queries in the menu; those looked through for them


class ConcordanceHistory(QObject):
    """Keeps questions in the project, and offers them again."""

    def __init__(
        self,
        state: "AppState",
        ask: Callable[[ConcordanceQuestion], object],
        parent: QObject,
    ):
        """Take the window's state, and what asks a question again."""
        super().__init__(parent)
        self._state, self._ask = state, ask

    def remember(self, question: ConcordanceQuestion) -> None:
        """Keep a question, where the project can be written."""
        project = self._state.project
        if project is not None and not project.is_read_only:
            self._state.edit(AddSearch(question.text, {VIEW: question.to_json()}))

    def questions(self) -> list[ConcordanceQuestion]:
        """Give past questions, the newest first, each text once in each mode."""
        project = self._state.project
        if project is None:
            return []
        found: dict[tuple[str, str], ConcordanceQuestion] = {}
        for _, _, filters in list_searches(project.store, limit=N_READ):
            values = json.loads(filters).get(VIEW)
            question = read_concordance(values)
            if not question.is_empty:
                found.setdefault((question.text, question.mode), question)
        return list(found.values())[:N_SHOWN]

    def fill(self, menu: QMenu) -> None:
        """Put past questions into a menu."""
        for question in self.questions():
            action = menu.addAction(shorten(question.text))
            action.setToolTip(question.text)
            action.triggered.connect(lambda _=False, q=question: self._ask(q))
