"""What some labels of a language would add: the curve, or the button that measures."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.languages import language_name
from app.views.classify_words import format_rate
from app.views.few_shots import (
    FEW_SHOT,
    FewShot,
    describe_few_shot,
    few_shot_curves,
    few_shot_params,
    find_few_shot,
)
from app.views.runs import RunState
from app.views.state import AppState
from app.views.theme import GRID
from app.views.transfers import Transfer
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.curve_figure import CurveFigure
from app.views.widgets.plot_file import PlotFile


class FewShotPane(QWidget):
    """The curve of one language of a test.

    Attributes:
        shown: the measurement; None: there is none yet.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._transfer: Transfer | None = None
        self._key = self._place = ""
        self.shown: FewShot | None = None
        self._words = make_label("", "secondary", wraps=True)
        self.figure = CurveFigure(
            self.tr("Accuracy over labels of the language"), place=self.tr("labels")
        )
        self._file = PlotFile(
            state, self.figure, self.tr("Few-shot curve"), self.figure.table
        )
        self._menu = self._file.make_menu(self.figure.plot.show_all)
        self.measure = make_button(
            self.tr("Measure"),
            self.tr("Train with some labels of this language too, several times."),
            self._on_measure,
        )
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self._words, 1)
        head.addWidget(self._menu, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.measure, 0, Qt.AlignmentFlag.AlignTop)
        self._rest = QWidget()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, GRID, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self.figure, 1)
        layout.addWidget(self._rest, 1)
        state.run_finished.connect(self._on_run_finished)
        state.runs_changed.connect(self._show_button)

    @property
    def words(self) -> str:
        """What is said of the language."""
        return self._words.text()

    def show_language(self, transfer: Transfer | None, key: str) -> None:
        """Show the curve of a language of a test."""
        project = self._state.project
        self._transfer, self._key, self._place = transfer, key, ""
        self.shown = None
        if transfer is not None and project is not None:
            places = dict(test.split("=", 1) for test in transfer.params.tests)
            self._place = places.get(key, "")
            if self._can_measure and self._place:
                params = few_shot_params(transfer.params, self._place)
                self.shown = find_few_shot(project.store, params)
        self._show()

    @property
    def _can_measure(self) -> bool:
        """Tell whether the rows are known, and of another language."""
        one, project = self._transfer, self._state.project
        if one is None or project is None or project.is_read_only:
            return False
        return bool(one.params.train) and self._place != one.params.train

    def _show(self) -> None:
        one, title = self.shown, language_name(self._key)
        self.figure.setVisible(one is not None)
        self._menu.setVisible(one is not None)
        self._rest.setVisible(one is None)
        self._show_button()
        if one is not None:
            self._words.setText(describe_few_shot(one.told, title))
            self._file.name = self.tr("few-shot {name}").format(name=title)
            self.figure.show_curves(
                few_shot_curves(one.told), self.tr("accuracy"), format_rate
            )
            self.figure.plot.show_all()
            return
        words = self.tr(
            "What would 10, 50, 100 labels of {language} add? The measurement trains "
            "on them beside the training language, several times, and tests on the "
            "other half of the rows."
        )
        if not self._can_measure:
            words = self.tr(
                "The curve is of a language that was tested, and not trained on, where "
                "the test trained on rows of its own."
            )
        self._words.setText(words.format(language=title))

    def _show_button(self) -> None:
        is_busy = any(run.task == FEW_SHOT for run in self._state.runs)
        words = self.tr("Measuring…") if is_busy else self.tr("Measure")
        self.measure.setText(words)
        self.measure.setAccessibleName(words)
        self.measure.setEnabled(self._can_measure and not is_busy)

    def _on_measure(self) -> None:
        if self._transfer is not None and self._can_measure:
            self._state.run(few_shot_params(self._transfer.params, self._place))

    def _on_run_finished(self, run: RunState, _result: dict[str, Any]) -> None:
        if run.task == FEW_SHOT:
            self.show_language(self._transfer, self._key)
