"""Encoders: which there are, what each covers, which one is in use."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.engine.store.rows import EmbeddingRow
from app.views.encoder_actions import EncoderActions
from app.views.encoder_book import COVERAGE, EncoderCard
from app.views.encoder_jobs import EncoderJobs
from app.views.encoder_sources import guess_kind
from app.views.runs import RunState
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.coverage_page import CoveragePage
from app.views.widgets.encoder_facts import EncoderFacts
from app.views.widgets.encoder_head import EncoderHead
from app.views.widgets.encoder_side import EncoderSide
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.model_card import ModelCard
from app.views.widgets.splits import make_split

LIST_WIDTH = 30 * GRID


class EncodersView(QWidget):
    """The encoders page."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Encoders")
        self.state, self.book = state, state.encoders
        self._wanted = ""  # a session's encoder, until the list is there
        self._told: set[str] = set()  # damaged encoders that were named
        self.messages = MessageBar()
        self.side = EncoderSide()
        self.list = self.side.list
        self.head = EncoderHead()
        self.facts = EncoderFacts()
        self.coverage = CoveragePage()
        self.card_page = ModelCard()
        self.jobs = EncoderJobs(self)
        self.todo = EncoderActions(self)
        self._lay_out()
        self._connect()
        self.setAcceptDrops(True)
        self._on_book_changed()

    # --- what the actions ask ---

    @property
    def card(self) -> EncoderCard | None:
        """The encoder that is shown."""
        return self.list.card

    @property
    def can_write(self) -> bool:
        """Tell whether the project can be changed."""
        project = self.state.project
        return project is not None and not project.is_read_only

    @property
    def has_corpora(self) -> bool:
        """Tell whether there is something to measure on."""
        return self.state.project is not None and bool(self.state.project.corpora)

    @property
    def vectors(self) -> list[EmbeddingRow]:
        """The vectors of this project by the encoder shown."""
        project, card = self.state.project, self.card
        if project is None or card is None:
            return []
        return [r for r in project.embeddings if r.fingerprint == card.fingerprint]

    @property
    def missing_corpora(self) -> list[int]:
        """Ids of the corpora that lack vectors by the encoder shown."""
        project = self.state.project
        done = {row.corpus_id for row in self.vectors if row.n_done == row.n_rows}
        corpora = project.corpora if project is not None else []
        return [corpus.id for corpus in corpora if corpus.id not in done]

    @property
    def strange_vectors(self) -> list[EmbeddingRow]:
        """The vectors of encoders that are not here (any more)."""
        project = self.state.project
        if project is None or not self.book.cards:
            return []
        here = {card.fingerprint for card in self.book.cards}
        return [row for row in project.embeddings if row.fingerprint not in here]

    @property
    def strange_names(self) -> str:
        """Name the encoders of these vectors; one may have been replaced."""
        here = {card.name for card in self.book.cards}
        earlier = self.tr("an earlier {name}")
        names = sorted({row.encoder for row in self.strange_vectors})
        return ", ".join(
            earlier.format(name=name) if name in here else name for name in names
        )

    @property
    def measurement(self) -> RunState | None:
        """The measurement of the encoder shown that is under way."""
        name = self.card.name if self.card is not None else ""
        for run in self.state.runs:
            if run.task == COVERAGE and getattr(run.params, "encoder", "") == name:
                return run
        return None

    # --- making ---

    def _lay_out(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.addTab(self.coverage, self.tr("Coverage"))
        self.tabs.addTab(self.card_page, self.tr("Model card"))
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID + 4)
        column.addWidget(self.head)
        column.addWidget(self.facts)
        column.addWidget(self.tabs, 1)
        split = make_split(self.side, right, sizes=(LIST_WIDTH, 100 * GRID), growing=1)
        full = QWidget()
        box = QVBoxLayout(full)
        box.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        box.addWidget(split)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.messages)
        layout.addWidget(full, 1)

    def _connect(self) -> None:
        todo = self.todo
        self.head.set_actions(todo.using, todo.short_names())
        self.side.set_actions(
            [todo.adding_file, todo.adding_folder, todo.importing], todo.dropping
        )
        self.list.addAction(todo.removing)
        self.list.choice_changed.connect(self._show_encoder)
        self.list.activated.connect(lambda _: self.tabs.setFocus())
        self.tabs.currentChanged.connect(lambda _: self._show_model_card())
        self.coverage.measure_wanted.connect(self.jobs.measure)
        self.coverage.files_wanted.connect(self.jobs.measure_files)
        self.coverage.cancel_wanted.connect(self._cancel_measurement)
        self.coverage.export_wanted.connect(self.jobs.export_coverage)
        self.coverage.hub_wanted.connect(self.state.place_wanted)
        self.book.changed.connect(self._on_book_changed)
        self.state.corpora_changed.connect(self._show_encoder)
        self.state.embeddings_changed.connect(self._show_encoder)
        self.state.runs_changed.connect(self._show_run)
        self.state.run_progressed.connect(lambda _: self._show_run())

    # --- what is shown ---

    def _on_book_changed(self) -> None:
        if self.state.project is None:
            return
        self.list.show_cards(self.book.cards, self.book.chosen)
        if self._wanted and self.list.choose(self._wanted):
            self._wanted = ""
        self._name_damaged()

    def _show_encoder(self) -> None:
        """Show the encoder that is chosen in the list."""
        project, card = self.state.project, self.card
        self.todo.refresh(card)
        self.side.show_strange(self.strange_vectors, self.strange_names)
        if project is None or card is None:
            return
        coverage = self.book.coverage_of(card)
        self.head.show_card(card, is_used=card.name == self.book.chosen)
        self.facts.show_card(card, coverage, (project.corpora, project.embeddings))
        self.coverage.set_writable(self.can_write, has_corpora=self.has_corpora)
        self.coverage.show_coverage(card, coverage)
        self._show_run()
        self._show_model_card()

    def _show_model_card(self) -> None:
        if self.tabs.currentWidget() is self.card_page and self.card is not None:
            self.card_page.show_folder(Path(self.card.folder))

    def _show_run(self) -> None:
        self.todo.refresh(self.card)
        self.coverage.show_run(self.measurement)

    def _cancel_measurement(self) -> None:
        if self.measurement is not None:
            self.state.cancel(self.measurement)

    def _name_damaged(self) -> None:
        for one in self.book.damaged:
            if one.name not in self._told:
                self._told.add(one.name)
                words = self.tr("The encoder {name} can't be used: {why}")
                self.messages.post(words.format(name=one.name, why=one.why), "error")

    # --- what the window asks of a view ---

    def save_state(self) -> dict[str, Any]:
        """Give the encoder that is shown, and the tab."""
        name = self.card.name if self.card is not None else self._wanted
        return {"encoder": name, "tab": self.tabs.currentIndex(), "summary": name}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show the encoder again, once the list is there."""
        self.tabs.setCurrentIndex(int(state.get("tab", 0)))
        self._wanted = str(state.get("encoder", ""))
        self._on_book_changed()

    def focus_first(self) -> None:
        """Put the keyboard on the list."""
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def changeEvent(self, event: QEvent) -> None:
        """Draw the marks in the colours of a new theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.coverage.table.show_theme()
        super().changeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take an encoder or vectors; other files go to the window, which imports."""
        if self.can_write and any(map(guess_kind, dropped_paths(event))):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        """Offer to add what was dropped."""
        event.acceptProposedAction()
        self.jobs.take_paths(dropped_paths(event))


def dropped_paths(event: QDropEvent) -> list[Path]:
    """Give the files and folders that a drag carries."""
    names = [url.toLocalFile() for url in event.mimeData().urls()]
    return [Path(name) for name in names if name]
