"""What is done with lists of words: copied, written, opened, checked."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from app.corpus_changes import SetDictionaryState
from app.errors import ErrorInfo
from app.params.equivalents import Equivalents, ImportDictionary
from app.params.flags import command_text
from app.views.corpus_choices import ChosenIds, names_of_ids
from app.views.deletions import delete
from app.views.runs import RunState
from app.views.view import ConcordanceWish
from app.views.widgets.dialogs import ask_path, copy_text
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.tsv import export_table
from app.views.words import count_words, format_count
from app.views.words_columns import table_of
from app.views.words_desk import Listed, Row, WholeList
from app.views.words_question import (
    MOST_CANDIDATES,
    Names,
    PageName,
    WordsQuestion,
)

if TYPE_CHECKING:
    from app.views.words_view import WordsView

UNSAFE = '<>:"/\\|?*'  # in the names of files


class WordsJobs(QObject):
    """Does what the actions of the words view say."""

    def __init__(self, view: "WordsView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._state.run_finished.connect(self._on_run_finished)

    # --- one row ---

    def open_current(self) -> None:
        """Show the concordance of the chosen row."""
        row = self._view.table.current_row
        if row is not None:
            self.open(row)

    def open(self, row: Row) -> None:
        """Show where the word of a row stands."""
        shown = self._view.desk.shown
        if shown is not None:
            self._state.concordance_wanted.emit(wish_of(shown.question, row))

    def turn_to(self, page: PageName) -> None:
        """Ask another list about the chosen word."""
        row = self._view.table.current_row
        if row is not None:
            question = msgspec.structs.replace(
                self._view.bar.question(), page=page, text=_pattern_of(self._view, row)
            )
            self._view.ask(question)

    # --- all rows ---

    def copy_rows(self) -> None:
        """Copy the chosen rows, else all that are there, with their headings."""
        table, shown = self._view.table, self._view.desk.shown
        if shown is None:
            return
        chosen = table.selected_rows
        rows = chosen if len(chosen) > 1 else table.words.rows
        lines = table_of(rows)
        copy_text("\n".join("\t".join(line) for line in lines))
        one, many = self.tr("1 row is copied."), self.tr("{n} rows are copied.")
        self._state.notice_posted.emit(count_words(len(rows), one, many))

    def ask_export(self) -> None:
        """Ask where to write the list."""
        shown = self._view.desk.shown
        if shown is None:
            return
        page = shown.question.page
        filters = self.tr("Tab-separated (*.tsv);;Comma-separated (*.csv)")
        if page == "equivalents":
            filters = self.tr("Tab-separated (*.tsv);;TBX terms (*.tbx)")
        ask_path(
            self._view.window(),
            self.tr("Export the list"),
            self.export_to,
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / f"{_file_name(shown.question)}.tsv",
            filters=filters,
        )

    def export_to(self, file: Path) -> None:
        """Write the whole list; equivalents come with their examples."""
        shown = self._view.desk.shown
        if shown is None:
            return
        if shown.question.page == "equivalents":
            params = self.params()
            assert isinstance(params, Equivalents), "the page has these params"
            values = {"out": file, "top": MOST_CANDIDATES}
            self._state.run(msgspec.structs.replace(params, **values))
            return
        if shown.is_whole:
            self._write(file, shown)
            return
        whole = WholeList(self._state, shown.question, self)
        whole.finished.connect(lambda listed: self._write(file, listed))
        whole.failed.connect(
            lambda text: self._state.error_posted.emit(ErrorInfo("user", text))
        )

    def params(self) -> Any:
        """Give what is shown as the params of its task."""
        shown, project = self._view.desk.shown, self._state.project
        assert shown is not None
        assert project is not None, "something is shown"
        question = shown.question
        here = ChosenIds(question.corpora, question.subcorpora)
        there = ChosenIds(question.against, question.against_parts)
        sets = {row.id: row.name for row in project.minings}
        names = Names(
            corpora=names_of_ids(project, here),
            against=names_of_ids(project, there),
            pairs=sets.get(question.mining, "") if question.mining else "",
            dictionary=self._view.offers.name_of_dictionary(question.dictionary),
        )
        return question.to_params(names)

    def copy_command(self) -> None:
        """Copy the command that lists the same in a terminal."""
        project = self._state.project
        if self._view.desk.shown is not None and project is not None:
            copy_text(command_text(self.params(), project.folder))
            self._state.notice_posted.emit(self.tr("Copied the command."))

    # --- dictionaries ---

    def ask_dictionary(self) -> None:
        """Ask for the file of a dictionary, then for its languages."""
        ask_path(
            self._view.window(),
            self.tr("Import a dictionary"),
            self.import_dictionary,
            filters=self.tr("Word lists (*.tsv *.csv *.txt *.tbx *.gz);;All files (*)"),
        )

    def import_dictionary(self, file: Path) -> None:
        """Ask for the languages of a dictionary, and import it."""
        question = self._view.bar.question()
        values = ImportDictionary(
            file=file,
            source_language=question.source_language,
            target_language=question.target_language,
        )
        window = self._view.window()
        TaskDialog(self._state, ImportDictionary, values, parent=window).open()

    def delete_dictionary(self) -> None:
        """Delete the dictionary that is chosen; a message offers to undo."""
        question = self._view.bar.question()
        if question.dictionary:
            change = SetDictionaryState(
                dictionaries=(question.dictionary,), state="deleted"
            )
            words = self.tr("{name} is deleted.")
            name = self._view.offers.name_of_dictionary(question.dictionary)
            delete(self._state, self._view.messages, change, words.format(name=name))

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        """Check the list that is shown with a dictionary that was imported."""
        question, project = self._view.bar.question(), self._state.project
        is_its = isinstance(run.params, ImportDictionary)
        if is_its and project is not None and question.page == "equivalents":
            self._view.offers.read(project)
            wanted = msgspec.structs.replace(question, dictionary=int(result["id"]))
            self._view.ask(wanted)

    def _write(self, file: Path, listed: Listed) -> None:
        if not listed.is_whole:
            words = self.tr("Only the first {n} of {of} rows are written.")
            n, of = format_count(len(listed.rows)), format_count(listed.n_items)
            self._state.notice_posted.emit(words.format(n=n, of=of))
        table = table_of(listed.rows)
        export_table(self._state, file, iter(table))


def wish_of(question: WordsQuestion, row: Row) -> ConcordanceWish:
    """Say which concordance a row opens: of the equivalent, in its own language."""
    text = _typed(question.layer, str(row["item"]))
    if question.page == "equivalents":
        return ConcordanceWish(text, languages=(question.target_language,))
    return ConcordanceWish(
        text, question.corpora, question.subcorpora, question.languages
    )


def _pattern_of(view: "WordsView", row: Row) -> str:
    shown = view.desk.shown
    return _typed(shown.question.layer if shown else "word", str(row["item"]))


def _typed(layer: str, item: str) -> str:
    """Write an item as it is looked for: each word of a lemma or class is marked."""
    if layer in ("lemma", "pos"):
        return " ".join(f"{layer}:{word}" for word in item.split())
    return item


def _file_name(question: WordsQuestion) -> str:
    word = question.text if question.page in ("collocates", "equivalents") else ""
    name = f"{question.page} {word}".strip()
    return "".join("-" if character in UNSAFE else character for character in name)


__all__ = ["WordsJobs", "wish_of"]
