"""The encoders view: the list of encoders, their facts and their coverage."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QTabWidget, QVBoxLayout, QWidget

from app.engine.store.corpora import EmbeddingRow
from app.views.client.encoders import COVERAGE_TASK, EncoderInfo
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.encoders.controller import EncoderActions, EncoderController
from app.views.encoders.coverage import CoveragePage
from app.views.encoders.facts import EncoderFacts, vector_bytes
from app.views.encoders.sources import guess_kind
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.controls import ElidedLabel, make_button, make_label
from app.views.widgets.encoder_list import EncoderListView, describe_card
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.model_card import ModelCard
from app.views.widgets.number_format import format_bytes
from app.views.widgets.page_layout import make_split
from app.views.widgets.theme import GRID


class EncoderHeader(QWidget):
    """Heading, facts and buttons of an encoder."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._name = ElidedLabel("heading")
        self._facts = ElidedLabel("secondary")
        self._used = make_label(self.tr("In use for search and encoding"), "accent")
        self._buttons = ActionRow()
        self._top = QHBoxLayout()
        self._top.setSpacing(GRID)
        self._top.addWidget(self._name, 1)
        self._top.addWidget(self._used)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(self._top)
        layout.addWidget(self._facts)
        layout.addWidget(self._buttons)

    @property
    def words(self) -> tuple[str, str]:
        """Name and facts, as they are shown."""
        return self._name.text(), self._facts.text()

    def set_actions(self, use: QAction, others: Sequence[tuple[QAction, str]]) -> None:
        """Make buttons: of taking it into use, and of the rest."""
        words = self.tr("Use in this project")
        self._use = make_button(words, use.statusTip(), use.trigger, kind="primary")
        use.changed.connect(lambda: self._use.setVisible(use.isEnabled()))
        self._top.addWidget(self._use, 0, Qt.AlignmentFlag.AlignTop)
        self._use.setVisible(use.isEnabled())
        self._buttons.set_actions(others)

    def show_card(self, card: EncoderInfo, *, is_used: bool) -> None:
        """Show an encoder."""
        self._name.setText(card.name)
        parts = [describe_card(card)]
        if card.n_parameters:
            words = self.tr("{n} million parameters")
            parts.insert(1, words.format(n=f"{card.n_parameters / 1e6:,.1f}"))
        if card.bundled:
            parts.append(self.tr("comes with Isogloss"))
        self._facts.hint = card.description
        self._facts.setText(" · ".join(parts))
        self._used.setVisible(is_used)


class EncoderSidebar(QWidget):
    """The list of encoders with what adds to it."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.list = EncoderListView()
        self._add = make_button(
            self.tr("Add"),
            self.tr("Add an encoder, or vectors; or drop a file or folder here."),
        )
        self._strange = make_label("", "secondary", wraps=True)
        self._drop = make_button(
            self.tr("Remove…"),
            self.tr("Remove these vectors from the disk."),
            kind="quiet",
        )
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(make_label(self.tr("Encoders"), "heading"), 1)
        head.addWidget(self._add)
        self._foot = QWidget()
        foot = QHBoxLayout(self._foot)
        foot.setContentsMargins(GRID, 0, 0, 0)
        foot.addWidget(self._strange, 1)
        foot.addWidget(self._drop, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self.list, 1)
        layout.addWidget(self._foot)
        self._foot.hide()

    @property
    def note(self) -> str:
        """What is said of vectors that nobody can search."""
        return self._strange.text() if not self._foot.isHidden() else ""

    def set_actions(self, adding: Sequence[QAction], dropping: QAction) -> None:
        """Put the ways to add into a menu, and removing vectors on its button."""
        menu = QMenu(self._add)
        menu.setToolTipsVisible(True)
        menu.addActions(list(adding))
        self._add.setMenu(menu)
        first = adding[0]
        first.changed.connect(lambda: self._add.setEnabled(first.isEnabled()))
        self._add.setEnabled(first.isEnabled())
        self._drop.clicked.connect(dropping.trigger)
        dropping.changed.connect(lambda: self._drop.setEnabled(dropping.isEnabled()))
        self._drop.setEnabled(dropping.isEnabled())

    def show_strange(self, rows: Sequence[EmbeddingRow], names: str) -> None:
        """Show how much the vectors take whose encoders, of these names, are gone."""
        self._foot.setVisible(bool(rows))
        words = self.tr("Vectors of {names}, which is not here: {size}")
        size = format_bytes(sum(map(vector_bytes, rows)))
        self._strange.setText(words.format(names=names, size=size))


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
        self.side = EncoderSidebar()
        self.list = self.side.list
        self.head = EncoderHeader()
        self.facts = EncoderFacts()
        self.coverage = CoveragePage()
        self.card_page = ModelCard()
        self.jobs = EncoderController(self)
        self.todo = EncoderActions(self)
        self._lay_out()
        self._connect()
        self.setAcceptDrops(True)
        self._on_book_changed()

    # --- what the actions ask ---

    @property
    def card(self) -> EncoderInfo | None:
        """The encoder that is shown."""
        return self.list.card

    @property
    def can_write(self) -> bool:
        """Return whether the project can be changed."""
        project = self.state.project
        return project is not None and not project.is_read_only

    @property
    def has_corpora(self) -> bool:
        """Return whether there is something to measure on."""
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
            if run.task == COVERAGE_TASK and getattr(run.params, "encoder", "") == name:
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
        """Return the encoder that is shown, and the tab."""
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
    """Return the files and folders that a drag carries."""
    names = [url.toLocalFile() for url in event.mimeData().urls()]
    return [Path(name) for name in names if name]
