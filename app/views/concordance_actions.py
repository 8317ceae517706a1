"""What can be done in the concordance: actions, enabled when they are possible."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence

from app.views.widgets.controls import add_action

if TYPE_CHECKING:
    from app.views.concordance_view import ConcordanceView

OF_LINES = ("search", "pair", "note", "cite", "place", "hide", "read")
OF_ALL = ("export", "keep", "command", "shares")
WRITING = ("pair", "note", "hide", "keep")


def make_actions(view: "ConcordanceView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    return (
        _make_asking(view) | _make_of_lines(view) | _make_sorting(view) | _of_all(view)
    )


def list_keys(
    todo: dict[str, QAction], view: "ConcordanceView"
) -> list[tuple[QAction, str]]:
    """Give the keys that are shown below the lines, with short words."""
    tr = view.tr
    return [
        (todo["search"], tr("search by meaning")),
        (todo["pair"], tr("pair to review")),
        (todo["note"], tr("note (N), label (1–9)")),
        (todo["cite"], tr("cite")),
        (todo["place"], tr("in its corpus")),
        (todo["hide"], tr("hide")),
        (todo["left"], tr("sort left")),
        (todo["right"], tr("sort right")),
    ]


def refresh_actions(todo: dict[str, QAction], view: "ConcordanceView") -> None:
    """Enable what can be done now."""
    project = view.state.project
    writable = project is not None and not project.is_read_only
    shown = view.desk.shown
    has_lines = shown is not None and shown.n > 0 and view.page.shows_lines
    for name in (*OF_LINES, *OF_ALL, "left", "right", "find"):
        todo[name].setEnabled(has_lines and (writable or name not in WRITING))
    todo["lists"].setEnabled(project is not None)
    todo["back"].setEnabled(view.trail.can_go_back)
    todo["forward"].setEnabled(view.trail.can_go_forward)


def _make_asking(view: "ConcordanceView") -> dict[str, QAction]:
    tr, bar = view.tr, view.bar
    return {
        "type": add_action(view, tr("Type a query"), view.focus_query, keys="Ctrl+L"),
        "back": add_action(
            view, tr("Back to the query before"), lambda: view.walk(-1), keys="Alt+Left"
        ),
        "forward": add_action(
            view,
            tr("Forward to the query after"),
            lambda: view.walk(1),
            keys="Alt+Right",
        ),
        "mode": add_action(
            view,
            tr("Words or a regular expression"),
            bar.switch_mode,
            keys="Ctrl+M",
            hint=tr("Look for words, or for a regular expression."),
        ),
        "find": add_action(
            view,
            tr("Find in the lines"),
            view.page.find_row.begin,
            keys=QKeySequence.StandardKey.Find,
            hint=tr("Show only the lines whose sentence has some words."),
        ),
        "case": add_action(
            view,
            tr("Tell capitals from small letters"),
            bar.case.click,
            keys="Ctrl+U",
        ),
        "history": add_action(
            view, tr("Show past queries"), bar.field.open_history, keys="Ctrl+H"
        ),
        "syntax": add_action(
            view,
            tr("How to ask"),
            view.show_syntax,
            keys="F1",
            hint=tr("Show what can be typed, with examples."),
        ),
    }


def _make_of_lines(view: "ConcordanceView") -> dict[str, QAction]:
    made = _make_turning(view) | _make_showing(view)
    made["hide"].setShortcuts([QKeySequence(keys) for keys in ("H", "Del")])
    for action in made.values():
        _keep_to_table(action, view)
    return made


def _make_turning(view: "ConcordanceView") -> dict[str, QAction]:
    """Make the actions that turn a line into something else."""
    tr, jobs = view.tr, view.jobs
    return {
        "search": add_action(
            view,
            tr("Search from this line"),
            jobs.search,
            keys="S",
            hint=tr("Search for what is nearest in meaning to the line's sentence."),
        ),
        "pair": add_action(
            view,
            tr("Make a pair to review"),
            jobs.make_pair,
            keys="P",
            hint=tr("Pair the line with the first nearest sentence below it."),
        ),
        "note": add_action(
            view,
            tr("Write a note on the line…"),
            jobs.write_note,
            hint=tr("Write a note on the line's sentence; digits label it."),
        ),
        "cite": add_action(
            view,
            tr("Copy the lines as citations"),
            jobs.cite,
            keys=QKeySequence.StandardKey.Copy,
            hint=tr("Copy the selected lines with their source."),
        ),
    }


def _make_showing(view: "ConcordanceView") -> dict[str, QAction]:
    """Make the actions that show sentences, or hide them."""
    tr, jobs = view.tr, view.jobs
    return {
        "place": add_action(
            view,
            tr("Show the line in its corpus"),
            jobs.show_place,
            keys="O",
            hint=tr("Show the line's sentence in the table of its corpus."),
        ),
        "hide": add_action(
            view,
            tr("Hide the sentences"),
            jobs.hide,
            hint=tr("Leave the selected sentences out of everything; can be undone."),
        ),
        "read": add_action(
            view,
            tr("Read the whole sentence"),
            view.table.show_full_text,
            hint=tr("Show the line's sentence whole (Space)."),
        ),
    }


def _make_sorting(view: "ConcordanceView") -> dict[str, QAction]:
    tr = view.tr
    made = {
        "left": add_action(
            view,
            tr("Sort by one more word to the left"),
            lambda: view.sort_further("L"),
            keys="Left",
            hint=tr("Sort by the word left of the hit; again: by two, by three."),
        ),
        "right": add_action(
            view,
            tr("Sort by one more word to the right"),
            lambda: view.sort_further("R"),
            keys="Right",
            hint=tr("Sort by the word right of the hit; again: by two, by three."),
        ),
    }
    for action in made.values():
        _keep_to_table(action, view)
    return made


def _of_all(view: "ConcordanceView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "shares": add_action(
            view,
            tr("Show how the hits are shared"),
            view.toggle_shares,
            keys="Ctrl+B",
            hint=tr("Show or hide the hits by language, corpus and document."),
        ),
        "export": add_action(
            view,
            tr("Export the lines…"),
            jobs.export,
            keys="Ctrl+E",
            hint=tr("Write the lines to a table (TSV, XLSX) or a text (DOCX)."),
        ),
        "keep": add_action(
            view,
            tr("Keep the hits…"),
            jobs.keep,
            keys="Ctrl+S",
            hint=tr("Keep all hits in the project by a name."),
        ),
        "lists": add_action(
            view,
            tr("Kept hit lists…"),
            jobs.show_lists,
            keys="Ctrl+Shift+S",
            hint=tr("Open, rename, move or delete the lists that were kept."),
        ),
        "command": add_action(
            view,
            tr("Copy as command"),
            jobs.copy_command,
            hint=tr("Copy the command that lists these lines in a terminal."),
        ),
    }


def _keep_to_table(action: QAction, view: "ConcordanceView") -> None:
    """Let a key work in the table alone: elsewhere it types, or moves the cursor."""
    action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    view.table.addAction(action)
