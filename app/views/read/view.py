"""The read view: linked or aligned corpora side by side, in order."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.engine.store.corpora import corpus_of
from app.errors import ErrorInfo
from app.views.client.state import AppState
from app.views.read.board import ReadingBoard
from app.views.read.controller import ReadingController
from app.views.read.finder import ReadingFinder
from app.views.read.header import FindBar, ReadingHeader
from app.views.read.model import Place, describe_document
from app.views.read.session import ReadingSession, ReadingSource
from app.views.read.words import WordHighlighter
from app.views.widgets.boxes import as_widget, make_column
from app.views.widgets.controls import ElidedLabel, make_action_button
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import stack_pages
from app.views.widgets.shortcut_row import ShortcutRow
from app.views.widgets.theme import GRID
from app.views.widgets.view_protocol import ReadingRequest, SentenceText

N_AROUND = 6  # rows shown before and after a row
CHANGING_ROWS = {"pair", "judgements", "link", "hidden"}  # kinds of changes


class ReadView(QWidget):
    """The page with aligned corpora side by side.

    Attributes:
        session: selected corpora and links.
        board: shows the rows.
        finder: finds a text in the columns.
        words: marks the translations of a word.
        controller: performs the actions.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Read")
        self.state = state
        self._wanted = 0  # sentence to select once its rows arrive
        self._is_outdated = False  # the rows changed while the view was hidden
        self.session = ReadingSession(state, self)
        self.header, self.find_bar = ReadingHeader(), FindBar()
        self.board, self.messages = ReadingBoard(), MessageBar()
        self.finder = ReadingFinder(state, self.session, self.find_bar, self)
        self.words = WordHighlighter(state, self.board, self)
        self.controller = ReadingController(
            state, self.session, self.board, self.find_bar, self.finder, self
        )
        self.controller.add_link_edits()
        self.controller.add_words(self.words)
        self.translations = ElidedLabel("secondary")
        # a word in a right-to-left script must not move the line
        self.translations.setAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute
        )
        self._keys = ShortcutRow()
        self._keys.set_keys(self.controller.list_key_hints())
        actions = self.controller.actions
        self.find_bar.set_arrows([actions["previous_found"], actions["next_found"]])
        self.header.set_find_bar(self.find_bar)
        self.header.set_actions(
            actions["find"], (actions["export"], actions["export_words"])
        )
        self.empty = EmptyState(
            self.tr("No texts are linked yet"),
            self.tr(
                "Import translations as linked corpora, or align two texts. Then read "
                "them here side by side."
            ),
            [make_action_button(actions["align"], kind="primary")],
            icon="read",
        )
        self._lay_out()
        self._connect()
        self._on_corpora_changed()

    # --- navigation ---

    def read_from(self, request: ReadingRequest) -> None:
        """Show a sentence next to its translations."""
        self._wanted = request.sentence
        lead, rows = corpus_of(request.sentence), self.session.rows
        shown = {row.id for row in rows.corpora}
        beside = {corpus_of(id_) for id_ in request.others}
        is_here = self.session.source.is_whole or rows.place_of(request.sentence)
        if not request.alignment and is_here and lead in shown and beside <= shown:
            self._select_wanted()
            return
        others = tuple(beside - {lead}) or None
        self.session.open(ReadingSource(lead), others, request.alignment)

    def _select_wanted(self) -> None:
        """Select the requested sentence if its row is displayed."""
        wanted, self._wanted = self._wanted, 0
        if not wanted:
            return
        place = self.session.rows.place_of(wanted)
        if place is None:
            text = self.tr("This sentence has no link, so no row contains it.")
            self.state.notice_posted.emit(text)
        else:
            self.board.select(place, in_middle=True)

    # --- layout ---

    def _lay_out(self) -> None:
        page = as_widget(
            make_column(
                self.header,
                (self.board, 1),
                self.translations,
                self._keys,
                margins=(2 * GRID, 2 * GRID, GRID, GRID),
            )
        )
        self._page = page
        self.state.inspectable_made.emit(page)
        self._pages = stack_pages(self, self.messages, (self.empty, page))

    def _connect(self) -> None:
        state, session = self.state, self.session
        self.header.lead_selected.connect(session.open)
        self.header.partners_selected.connect(self._on_partners_selected)
        self.header.links_selected.connect(session.choose_links)
        self.header.notes_requested.connect(state.view_requests.notes_requested)
        self.header.document_selected.connect(self._on_document_selected)
        self.board.sentence_selected.connect(self._on_sentence_selected)
        self.board.sentence_opened.connect(state.view_requests.search_requested)
        self.finder.found.connect(self._on_found)
        self.finder.text_changed.connect(self.board.mark_find)
        self.find_bar.closed.connect(self.focus_first)
        self.words.described.connect(self.translations.setText)
        session.partners_changed.connect(self._on_partners_changed)
        session.rows_changed.connect(self._on_rows_changed)
        session.failed.connect(self._on_failed)
        state.project_opened.connect(self._on_project_opened)
        state.project_closed.connect(session.close)
        state.corpora_changed.connect(self._on_corpora_changed)
        state.minings_changed.connect(self._on_corpora_changed)
        state.kinds_changed.connect(self._on_kinds_changed)
        state.texts_changed.connect(self._on_texts_changed)
        state.labels.labelled.connect(self.board.read_again)
        state.thresholds.changed.connect(self._on_threshold_changed)

    # --- signals ---

    def _on_project_opened(self) -> None:
        self._wanted = 0
        self.find_bar.close_bar()
        self.session.close()
        self._on_corpora_changed()

    def _on_corpora_changed(self) -> None:
        """Keep the leading source if it still exists, or select the first one."""
        sources = self.session.sources()
        self._pages.setCurrentWidget(self._page if sources else self.empty)
        if not sources:
            self.session.close()
            self.controller.refresh()
            return
        if self.session.source in [source for source, _ in sources]:
            self.session.open(self.session.source, self.session.chosen)
        else:
            self.session.open(self.session.suggest_source())
        self._show_leads()
        if not self.session.rows.n_rows:
            self.header.counts.setText(self.tr("Reading the rows…"))

    def _show_leads(self) -> None:
        session = self.session
        self.header.show_leads(
            session.sources(), session.source, has_documents=session.has_documents
        )

    def _on_partners_selected(self) -> None:
        self.session.choose([int(key) for key in self.header.partners.chosen])
        self.header.show_links(self.session.partners, self.session.chosen)

    def _on_partners_changed(self) -> None:
        self._show_leads()
        self.header.show_partners(self.session.partners, self.session.chosen)

    def _on_rows_changed(self) -> None:
        project = self.state.project
        store = project.store if project is not None else None
        self.words.reset()
        documents = self.session.list_documents()
        headings = {row: describe_document(one) for row, one in documents.items()}
        self.board.show_rows(store, self.session.rows, headings)
        self.header.show_documents(headings)
        self.header.show_counts(self.session.rows, self.session.threshold)
        self.controller.refresh()
        self.state.page_changed.emit()
        if self._wanted:
            self._select_wanted()
        elif self.isVisible() and self.state.selection is None:
            self.state.select_sentence(self.board.sentence)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & CHANGING_ROWS and self.session.source.corpus:
            self._refresh()
        elif "note" in kinds:
            self.board.read_again()

    def _on_texts_changed(self) -> None:
        self.words.reset()
        self.board.read_again()

    def _on_threshold_changed(self, mining: int) -> None:
        if mining == self.session.source.pairs:
            self._refresh()

    def _refresh(self) -> None:
        """Request the rows now or, if the view is hidden, when it is next shown."""
        self._is_outdated = not self.isVisible()
        if not self._is_outdated:
            self.session.refresh()

    def _on_failed(self, error: ErrorInfo) -> None:
        self.header.show_counts(self.session.rows, self.session.threshold)
        self.state.post(error)

    def _on_sentence_selected(self, sentence: int | None) -> None:
        self.header.show_place(self.board.selection.row)
        if self.isVisible():
            self.state.select_sentence(sentence)

    def _on_document_selected(self, row: int) -> None:
        self.board.select(Place(row, 0), at_top=True)
        self.focus_first()

    def _on_found(self, place: Place) -> None:
        self.board.select(place, in_middle=True)

    # --- view protocol ---

    def compared_sentences(self) -> tuple[SentenceText, SentenceText]:
        """Return the selected sentence and the first sentence next to it."""
        rows, place = self.session.rows, self.board.selection
        columns = [place.column, *range(rows.n_columns)]
        ids: list[int] = []
        for column in dict.fromkeys(columns):
            if place.row < rows.n_rows:
                ids += rows.ids(place.row, column)[:1]
        found = [self.board.read_sentence(id_) for id_ in ids[:2]]
        sides = [SentenceText(row.text, row.language) for row in found if row]
        first, second, *_ = [*sides, SentenceText(), SentenceText()]
        return first, second

    def ids_around(self, sentence_id: int) -> frozenset[int]:
        """Return the sentences in the row of a sentence and in the adjacent rows."""
        rows = self.session.rows
        place = rows.place_of(sentence_id)
        if place is None:
            return frozenset()
        first, end = max(place.row - N_AROUND, 0), place.row + N_AROUND + 1
        return frozenset(
            id_
            for row in range(first, min(end, rows.n_rows))
            for column in range(rows.n_columns)
            for id_ in rows.ids(row, column)
        )

    def save_state(self) -> dict[str, Any]:
        """Return the selected corpora and sentence."""
        names = " · ".join(row.name for row in self.session.rows.corpora)
        return {
            "lead": list(self.session.source),
            "chosen": list(self.session.chosen),
            "links": self.session.save_choices(),
            "sentence": self.board.sentence or 0,
            "summary": names,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the corpora and sentence of a saved state."""
        lead = state.get("lead", [])
        chosen: Sequence[int] = state.get("chosen", ())
        # an older version saved only the id of the corpus
        source = ReadingSource(*(lead if isinstance(lead, list) else [lead]))
        self.session.restore_choices(state.get("links", ()))
        if source in [one for one, _ in self.session.sources()]:
            self._wanted = int(state.get("sentence", 0))
            self.session.open(source, [int(id_) for id_ in chosen])

    def showEvent(self, event: QShowEvent) -> None:
        """Read the rows again if they changed while the view was hidden."""
        super().showEvent(event)
        if self._is_outdated:
            self._is_outdated = False
            self.session.refresh()

    def focus_first(self) -> None:
        """Focus the rows."""
        is_empty = self._pages.currentWidget() is self.empty
        wanted = self.empty if is_empty else self.board
        wanted.setFocus(Qt.FocusReason.OtherFocusReason)
        if not is_empty and self.session.rows.n_rows:
            self.state.select_sentence(self.board.sentence)
