"""The corpora view: corpora and sub-corpora beside the sentences of the selection."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from app.engine.store.corpora import CorpusRow, corpus_of, first_sentence_id
from app.engine.store.sentences import read_translations
from app.engine.store.subcorpora import SubcorpusRow
from app.params.vectors import Encode
from app.protocol.edits.general import SetCorpusState
from app.views.client.state import AppState
from app.views.corpora.controller import CorpusActions, ImportController
from app.views.corpora.corpus_list import (
    CorpusList,
    EncodingStatus,
    describe_encoding_status,
    describe_size,
    find_statuses,
)
from app.views.corpora.documents import DocumentPanel
from app.views.corpora.import_report import ImportReportDialog
from app.views.corpora.sentences import CorpusSentences
from app.views.corpora.subcorpora import SubcorpusPanel
from app.views.widgets.adaptive_rows import ActionRow, WrappingRow
from app.views.widgets.controls import ElidedLabel, make_button
from app.views.widgets.corpus_choices import list_parts
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.page_layout import make_split
from app.views.widgets.sections import HeadingWithCount
from app.views.widgets.theme import GRID
from app.views.widgets.undo_messages import delete_with_undo, unhide_sentences
from app.views.widgets.view_protocol import SentenceText

LIST_WIDTH = 27 * GRID
MIN_LIST_WIDTH = 25 * GRID  # where the heading is in two lines


class CorporaLayout(QWidget):
    """The lists with their heading beside the sentences, or what to do without any."""

    def __init__(
        self,
        on_import: Callable[[], object],
        on_folder: Callable[[], object],
        lists: Sequence[QWidget],
        body: Sequence[QWidget],
        parent: QWidget | None = None,
    ):
        """Lay parts out.

        Args:
            on_import: asks for files to import.
            on_folder: asks for a folder to import.
            lists: of the left side; the first one gets the room.
            body: of the right side; the last one gets the room.
            parent: of the frame.
        """
        super().__init__(parent)
        left, right = QWidget(), QWidget()
        left.setMinimumWidth(MIN_LIST_WIDTH)
        column = _make_column(left)
        column.addLayout(self._make_heading(on_import))
        for number, widget in enumerate(lists):
            column.addWidget(widget, number == 0)
        column = _make_column(right)
        for number, widget in enumerate(body, 1):
            column.addWidget(widget, number == len(body))
        full = QWidget()
        box = QVBoxLayout(full)
        box.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        sizes = (LIST_WIDTH, 80 * GRID)
        box.addWidget(make_split(left, right, sizes=sizes, growing=1))
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._make_empty(on_import, on_folder))
        self._pages.addWidget(full)

    def show_count(self, n_corpora: int) -> None:
        """Show how many corpora there are; without any, what to do."""
        self._pages.setCurrentIndex(1 if n_corpora else 0)
        self._heading.set_count(format_count(n_corpora))

    def _make_heading(self, on_import: Callable[[], object]) -> WrappingRow:
        self._heading = HeadingWithCount(self.tr("Corpora"))
        head = WrappingRow()
        head.addWidget(self._heading)
        head.add_stretch()
        head.addWidget(
            make_button(
                self.tr("Import…"),
                self.tr("Import files as corpora; or drop them onto the window."),
                on_import,
            )
        )
        return head

    def _make_empty(
        self, on_import: Callable[[], object], on_folder: Callable[[], object]
    ) -> EmptyState:
        start = make_button(
            self.tr("Import…"),
            self.tr("Import files as corpora."),
            on_import,
            kind="primary",
        )
        folder = make_button(
            self.tr("Import a folder…"),
            self.tr("Import the files of a folder as the documents of one corpus."),
            on_folder,
        )
        return EmptyState(
            self.tr("No corpus yet"),
            self.tr(
                "Import a text, a table, a TMX, a folder or two files of a parallel "
                "text; or drop files or a folder onto this window."
            ),
            [start, folder],
            icon="corpora",
        )


def _make_column(widget: QWidget) -> QVBoxLayout:
    layout = QVBoxLayout(widget)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(GRID)
    return layout


class CorpusHeader(QWidget):
    """Heading, facts and buttons of the chosen corpora."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._name = ElidedLabel("heading")
        self._facts = ElidedLabel("secondary")
        self._buttons, self._part_buttons = ActionRow(), ActionRow()
        self._top = QHBoxLayout()
        self._top.setSpacing(GRID)
        self._top.addWidget(self._name, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(self._top)
        layout.addWidget(self._facts)
        layout.addWidget(self._buttons)
        layout.addWidget(self._part_buttons)
        self._part_buttons.hide()

    def set_actions(
        self, first: QAction, others: Sequence[tuple[QAction, str]]
    ) -> None:
        """Make buttons: of what should be done next, if it can be, and of the rest."""
        words = self.tr("Encode")
        self._first = make_button(
            words, first.statusTip(), first.trigger, kind="primary"
        )
        first.changed.connect(lambda: self._first.setVisible(first.isEnabled()))
        self._top.addWidget(self._first, 0, Qt.AlignmentFlag.AlignTop)
        self._first.setVisible(first.isEnabled())
        self._buttons.set_actions(others)

    def set_part_actions(self, actions: Sequence[tuple[QAction, str]]) -> None:
        """Make the buttons that stand there while a sub-corpus is shown."""
        self._part_buttons.set_actions(actions)

    def use_actions(self, *, is_part: bool) -> None:
        """Show the buttons of corpora, or those of a sub-corpus."""
        self._buttons.setHidden(is_part)
        self._part_buttons.setVisible(is_part)

    def show_part(self, part: SubcorpusRow) -> None:
        """Show a sub-corpus: its size, and the chain that chose it."""
        self._name.setText(part.name)
        one, many = self.tr("1 sentence"), self.tr("{n} sentences")
        n, steps = pluralize(part.n_sentences, one, many), " → ".join(part.steps)
        self._facts.hint = "\n".join(part.steps)
        self._facts.setText(f"{n} · {steps}")

    def show_corpora(
        self, corpora: Sequence[CorpusRow], statuses: Sequence[EncodingStatus]
    ) -> None:
        """Show one corpus with its facts, or how many are chosen."""
        if len(corpora) == 1:
            self._show_one(corpora[0], statuses[0])
            return
        words = self.tr("{n} corpora")
        self._name.setText(words.format(n=format_count(len(corpora))))
        total = sum(corpus.n_sentences for corpus in corpora)
        n_languages = len({corpus.language for corpus in corpora})
        words = self.tr("{n} sentences in {languages} languages · {encoded} encoded")
        if n_languages == 1:
            words = self.tr("{n} sentences in one language · {encoded} encoded")
        self._facts.hint = ""
        self._facts.setText(
            words.format(
                n=format_count(total),
                languages=n_languages,
                encoded=sum(status == "encoded" for status in statuses),
            )
        )

    def _show_one(self, corpus: CorpusRow, status: EncodingStatus) -> None:
        self._name.setText(corpus.name)
        day = time.strftime("%Y-%m-%d", time.localtime(corpus.created_at))
        origin = self.tr("imported {day}").format(day=day)
        if corpus.source:
            words = self.tr("imported {day} from {file}")
            origin = words.format(day=day, file=PurePath(corpus.source).name)
        self._facts.hint = corpus.source
        self._facts.setText(
            " · ".join(
                [describe_size(corpus), origin, describe_encoding_status(status)]
            )
        )


class CorporaView(QWidget):
    """The corpora page."""

    sentences_shown = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Corpora")
        self.state = state
        self._is_listing = False
        self._restored: dict[str, Any] = {}
        self.list = CorpusList()
        self.head = CorpusHeader()
        self.documents = DocumentPanel(state)
        self.page = CorpusSentences(state)
        self.messages = MessageBar()
        self.parts = SubcorpusPanel(state, self.messages)
        self.imports = ImportController(self)
        self.todo = CorpusActions(self)
        self._lay_out()
        self._connect()
        self._on_corpora_changed()
        self._show_head()

    @property
    def can_write(self) -> bool:
        """Return whether the project can be changed."""
        project = self.state.project
        return project is not None and not project.is_read_only

    @property
    def chosen(self) -> list[CorpusRow]:
        """The corpora whose sentences are shown, of a sub-corpus as its parts."""
        part, project = self.parts.chosen, self.state.project
        if part is not None and project is not None:
            return list_parts(project, part)
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
        self._frame = CorporaLayout(
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
        sentences = pluralize(n, self.tr("1 sentence"), self.tr("{n} sentences"))
        words = self.tr("Deleted {name} ({sentences}).")
        name = corpora[0].name
        if len(corpora) > 1:
            words = self.tr("Deleted {count} corpora ({sentences}).")
        text = words.format(name=name, count=len(corpora), sentences=sentences)
        delete_with_undo(
            self.state, self.messages, SetCorpusState(ids, "deleted"), text
        )

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
        unhide_sentences(self.state, self.messages, ids)

    def _on_document_chosen(self, position: int) -> None:
        """Show the first sentence of a document, where the filters leave it out too."""
        sentence = first_sentence_id(self.chosen[0].id) + position
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

    def _statuses(self) -> dict[int, EncodingStatus]:
        project = self.state.project
        if project is None:
            return {}
        jobs = [run.params for run in self.state.runs if isinstance(run.params, Encode)]
        named = {name for params in jobs for name in params.corpora}
        return find_statuses(project.corpora, project.searchable, named)

    # --- what the window asks of a view ---

    def looked_at(self) -> tuple[SentenceText, SentenceText]:
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
        return [*self.todo.all(), self.parts.new, *self.parts.actions_of_one]

    def save_state(self) -> dict[str, Any]:
        """Return the chosen corpora and what is shown of them."""
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
