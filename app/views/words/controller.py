"""Actions of the words view, sorting, and messages about the list shown."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFileDialog

from app.errors import ErrorInfo
from app.params.flags import command_text
from app.params.words import Equivalents, ImportDictionary
from app.protocol.edits.corpora import SetDictionaryState
from app.views.client.runs import RunState
from app.views.widgets.controls import add_action
from app.views.widgets.corpus_choices import ChosenIds, names_of_ids
from app.views.widgets.dialogs import ask_path, copy_text
from app.views.widgets.indexing_text import describe_indexing, describe_not_indexed
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.table_export import export_table
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.undo_messages import delete_with_undo
from app.views.widgets.view_protocol import TextLookup
from app.views.words.columns import sort_rows, table_of
from app.views.words.session import FullListReader, LoadedWordList, Row
from app.views.words.settings import (
    FREQUENCY_ORDERS,
    MAX_CANDIDATES,
    PAGES,
    PageName,
    ResourceNames,
    WordListSettings,
)
from app.views.words.text import (
    describe_counting,
    describe_list,
    describe_page,
    explain_empty_list,
)

if TYPE_CHECKING:
    from app.views.words.session import LoadedWordList
    from app.views.words.settings import WordListSettings
    from app.views.words.view import WordsView


def make_words_actions(view: "WordsView") -> dict[str, QAction]:
    """Make the view's actions, by name."""
    tr = view.tr
    find = add_action(
        view,
        tr("Type a word"),
        view.focus_query,
        keys=QKeySequence.StandardKey.Find,
        hint=tr("Put the keyboard into the field of the word."),
    )
    return {
        "find": find,
        **_make_word_actions(view),
        **_make_list_actions(view),
        **_make_page_actions(view),
    }


def _make_word_actions(view: "WordsView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "open": add_action(
            view,
            tr("Show where the word stands"),
            jobs.open_current,
            keys="Ctrl+Return",
            hint=tr("Show the concordance of the chosen word."),
        ),
        "collocates": add_action(
            view,
            tr("Show its collocates"),
            lambda: jobs.turn_to("collocates"),
            keys="Ctrl+Shift+K",
            hint=tr("List what stands near the chosen word."),
        ),
        "equivalents": add_action(
            view,
            tr("Show its equivalents"),
            lambda: jobs.turn_to("equivalents"),
            keys="Ctrl+T",
            hint=tr("List how the chosen word is translated."),
        ),
    }


def _make_list_actions(view: "WordsView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "copy": add_action(
            view,
            tr("Copy rows"),
            jobs.copy_rows,
            keys=QKeySequence.StandardKey.Copy,
            hint=tr("Copy the chosen rows, else all, to paste into a spreadsheet."),
        ),
        "export": add_action(
            view,
            tr("Export the list…"),
            jobs.ask_export,
            keys="Ctrl+E",
            hint=tr("Write the list as a file: TSV; equivalents as TBX too."),
        ),
        "command": add_action(
            view,
            tr("Copy as command"),
            jobs.copy_command,
            keys="Ctrl+Shift+C",
            hint=tr("Copy the command that lists the same in a terminal."),
        ),
        "import": add_action(
            view,
            tr("Import a dictionary…"),
            jobs.ask_dictionary,
            hint=tr("Take a word list in, to check equivalents with."),
        ),
        "delete": add_action(
            view,
            tr("Delete the dictionary"),
            jobs.delete_dictionary,
            hint=tr("Delete the dictionary that is chosen; it can be undone."),
        ),
    }


def _make_page_actions(view: "WordsView") -> dict[str, QAction]:
    tr = view.tr
    titles = (
        tr("List frequencies"),
        tr("List collocates"),
        tr("Compare texts by key words"),
        tr("List equivalents"),
    )
    return {
        f"page {page}": add_action(
            view,
            title,
            partial(view.show_page, page),
            keys=f"Alt+{place}",
            hint=title,
        )
        for place, (page, title) in enumerate(zip(PAGES, titles, strict=True), 1)
    }


