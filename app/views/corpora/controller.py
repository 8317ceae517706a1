"""Actions of the corpora view and the imports it starts."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFileDialog

from app.engine.store.corpora import CorpusRow
from app.engine.store.documents import DocumentCache
from app.languages import language_name
from app.params.corpora import ImportCorpus, MakeSubcorpus
from app.params.vectors import Encode
from app.protocol.edits.general import RenameCorpus, SetCorpusLanguage
from app.views.client.runs import RunState
from app.views.corpora.corpus_list import EncodingStatus
from app.views.corpora.import_dialog import ImportDialog
from app.views.corpora.import_form import NO_DEFAULTS, ImportDefaults
from app.views.widgets.controls import add_action
from app.views.widgets.dialogs import (
    ask_language,
    ask_name,
    ask_path,
    ask_paths,
    copy_text,
)
from app.views.widgets.hits import cite
from app.views.widgets.table_export import export_table
from app.views.widgets.undo_messages import hide_sentences, unhide_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.views.corpora.view import CorporaView

MAX_MAPPED = 100_000  # sentences shown on a map at once
MAX_HIDDEN = 10_000_000  # at once


class CorpusActions(QObject):
    """Makes the actions of the corpora view."""

    def __init__(self, view: "CorporaView"):
        super().__init__(view)
        self._view = view
        self._add_corpus_actions(view)
        self._add_sentence_actions(view)

    def _add_corpus_actions(self, view: "CorporaView") -> None:
        self.importing = self._add(
            self.tr("Import files…"),
            self.tr("Import files as corpora."),
            view.import_files,
        )
        self.importing_folder = self._add(
            self.tr("Import a folder…"),
            self.tr("Import the files of a folder as the documents of one corpus."),
            view.import_folder,
        )
        self.encoding = self._add(
            self.tr("Encode the chosen corpora"),
            self.tr("Make one vector for each sentence, so that it can be found."),
            lambda: view.encode(view.chosen),
        )
        self.encoding_all = self._add(
            self.tr("Encode every corpus that is not encoded"),
            self.tr("Make the vectors that are missing."),
            view.encode_missing,
        )
        self._report = self._add(
            self.tr("Show the import report"),
            self.tr("What was read, repaired and refused, and why."),
            view.show_report,
        )
        self._rename = self._add(
            self.tr("Rename the corpus…"),
            self.tr("Give the corpus another name."),
            self.rename,
            keys="F2",
        )
        self._language = self._add(
            self.tr("Correct the corpus's language…"),
            self.tr("Say which language the corpus is written in."),
            self.correct_language,
        )
        self._delete = self._add(
            self.tr("Delete the chosen corpora"),
            self.tr("Delete them; this can be undone."),
            view.delete,
            keys=QKeySequence.StandardKey.Delete,
        )
        # Only in the list: among sentences Del must not delete their corpus.
        self._delete.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)

    def _add_sentence_actions(self, view: "CorporaView") -> None:
        self._find = self._add(
            self.tr("Find in the sentences"),
            self.tr("Find words in the sentences shown."),
            self._focus_find,
            keys=QKeySequence.StandardKey.Find,
        )
        self._search = self._add(
            self.tr("Search from this sentence"),
            self.tr("Search for what is nearest to the current sentence."),
            view.search_sentence,
            keys="Ctrl+Return",
        )
        self._copy = self._add(
            self.tr("Copy the sentences with their source"),
            self.tr("Copy the selected sentences."),
            self._copy_selected,
        )
        self._export = self._add(
            self.tr("Export the selected sentences as TSV…"),
            self.tr("Write the selected sentences to a tab-separated file."),
            self._export_selected,
        )

        self._add_hiding_actions()
        self._map = self._add(
            self.tr("Show the sentences on the map"),
            self.tr("Select these sentences on the map."),
            self._map_selected,
        )

    def _add_hiding_actions(self) -> None:
        self._hide = self._add(
            self.tr("Hide the sentences"),
            self.tr("Leave them out of everything; this can be undone."),
            lambda: self._hide_selected("hidden"),
            keys="H",
        )
        self._remove = self._add(
            self.tr("Remove the sentences"),
            self.tr("Leave them out for good, not even listed as hidden; undoable."),
            lambda: self._hide_selected("removed"),
            keys="Shift+Del",
        )
        self._show_again = self._add(
            self.tr("Show the sentences again"),
            self.tr("Let hidden sentences take part again."),
            self._show_selected,
            keys="Shift+H",
        )
        for action in (self._hide, self._remove, self._show_again):  # in the table only
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)

    def _hide_selected(self, to: Literal["hidden", "removed"]) -> None:
        ids = self._view.page.table.selected_ids(MAX_HIDDEN)
        if ids and self._view.can_write:
            hide_sentences(self._view.state, self._view.messages, ids, to=to)

    def _show_selected(self) -> None:
        ids = self._view.page.table.selected_ids(MAX_HIDDEN)
        if ids and self._view.can_write and self._view.page.left_out.switch.isChecked():
            unhide_sentences(self._view.state, self._view.messages, ids)

    def _map_selected(self) -> None:
        ids = self._view.page.table.selected_ids(MAX_MAPPED)
        if ids:
            self._view.state.map_wanted.emit(ids)

    def all(self) -> list[QAction]:
        """Return every action, in the order of the menus."""
        return [*self.of_corpora(), *self.of_sentences(), self._find]

    def of_corpora(self) -> list[QAction]:
        """Return what is done with corpora."""
        return [
            self.importing,
            self.importing_folder,
            self.encoding,
            self.encoding_all,
            self._report,
            self._rename,
            self._language,
            self._delete,
        ]

    def of_sentences(self) -> list[QAction]:
        """Return what is done with sentences."""
        hiding = [self._hide, self._remove, self._show_again]
        return [self._search, self._copy, self._export, self._map, *hiding]

    def short_names(self) -> list[tuple[QAction, str]]:
        """Return the actions that have a button, with its words."""
        return [
            (self._report, self.tr("Import report")),
            (self._rename, self.tr("Rename…")),
            (self._language, self.tr("Language…")),
            (self._export, self.tr("Export…")),
            (self._delete, self.tr("Delete")),
        ]

    def refresh(
        self,
        chosen: Sequence[CorpusRow],
        statuses: dict[int, EncodingStatus],
        *,
        is_writable: bool,
    ) -> None:
        """Enable what can be done with what is chosen."""
        is_part = any(corpus.subcorpus for corpus in chosen)
        is_one = len(chosen) == 1 and not is_part
        missing = {id_ for id_, status in statuses.items() if status == "not encoded"}
        self.importing.setEnabled(is_writable)
        self.importing_folder.setEnabled(is_writable)
        self.encoding.setEnabled(
            is_writable and any(corpus.id in missing for corpus in chosen)
        )
        self.encoding_all.setEnabled(is_writable and bool(missing))
        self._report.setEnabled(is_one and bool(chosen[0].report))
        self._rename.setEnabled(is_writable and is_one)
        self._language.setEnabled(is_writable and is_one)
        self._delete.setEnabled(is_writable and bool(chosen) and not is_part)
        for action in (self._find, *self.of_sentences()):
            action.setEnabled(bool(chosen))

    def export_to(self, file: Path) -> None:
        """Write the selected sentences, or all that are shown, as a TSV."""
        export_table(self._view.state, file, self._table())

    def rename(self) -> None:
        """Ask for another name of the chosen corpus."""
        corpus = self._view.chosen[0]
        ask_name(
            self._view,
            self.tr("What shall {name} be called?").format(name=corpus.name),
            corpus.name,
            lambda name: self._view.state.edit(RenameCorpus(corpus.id, name)),
        )

    def correct_language(self) -> None:
        """Ask for the language of the chosen corpus."""
        corpus = self._view.chosen[0]
        ask_language(
            self._view,
            self.tr("Which language is {name} written in?").format(name=corpus.name),
            corpus.language,
            lambda code: self._view.state.edit(SetCorpusLanguage(corpus.id, code)),
        )

    def _add(
        self,
        text: str,
        hint: str,
        slot: Callable[[], object],
        *,
        keys: str | QKeySequence.StandardKey = "",
    ) -> QAction:
        return add_action(self._view, text, slot, keys=keys, hint=hint)

    def _focus_find(self) -> None:
        self._view.page.find_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._view.page.find_field.selectAll()

    def _copy_selected(self) -> None:
        rows = [row for _, row in self._view.page.selected_sentences(limit=1_000)]
        project = self._view.state.project
        if project is not None:
            copy_text(cite(project, rows))

    def _export_selected(self) -> None:
        ask_path(
            self._view,
            self.tr("Export sentences"),
            self.export_to,
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / "sentences.tsv",
            filters=self.tr("Tab-separated (*.tsv)"),
        )

    def _table(self) -> "Iterator[Sequence[str]]":
        names = {corpus.id: corpus.name for corpus in self._view.chosen}
        project = self._view.state.project
        book = DocumentCache(project.store if project is not None else None)
        fields = book.fields(list(names))
        has_documents = any(book.stretches(id_) for id_ in names)
        more = ("document", *fields) if has_documents else ()
        yield (
            *("corpus", "line", "language", "language_name", "sentence", "text"),
            *more,
        )
        for id_, row in self._view.page.selected_sentences():
            document = book.of(row.id)
            said = document.fields if document is not None else {}
            cells = (book.name_of(row.id), *(said.get(name, "") for name in fields))
            yield (
                names.get(id_, ""),
                str(row.line),
                row.language,
                language_name(row.language),
                str(row.id),
                row.text,
                *(cells if has_documents else ()),
            )


class ImportController(QObject):
    """Asks what to import; shows what was imported, and encodes it where wanted."""

    def __init__(self, view: "CorporaView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._past = NO_DEFAULTS
        self._encode_after: list[RunState] = []
        self._new: list[int] = []  # corpora that are to be shown once they are listed
        self._new_part: int | None = None  # a sub-corpus, the same
        self._state.run_finished.connect(self._on_run_finished)

    def ask(self, paths: Sequence[Path] = ()) -> None:
        """Show the import dialog for files; without any, ask for them first."""
        if not self._view.can_write:
            self._state.notice_posted.emit(self.tr("This project can only be read."))
        elif paths:
            past = self._past
            dialog = ImportDialog(self._state, list(paths), self._view, past=past)
            dialog.import_chosen.connect(lambda *_: self._keep(dialog.past))
            dialog.import_chosen.connect(self.run)
            dialog.rest_left.connect(self.ask)
            dialog.open()
        else:
            ask_paths(self._view, self.tr("Import files as corpora"), self.ask)

    def ask_folder(self) -> None:
        """Ask for a folder, each file of which is a document of one corpus."""
        ask_path(
            self._view,
            self.tr("Import a folder as one corpus"),
            lambda path: self.ask([path]),
            mode=QFileDialog.FileMode.Directory,
        )

    def run(self, params: ImportCorpus, encodes: bool) -> None:
        """Import; make the vectors of what was imported too, where that is wanted."""
        run = self._state.run(params)
        if encodes:
            self._encode_after.append(run)

    def show_new(self) -> None:
        """Show what was made last, from its first sentence on: corpora, or a part."""
        project = self._state.project
        listed = {row.id for row in project.corpora} if project is not None else set()
        if self._new and listed.issuperset(self._new):
            ids, self._new = self._new, []
            self._view.show_from_start(ids)
        part = self._new_part
        if part is not None and part in self._view.parts.list.ids:
            self._new_part = None
            self._view.show_part(part)

    def save_state(self) -> dict[str, Any]:
        """Return what the next import begins with."""
        return msgspec.structs.asdict(self._past)

    def restore_state(self, state: dict[str, Any]) -> None:
        """Let the next import begin so."""
        with suppress(msgspec.ValidationError):  # of another version
            self._past = msgspec.convert(state, ImportDefaults)

    def _keep(self, past: ImportDefaults) -> None:
        self._past = past

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        if isinstance(run.params, MakeSubcorpus) and not run.params.again:
            self._new_part = result.get("subcorpus")
            self.show_new()
        if not isinstance(run.params, ImportCorpus):
            return
        self._new = ids = [corpus["id"] for corpus in result.get("corpora", [])]
        self.show_new()
        if run in self._encode_after:
            self._encode_after.remove(run)
            if ids:
                self._state.run(Encode(corpora=tuple(map(str, ids))))
