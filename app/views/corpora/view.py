"""The corpora view: corpora, sub-corpora, and the sentences of the selected ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QWidget

from app.engine.store.corpora import CorpusRow, corpus_of, first_sentence_id
from app.engine.store.sentences import read_translations
from app.params.corpora import ImportCorpus
from app.params.vectors import Encode
from app.views.client.state import AppState
from app.views.corpora.controller import CorpusController, SentenceController
from app.views.corpora.corpus_list import CorpusList, EncodingStatus, find_statuses
from app.views.corpora.documents import DocumentPanel
from app.views.corpora.import_controller import ImportController
from app.views.corpora.layout import CorporaLayout, CorpusHeader
from app.views.corpora.sentences import CorpusSentences
from app.views.corpora.subcorpora import SubcorpusPanel
from app.views.widgets.boxes import make_column
from app.views.widgets.corpus_choices import list_parts
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.sentence_editor import offer_sentence_actions
from app.views.widgets.undo_messages import unhide_sentences
from app.views.widgets.view_protocol import SentenceText


class CorporaView(QWidget):
    """The page of corpora, sub-corpora and sentences."""

    sentences_shown = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Corpora")
        self.state = state
        self._is_listing = False
        self._n_choices = 0  # selections by the user
        self._new_corpora: list[int] = []  # shown as soon as they are listed
        self._new_subcorpus: int | None = None  # shown as soon as it is listed
        self.list = CorpusList()
        self.header = CorpusHeader()
        self.documents = DocumentPanel(state)
        self.page = CorpusSentences(state)
        state.inspectable_made.emit(self.page)
        self.messages = MessageBar()
        self.subcorpora = SubcorpusPanel(state, self.messages)
        self.imports = ImportController(state, self, lambda: self._n_choices)
        self.corpus_controller = CorpusController(
            state, self.imports, self.messages, self
        )
        self.sentence_controller = SentenceController(
            state, self.page, self.messages, self
        )
        self._lay_out()
        self._connect()
        self._on_corpora_changed()
        self._refresh_selection()

    @property
    def chosen(self) -> list[CorpusRow]:
        """The selected corpora, or the corpora of the selected sub-corpus."""
        subcorpus, project = self.subcorpora.chosen, self.state.project
        if subcorpus is not None and project is not None:
            return list_parts(project, subcorpus)
        return self.list.chosen

    def import_files(self, paths: Sequence[Path] = ()) -> None:
        """Show the import dialog for files; ask for files if there are none."""
        self.imports.ask(paths)

    def import_folder(self) -> None:
        """Ask for a folder whose files become the documents of one corpus."""
        self.imports.ask_folder()

    def run_first_import(self, imports: Sequence[ImportCorpus], encodes: bool) -> None:
        """Import the files of a new project, then show nearest translations."""
        self.imports.run_first(imports, encodes)

    def show_sentence(self, sentence_id: int) -> None:
        """Select a sentence in the table of its corpus."""
        self.subcorpora.clear_selection()
        self.page.clear_filters()
        self.list.choose([corpus_of(sentence_id)])
        self.page.table.select_sentence(sentence_id)
        self.page.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_corpora(self, ids: Sequence[int]) -> None:
        """Show complete corpora from the first sentence."""
        self.subcorpora.clear_selection()
        self.page.clear_filters()
        self.list.choose(ids)
        self.page.table.scroll_to_row(0)

    def show_subcorpus(self, subcorpus: int) -> None:
        """Show a sub-corpus from the first sentence."""
        self.page.clear_filters()
        self.subcorpora.list.choose(subcorpus)
        self.page.table.scroll_to_row(0)

    def make_subcorpus(self) -> None:
        """Ask for the steps of a new sub-corpus."""
        self.subcorpora.ask_new()

    # --- layout ---

    def _lay_out(self) -> None:
        corpora, sentences = self.corpus_controller, self.sentence_controller
        self._frame = CorporaLayout(
            self.import_files,
            self.import_folder,
            (self.list, self.subcorpora),
            (self.header, self.documents, self.page),
        )
        buttons = corpora.buttons()
        export = (sentences.export_action, self.tr("Export…"))
        self.header.set_actions(
            corpora.encode_action, [*buttons[:-1], export, buttons[-1]]
        )
        self.header.set_part_actions(self.subcorpora.buttons())
        make_column(self.messages, (self._frame, 1), parent=self, gap=0)

    def _connect(self) -> None:
        table, state = self.page.table, self.state
        self.list.choice_changed.connect(self._on_corpora_chosen)
        self.list.clicked.connect(self._on_corpora_chosen)
        self.subcorpora.choice_changed.connect(self._on_subcorpus_chosen)
        # A second Enter must not press Delete again.
        self.corpus_controller.corpora_deleted.connect(self.list.setFocus)
        self.subcorpora.subcorpus_deleted.connect(self.list.setFocus)
        self.subcorpora.import_requested.connect(self.imports.ask_again)
        self.imports.corpora_imported.connect(self._on_corpora_imported)
        self.imports.subcorpus_made.connect(self._on_subcorpus_made)
        self.page.shown.connect(self.sentences_shown)
        self.page.hidden_bar.restore_requested.connect(self._on_restore_requested)
        self.documents.document_chosen.connect(self._on_document_chosen)
        table.sentence_selected.connect(state.select_sentence)
        table.selection_cleared.connect(self._on_selection_cleared)
        table.sentence_opened.connect(state.view_requests.search_requested)
        table.addActions(self.sentence_controller.actions)
        offer_sentence_actions(state, table)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.list.addActions(self.corpus_controller.actions)
        state.corpora_changed.connect(self._on_corpora_changed)
        state.embeddings_changed.connect(self._on_embeddings_changed)
        state.runs_changed.connect(self._on_runs_changed)
        state.texts_changed.connect(self._on_texts_changed)
        state.kinds_changed.connect(self._on_kinds_changed)
        state.encoders.changed.connect(self._on_encoders_changed)
        self._on_encoders_changed()

    # --- changes ---

    def _on_corpora_changed(self) -> None:
        corpora = self.state.corpora
        self._frame.show_count(len(corpora))
        self._is_listing = True  # keeps the selection, including a sub-corpus
        self.list.show_corpora(corpora, self._statuses())
        self._on_encoders_changed()  # coverage may be older than an import
        self._is_listing = False
        self._select_one_list()
        self._show_new()

    def _on_corpora_imported(self, ids: list[int]) -> None:
        self._new_corpora = ids
        self._show_new()

    def _on_subcorpus_made(self, id_: int) -> None:
        self._new_subcorpus = id_
        self._show_new()

    def _show_new(self) -> None:
        """Show new corpora or a new sub-corpus once they are listed."""
        project, n_choices = self.state.project, self._n_choices
        listed = {row.id for row in project.corpora} if project is not None else set()
        if self._new_corpora and listed.issuperset(self._new_corpora):
            ids, self._new_corpora = self._new_corpora, []
            self.show_corpora(ids)
        made = self._new_subcorpus
        if made is not None and made in self.subcorpora.list.ids:
            self._new_subcorpus = None
            self.show_subcorpus(made)
        self._n_choices = n_choices

    def _on_runs_changed(self) -> None:
        runs = [run.params for run in self.state.runs]
        self._frame.show_importing(any(isinstance(one, ImportCorpus) for one in runs))
        self._on_embeddings_changed()

    def _on_embeddings_changed(self) -> None:
        self.list.show_statuses(self._statuses())
        self._refresh_selection()

    def _on_encoders_changed(self) -> None:
        encoders = self.state.encoders
        self.list.show_doubts(encoders.doubts(), encoders.chosen, encoders.outdated())

    def _on_texts_changed(self) -> None:
        self.page.refresh()
        self._refresh_selection()

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & {"hidden", "subcorpus"}:
            self.page.refresh()

    def _on_corpora_chosen(self) -> None:
        if not self._is_listing:
            self.subcorpora.clear_selection()
        self._on_choice_changed()

    def _on_subcorpus_chosen(self) -> None:
        self._select_one_list()
        self._on_choice_changed()

    def _select_one_list(self) -> None:
        """Clear the selection of corpora while a sub-corpus is selected."""
        if self.subcorpora.chosen is not None:
            self.list.clearSelection()
        elif not self.list.chosen and self.state.project is not None:
            self.list.choose([row.id for row in self.state.project.corpora[:1]])

    def _on_choice_changed(self) -> None:
        self._n_choices += not self._is_listing
        chosen = self.chosen
        self.documents.show_corpus(chosen[0] if len(chosen) == 1 else None)
        self.page.show_corpora(chosen)
        self._refresh_selection()

    def _on_selection_cleared(self) -> None:
        if self.isVisible():  # otherwise another view has the selection
            self.state.select_sentence(None)

    def _on_restore_requested(self, ids: NDArray[np.int64]) -> None:
        unhide_sentences(self.state, self.messages, ids)

    def _on_document_chosen(self, position: int) -> None:
        """Show the first sentence of a document, even if the filters exclude it."""
        sentence = first_sentence_id(self.chosen[0].id) + position
        if not self.page.table.select_sentence(sentence):
            self.page.clear_filters()
            self.page.table.select_sentence(sentence)

    def _refresh_selection(self) -> None:
        """Update the header and the actions for the selected corpora."""
        statuses, chosen = self._statuses(), self.chosen
        is_writable = self.state.can_write
        self.corpus_controller.refresh(chosen, statuses, is_writable=is_writable)
        self.sentence_controller.refresh(chosen, is_writable=is_writable)
        subcorpus = self.subcorpora.chosen
        self.header.use_actions(is_part=subcorpus is not None)
        if subcorpus is not None:
            self.header.show_part(subcorpus)
        elif chosen:
            project = self.state.project
            edited = project.edited if project is not None else {}
            listed = [statuses[row.id] for row in chosen]
            self.header.show_corpora(chosen, listed, edited)

    def _statuses(self) -> dict[int, EncodingStatus]:
        project = self.state.project
        if project is None:
            return {}
        runs = [run.params for run in self.state.runs]
        names = {
            name for one in runs if isinstance(one, Encode) for name in one.corpora
        }
        return find_statuses(project.corpora, project.searchable, names)

    # --- view protocol ---

    def compared_sentences(self) -> tuple[SentenceText, SentenceText]:
        """Return two selected sentences, or one and its first known translation."""
        found = [row for _, row in self.page.selected_sentences(limit=2)]
        project = self.state.project
        if len(found) == 1 and project is not None:
            found += read_translations(project.store, found[0].id)[:1]
        sides = [SentenceText(row.text, row.language) for row in found]
        first, second, *_ = [*sides, SentenceText(), SentenceText()]
        return first, second

    def actions(self) -> list[QAction]:
        """Return the view's actions."""
        return [
            *self.corpus_controller.actions,
            *self.sentence_controller.all_actions,
            *self.subcorpora.all_actions,
        ]

    def save_state(self) -> dict[str, Any]:
        """Return the selected corpora, search text, order and position."""
        ids = [corpus.id for corpus in self.chosen]
        names = ", ".join(corpus.name for corpus in self.chosen[:3])
        subcorpus = self.subcorpora.chosen
        return {
            "corpora": ids,
            "subcorpus": subcorpus.id if subcorpus is not None else None,
            "page": self.page.save_state(),
            "import": self.imports.save_state(),
            "summary": subcorpus.name if subcorpus is not None else names,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the selected corpora, search text, order and position."""
        self.list.choose(state.get("corpora", ()))
        if state.get("subcorpus") is not None:
            self.subcorpora.list.choose(state["subcorpus"])
        self.page.restore_state(state.get("page", {}))
        self.imports.restore_state(state.get("import", {}))

    def focus_first(self) -> None:
        """Focus the table."""
        self.page.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        """Clear the selected sentence if the table lost its selection while hidden."""
        super().showEvent(event)
        if not self.page.table.n_selected:
            self.state.select_sentence(None)
