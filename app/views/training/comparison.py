"""Comparison of two trainings: their curves, and the settings that differ."""

from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.params.training.fields import PAIR_FIELDS
from app.views.client.state import AppState
from app.views.training.plots import CurveSource, TrainingPlots
from app.views.training.record import difference_groups
from app.views.training.runs import TrainingCurves, TrainingRun
from app.views.training.text import differing_fields
from app.views.widgets.boxes import make_column, make_tabs
from app.views.widgets.controls import ElidedLabel, make_label
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.record_tree import RecordTree
from app.views.widgets.reference_fields import name_objects

_tr = partial(QCoreApplication.translate, "TrainingComparison")


HELD_OUT_FIELDS = {  # determine which pairs are held out
    *(*PAIR_FIELDS, "languages", "kept_out", "kept_out_corpora"),
    *("n_development", "seed"),
}


class TrainingComparison(QWidget):
    """Compares two trainings."""

    def __init__(
        self, state: AppState, curves: TrainingCurves, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state, self._curves = state, curves
        self._pair: tuple[TrainingRun, TrainingRun] | None = None
        self._heading = ElidedLabel("heading")
        columns = [self.tr("First"), self.tr("Second"), self.tr("Points")]
        self.plots = TrainingPlots(state, columns)
        self.plots.explain_no_curves(self.tr("Neither training has curves."))
        self.plots.no_languages.setText(
            self.tr("Neither training measured the retrieval error per language.")
        )
        self.differences = RecordTree(
            self.tr("Differences"), [self.tr("Property"), "1", "2"]
        )
        self.tabs = make_tabs()
        self.tabs.addTab(self.plots, self.tr("Curves"))
        self.tabs.addTab(self.differences, self.tr("Differences"))
        head = QHBoxLayout()
        head.addWidget(self._heading, 1)
        self._summary = make_label("", "secondary", wraps=True)
        self._warning = make_label("", "warning", wraps=True)
        body = QWidget()
        make_column(self._summary, self._warning, (self.tabs, 1), parent=body)
        make_column(head, (make_scroll_area(body, self), 1), parent=self)
        curves.grown.connect(self._on_curves_grown)

    @property
    def summary(self) -> str:
        """The sentence that summarises the differences."""
        return self._summary.text()

    def show_pair(self, one: TrainingRun, other: TrainingRun) -> None:
        """Compare two trainings, the older one first."""
        first, second = sorted((one, other), key=lambda training: training.id)
        old = self._pair
        self._pair = first, second
        names = [first.name, second.name]
        if first.name == second.name:
            words = self.tr("{name} (run {id})")
            names = [words.format(name=t.name, id=t.id) for t in self._pair]
        heading = self.tr("{one} and {other}")
        self._heading.setText(heading.format(one=names[0], other=names[1]))
        known = {str(row.id): row.name for row in self._state.corpora}
        known |= name_objects(self._state)
        groups = difference_groups(first, second, known)
        self._summary.setText(_describe_difference(len(groups[0][1])))
        self._warning.setText(_describe_held_out(first, second))
        self._warning.setVisible(bool(self._warning.text()))
        self.differences.set_columns([self.tr("Property"), *names])
        self.differences.show_groups(groups)
        points = self.tr("Points")  # percentage points
        self.plots.languages.set_columns([*names, points])
        if old is None or [t.id for t in old] != [first.id, second.id]:
            self.plots.show_sources(
                [
                    CurveSource(
                        name,
                        self._curves.curves(t.id),
                        t.kept_step,
                        t.held_out,
                        t.measure,
                    )
                    for name, t in zip(names, self._pair, strict=True)
                ]
            )
        else:
            self.plots.refresh()

    def focus_first(self) -> None:
        """Focus the tabs."""
        self.tabs.tabBar().setFocus()

    def _on_curves_grown(self) -> None:
        if self.isVisible():
            self.plots.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Show the values received while the page was hidden."""
        super().showEvent(event)
        self.plots.refresh()


def _describe_held_out(first: TrainingRun, second: TrainingRun) -> str:
    """Warn if two trainings were measured on different pairs; empty if not."""
    numbers = [one.held_out for one in (first, second)]
    one, other = (training.params for training in (first, second))
    if not all(numbers) or one is None or other is None:
        return ""
    differing = {*differing_fields(one, other)} & HELD_OUT_FIELDS
    if numbers[0] == numbers[1] and not differing:
        return ""
    words = _tr(
        "The errors were measured on different development pairs ({n} and {other}), so "
        "their difference is not only due to the settings."
    )
    n, n_other = (format_count(sum(found.values())) for found in numbers)
    return words.format(n=n, other=n_other)


def _describe_difference(n: int) -> str:
    if n == 0:
        return _tr("The settings are the same.")
    return pluralize(n, _tr("1 setting differs."), _tr("{n} settings differ."))