def refresh_words_actions(view: "WordsView") -> None:
    """Enable what can be done now."""
    todo, project = view.todo, view.state.project
    can_write = project is not None and not project.is_read_only
    has_rows = bool(view.table.words.rows)
    for name in ("open", "collocates", "equivalents"):
        todo[name].setEnabled(view.table.current_row is not None)
    for name in ("copy", "export"):
        todo[name].setEnabled(has_rows)
    todo["command"].setEnabled(view.desk.shown is not None)
    todo["import"].setEnabled(can_write)
    view.bar.options.take_in.setEnabled(can_write)
    question = view.bar.question()
    is_dictionary = question.page == "equivalents" and bool(question.dictionary)
    todo["delete"].setEnabled(can_write and is_dictionary)


UNSAFE_CHARACTERS = '<>:"/\\|?*'  # in the names of files


class WordsController(QObject):
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
            self._state.concordance_wanted.emit(
                concordance_request(shown.question, row)
            )

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
        self._state.notice_posted.emit(pluralize(len(rows), one, many))

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
            values = {"out": file, "top": MAX_CANDIDATES}
            self._state.run(msgspec.structs.replace(params, **values))
            return
        if shown.is_whole:
            self._write(file, shown)
            return
        whole = FullListReader(self._state, shown.question, self)
        whole.finished.connect(lambda listed: self._write(file, listed))
        whole.failed.connect(
            lambda text: self._state.error_posted.emit(ErrorInfo("user", text))
        )

    def params(self) -> Any:
        """Return what is shown as the params of its task."""
        shown, project = self._view.desk.shown, self._state.project
        assert shown is not None
        assert project is not None, "something is shown"
        question = shown.question
        here = ChosenIds(question.corpora, question.subcorpora)
        there = ChosenIds(question.against, question.against_parts)
        sets = {row.id: row.name for row in project.minings}
        names = ResourceNames(
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
            delete_with_undo(
                self._state, self._view.messages, change, words.format(name=name)
            )

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        """Check the list that is shown with a dictionary that was imported."""
        question, project = self._view.bar.question(), self._state.project
        is_its = isinstance(run.params, ImportDictionary)
        if is_its and project is not None and question.page == "equivalents":
            self._view.offers.read(project)
            wanted = msgspec.structs.replace(question, dictionary=int(result["id"]))
            self._view.ask(wanted)

    def _write(self, file: Path, listed: LoadedWordList) -> None:
        if not listed.is_whole:
            words = self.tr("Only the first {n} of {of} rows are written.")
            n, of = format_count(len(listed.rows)), format_count(listed.n_items)
            self._state.notice_posted.emit(words.format(n=n, of=of))
        table = table_of(listed.rows)
        export_table(self._state, file, iter(table))


def concordance_request(question: WordListSettings, row: Row) -> TextLookup:
    """Return which concordance a row opens: of the equivalent, in its own language."""
    text = _query_text(question.layer, str(row["item"]))
    if question.page == "equivalents":
        return TextLookup(text, languages=(question.target_language,))
    return TextLookup(text, question.corpora, question.subcorpora, question.languages)


def _pattern_of(view: "WordsView", row: Row) -> str:
    shown = view.desk.shown
    return _query_text(shown.question.layer if shown else "word", str(row["item"]))


def _query_text(layer: str, item: str) -> str:
    """Write an item as it is looked for: each word of a lemma or class is marked."""
    if layer in ("lemma", "pos"):
        return " ".join(f"{layer}:{word}" for word in item.split())
    return item


def _file_name(question: WordListSettings) -> str:
    word = question.text if question.page in ("collocates", "equivalents") else ""
    name = f"{question.page} {word}".strip()
    return "".join(
        "-" if character in UNSAFE_CHARACTERS else character for character in name
    )


SCORES = {  # of collocates: the column of each
    "log-likelihood": "log_likelihood",
    "log-dice": "log_dice",
    "t-score": "t_score",
    "frequency": "n",
}


class WordListSorter(QObject):
    """Sorts the list that is shown.

    Attributes:
        key, is_falling: of the column that sorts it now, and which way.
    """

    def __init__(self, view: "WordsView"):
        super().__init__(view)
        self._view = view
        self.key, self.is_falling = "n", True

    def show(self, question: WordListSettings) -> None:
        """Mark the column by which a new list comes sorted."""
        self.key, self.is_falling = "log_likelihood", True
        match question.page:
            case "frequencies":
                self.key, self.is_falling = question.order, question.descending
            case "collocates":
                self.key = SCORES[question.score]
            case "equivalents":
                self.key = "score"
        self._mark()

    def sort(self, key: str) -> None:
        """Sort by a column; the same one again turns it round."""
        view = self._view
        shown = view.desk.shown
        if shown is None:
            return
        if shown.question.page == "frequencies":
            # rank and share per million follow the count, the other way and this
            falling = not self.is_falling if key == self.key else key != "item"
            order = key if key in FREQUENCY_ORDERS else "n"
            if key not in FREQUENCY_ORDERS and self.key == "n":
                falling = not self.is_falling
            wanted = {"order": order, "descending": falling}
            view.ask(msgspec.structs.replace(view.bar.question(), **wanted))
            return
        is_again = key == self.key
        self.key = key
        self.is_falling = not self.is_falling if is_again else key != "item"
        words = view.table.words
        ordered = sort_rows(words.rows, key, descending=self.is_falling)
        view.table.show_rows(
            words.columns, ordered, n_items=len(ordered), language=words.language
        )
        self._mark()

    def _mark(self) -> None:
        self._view.table.mark_sort(self.key, descending=self.is_falling)


class WordListPresenter(QObject):
    """Keeps what is said around the list in step with it."""

    def __init__(self, view: "WordsView"):
        super().__init__(view)
        self._view, self._state = view, view.state

    def tell(self, listed: "LoadedWordList") -> None:
        """Show all there is to tell of a new list."""
        if listed.rows:
            self._view.pages.setCurrentWidget(self._view.split)
        else:
            heading = self.tr("Nothing to list")
            if listed.is_left:
                heading = self.tr("The list is not counted yet")
            self._tell_nothing(heading, explain_empty_list(listed))
        self.tell_progress()

    def tell_beginning(self, question: "WordListSettings") -> None:
        """Show what a page is for."""
        self._tell_nothing(*describe_page(question))

    def tell_failure(self, sentence: str) -> None:
        """Show why there is no list."""
        self._tell_nothing(self.tr("Nothing to list"), sentence)

    def tell_progress(self) -> None:
        """Show what the list is of, or how far its making is."""
        view, desk, project = self._view, self._view.desk, self._state.project
        listed = desk.shown
        is_left = listed is not None and listed.is_left
        is_busy = desk.indexing is not None or desk.counting is not None
        view.count_again.setVisible(is_left and not is_busy)
        if listed is not None:
            self._note(listed)
        if desk.indexing is not None and project is not None:
            view.bar.say(describe_indexing(desk.indexing, project.corpora))
        elif desk.counting is not None:
            view.bar.say(describe_counting(desk.counting))
        elif listed is not None:
            view.bar.say(describe_list(listed) if listed.rows else "")

    def _note(self, listed: "LoadedWordList") -> None:
        """Show what to mind of an answer."""
        notes = list(listed.facts.get("notes") or ())
        project = self._state.project
        if project is not None and self._view.desk.indexing is None:
            missing = set(listed.not_indexed)
            names = [row.name for row in project.corpora if row.id in missing]
            if names:
                notes.append(describe_not_indexed(names))
        label = self._view.notes
        label.setText("\n".join(notes))
        label.setToolTip("\n".join(notes))
        label.setVisible(bool(notes))

    def _tell_nothing(self, heading: str, text: str) -> None:
        view, project = self._view, self._state.project
        view.bar.say("")
        view.start.set_words(heading, text)
        view.take_in.setVisible(project is not None and not project.corpora)
        view.count_again.hide()
        view.pages.setCurrentWidget(view.start)
        if view.desk.shown is None:
            view.table.show_rows([], [], n_items=0)
