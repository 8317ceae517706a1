"""Actions on a complete word list: export, command and dictionaries."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.params.flags import command_text
from app.params.words import Equivalents, ImportDictionary, Keyness
from app.protocol.edits.corpora import SetDictionaryState
from app.results.jobs import MadeRow
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.widgets.controls import add_action
from app.views.widgets.corpus_choices import ChosenIds, names_of_ids
from app.views.widgets.dialogs import ask_path, copy_text, suggest_path
from app.views.widgets.export_dialog import (
    ExportDialog,
    ExportFileField,
    OnEnded,
    make_run_export,
    table_formats,
)
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count
from app.views.widgets.table_export import export_table
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.undo_messages import delete_with_undo
from app.views.words.columns import table_of
from app.views.words.query_bar import WordsQueryBar
from app.views.words.session import FullListReader, LoadedWordList, WordListSession
from app.views.words.settings import (
    MAX_CANDIDATES,
    ListParams,
    ResourceNames,
    WordListSettings,
)

UNSAFE_CHARACTERS = '<>:"/\\|?*'  # in file names


class ListActions(QObject):
    """Makes and performs the export and command actions of the displayed list.

    Attributes:
        actions: by name.
    """

    def __init__(
        self,
        state: AppState,
        session: WordListSession,
        dictionary_name: Callable[[int], str],
        view: QWidget,
    ):
        """Add the actions to the view; they apply to the list of the session."""
        add, tr = partial(add_action, view), self.tr
        super().__init__(view)
        self._state, self._session, self._view = state, session, view
        self._dictionary_name = dictionary_name
        self.actions = {
            "export": add(
                tr("Export list…"),
                tr("Export the list as a table; equivalents also as TBX."),
                self.ask_export,
                "Ctrl+E",
            ),
            "command": add(
                tr("Copy as command"),
                tr("Copy the command that shows this list in a terminal."),
                self.copy_command,
                "Ctrl+Shift+C",
            ),
        }

    def refresh(self) -> None:
        """Enable the actions that are possible now."""
        shown = self._session.shown
        self.actions["export"].setEnabled(shown is not None and bool(shown.rows))
        self.actions["command"].setEnabled(shown is not None)

    def ask_export(self) -> ExportDialog | None:
        """Ask how and where to export the list; equivalents include examples."""
        shown = self._session.shown
        if shown is None:
            return None
        title, window = self.tr("Export list"), self._view.window()
        n, name = (
            shown.n_items,
            suggest_path(self._state, _file_name(shown.settings), ".tsv"),
        )
        formats = table_formats()
        params = self._params(shown.settings)
        hint = self.tr("Choose where the list is written.")
        if isinstance(params, Equivalents):
            formats = {".tsv": formats[".tsv"], ".tbx": self.tr("TBX terms")}
            file = ExportFileField(formats, name, hint)
            whole = msgspec.structs.replace(params, top=MAX_CANDIDATES)
            dialog = make_run_export(
                self._state,
                window,
                title,
                file,
                lambda out: msgspec.structs.replace(whole, out=out),
            )
        else:
            file = ExportFileField(formats, name, hint)
            write = partial(self._write, shown)
            dialog = ExportDialog(title, file, write, window)
        dialog.preview.show_table(lambda: iter(self._table_of(shown)), n)
        dialog.open()
        return dialog

    def _table_of(self, listed: LoadedWordList) -> list[list[str]]:
        """Return the table of a list; columns of keywords name the compared texts."""
        params = self._params(listed.settings)
        if not isinstance(params, Keyness):
            return table_of(listed)
        every = self.tr("All corpora")
        compared = (", ".join(params.corpora) or every, ", ".join(params.against))
        return table_of(listed, compared)

    def copy_command(self) -> None:
        """Copy the command that shows this list in a terminal."""
        project, shown = self._state.project, self._session.shown
        if shown is not None and project is not None:
            copy_text(command_text(self._params(shown.settings), project.folder))
            self._state.notice_posted.emit(self.tr("Copied the command."))

    def _params(self, settings: WordListSettings) -> ListParams:
        """Return the params of the task that produces the same list."""
        project = self._state.project
        assert project is not None, "a list is shown"
        corpora = ChosenIds(settings.corpora, settings.subcorpora)
        against = ChosenIds(settings.against, settings.against_parts)
        sets = {row.id: row.name for row in project.minings}
        names = ResourceNames(
            corpora=names_of_ids(project, corpora),
            against=names_of_ids(project, against),
            pairs=sets.get(settings.mining, ""),
            dictionary=self._dictionary_name(settings.dictionary),
        )
        return settings.to_params(names)

    def _write(self, shown: LoadedWordList, file: Path, on_ended: OnEnded) -> None:
        """Read the remaining rows, then write the complete list."""
        if shown.is_whole:
            self._write_list(file, on_ended, shown)
            return
        reader = FullListReader(self._state, shown.settings, self)
        reader.finished.connect(partial(self._write_list, file, on_ended))
        reader.failed.connect(lambda error: on_ended(error.message))

    def _write_list(
        self, file: Path, on_ended: OnEnded, listed: LoadedWordList
    ) -> None:
        if not listed.is_whole:
            text = self.tr("Only the first {n} of {total} rows are exported.")
            n, total = format_count(len(listed.rows)), format_count(listed.n_items)
            self._state.notice_posted.emit(text.format(n=n, total=total))
        export_table(self._state, file, iter(self._table_of(listed)), on_ended)


class DictionaryActions(QObject):
    """Makes and performs the actions that import and delete dictionaries.

    Attributes:
        actions: by name.
    """

    query_requested = Signal(object)  # WordListSettings with an imported dictionary

    def __init__(
        self, state: AppState, bar: WordsQueryBar, messages: MessageBar, view: QWidget
    ):
        """Add the actions to the view."""
        add, tr = partial(add_action, view), self.tr
        super().__init__(view)
        self._state, self._bar, self._messages = state, bar, messages
        self._view = view
        self.actions: dict[str, QAction] = {
            "import": add(
                tr("Import dictionary…"),
                tr("Import a word list to check equivalents with."),
                self.ask_dictionary,
            ),
            "delete": add(
                tr("Delete dictionary"),
                tr("Delete the selected dictionary. You can undo this."),
                self.delete_dictionary,
            ),
        }
        bar.options.import_requested.connect(self.ask_dictionary)
        state.run_finished.connect(self._on_run_finished)

    def refresh(self) -> None:
        """Enable the actions that are possible now."""
        is_writable = self._state.can_write
        settings = self._bar.settings()
        is_selected = settings.page == "equivalents" and bool(settings.dictionary)
        self.actions["import"].setEnabled(is_writable)
        self.actions["delete"].setEnabled(is_writable and is_selected)
        self._bar.options.import_button.setEnabled(is_writable)

    def ask_dictionary(self) -> None:
        """Ask for a dictionary file, then for its languages."""
        ask_path(
            self._view.window(),
            self.tr("Import dictionary"),
            self._import_dictionary,
            filters=self.tr("Word lists (*.tsv *.csv *.txt *.tbx *.gz);;All files (*)"),
        )

    def delete_dictionary(self) -> None:
        """Delete the selected dictionary; a message offers to undo it."""
        dictionary = self._bar.settings().dictionary
        if dictionary:
            change = SetDictionaryState(dictionaries=(dictionary,), state="deleted")
            name = self._bar.dictionary_name(dictionary)
            text = self.tr("{name} deleted.").format(name=name)
            delete_with_undo(self._state, self._messages, change, text)

    def _import_dictionary(self, file: Path) -> None:
        settings = self._bar.settings()
        values = ImportDictionary(
            file=file,
            source_language=settings.source_language,
            target_language=settings.target_language,
        )
        window = self._view.window()
        TaskDialog(self._state, ImportDictionary, values, parent=window).open()

    def _on_run_finished(self, run: RunState, result: object) -> None:
        """Compare the displayed list with an imported dictionary."""
        settings, project = self._bar.settings(), self._state.project
        if not isinstance(run.params, ImportDictionary) or project is None:
            return
        if settings.page == "equivalents":
            self._bar.show_project(project)
            changes = {"dictionary": msgspec.convert(result, MadeRow).id}
            self.query_requested.emit(msgspec.structs.replace(settings, **changes))


def _file_name(settings: WordListSettings) -> str:
    word = settings.text if settings.page in ("collocates", "equivalents") else ""
    name = f"{settings.page} {word}".strip()
    return "".join("-" if c in UNSAFE_CHARACTERS else c for c in name)
