"""What can be done with the selected sentence: a row of quiet buttons."""

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.engine.store.rows import SentenceRow
from app.views.state import AppState
from app.views.widgets.action_row import ActionRow
from app.views.widgets.controls import describe_action
from app.views.widgets.dialogs import copy_text
from app.views.widgets.hits import cite


class SentenceTools(ActionRow):
    """Search from the sentence, show it in its corpus, copy it."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._sentence: SentenceRow | None = None
        self.search = self._make(
            self.tr("Find nearest"),
            self.tr("Search for what is nearest to this sentence."),
            self._search,
        )
        self.place = self._make(
            self.tr("Show in corpus"),
            self.tr("Show this sentence in the table of its corpus."),
            self._show_place,
        )
        self.copy = self._make(
            self.tr("Copy"), self.tr("Copy the sentence with its source."), self._copy
        )
        actions = (self.search, self.place, self.copy)
        self.set_actions([(action, action.text()) for action in actions])

    def take(self, sentence: SentenceRow) -> None:
        """Work on another sentence."""
        self._sentence = sentence

    def _make(self, text: str, hint: str, slot: Callable[[], object]) -> QAction:
        action = QAction(text, self)
        describe_action(action, hint)
        action.triggered.connect(lambda: slot())
        return action

    def _search(self) -> None:
        if self._sentence is not None:
            self._state.search_wanted.emit(self._sentence.id)

    def _show_place(self) -> None:
        if self._sentence is not None:
            self._state.place_wanted.emit(self._sentence.id)

    def _copy(self) -> None:
        if self._sentence is not None and self._state.project is not None:
            copy_text(cite(self._state.project, [self._sentence]))
