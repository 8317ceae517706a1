"""What can be done in the classify view: actions, enabled when they are possible."""

from typing import TYPE_CHECKING

from PySide6.QtGui import QAction

from app.views.widgets.controls import add_action

if TYPE_CHECKING:
    from app.views.classify_view import ClassifyView


def make_actions(view: "ClassifyView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    tr, jobs = view.tr, view.jobs
    return {
        "suggested": add_action(
            view,
            tr("Train and test what is proposed"),
            jobs.test_suggested,
            hint=tr("Train on one language and test on every other with labels."),
        ),
        "test": add_action(
            view,
            tr("Test on languages…"),
            jobs.ask_test,
            keys="Ctrl+T",
            hint=tr("Train on labels of one language, and test on others."),
        ),
        "again": add_action(
            view,
            tr("Test again…"),
            jobs.ask_test_again,
            hint=tr("Test with these settings, or with some changed."),
        ),
        "export_board": add_action(
            view,
            tr("Export the board…"),
            lambda: view.board.page.ask_export(),
            hint=tr("Write the board and its errors as tab-separated tables."),
        ),
        "copy": add_action(
            view,
            tr("Copy as command"),
            jobs.copy_command,
            hint=tr("Copy the command that measures this in a terminal."),
        ),
    }
