"""Actions of the classify view: its controllers connect and enable them."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.views.widgets.controls import add_action


class ClassifyActions:
    """The actions of the classify view, added to it.

    Attributes:
        check_labels, train_on_labels: of the corpus in the step of labels.
        new_classifier, import_classifier, apply: need nothing that is shown.
        train_again, rename, delete, copy_training, test_classifier, export: of the
            classifier in the step of training.
        run_suggested_test, test, test_again, export_board, copy_test: of transfer
            tests.
        show_all, show_suggestions, retrain, show_changes, export_predictions: of the
            classifier in the step of predictions.
    """

    def __init__(self, view: QWidget):
        self._view = view
        self._add_label_actions()
        self._add_training_actions()
        self._add_transfer_actions()
        self._add_prediction_actions()

    def _add_label_actions(self) -> None:
        tr = self._view.tr
        self.check_labels = self._add(
            tr("Check labels"),
            tr(
                "Find test-set leakage, doubtful labels and classes with too few "
                "sentences."
            ),
        )
        self.train_on_labels = self._add(
            tr("Train on these labels"),
            tr("Set up a classifier that is trained on the labels of this corpus."),
        )

    def _add_training_actions(self) -> None:
        tr = self._view.tr
        self.new_classifier = self._add(
            tr("New classifier…"), tr("Set up the training of a new classifier.")
        )
        self.train_again = self._add(
            tr("Train again…"),
            tr("Set up a training with the settings of this classifier."),
        )
        self.rename = self._add(
            tr("Rename classifier…"), tr("Change the name of this classifier."), "F2"
        )
        self.copy_training = self._add(
            tr("Copy training as command"),
            tr("Copy the command that trains this classifier in a terminal."),
        )
        self.export = self._add(
            tr("Export classifier…"),
            tr("Write the classifier to a file, for use in another project."),
        )
        self.import_classifier = self._add(
            tr("Import classifier…"),
            tr("Add a classifier that another project exported."),
        )
        self.delete = self._add(
            tr("Delete classifier"),
            tr("Delete this classifier. You can undo this."),
            QKeySequence.StandardKey.Delete,
        )
        # Only in the list: among sentences Del must not delete a classifier.
        self.delete.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.test_classifier = self._add(
            tr("Test classifier on languages…"),
            tr("Test this classifier on labelled texts in other languages."),
        )

    def _add_transfer_actions(self) -> None:
        tr = self._view.tr
        self.run_suggested_test = self._add(
            tr("Run suggested test"),
            tr("Train on one language and test on every other one that has labels."),
        )
        self.test = self._add(
            tr("Test on languages…"),
            tr("Train on the labels of one language and test on others."),
            "Ctrl+T",
        )
        self.test_again = self._add(
            tr("Test again…"), tr("Set up a test with the settings of this one.")
        )
        self.export_board = self._add(
            tr("Export transfer board…"),
            tr("Export the board and its errors as tab-separated tables."),
        )
        self.copy_test = self._add(
            tr("Copy as command"), tr("Copy the command that runs this test.")
        )

    def _add_prediction_actions(self) -> None:
        tr = self._view.tr
        self.apply = self._add(
            tr("Classify corpora…"),
            tr("Classify every sentence of the selected corpora."),
            "Ctrl+Return",
        )
        self.show_all = self._add(
            tr("Show all predictions"), tr("Show all predictions of this classifier.")
        )
        self.show_suggestions = self._add(
            tr("Suggest what to label next"),
            tr("Show varied sentences that the classifier is uncertain about."),
        )
        self.retrain = self._add(
            tr("Retrain with current labels"),
            tr("Train again, classify the same corpora and show what changed."),
        )
        self.show_changes = self._add(
            tr("Show changed predictions"),
            tr("Show where the previous classifier predicted another class."),
        )
        self.export_predictions = self._add(
            tr("Export predictions…"),
            tr("Export sentences with their classes and probabilities."),
            "Ctrl+E",
        )

    def _add(
        self, text: str, hint: str, keys: str | QKeySequence.StandardKey = ""
    ) -> QAction:
        return add_action(self._view, text, keys=keys, hint=hint)
