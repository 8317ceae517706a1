"""What can be done in the words view, as actions with keys."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence

from app.views.widgets.controls import add_action
from app.views.words_question import PAGES

if TYPE_CHECKING:
    from app.views.words_view import WordsView


def make_actions(view: "WordsView") -> dict[str, QAction]:
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
        **_make_of_words(view),
        **_make_of_lists(view),
        **_make_pages(view),
    }


def _make_of_words(view: "WordsView") -> dict[str, QAction]:
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


def _make_of_lists(view: "WordsView") -> dict[str, QAction]:
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


def _make_pages(view: "WordsView") -> dict[str, QAction]:
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


def refresh_actions(view: "WordsView") -> None:
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


__all__ = ["make_actions", "refresh_actions"]
