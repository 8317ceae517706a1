"""What can be done in the classify view: actions, enabled when they are possible."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence

from app.views.widgets.controls import add_action

if TYPE_CHECKING:
    from app.views.classify_view import ClassifyView


def make_actions(view: "ClassifyView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    return _of_labels(view) | _of_classifiers(view) | _of_tests(view) | _of_use(view)


def _of_labels(view: "ClassifyView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.classifier_jobs
    return {
        "check": add_action(
            view,
            tr("Check the labels"),
            jobs.check,
            hint=tr(
                "Look for leaks into tests, doubtful labels and classes too small."
            ),
        ),
        "train": add_action(
            view,
            tr("Train on these labels"),
            jobs.train_on_shown,
            hint=tr("Put a training on the labels of this corpus together."),
        ),
    }


def _of_classifiers(view: "ClassifyView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.classifier_jobs
    made = {
        "new": add_action(
            view,
            tr("New classifier…"),
            jobs.begin_new,
            hint=tr("Put the training of a classifier together."),
        ),
        "train_again": add_action(
            view,
            tr("Train again…"),
            jobs.train_again,
            hint=tr(
                "Train with the settings of this classifier, or with some changed."
            ),
        ),
        "rename": add_action(
            view,
            tr("Rename the classifier…"),
            jobs.rename,
            keys="F2",
            hint=tr("Give this classifier another name."),
        ),
        "copy_training": add_action(
            view,
            tr("Copy the training as command"),
            jobs.copy_command,
            hint=tr("Copy the command that trains this classifier in a terminal."),
        ),
        "delete": add_action(
            view,
            tr("Delete the classifier"),
            jobs.delete,
            keys=QKeySequence.StandardKey.Delete,
            hint=tr("Delete this classifier; this can be undone."),
        ),
        "test_this": add_action(
            view,
            tr("Test it on languages…"),
            view.jobs.ask_test_trained,
            hint=tr("Test this classifier on labelled texts of other languages."),
        ),
    }
    # Only in the list: among sentences Del must not delete a classifier.
    made["delete"].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    return made


def _of_tests(view: "ClassifyView") -> dict[str, QAction]:
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


def _of_use(view: "ClassifyView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.classifier_jobs
    return {
        "apply": add_action(
            view,
            tr("Classify corpora…"),
            jobs.ask_apply,
            keys="Ctrl+Return",
            hint=tr("Let this classifier say the class of every sentence of corpora."),
        ),
        "all_predictions": add_action(
            view,
            tr("All predictions"),
            lambda: view.use.page.show_all(),
            hint=tr("Show all that this classifier has said."),
        ),
        "suggest": add_action(
            view,
            tr("Suggest what to label next"),
            lambda: view.use.page.show_suggestions(),
            hint=tr("Show sentences of which it is unsure, unlike one another."),
        ),
        "retrain": add_action(
            view,
            tr("Retrain with the labels of now"),
            jobs.retrain,
            hint=tr(
                "Train it again, classify the same corpora, and show what changed."
            ),
        ),
        "changes": add_action(
            view,
            tr("Show what changed"),
            jobs.show_changes,
            hint=tr("Show what the classifier that was trained before says otherwise."),
        ),
        "export_predictions": add_action(
            view,
            tr("Export predictions…"),
            jobs.export,
            keys="Ctrl+E",
            hint=tr("Write sentences with their classes and probabilities."),
        ),
    }
