"""Actions of the classify view: its controllers connect and enable them."""

from functools import partial

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from app.views.widgets.controls import add_action, start_menu_sections


class ClassifyActions:
    """The actions of the classify view, added to it.

    Attributes:
        check_labels, train_on_labels: for the corpus in the labels step.
        add_class, rename_class, remove_class: for the classes in the labels step.
        new_classifier, import_classifier, apply, classify_text: independent of the
            current selection.
        train_again, rename, delete, copy_training, test_classifier, export: for the
            classifier in the training step.
        run_suggested_test, test, test_again, export_board, export_test, copy_test: for
            transfer tests.
        show_all, show_suggestions, retrain, predict_again, show_changes,
            export_predictions: for the classifier in the predictions step.
    """

    def __init__(self, view: QWidget):
        self._view = view
        self._add_label_actions()
        self._add_training_actions()
        self._add_transfer_actions()
        self._add_prediction_actions()
        start_menu_sections(self.new_classifier, self.run_suggested_test, self.apply)

    def _add_label_actions(self) -> None:
        add, tr = partial(add_action, self._view), self._view.tr
        self.check_labels = add(
            tr("Check labels"),
            tr(
                "Find test-set leakage, doubtful labels and classes with too few "
                "sentences."
            ),
        )
        self.train_on_labels = add(
            tr("Train on these labels"),
            tr("Set up a classifier that is trained on the labels of this corpus."),
        )
        self.add_class = add(
            tr("Add class…"), tr("Add a class. It gets the next free key.")
        )
        self.rename_class = add(
            tr("Rename class…"),
            tr("Rename the selected class, or merge it into another one."),
        )
        self.remove_class = add(
            tr("Remove class"), tr("Remove a class without sentences from the list.")
        )

    def _add_training_actions(self) -> None:
        add, tr = partial(add_action, self._view), self._view.tr
        self.new_classifier = add(
            tr("New classifier…"), tr("Set up the training of a new classifier.")
        )
        self.train_again = add(
            tr("Train again…"),
            tr("Set up a training with the settings of this classifier."),
        )
        self.rename = add(
            tr("Rename classifier…"),
            tr("Change the name of this classifier."),
            keys="F2",
        )
        self.copy_training = add(
            tr("Copy training as command"),
            tr("Copy the command that trains this classifier in a terminal."),
        )
        self.export = add(
            tr("Export classifier…"),
            tr("Write the classifier to a file, for use in another project."),
        )
        self.import_classifier = add(
            tr("Import classifier…"),
            tr("Add a classifier that another project exported."),
        )
        self.delete = add(
            tr("Delete classifier"),
            tr("Delete this classifier. You can undo this."),
            keys=QKeySequence.StandardKey.Delete,
            is_local=True,  # active in the list only, not among sentences
        )
        self.test_classifier = add(
            tr("Test classifier on languages…"),
            tr("Test this classifier on labelled texts in other languages."),
        )

    def _add_transfer_actions(self) -> None:
        add, tr = partial(add_action, self._view), self._view.tr
        self.run_suggested_test = add(
            tr("Run suggested test"),
            tr("Train on one language and test on every other one that has labels."),
        )
        self.test = add(
            tr("Test on languages…"),
            tr("Train on the labels of one language and test on others."),
            keys="Ctrl+T",
        )
        self.test_again = add(
            tr("Test again…"), tr("Set up a test with the settings of this one.")
        )
        self.export_board = add(
            tr("Export transfer board…"),
            tr("Export the board and its errors as tab-separated tables."),
        )
        self.export_test = add(
            tr("Export predictions of the test…"),
            tr("Export the label and the predicted class of every tested row."),
        )
        self.copy_test = add(
            tr("Copy as command"), tr("Copy the command that runs this test.")
        )

    def _add_prediction_actions(self) -> None:
        add, tr = partial(add_action, self._view), self._view.tr
        self.apply = add(
            tr("Classify corpora…"),
            tr("Classify every sentence of the selected corpora."),
            keys="Ctrl+Return",
        )
        self.classify_text = add(
            tr("Classify a sentence…"),
            tr("Type a sentence in any language and see its class at once."),
        )
        self.show_all = add(
            tr("Show all predictions"), tr("Show all predictions of this classifier.")
        )
        self.show_suggestions = add(
            tr("Suggest what to label next"),
            tr("Show varied sentences that the classifier is uncertain about."),
        )
        self.retrain = add(
            tr("Retrain with current labels"),
            tr("Train again, classify the same corpora and show what changed."),
        )
        self.predict_again = add(
            tr("Predict again"),
            tr("Classify the corpora with changed sentences again."),
        )
        self.show_changes = add(
            tr("Show changed predictions"),
            tr("Show where the previous classifier predicted another class."),
        )
        self.export_predictions = add(
            tr("Export predictions…"),
            tr("Export sentences with their classes and probabilities."),
            keys="Ctrl+E",
        )
