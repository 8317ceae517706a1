"""What can be done with the selected sentence: a row of quiet buttons."""

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.engine.store.rows import SentenceRow
from app.views.state import AppState
from app.views.widgets.controls import make_button
from app.views.widgets.dialogs import copy_text
from app.views.widgets.hits import cite


class SentenceTools(QWidget):
    """Search from the sentence, show it in its corpus, copy it."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._sentence: SentenceRow | None = None
        self._corpus = ""
        self._row = QHBoxLayout(self)
        self._row.setSpacing(4)
        self._row.setContentsMargins(0, 0, 0, 0)
        self.search = self._add(
            self.tr("Find nearest"),
            self.tr("Search for what is nearest to this sentence."),
            self._search,
        )
        self.place = self._add(
            self.tr("Show in corpus"),
            self.tr("Show this sentence in the table of its corpus."),
            self._show_place,
        )
        self.copy = self._add(
            self.tr("Copy"), self.tr("Copy the sentence with its source."), self._copy
        )
        self._row.addStretch(1)

    def take(self, sentence: SentenceRow, corpus: str) -> None:
        """Work on another sentence, of a corpus of this name."""
        self._sentence, self._corpus = sentence, corpus

    def _add(self, text: str, hint: str, slot: Callable[[], object]) -> QPushButton:
        button = make_button(text, hint, slot, kind="quiet")
        button.setStyleSheet("padding-left: 0; padding-right: 12px;")
        self._row.addWidget(button)
        return button

    def _search(self) -> None:
        if self._sentence is not None:
            self._state.search_wanted.emit(self._sentence.id)

    def _show_place(self) -> None:
        if self._sentence is not None:
            self._state.place_wanted.emit(self._sentence.id)

    def _copy(self) -> None:
        if self._sentence is not None:
            copy_text(cite(self._sentence, self._corpus))
