"""Few-shot curve: accuracy by the number of labels in the target language."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import msgspec
import numpy as np
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QWidget
from sqlalchemy import Engine

from app.languages import language_name
from app.number_format import format_range
from app.params import command_name
from app.params.classify import EvaluateFewShot, EvaluateTransfer, HeadSettings
from app.results.transfer import FEW_SHOT_SIZES, EvaluateFewShotResult
from app.views.classify.transfer.results import TransferRun
from app.views.client.runs import RunState, finished_runs
from app.views.client.state import AppState
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import make_button, make_label, offer_in_palette
from app.views.widgets.curve_chart import CurveChart
from app.views.widgets.curve_plot import Curve
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.statistics_format import format_percentage_points, format_rate
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "classify")

FEW_SHOT_TASK = command_name(EvaluateFewShot)
MAX_RUNS_READ = 100


class FewShotRun(NamedTuple):
    """A finished few-shot evaluation."""

    id: int
    params: EvaluateFewShot
    result: EvaluateFewShotResult


def few_shot_params(test: EvaluateTransfer, target: str) -> EvaluateFewShot:
    """Return the params to evaluate a language of a transfer test."""
    head = {f.name: getattr(test, f.name) for f in msgspec.structs.fields(HeadSettings)}
    return EvaluateFewShot(train=test.train, target=target, apart=test.apart, **head)


def find_few_shot(store: Engine, wanted: EvaluateFewShot) -> FewShotRun | None:
    """Return the newest evaluation of the same rows with the same head, or None."""
    names = ("train", "target", "head", "hidden", "encoder", "apart")
    decode = msgspec.json.Decoder(EvaluateFewShotResult).decode
    runs = finished_runs(store, EvaluateFewShot, decode, MAX_RUNS_READ)
    for row, params, result in runs:
        if all(getattr(params, name) == getattr(wanted, name) for name in names):
            return FewShotRun(row.id, params, result)
    return None


def few_shot_curves(result: EvaluateFewShotResult) -> list[Curve]:
    """Return the curves in percent by number of labels, starting at 0."""
    steps = np.array([0, *(point.n for point in result.points)], np.float64)

    rows = [[result.zero_shot, result.zero_shot, result.zero_shot, np.nan]]
    for point in result.points:
        alone = np.nan if point.alone is None else point.alone
        rows.append([point.accuracy, point.highest, point.lowest, alone])
    percent = 100 * np.array(rows)  # (p, 4)
    means, highest, lowest, means_alone = percent.T  # 4 of (p,)
    flat = np.full(len(steps), 100 * result.majority)
    return [
        Curve(_tr("mean"), steps, means, 0, is_bold=True),
        Curve(_tr("best draw"), steps, highest, 0, dash=2),
        Curve(_tr("worst draw"), steps, lowest, 0, dash=2),
        Curve(_tr("these labels alone"), steps, means_alone, 1),
        Curve(_tr("majority class"), steps, flat, 4, dash=1),
    ]


def describe_few_shot(result: EvaluateFewShotResult, title: str, n_rows: int) -> str:
    """Describe the measurement, the number of rows, and the conclusion."""
    words = _tr(
        "{language}: {zero} without its labels (n = {n} of {n_rows} rows). By number "
        "of labels, mean ± SD of {draws}: {points}. {conclusion}"
    )
    points: Sequence[str] = [
        f"{point.n:,} → {100 * point.accuracy:.1f} ± {format_rate(point.deviation)}"
        for point in result.points
    ]
    return words.format(
        language=title,
        zero=format_rate(result.zero_shot),
        n=format_count(result.n_test),
        n_rows=format_count(n_rows),
        draws=pluralize(result.repeats, _tr("1 draw"), _tr("{n} draws")),
        points=", ".join(points),
        conclusion=_conclude(result),
    )


def _conclude(result: EvaluateFewShotResult) -> str:
    """Describe whether the largest tested number of labels helps."""
    last = result.points[-1]
    gain = last.accuracy - result.zero_shot
    low, high = last.gain_interval or (gain - last.deviation, gain + last.deviation)
    words = _tr("{n} labels make no clear difference: {gain} points{interval}.")
    if low > 0:
        words = _tr("{n} labels raise the accuracy: {gain} points{interval}.")
    elif high < 0:
        words = _tr("{n} labels lower the accuracy: {gain} points{interval}.")
    interval = ""
    if last.gain_interval is not None:
        interval = _tr(" ({ends}, 95\u00a0% interval by paired bootstrap)").format(
            ends=format_range(*map(format_percentage_points, (low, high)))
        )
    return words.format(
        n=format_count(last.n), gain=format_percentage_points(gain), interval=interval
    )


def drawn_sizes(n_rows: int) -> list[int]:
    """Return the numbers of labels to test for a language with n rows."""
    return [n for n in FEW_SHOT_SIZES if n <= n_rows // 2]


class FewShotPane(QWidget):
    """The curve of a language of a test.

    Attributes:
        shown: the evaluation shown, or None.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._transfer: TransferRun | None = None
        self._key = self._place = ""
        self._n_rows = 0
        self.shown: FewShotRun | None = None
        self._text = make_label("", "secondary", wraps=True)
        self.figure = CurveChart(
            self.tr("Accuracy over labels of the language"), place=self.tr("labels")
        )
        self._file = PlotExporter(
            state, self.figure, self.tr("Few-shot curve"), self.figure.table
        )
        self._menu = self._file.make_menu(self.figure.plot.show_all)
        self.measure = make_button(
            self.tr("Evaluate"),
            self.tr("Train with some labels of this language too, several times."),
            self._on_measure,
        )
        words = self.tr("Evaluate with few labels of a language")
        offer_in_palette(self.measure, words)
        head = make_row(
            (self._text, 1),
            (self._menu, 0, Qt.AlignmentFlag.AlignTop),
            (self.measure, 0, Qt.AlignmentFlag.AlignTop),
        )
        self._rest = QWidget()
        make_column(
            head,
            (self.figure, 1),
            (self._rest, 1),
            parent=self,
            margins=(0, GRID, 0, 0),
        )
        state.run_finished.connect(self._on_run_finished)
        state.runs_changed.connect(self._show_button)

    @property
    def text(self) -> str:
        """The text above the curve."""
        return self._text.text()

    def show_language(
        self, transfer: TransferRun | None, key: str, n_rows: int
    ) -> None:
        """Show the curve of a language of a test with n rows."""
        project = self._state.project
        self._transfer, self._key, self._place = transfer, key, ""
        self._n_rows = n_rows
        self.shown = None
        if transfer is not None and project is not None:
            places = dict(test.split("=", 1) for test in transfer.params.tests)
            self._place = places.get(key, "")
            if transfer.params.train and self._place:
                params = few_shot_params(transfer.params, self._place)
                self.shown = find_few_shot(project.store, params)
        self._show()

    @property
    def _can_measure(self) -> bool:
        """Return whether the rows are known, sufficient, and in another language."""
        return not self._problem

    @property
    def _problem(self) -> str:
        """The reason why no curve can be measured; empty if it can."""
        one, project = self._transfer, self._state.project
        if one is None or project is None or not one.params.train:
            return self.tr("This curve needs a test that trained its own classifier.")
        if project.is_read_only:
            return self.tr("The project is open for reading only.")
        if one.params.head == "relatedness":
            return self.tr("This curve needs classes, and this test predicts scores.")
        if self._place == one.params.train:
            return self.tr(
                "The classifier was trained on {language}: select another language."
            )
        if not drawn_sizes(self._n_rows):
            return self.tr(
                "{language} has {n} labelled rows, too few for this curve: about half "
                "of them are tested, and at least {least} are drawn from the others."
            )
        return ""

    def _show(self) -> None:
        one, title = self.shown, language_name(self._key)
        self.figure.setVisible(one is not None)
        self._menu.setVisible(one is not None)
        self._rest.setVisible(one is None)
        self._show_button()
        if one is not None:
            self._text.setText(describe_few_shot(one.result, title, self._n_rows))
            self._text.setToolTip(
                self.tr(
                    "Labels are drawn from about half of the rows of each class, and "
                    "the others are tested. Duplicates and translations of each other "
                    "stay on one side, so the halves are not quite equal. The accuracy "
                    "differs from that on the board, which tests all rows."
                )
            )
            self._file.name = self.tr("few-shot {name}").format(name=title)
            self.figure.show_curves(
                few_shot_curves(one.result),
                self.tr("accuracy, %"),
                lambda value: format_rate(value / 100),
            )
            self.figure.plot.show_all()
            return
        words = self._problem or self.tr(
            "How much would {sizes} labels of {language} help? The evaluation adds "
            "them to the training language, several times, and tests on about half of "
            "the {n} rows, from which none are drawn."
        )
        sizes = [format_count(n) for n in drawn_sizes(self._n_rows)]
        text = words.format(
            language=title,
            n=format_count(self._n_rows),
            sizes=self.tr(" or ").join([", ".join(sizes[:-1]), *sizes[-1:]][-2:])
            if len(sizes) > 1
            else "".join(sizes),
            least=FEW_SHOT_SIZES[0],
        )
        self._text.setText(text)
        self._text.setToolTip("")

    def _show_button(self) -> None:
        is_busy = any(run.task == FEW_SHOT_TASK for run in self._state.runs)
        again = self.tr("Evaluate again")
        words = again if self.shown is not None else self.tr("Evaluate")
        if is_busy:
            words = self.tr("Evaluating…")
        self.measure.setText(words)
        self.measure.setAccessibleName(words)
        can_measure = self._can_measure and not is_busy
        if not can_measure and self.measure.hasFocus():
            self.setFocus()  # or else Qt moves the focus out of the page
        self.measure.setEnabled(can_measure)

    def _on_measure(self) -> None:
        if self._transfer is not None and self._can_measure:
            self._state.run(few_shot_params(self._transfer.params, self._place))

    def _on_run_finished(self, run: RunState, _result: object) -> None:
        if run.task == FEW_SHOT_TASK:
            self.show_language(self._transfer, self._key, self._n_rows)
