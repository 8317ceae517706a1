"""The steps of the classify view as tabs: labels, training, transfer, predictions."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.views.classify.actions import ClassifyActions
from app.views.classify.classifier_page import ClassifierStep
from app.views.classify.labels import LabelsStep
from app.views.classify.predictions import PredictionStep
from app.views.classify.transfer.page import TransferStep
from app.views.client.state import AppState
from app.views.widgets.classifiers import Classifier
from app.views.widgets.theme import GRID

Step = LabelsStep | ClassifierStep | TransferStep | PredictionStep


class ClassifySteps(QWidget):
    """Tabs of the steps.

    Attributes:
        labels: labels of corpora.
        training: classifiers and the form of a new one.
        transfer: tests on other languages.
        predictions: predictions of corpora.
    """

    shown_changed = Signal()  # another step, or something else in one

    def __init__(
        self, state: AppState, actions: ClassifyActions, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._tabs = QTabWidget(self)
        self._tabs.setDocumentMode(True)
        self._tabs.tabBar().setDrawBase(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._tabs)
        # Each is made in its tab: Qt styles a widget again when it gets another parent.
        box = self._add_tab(self.tr("1  Labels"), self.tr("Label sentences."))
        self.labels = LabelsStep(state, actions, box.parentWidget())
        box.addWidget(self.labels)
        box = self._add_tab(self.tr("2  Train"), self.tr("Train classifiers."))
        self.training = ClassifierStep(state, actions, box.parentWidget())
        box.addWidget(self.training)
        hint = self.tr("Test classifiers on other languages.")
        box = self._add_tab(self.tr("3  Transfer board"), hint)
        self.transfer = TransferStep(state, actions, box.parentWidget())
        box.addWidget(self.transfer)
        box = self._add_tab(self.tr("Use"), self.tr("Browse predictions."))
        self.predictions = PredictionStep(state, actions, box.parentWidget())
        box.addWidget(self.predictions)
        steps = (self.labels, self.training, self.transfer, self.predictions)
        self._steps: tuple[Step, ...] = steps  # by tab
        for step in self._steps:
            step.shown_changed.connect(self.shown_changed)
        self._tabs.currentChanged.connect(self.shown_changed)
        self.show_step(self.transfer)

    @property
    def current(self) -> Step:
        """The step that is shown."""
        return self._steps[self._tabs.currentIndex()]

    @property
    def current_classifier(self) -> Classifier | None:
        """The classifier that is shown in this step, else the newest."""
        shown = self.training.shown
        if self.current is self.predictions:
            shown = self.predictions.shown or shown
        return shown or next(iter(self.training.classifiers), None)

    @property
    def previous_classifier(self) -> Classifier | None:
        """The newest older classifier that was used on a corpus of the one in use."""
        one = self.predictions.shown
        if one is None:
            return None
        return next(
            (
                other
                for other in self.training.classifiers
                if other.row.id < one.row.id and set(other.corpora) & set(one.corpora)
            ),
            None,
        )

    def show_step(self, step: Step) -> None:
        """Show a step."""
        self._tabs.setCurrentIndex(self._steps.index(step))

    def refresh(self) -> None:
        """Show the project as it is now."""
        self.labels.refresh()
        self.training.refresh()
        self.transfer.refresh()
        self.predictions.refresh(self.training.classifiers)

    def save_state(self) -> dict[str, Any]:
        """Return what is shown."""
        test = self.transfer.shown
        return {
            "tab": self._tabs.currentIndex(),
            "labels": self.labels.save_state(),
            "training": self.training.save_state(),
            "board": self.transfer.save_state(),
            "use": self.predictions.save_state(),
            "summary": test.name if test is not None else "",
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show again what was shown."""
        self.labels.restore_state(state.get("labels", {}))
        self.training.restore_state(state.get("training", {}))
        self.transfer.restore_state(state.get("board", {}))
        self.predictions.restore_state(state.get("use", {}))
        if isinstance(state.get("tab"), int):
            self._tabs.setCurrentIndex(state["tab"])

    def _add_tab(self, title: str, hint: str) -> QVBoxLayout:
        page = QWidget(self._tabs)
        self._tabs.setTabToolTip(self._tabs.addTab(page, title), hint)
        box = QVBoxLayout(page)
        box.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        return box
