"""The encoders view: list of encoders, facts and coverage."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.views.client.state import AppState
from app.views.encoders.added_languages import AddedLanguagesPage
from app.views.encoders.comparison import ComparisonPage
from app.views.encoders.controller import EncoderController
from app.views.encoders.coverage import CoveragePage
from app.views.encoders.facts import EncoderFacts
from app.views.encoders.panels import EncoderHeader, EncoderSidebar
from app.views.encoders.selection import EncoderSelection
from app.views.encoders.sources import guess_kind
from app.views.widgets.boxes import make_column, make_tabs
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.model_card import ModelCard
from app.views.widgets.page_layout import (
    lay_out_page,
    make_scroll_area,
    make_split,
)
from app.views.widgets.theme import GRID, scaled

LIST_WIDTH = 30 * GRID
LOW = 72 * GRID  # a lower view shows the facts above the model card


class EncodersView(QWidget):
    """The encoders page."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Encoders")
        self._state, self._encoders = state, state.encoders
        self._restored_name = ""  # encoder from the session, until the list is loaded
        self._reported: set[str] = set()  # damaged encoders that were reported
        self.messages = MessageBar()
        self.sidebar = EncoderSidebar()
        self.list = self.sidebar.list
        self.header = EncoderHeader()
        self.facts = EncoderFacts()
        self.coverage = CoveragePage(state)
        self.card = ModelCard()
        self.card_page = QWidget()
        self._selection = EncoderSelection(state, self.list)
        self.controller = EncoderController(self._selection, self.messages, self)
        self.added_page = AddedLanguagesPage(state, self.controller.add_language_action)
        self.comparison = ComparisonPage()
        self._lay_out()
        self._connect()
        self.setAcceptDrops(True)
        self._on_encoders_changed()

    # --- layout ---

    def _lay_out(self) -> None:
        # Created from the outside in, because reparenting restyles all parts.
        page = QWidget()
        right = make_scroll_area(page, self)
        sizes = LIST_WIDTH, 100 * GRID
        split = make_split(self.sidebar, right, sizes=sizes, growing=1, parent=self)
        lay_out_page(self, self.messages, split)
        self.tabs = make_tabs(page)
        parts = self.header, self.facts, (self.tabs, 1)
        self._column = make_column(*parts, parent=page, gap=GRID + 4)
        self._card_column = make_column((self.card, 1), parent=self.card_page)
        self.tabs.addTab(self.coverage, self.tr("Coverage"))
        self.tabs.addTab(self.card_page, self.tr("Model card"))
        self.tabs.addTab(self.added_page, self.tr("Added languages"))
        self.tabs.addTab(self.comparison, self.tr("Comparison"))

    def _connect(self) -> None:
        controller, state = self.controller, self._state
        self.header.set_actions(controller.use_action, controller.button_actions)
        self.sidebar.set_actions(
            controller.add_actions, controller.remove_vectors_action
        )
        self.list.addAction(controller.remove_action)
        self.list.selection_changed.connect(self._show_encoder)
        self.list.activated.connect(lambda _: self.tabs.setFocus())
        self.tabs.currentChanged.connect(lambda _: self._show_tab())
        self.coverage.measure_requested.connect(controller.measure)
        self.coverage.measure_files_requested.connect(controller.measure_files)
        self.coverage.cancel_requested.connect(self._cancel_measurement)
        self.comparison.evaluation_requested.connect(controller.evaluate)
        self._encoders.changed.connect(self._on_encoders_changed)
        state.corpora_changed.connect(self._show_encoder)
        state.embeddings_changed.connect(self._show_encoder)
        state.runs_changed.connect(self._show_run)
        state.run_progressed.connect(self._show_run)

    # --- display ---

    def _on_encoders_changed(self) -> None:
        if self._state.project is None:
            return
        self.list.show_encoders(self._encoders)
        if self._restored_name and self.list.select(self._restored_name):
            self._restored_name = ""
        self._report_damaged()

    def _show_encoder(self) -> None:
        """Show the selected encoder."""
        selection, project = self._selection, self._state.project
        encoder = selection.encoder
        self.controller.refresh()
        self.sidebar.show_orphaned(selection.orphaned_vectors, selection.orphaned_names)
        if project is None or encoder is None:
            return
        coverage = self._encoders.coverage_of(encoder)
        self.header.show_encoder(encoder, is_in_use=selection.is_in_use)
        self.facts.show_encoder(
            encoder,
            coverage,
            selection.vectors,
            n_corpora=len(project.corpora),
            base=self._encoders.base_of(encoder),
        )
        self.coverage.set_writable(
            selection.state.can_write, has_corpora=selection.has_corpora
        )
        self.coverage.show_coverage(encoder, coverage)
        self._show_run()
        self._show_tab()

    def _show_tab(self) -> None:
        """Read the encoder's files for the visible tab."""
        encoder, page = self._selection.encoder, self.tabs.currentWidget()
        if encoder is None:
            return
        if page is self.card_page:
            self.card.show_folder(Path(encoder.folder))
        elif page is self.added_page:
            self.added_page.show_folder(Path(encoder.folder))
        elif page is self.comparison:
            coverage_of = self._encoders.coverage_of
            self.comparison.show_encoders(
                [(one, coverage_of(one)) for one in self._encoders.cards]
            )

    def _place_facts(self) -> None:
        """Put the facts above the tabs, or above the model card in a low window."""
        is_low = self.height() < scaled(LOW, self)
        place, column = (0, self._card_column) if is_low else (1, self._column)
        if column.indexOf(self.facts) < 0:
            column.insertWidget(place, self.facts)

    def _show_run(self) -> None:
        self.controller.refresh()
        self.coverage.show_run(self._selection.measurement)

    def _cancel_measurement(self) -> None:
        if self._selection.measurement is not None:
            self._state.cancel(self._selection.measurement)

    def _report_damaged(self) -> None:
        for one in self._encoders.damaged:
            if one.name not in self._reported:
                self._reported.add(one.name)
                words = self.tr("Can't use the encoder {name}: {why}")
                self.messages.post(words.format(name=one.name, why=one.why), "error")

    # --- interface to the window ---

    def show_ages(self) -> None:
        """Update the age of the measurements."""
        self.coverage.show_ages()

    def save_state(self) -> dict[str, Any]:
        """Return the selected encoder and the tab."""
        encoder = self._selection.encoder
        name = encoder.name if encoder is not None else self._restored_name
        return {"encoder": name, "tab": self.tabs.currentIndex(), "summary": name}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Select the saved encoder as soon as the list is loaded."""
        self.tabs.setCurrentIndex(int(state.get("tab", 0)))
        self._restored_name = str(state.get("encoder", ""))
        self._on_encoders_changed()

    def focus_first(self) -> None:
        """Focus the list."""
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the marks in the colours of a new theme, and fit the text size."""
        if event.type() == QEvent.Type.PaletteChange:
            self.coverage.table.show_theme()
        if event.type() == QEvent.Type.FontChange:
            self._place_facts()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Maximise the height of the tabs in a low view."""
        super().resizeEvent(event)
        self._place_facts()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept an encoder or vectors; the window imports other files."""
        if self._selection.state.can_write and any(
            map(guess_kind, dropped_paths(event))
        ):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        """Show the dialog that adds a dropped encoder or vectors."""
        event.acceptProposedAction()
        self.controller.add_dropped(dropped_paths(event))


def dropped_paths(event: QDropEvent) -> list[Path]:
    """Return the files and folders of a drag."""
    names = [url.toLocalFile() for url in event.mimeData().urls()]
    return [Path(name) for name in names if name]
