"""Classify view: label, train a classifier, test it in other languages, apply it."""

from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.params.classify import CheckLabels, EvaluateTransfer
from app.views.classify.classifier_page import ClassifierStep
from app.views.classify.controller import ClassifierController, make_classify_actions
from app.views.classify.labels import LabelsStep
from app.views.classify.predictions import PredictionStep
from app.views.classify.sources import labelled_sources
from app.views.classify.transfer.controller import TransferController
from app.views.classify.transfer.page import TransferStep
from app.views.client.state import AppState
from app.views.widgets.classifiers import Classifier
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.theme import GRID

# Kinds of rows that are shown.
WATCHED_KINDS = ("classifier", "prediction", "corpus", "subcorpus")


class ClassifyView(QWidget):
    """The classify page.

    Attributes:
        labels: the first step: labels of corpora.
        training: the second step: classifiers.
        board: the third step: tests on languages.
        use: what classifiers said of corpora.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Classify")
        self.state = state
        self.messages = MessageBar()
        self.jobs = TransferController(self)
        self.classifier_jobs = ClassifierController(self)
        self._todo = make_classify_actions(self)
        self.labels = LabelsStep(state, self._todo)
        self.training = ClassifierStep(state, self._todo)
        self.board = TransferStep(state, self._todo)
        self.use = PredictionStep(state, self._todo)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self._lay_out()
        self._connect()
        self.refresh()
        self.tabs.setCurrentWidget(self._steps[self.board])

    @property
    def current_classifier(self) -> Classifier | None:
        """The classifier that is shown in this step, else the newest."""
        shown = self.training.shown
        if self.tabs.currentWidget() is self._steps[self.use]:
            shown = self.use.shown or shown
        return shown or next(iter(self.training.found), None)

    @property
    def older_classifier(self) -> Classifier | None:
        """The newest older one that classified a corpus of the one in use."""
        one = self.use.shown
        if one is None:
            return None
        return next(
            (
                other
                for other in self.training.found
                if other.row.id < one.row.id and set(other.corpora) & set(one.corpora)
            ),
            None,
        )

    def refresh(self) -> None:
        """Show what there is now."""
        if self.state.project is not None:
            self.state.labels.need()
            self.labels.refresh()
            self.training.refresh()
            self.board.refresh()
            self.use.refresh(self.training.found)
            self._refresh_actions()

    def show_step(self, step: QWidget) -> None:
        """Show a step."""
        self.tabs.setCurrentWidget(self._steps[step])

    def show_board(self) -> None:
        """Show the third step as it is now."""
        self.show_step(self.board)
        self.board.refresh()

    def _refresh_actions(self) -> None:
        project = self.state.project
        can_write = project is not None and not project.is_read_only
        n = len(labelled_sources(project)) if project is not None else 0
        kinds = {type(run.params) for run in self.state.runs}
        tested, trained, used = self.board.shown, self.training.shown, self.use.shown
        corpus = self.labels.corpus
        is_labelled = corpus is not None and corpus.id in self.state.labels.counts
        enabled = {
            "check": can_write and is_labelled and CheckLabels not in kinds,
            "train": can_write and is_labelled,
            "new": can_write,
            "train_again": can_write and trained is not None,
            "rename": can_write and trained is not None,
            "delete": can_write and trained is not None,
            "copy_training": trained is not None,
            "test_this": can_write and trained is not None and n > 0,
            "suggested": can_write and n > 1 and EvaluateTransfer not in kinds,
            "test": can_write and n > 0,
            "again": can_write and tested is not None,
            "export_board": tested is not None,
            "copy": tested is not None,
            "apply": can_write and bool(self.training.found),
            "all_predictions": used is not None,
            "suggest": used is not None and not used.gives_scores,
            "retrain": can_write and used is not None and used.params is not None,
            "changes": self.older_classifier is not None,
            "export_predictions": can_write and used is not None,
        }
        for name, is_enabled in enabled.items():
            self._todo[name].setEnabled(is_enabled)

    def _lay_out(self) -> None:
        self._steps: dict[QWidget, QWidget] = {}
        for widget, title, hint in (
            (self.labels, self.tr("1  Labels"), self.tr("What is learnt from.")),
            (self.training, self.tr("2  Train"), self.tr("Classifiers.")),
            (
                self.board,
                self.tr("3  Transfer board"),
                self.tr("How well it goes in other languages."),
            ),
            (self.use, self.tr("Use"), self.tr("What classifiers say of corpora.")),
        ):
            page = QWidget()
            box = QVBoxLayout(page)
            box.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
            box.addWidget(widget)
            self._steps[widget] = page
            self.tabs.setTabToolTip(self.tabs.addTab(page, title), hint)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.messages)
        layout.addWidget(self.tabs, 1)

    def _connect(self) -> None:
        state = self.state
        for step in (self.labels, self.training, self.board, self.use):
            step.shown_changed.connect(self._refresh_actions)
        for place in (self.labels, self.board, self.use):
            place.place_wanted.connect(state.place_wanted)
        self.training.setup.train_wanted.connect(self.classifier_jobs.train)
        self.tabs.currentChanged.connect(self._refresh_actions)
        state.labels.changed.connect(self._on_runs_changed)
        state.runs_changed.connect(self._on_runs_changed)
        state.kinds_changed.connect(self._on_kinds_changed)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & set(WATCHED_KINDS):
            self.refresh()

    def _on_runs_changed(self) -> None:
        if self.board.shown is None:
            self.board.refresh()
        self._refresh_actions()

    # --- what the window asks of a view ---

    def actions(self) -> list[QAction]:
        """Return the view's actions."""
        return list(self._todo.values())

    def save_state(self) -> dict[str, Any]:
        """Return what is shown."""
        shown = self.board.shown
        return {
            "tab": self.tabs.currentIndex(),
            "labels": self.labels.save_state(),
            "training": self.training.save_state(),
            "board": self.board.save_state(),
            "use": self.use.save_state(),
            "summary": shown.name if shown is not None else "",
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show again what was shown."""
        self.labels.restore_state(state.get("labels", {}))
        self.training.restore_state(state.get("training", {}))
        self.board.restore_state(state.get("board", {}))
        self.use.restore_state(state.get("use", {}))
        if isinstance(state.get("tab"), int):
            self.tabs.setCurrentIndex(state["tab"])

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        shown = self.tabs.currentWidget()
        for step in (self.labels, self.training, self.board, self.use):
            if self._steps[step] is shown:
                step.focus_first()
