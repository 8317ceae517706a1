"""Actions of the corpora view on the selected corpora and their sentences."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget
from sqlalchemy import Engine

from app.engine.store.corpora import CorpusRow, corpus_of, first_sentence_id
from app.engine.store.documents import list_documents
from app.engine.store.labels import read_labels
from app.engine.store.sentences import SentenceRow, read_notes, read_sentences
from app.languages import language_name
from app.params.corpora import DescribeDocuments, ExportVectors
from app.params.vectors import Encode
from app.protocol.edits.general import RenameCorpus, SetCorpusLanguage, SetCorpusState
from app.views.client.state import AppState
from app.views.corpora.corpus_list import EncodingStatus
from app.views.corpora.import_controller import ImportController
from app.views.corpora.import_report import ImportReportDialog
from app.views.corpora.sentences import CorpusSentences
from app.views.widgets.controls import add_action, make_button
from app.views.widgets.dialogs import (
    ask_language,
    ask_new_name,
    ask_path,
    copy_text,
    suggest_path,
)
from app.views.widgets.document_columns import DocumentColumns
from app.views.widgets.export_dialog import (
    N_PREVIEWED,
    ExportDialog,
    ExportedRows,
    ExportPreview,
    ask_rows_export,
)
from app.views.widgets.hits import cite
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.undo_messages import (
    delete_with_undo,
    hide_sentences,
    unhide_sentences,
)

FIELDS_TOPIC = "fields"  # of messages
MAX_MAPPED = 100_000  # sentences shown on a map at once
MAX_HIDDEN = 10_000_000  # sentences hidden at once
MAX_COPIED = 1_000  # sentences
N_READ = 1_000  # sentences whose labels and notes are read at once


class CorpusController(QObject):
    """Encodes, renames and deletes the selected corpora, and shows their reports."""

    corpora_deleted = Signal()

    def __init__(
        self,
        state: AppState,
        imports: ImportController,
        messages: MessageBar,
        parent: QWidget,
    ):
        """Make the actions.

        Args:
            imports: opens the import dialog.
            messages: shows what was deleted, with Undo.
        """
        super().__init__(parent)
        self._state, self._messages, self._parent = state, messages, parent
        self._imports = imports
        self._corpora: Sequence[CorpusRow] = ()
        self._missing: set[int] = set()  # corpora that are not encoded
        self._encoded: set[int] = set()
        self._add_import_actions(imports)
        self._add_corpus_actions()
        self.actions = [
            self.import_action,
            self.import_folder_action,
            self.encode_action,
            self.encode_all_action,
            self._export_vectors,
            self._report,
            self._rename,
            self._language,
            self._fields,
            self.delete_action,
        ]

    def refresh(
        self,
        corpora: Sequence[CorpusRow],
        statuses: dict[int, EncodingStatus],
        *,
        is_writable: bool,
    ) -> None:
        """Use the selected corpora for the actions, and enable those that apply."""
        self._corpora = corpora
        self._missing = {id_ for id_, one in statuses.items() if one == "not encoded"}
        self._encoded = {id_ for id_, one in statuses.items() if one == "encoded"}
        is_part = any(corpus.subcorpus for corpus in corpora)
        is_one = len(corpora) == 1 and not is_part
        self.import_action.setEnabled(is_writable)
        self.import_folder_action.setEnabled(is_writable)
        self.encode_action.setEnabled(
            is_writable and any(corpus.id in self._missing for corpus in corpora)
        )
        self.encode_all_action.setEnabled(is_writable and bool(self._missing))
        self._export_vectors.setEnabled(is_one and corpora[0].id in self._encoded)
        self._report.setEnabled(bool(corpora) and not is_part and bool(self._reported))
        self._fields.setEnabled(is_writable and is_one)
        self._rename.setEnabled(is_writable and is_one)
        self._language.setEnabled(is_writable and is_one)
        self.delete_action.setEnabled(is_writable and bool(corpora) and not is_part)

    def buttons(self) -> list[tuple[QAction, str]]:
        """Return the actions that have a button, with its text."""
        return [
            (self._report, self.tr("Import report")),
            (self._rename, self.tr("Rename…")),
            (self._language, self.tr("Language…")),
            (self.delete_action, self.tr("Delete")),
        ]

    def encode(self) -> None:
        """Encode the selected corpora."""
        self._encode([corpus.id for corpus in self._corpora])

    def encode_missing(self) -> None:
        """Encode every corpus that is not encoded."""
        self._encode(sorted(self._missing))

    def export_vectors(self) -> None:
        """Ask where to export the vectors of the selected corpus."""
        corpus = self._corpora[0]
        folder = suggest_path(self._state, f"{corpus.name}-vectors")
        values = ExportVectors(corpus=str(corpus.id), out=folder)
        dialog = TaskDialog(self._state, ExportVectors, values, parent=self._parent)
        project = self._state.project
        if project is not None:
            first, n = first_sentence_id(corpus.id), corpus.n_sentences
            found = read_sentences(
                project.store, range(first, first + min(n, N_PREVIEWED))
            )
            rows = [(str(one.id), one.text) for one in found if one is not None]
            one, many = self.tr("1 vector."), self.tr("{n} vectors.")
            preview = ExportPreview(dialog)
            header = (self.tr("Sentence"), self.tr("Text"))
            preview.show_rows(header, rows, pluralize(n, one, many))
            dialog.foot.addWidget(preview)
        dialog.open()

    @property
    def _reported(self) -> list[CorpusRow]:
        """Return the selected corpora that have an import report."""
        return [corpus for corpus in self._corpora if corpus.report]

    def show_report(self) -> None:
        """Show the import report of the selected corpora."""
        corpora = self._reported
        dialog = ImportReportDialog(
            self._state, corpora[0], self._parent, among=corpora
        )
        dialog.open()

    def import_fields(self) -> None:
        """Ask for a table with fields, or offer to import a corpus with documents."""
        corpus, project = self._corpora[0], self._state.project
        if project is None:
            return
        if list_documents(project.store, corpus.id):
            ask_path(
                self._parent,
                self.tr("Import fields"),
                lambda file: self._state.run(
                    DescribeDocuments(corpus=str(corpus.id), file=file)
                ),
                filters=self.tr("Tables (*.tsv *.csv *.xlsx)"),
            )
        else:
            self._offer_import(corpus)

    def _offer_import(self, corpus: CorpusRow) -> None:
        """Show that a corpus has no documents, and offer to import its file again."""
        words = self.tr(
            "{name} has no documents that fields could describe. Import its file "
            "again: columns of a table and parts of file names can be fields."
        )
        again = make_button(
            self.tr("Import again…"),
            self.tr("Open the import dialog."),
            partial(self._imports.ask_again, [corpus]),
        )
        text = words.format(name=corpus.name)
        self._messages.post(text, buttons=[again], topic=FIELDS_TOPIC)

    def rename(self) -> None:
        """Ask for a new name of the selected corpus."""
        corpus = self._corpora[0]
        ask_new_name(
            self._state,
            self._parent,
            corpus.name,
            lambda name: RenameCorpus(corpus.id, name),
        )

    def correct_language(self) -> None:
        """Ask for the language of the selected corpus."""
        corpus = self._corpora[0]
        ask_language(
            self._state,
            self._parent,
            self.tr("Language of {name}").format(name=corpus.name),
            corpus.language,
            lambda code: self._state.edit(SetCorpusLanguage(corpus.id, code)),
        )

    def delete(self) -> None:
        """Delete the selected corpora, and offer to undo it."""
        corpora = self._corpora
        n = sum(corpus.n_sentences for corpus in corpora)
        sentences = pluralize(n, self.tr("1 sentence"), self.tr("{n} sentences"))
        words = self.tr("Deleted {name} ({sentences}).")
        if len(corpora) > 1:
            words = self.tr("Deleted {count} corpora ({sentences}).")
        name, count = corpora[0].name, format_count(len(corpora))
        text = words.format(name=name, count=count, sentences=sentences)
        change = SetCorpusState(tuple(corpus.id for corpus in corpora), "deleted")
        delete_with_undo(self._state, self._messages, change, text)
        self.corpora_deleted.emit()

    def _encode(self, ids: Sequence[int]) -> None:
        if ids:
            self._state.run(Encode(corpora=tuple(map(str, ids))))

    def _add_import_actions(self, imports: ImportController) -> None:
        add, tr = partial(add_action, self._parent), self.tr
        self.import_action = add(
            tr("Import files…"), tr("Import files as corpora."), imports.ask
        )
        self.import_folder_action = add(
            tr("Import a folder…"),
            tr("Import the files of a folder as the documents of one corpus."),
            imports.ask_folder,
        )

    def _add_corpus_actions(self) -> None:
        add, tr = partial(add_action, self._parent), self.tr
        self.encode_action = add(
            tr("Encode the selected corpora"),
            tr("Encode the sentences so that you can search them by meaning."),
            self.encode,
        )
        self.encode_all_action = add(
            tr("Encode all corpora that are not encoded"),
            tr("Encode the corpora that have no vectors yet."),
            self.encode_missing,
        )
        self._export_vectors = add(
            tr("Export vectors…"),
            tr("Export the vectors of the corpus for numpy, with its sentences."),
            self.export_vectors,
        )
        self._report = add(
            tr("Show the import report"),
            tr("Show which lines were read, repaired and rejected, and why."),
            self.show_report,
        )
        self._rename = add(
            tr("Rename the corpus…"),
            tr("Change the name of the corpus."),
            self.rename,
            "F2",
        )
        self._language = add(
            tr("Correct the language of the corpus…"),
            tr("Change the language of the corpus."),
            self.correct_language,
        )
        self._fields = add(
            tr("Import fields of documents…"),
            tr("Import author, year and other fields of the documents from a table."),
            self.import_fields,
        )
        self.delete_action = add(
            tr("Delete the selected corpora"),
            tr("Delete the selected corpora. You can undo this."),
            self.delete,
            QKeySequence.StandardKey.Delete,
            is_local=True,  # in the list: not in the sentence table
        )


class SentenceController(QObject):
    """Copies, exports and hides the selected sentences, or opens them elsewhere."""

    def __init__(
        self,
        state: AppState,
        page: CorpusSentences,
        messages: MessageBar,
        parent: QWidget,
    ):
        """Make the actions.

        Args:
            messages: shows what was hidden, with Undo.
        """
        super().__init__(parent)
        self._state, self._page, self._messages = state, page, messages
        self._parent = parent
        self._corpora: Sequence[CorpusRow] = ()
        self._can_write = False
        self._find = add_action(
            self._parent,
            self.tr("Find in the sentences"),
            self.tr("Find words in the sentences shown."),
            self._focus_find,
            QKeySequence.StandardKey.Find,
        )
        self._add_selection_actions()
        self._add_hiding_actions()
        self.actions = [
            self._search,
            self.copy_action,
            self.export_action,
            self._map,
            *self._hiding,
        ]

    @property
    def all_actions(self) -> list[QAction]:
        """All actions; those in `actions` are also in the context menu."""
        return [*self.actions, self._find]

    def refresh(self, corpora: Sequence[CorpusRow], *, is_writable: bool) -> None:
        """Use the sentences of other corpora for the actions."""
        self._corpora, self._can_write = corpora, is_writable
        for action in self.all_actions:
            action.setEnabled(bool(corpora))

    def search_nearest(self) -> None:
        """Find the sentences nearest in meaning to the selected one."""
        if self._page.table.current_id is not None:
            self._state.view_requests.search_requested.emit(self._page.table.current_id)

    def ask_export(self) -> ExportDialog:
        """Ask how and where to export all sentences, or the selected ones.

        Any click selects one sentence, so the dialog proposes all sentences unless
        several are selected.
        """
        table = self._page.table
        n_selected, n = table.n_selected, table.page_model.rowCount()
        words = pluralize(n, self.tr("The sentence"), self.tr("All {n} sentences"))
        rows = partial(self._export_rows, table.all_sentences)
        choices = [ExportedRows(words, rows, n)]
        if 0 < n_selected < n:
            words = pluralize(
                n_selected,
                self.tr("The selected sentence"),
                self.tr("The {n} selected sentences"),
            )
            rows = partial(self._export_rows, table.selected_sentences)
            choices.append(ExportedRows(words, rows, n_selected))
        return ask_rows_export(
            self._state,
            self._parent,
            self.tr("Export sentences"),
            self.tr("sentences"),
            choices,
            chosen=int(1 < n_selected < n),
        )

    def _add_selection_actions(self) -> None:
        add, tr = partial(add_action, self._parent), self.tr
        self._search = add(
            tr("Search from this sentence"),
            tr("Find the sentences nearest in meaning to the selected one."),
            self.search_nearest,
            "Ctrl+Return",
        )
        self.copy_action = add(
            tr("Copy the sentences with their source"),
            tr("Copy the selected sentences with corpus, language and line."),
            self._copy_selected,
        )
        self.export_action = add(
            tr("Export the sentences…"),
            tr("Export all sentences of the list, or the selected ones, as a table."),
            self.ask_export,
        )
        self._map = add(
            tr("Show the sentences on the map"),
            tr("Select these sentences on the map."),
            self._map_selected,
        )

    def _add_hiding_actions(self) -> None:
        add = partial(add_action, self._parent, is_local=True)  # in the table
        tr = self.tr
        hide = add(
            tr("Hide the sentences"),
            tr("Exclude the selected sentences from every task."),
            partial(self._hide_selected, "hidden"),
            "H",
        )
        remove = add(
            tr("Remove the sentences"),
            tr("Exclude the selected sentences from every task and from tables."),
            partial(self._hide_selected, "removed"),
            "Shift+Del",
        )
        restore = add(
            tr("Restore the sentences"),
            tr("Restore the selected hidden sentences."),
            self._restore_selected,
            "Shift+H",
        )
        self._hiding = [hide, remove, restore]

    def _hide_selected(self, to: Literal["hidden", "removed"]) -> None:
        ids = self._page.table.selected_ids(MAX_HIDDEN)
        if ids and self._can_write:
            hide_sentences(self._state, self._messages, ids, to=to)

    def _restore_selected(self) -> None:
        ids = self._page.table.selected_ids(MAX_HIDDEN)
        if ids and self._can_write and self._page.hidden_bar.shows_hidden:
            unhide_sentences(self._state, self._messages, ids)

    def _map_selected(self) -> None:
        ids = self._page.table.selected_ids(MAX_MAPPED)
        if ids:
            self._state.view_requests.map_requested.emit(ids)

    def _focus_find(self) -> None:
        self._page.find_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._page.find_field.selectAll()

    def _copy_selected(self) -> None:
        rows = [row for _, row in self._page.selected_sentences(limit=MAX_COPIED)]
        project = self._state.project
        if project is not None:
            copy_text(cite(project, rows))

    def _export_rows(
        self, sentences: Callable[[], Iterator[SentenceRow]]
    ) -> Iterator[Sequence[str]]:
        names = {corpus.id: corpus.name for corpus in self._corpora}
        store = self._state.project.store if self._state.project is not None else None
        documents = DocumentColumns(store, names)
        columns = ("corpus", "line", "language", "language_name", "sentence", "text")
        yield (*columns, "label", "note", *documents.header)
        for row, label, note in _with_notes(store, sentences()):
            yield (
                names.get(corpus_of(row.id), ""),
                str(row.line),
                row.language,
                language_name(row.language),
                str(row.id),
                row.text,
                label,
                note,
                *documents.cells(row.id),
            )


def _with_notes(
    store: Engine | None, sentences: Iterator[SentenceRow]
) -> Iterator[tuple[SentenceRow, str, str]]:
    """Return each sentence with its label and its note, empty where it has none."""
    while store is not None and (rows := list(islice(sentences, N_READ))):
        ids = [row.id for row in rows]
        labels, notes = read_labels(store, ids), read_notes(store, ids)
        for row in rows:
            yield row, labels.get(row.id, ""), notes.get(row.id, "")
