"""What can be done in the care view: actions, enabled when they are possible."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction

from app.params.care import CheckCorpus, CompareEncoders, FindDuplicates, FindLeakage
from app.views.widgets.controls import add_action

if TYPE_CHECKING:
    from app.views.care_view import CareView

BEGINNING = ("duplicates", "check", "leaks", "encoders")


def make_actions(view: "CareView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    tr, jobs = view.tr, view.jobs
    made = {}
    for name, struct, text, keys, hint in (
        (
            "duplicates",
            FindDuplicates,
            tr("Find duplicates…"),
            "Ctrl+Shift+U",
            tr("Find sentences that are said twice, nearly, or in two languages."),
        ),
        (
            "check",
            CheckCorpus,
            tr("Check sentences…"),
            "",
            tr("Find sentences in another language, damaged ones and boilerplate."),
        ),
        (
            "leaks",
            FindLeakage,
            tr("Find leaks…"),
            "",
            tr("Find which sentences of a test set are in other corpora."),
        ),
        (
            "encoders",
            CompareEncoders,
            tr("Compare two encoders…"),
            "",
            tr("Find sentences whose neighbours change, pairs gained and lost."),
        ),
    ):
        made[name] = add_action(
            view, text, partial(jobs.ask, struct), keys=keys, hint=hint
        )
    made["check_all"] = add_action(
        view,
        tr("Check all sentences"),
        jobs.check_all,
        hint=tr(
            "Look for other languages, damage and boilerplate everywhere, at once."
        ),
    )
    return made | _for_chosen(view) | _for_all(view) | _make_keeping(view)


def _for_chosen(view: "CareView") -> dict[str, QAction]:
    """Make what hides and shows the chosen sentences."""
    tr, jobs = view.tr, view.jobs
    return {
        "hide": add_action(
            view,
            tr("Hide"),
            partial(jobs.hide_chosen, "hidden"),
            keys="H",
            hint=tr("Leave the chosen sentences out of everything."),
        ),
        "hide_other": add_action(
            view,
            tr("Hide the one beside it"),
            jobs.hide_others,
            keys="Shift+H",
            hint=tr("Keep the sentence on the left, and leave the other one out."),
        ),
        "remove": add_action(
            view,
            tr("Remove"),
            partial(jobs.hide_chosen, "removed"),
            keys="Shift+Del",
            hint=tr("Take the chosen sentences out of the tables too."),
        ),
        "show": add_action(
            view,
            tr("Show again"),
            jobs.show_chosen,
            keys="S",
            hint=tr("Let the chosen sentences, and those beside them, take part."),
        ),
    }


def _for_all(view: "CareView") -> dict[str, QAction]:
    """Make what hides and shows all that a list tells of."""
    tr, jobs = view.tr, view.jobs
    return {
        "hide_all": add_action(
            view,
            tr("Hide all shown"),
            partial(jobs.hide_all, "hidden"),
            keys="Ctrl+H",
            hint=tr("Leave every sentence of this list out of everything."),
        ),
        "remove_all": add_action(
            view,
            tr("Remove all shown"),
            partial(jobs.hide_all, "removed"),
            hint=tr("Take every sentence of this list out of the tables too."),
        ),
        "show_all": add_action(
            view,
            tr("Show all again"),
            jobs.show_all,
            hint=tr("Let all sentences of this list, left and right, take part again."),
        ),
    }


def _make_keeping(view: "CareView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "place": add_action(
            view,
            tr("Show in its corpus"),
            jobs.place,
            keys="Ctrl+Return",
            hint=tr("Show the sentence where it stands."),
        ),
        "place_other": add_action(
            view,
            tr("Show the one beside it in its corpus"),
            jobs.place_other,
            keys="Ctrl+Shift+Return",
            hint=tr("Show the other sentence where it stands."),
        ),
        "export": add_action(
            view,
            tr("Export findings…"),
            jobs.ask_export,
            keys="Ctrl+E",
            hint=tr("Write the list that is shown as a table."),
        ),
        "again": add_action(
            view,
            tr("Search again…"),
            jobs.ask_again,
            hint=tr("Search with the same settings, or with some changed."),
        ),
        "copy": add_action(
            view,
            tr("Copy as command"),
            jobs.copy_command,
            hint=tr("Copy the command that searches so in a terminal."),
        ),
    }


def refresh_actions(view: "CareView") -> None:
    """Enable what can be done with what is shown."""
    project, page, search = view.state.project, view.page, view.page.search
    can_write = project is not None and not project.is_read_only
    chosen = page.table.current
    has_rows = page.table.findings.rowCount() > 0
    has_params = search is not None and search.params is not None
    for name, is_possible in {
        **dict.fromkeys((*BEGINNING, "check_all"), can_write),
        **dict.fromkeys(("hide", "remove", "show"), can_write and chosen is not None),
        "hide_other": can_write and chosen is not None and chosen.other is not None,
        **dict.fromkeys(("hide_all", "remove_all", "show_all"), can_write and has_rows),
        "place": chosen is not None and chosen.sentence is not None,
        "place_other": chosen is not None and chosen.other is not None,
        "export": has_rows,
        "again": can_write and has_params,
        "copy": has_params,
    }.items():
        view.todo[name].setEnabled(is_possible)
