"""Corpora: the list of a project's corpora, and the sentences of those chosen."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.engine.store.rows import (
    CorpusRow,
    corpus_of,
    first_id,
    read_translations,
)
from app.messages import SetCorpusState
from app.params import Encode
from app.views.corpus_actions import CorpusActions
from app.views.corpus_imports import CorpusImports
from app.views.deletions import delete
from app.views.hiding import show_again
from app.views.import_report_dialog import ImportReportDialog
from app.views.mining_sides import parts_of
from app.views.state import AppState
from app.views.subcorpus_panel import SubcorpusPanel
from app.views.view import LookedAt
from app.views.widgets.corpus_frame import CorpusFrame
from app.views.widgets.corpus_head import CorpusHead
from app.views.widgets.corpus_list import CorpusList, Status, find_statuses
from app.views.widgets.corpus_page import CorpusPage
from app.views.widgets.document_board import DocumentBoard
from app.views.widgets.message_bar import MessageBar
from app.views.words import count_words


class CorpusView(QWidget):
    """The corpora page."""

    sentences_shown = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Corpora")
        self.state = state
        self._is_listing = False
        self._restored: dict[str, Any] = {}
        self.list = CorpusList()
        self.head = CorpusHead()
        self.documents = DocumentBoard(state)
        self.page = CorpusPage(state)
        self.messages = MessageBar()
        self.parts = SubcorpusPanel(state, self.messages)
        self.imports = CorpusImports(self)
        self.todo = CorpusActions(self)
        self._lay_out()
        self._connect()
        self._on_corpora_changed()
        self._show_head()

    @property
    def can_write(self) -> bool:
        """Tell whether the project can be changed."""
        project = self.state.project
        return project is not None and not project.is_read_only

    @property
    def chosen(self) -> list[CorpusRow]:
        """The corpora whose sentences are shown, of a sub-corpus as its parts."""
        part, project = self.parts.chosen, self.state.project
        if part is not None and project is not None:
            return parts_of(project, part)
        return self.list.chosen

    def import_files(self, paths: Sequence[Path] = ()) -> None:
        """Show the import dialog for files; without any, ask for them first."""
        self.imports.ask(paths)

    def import_folder(self) -> None:
        """Ask for a folder whose files are the documents of one corpus."""
        self.imports.ask_folder()

    def show_sentence(self, sentence_id: int) -> None:
        """Show a sentence among its neighbours, selected."""
        corpus = corpus_of(sentence_id)
        self.parts.leave()
        self.page.forget_filters()
        self.list.choose([corpus])
        self.page.table.select_sentence(sentence_id)
        self.page.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_from_start(self, corpora: Sequence[int]) -> None:
        """Show whole corpora, by their ids, from their first sentences on."""
        self.parts.leave()
        self.page.forget_filters()
        self.list.choose(corpora)
        self.page.table.scroll_to_row(0)

    def show_part(self, subcorpus: int) -> None:
        """Show a sub-corpus, by its id, from its first sentence on."""
        self.page.forget_filters()
        self.parts.list.choose(subcorpus)
        self.page.table.scroll_to_row(0)

    # --- making ---

    def _lay_out(self) -> None:
        self._frame = CorpusFrame(
            self.import_files,
            self.import_folder,
            (self.list, self.parts),
            (self.head, self.documents, self.page),
        )
        self.head.set_actions(self.todo.encoding, self.todo.short_names())
        self.head.set_part_actions(self.parts.short_names())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.messages)
        layout.addWidget(self._frame, 1)

    def _connect(self) -> None:
        self.list.choice_changed.connect(self._on_corpora_chosen)
        self.list.clicked.connect(lambda _: self._on_corpora_chosen())
        self.parts.choice_changed.connect(self._on_part_chosen)
        self.page.shown.connect(self.sentences_shown)
        self.page.left_out.back_wanted.connect(self._on_back_wanted)
        self.documents.document_chosen.connect(self._on_document_chosen)
        self.page.table.sentence_selected.connect(self.state.select_sentence)
        self.page.table.sentence_opened.connect(self.state.search_wanted)
        self.page.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.page.table.addActions(self.todo.of_sentences())
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.list.addActions(self.todo.of_corpora())
        state = self.state
        state.corpora_changed.connect(self._on_corpora_changed)
        state.embeddings_changed.connect(self._on_embeddings_changed)
        state.runs_changed.connect(self._on_embeddings_changed)
        state.kinds_changed.connect(self._on_kinds_changed)
        state.encoders.changed.connect(self._on_encoders_changed)
        self._on_encoders_changed()

    # --- what the user does (called by CorpusActions) ---

    def encode(self, corpora: Sequence[CorpusRow]) -> None:
        """Make the vectors of corpora."""
        if corpora:
            names = tuple(str(corpus.id) for corpus in corpora)
            self.state.run(Encode(corpora=names))

    def encode_missing(self) -> None:
        """Make the vectors of every corpus that has none."""
        statuses = self._statuses()
        project = self.state.project
        corpora = project.corpora if project is not None else []
        self.encode([row for row in corpora if statuses[row.id] == "not encoded"])

    def delete(self) -> None:
        """Delete the chosen corpora, and offer to undo it."""
        corpora = self.list.chosen
        ids = tuple(corpus.id for corpus in corpora)
        n = sum(corpus.n_sentences for corpus in corpora)
        sentences = count_words(n, self.tr("1 sentence"), self.tr("{n} sentences"))
        words = self.tr("Deleted {name} ({sentences}).")
        name = corpora[0].name
        if len(corpora) > 1:
            words = self.tr("Deleted {count} corpora ({sentences}).")
        text = words.format(name=name, count=len(corpora), sentences=sentences)
        delete(self.state, self.messages, SetCorpusState(ids, "deleted"), text)

    def show_report(self) -> None:
        """Show the import report of the chosen corpus."""
        ImportReportDialog(self.chosen[0], self).open()

    def search_sentence(self) -> None:
        """Search for what is nearest to the current sentence."""
        if self.page.table.current_id is not None:
            self.state.search_wanted.emit(self.page.table.current_id)

    # --- what happens ---

    def _on_corpora_changed(self) -> None:
        project = self.state.project
        corpora = project.corpora if project is not None else []
        self._frame.show_count(len(corpora))
        self._is_listing = True  # what is chosen stays, a sub-corpus too
        self.list.show_corpora(corpora, self._statuses())
        self._is_listing = False
        self._show_which()
        self.imports.show_new()

    def _on_embeddings_changed(self) -> None:
        self.list.show_statuses(self._statuses())
        self._show_head()

    def _on_encoders_changed(self) -> None:
        encoders = self.state.encoders
        self.list.show_doubts(encoders.doubts(), encoders.chosen)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & {"hidden", "subcorpus"}:
            self.page.refresh()

    def _on_corpora_chosen(self) -> None:
        if not self._is_listing:
            self.parts.leave()
        self._on_choice_changed()

    def _on_part_chosen(self) -> None:
        self._show_which()
        self._on_choice_changed()

    def _show_which(self) -> None:
        """Let the list of corpora have no choice while a sub-corpus is shown."""
        if self.parts.chosen is not None:
            self.list.clearSelection()
        elif not self.list.chosen and self.state.project is not None:
            self.list.choose([row.id for row in self.state.project.corpora[:1]])

    def _on_choice_changed(self) -> None:
        chosen = self.chosen
        self.documents.show_corpus(chosen[0] if len(chosen) == 1 else None)
        self.page.show_corpora(chosen)
        self._show_head()

    def _on_back_wanted(self, ids: NDArray[np.int64]) -> None:
        show_again(self.state, self.messages, ids)

    def _on_document_chosen(self, position: int) -> None:
        """Show the first sentence of a document, where the filters leave it out too."""
        sentence = first_id(self.chosen[0].id) + position
        if not self.page.table.select_sentence(sentence):
            self.page.forget_filters()
            self.page.table.select_sentence(sentence)

    def _show_head(self) -> None:
        statuses, chosen = self._statuses(), self.chosen
        self.todo.refresh(chosen, statuses, is_writable=self.can_write)
        part = self.parts.chosen
        self.head.use_actions(is_part=part is not None)
        if part is not None:
            self.head.show_part(part)
        elif chosen:
            self.head.show_corpora(chosen, [statuses[row.id] for row in chosen])

    def _statuses(self) -> dict[int, Status]:
        project = self.state.project
        if project is None:
            return {}
        jobs = [run.params for run in self.state.runs if isinstance(run.params, Encode)]
        named = {name for params in jobs for name in params.corpora}
        return find_statuses(project.corpora, project.searchable, named)

    # --- what the window asks of a view ---

    def looked_at(self) -> tuple[LookedAt, LookedAt]:
        """Give two selected sentences, or one and its first known translation."""
        found = [row for _, row in self.page.selected_sentences(limit=2)]
        project = self.state.project
        if len(found) == 1 and project is not None:
            found += read_translations(project.store, found[0].id)[:1]
        sides = [LookedAt(row.text, row.language) for row in found]
        first, second, *_ = [*sides, LookedAt(), LookedAt()]
        return first, second

    def actions(self) -> list[QAction]:
        """Give the view's actions."""
        return [*self.todo.all(), self.parts.new, *self.parts.actions_of_one]

    def save_state(self) -> dict[str, Any]:
        """Give the chosen corpora and what is shown of them."""
        ids = [corpus.id for corpus in self.chosen]
        names = ", ".join(corpus.name for corpus in self.chosen[:3])
        part = self.parts.chosen
        return {
            "corpora": ids,
            "subcorpus": part.id if part is not None else None,
            "page": self.page.save_state(),
            "import": self.imports.save_state(),
            "summary": part.name if part is not None else names,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Choose the corpora again, with find, order and place."""
        self.list.choose(state.get("corpora", ()))
        if state.get("subcorpus") is not None:
            self.parts.list.choose(state["subcorpus"])
        self.page.restore_state(state.get("page", {}))
        self.imports.restore_state(state.get("import", {}))

    def focus_first(self) -> None:
        """Put the keyboard on the table."""
        self.page.table.setFocus(Qt.FocusReason.OtherFocusReason)
