"""Plots of one or two trainings: curve groups with legend, scale and smoothing."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from app.results.training import pairs_of_mean
from app.views.client.state import AppState
from app.views.training.language_errors import LanguageError, LanguageErrors
from app.views.training.text import (
    DEV_ACCURACY,
    DEV_ERROR,
    DEV_OTHERS,
    Measure,
    corpus_pair,
    measure_title,
    measured_values,
    metric_title,
    name_direction,
)
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import describe, make_label
from app.views.widgets.curve_chart import CurveChart, Number
from app.views.widgets.curve_plot import Curve, CurvePoints, CurveSet
from app.views.widgets.export_dialog import ExportDialog
from app.views.widgets.number_format import format_error_rate
from app.views.widgets.page_layout import make_split
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "TrainingPlots")

SMOOTHING = (1, 5, 15, 51)  # points
# Minimum height of a plot with its legend; a lower page scrolls.
LEAST_HEIGHT, MAIN_HEIGHT = 24 * GRID, 32 * GRID
MAIN_GROUPS = ("loss", "dev", "accuracy")  # drawn larger


class PlotPanel(QWidget):
    """Shows one group of curves at a time.

    Attributes:
        plot: the plot widget.
        empty: label shown instead of the plot if there are no values.
        no_curves: reason why there are no curves.
    """

    group_changed = Signal()

    def __init__(self, state: AppState, title: str, parent: QWidget | None = None):
        super().__init__(parent)
        self._title = title
        self.no_curves = ""
        self._preferred: tuple[str, ...] = ()
        self._figure = CurveChart(title, parent=self)
        self.plot = self._figure.plot
        self._file = PlotExporter(state, self._figure, title, self._figure.table)
        self.empty = make_label("", "secondary", wraps=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.empty.hide()
        self._controls = QWidget()
        self._head = self._make_head()
        make_column(self._head, (self._figure, 1), (self.empty, 1), parent=self)
        self._keep_room()

    @property
    def group(self) -> str:
        """The group of curves drawn; empty before the first."""
        return str(self._groups.currentData() or "")

    @property
    def legend(self) -> str:
        """The text of the legend."""
        return self._figure.legend

    def set_groups(self, groups: Sequence[tuple[str, str]]) -> None:
        """Show groups of curves, as pairs of key and title.

        Draws the first preferred group among them, or else the first group.
        """
        box = self._groups
        offered = [(box.itemData(i), box.itemText(i)) for i in range(box.count())]
        if list(groups) == offered:
            return
        self._groups.blockSignals(True)
        self._groups.clear()
        for key, title in groups:
            self._groups.addItem(title, key)
        self._groups.setCurrentIndex(max(self._preferred_index(), 0))
        self._groups.blockSignals(False)
        self.plot.show_all()

    def prefer(self, *groups: str) -> None:
        """Set the preferred groups, of which the first with data is drawn."""
        self._preferred = groups
        index = self._preferred_index()
        if index >= 0:
            self._groups.setCurrentIndex(index)

    def show_curves(
        self, curves: Sequence[Curve], axis: str, number: Number | None = None
    ) -> None:
        """Draw curves.

        Args:
            axis: title of the value axis, with the unit.
            number: formats a value for the legend.
        """
        is_empty = not any(np.isfinite(curve.values).any() for curve in curves)
        self._keep_room()
        self._figure.setHidden(is_empty)
        self._controls.setHidden(is_empty)
        self._groups.setHidden(is_empty and self._groups.count() < 2)
        self.empty.setVisible(is_empty)
        words = self.tr("These values are not numbers: the training has diverged.")
        self.empty.setText(words if curves else self.no_curves)
        self._figure.show_curves(curves, axis, number)

    def ask_export(self) -> ExportDialog:
        """Ask how and where to export the plot."""
        return self._file.ask_export()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the room that another size of text asks for."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._keep_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the height of the plot if its controls need several lines."""
        super().resizeEvent(event)
        self._keep_room()

    def _keep_room(self) -> None:
        head = self._head.heightForWidth(self.width()) - self._head.sizeHint().height()
        least = MAIN_HEIGHT if self.group in MAIN_GROUPS else LEAST_HEIGHT
        self.setMinimumHeight(scaled(least) + head)

    # --- construction ---

    def _make_head(self) -> WrappingRow:
        self._groups = QComboBox()
        self._groups.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        describe(self._groups, self._title, self.tr("Choose which curves to show."))
        self._groups.currentIndexChanged.connect(self._on_chosen)
        head = WrappingRow()
        head.addWidget(self._groups)
        head.add_stretch()
        self._log = QCheckBox(self.tr("Log scale"))
        describe(self._log, self.tr("Log scale"), self.tr("Use a logarithmic scale."))
        self._log.toggled.connect(self.plot.set_log)
        self._smoothing = QComboBox()
        for window in SMOOTHING:
            words = (
                self.tr("Mean of {n} points") if window > 1 else self.tr("No smoothing")
            )
            self._smoothing.addItem(words.format(n=window), window)
        describe(
            self._smoothing,
            self.tr("Smoothing"),
            self.tr("Average neighbouring points."),
        )
        self._smoothing.currentIndexChanged.connect(
            lambda: self.plot.set_smoothing(self._smoothing.currentData())
        )
        menu = self._file.make_menu(self.plot.show_all)
        controls = WrappingRow()
        for widget in (self._log, self._smoothing, menu):
            controls.addWidget(widget)
        self._controls.setLayout(controls)
        head.addWidget(self._controls)
        return head

    def _preferred_index(self) -> int:
        """Return the index of the first preferred group, or -1."""
        indices = (self._groups.findData(group) for group in self._preferred)
        return next((index for index in indices if index >= 0), -1)

    def _on_chosen(self) -> None:
        self._preferred = tuple(dict.fromkeys((self.group, *self._preferred)))
        self._file.name = f"{self._title} {self.group}"
        self.plot.show_all()
        self.group_changed.emit()


SHARES = (
    "dev",
    "others",
    "accuracy",
    "error",
)  # groups of rates, shown in percent
_SHARE = re.compile(r"(dev\.)?(error|others|accuracy)(\.|$)")
_DIRECTION_LOSS = re.compile(r"loss\.([a-z]{2,3}-[a-z]{2,3})")  # of a translation model
N_WORST = 3  # languages drawn without a selection
BRIEF_WIDTH = 80 * GRID  # narrower pages show only errors next to the plots
TABLE_WIDTH, COLUMN_WIDTH = 36 * GRID, 9 * GRID  # with two columns; per further column


class CurveSource(NamedTuple):
    """A training as a source of curves.

    Attributes:
        name: name of the encoder.
        curves: curves by name.
        kept_step: step whose weights were saved; None if not finished.
        held_out: number of development pairs by language; empty if unknown.
        measure: the measure on the development pairs.
    """

    name: str
    curves: CurveSet
    kept_step: int | None = None
    held_out: Mapping[str, int] = {}
    measure: Measure = "error"

    def kept(self, name: str) -> float | None:
        """Return the value at the saved weights, or else the last value."""
        points = self.curves.points(name)
        found = points.values[points.steps == self.kept_step]
        return float(found[-1]) if len(found) else self.curves.last(name)

    def n_pairs(self, name: str) -> int:
        """Return the number of pairs behind an error; 0 if unknown."""
        if name == DEV_ERROR:
            return pairs_of_mean(tuple(self.held_out.values()))
        return self.held_out.get(name.removeprefix(f"{DEV_ERROR}."), 0)


class TrainingPlots(QWidget):
    """Two plots, one above the other, and a table of languages."""

    def __init__(
        self, state: AppState, columns: Sequence[str], parent: QWidget | None = None
    ):
        """Initialise empty plots; `columns` are titles of the table's number columns.

        The plots are higher than a low window, so the page that contains them scrolls.
        """
        super().__init__(parent)
        self._state = state
        self._sources: list[CurveSource] = []
        self._split = whole = make_split(parent=self)
        self._is_narrow = False
        plots = self._plots = make_split(is_vertical=True)
        plots.setMinimumWidth(1)  # the table gets its columns first
        self._shares: list[int] = []  # share of the height of each plot
        whole.addWidget(plots)
        self.top_plot = PlotPanel(state, self.tr("Loss"), plots)
        self.bottom_plot = PlotPanel(state, self.tr("Retrieval error"), plots)
        self.top_plot.prefer("loss")
        others = [group for group in _group_titles() if group != "loss"]
        self.bottom_plot.prefer("dev", "accuracy", *others)
        self._keeps_order = False  # of the languages: other trainings are shown
        self.languages = LanguageErrors(columns)
        self.no_languages = make_label("", "secondary", wraps=True)
        whole.addWidget(self.languages)
        whole.setStretchFactor(0, 1)
        width = TABLE_WIDTH + (len(columns) - 2) * COLUMN_WIDTH
        whole.setSizes([110 * GRID - width, width])
        make_column((whole, 1), self.no_languages, parent=self, margins=(0, GRID, 0, 0))
        self.top_plot.group_changed.connect(self.refresh)
        self.bottom_plot.group_changed.connect(self.refresh)
        self.languages.selection_changed.connect(self.refresh)

    def explain_no_curves(self, text: str) -> None:
        """Set the reason to show if there are no curves."""
        self.top_plot.no_curves = self.bottom_plot.no_curves = text

    def show_sources(self, sources: Sequence[CurveSource]) -> None:
        """Draw the curves of trainings."""
        old = [source.name for source in self._sources]
        self._keeps_order = old == [source.name for source in sources]
        self._sources = list(sources)
        for panel in (self.top_plot, self.bottom_plot):
            panel.plot.move_cursor(None)
            panel.plot.show_all()
        self.refresh()
        self._keeps_order = True

    @property
    def _measure(self) -> Measure:
        """The measure on the development pairs, from the first training."""
        return self._sources[0].measure if self._sources else "error"

    def refresh(self) -> None:
        """Redraw the curves and the table."""
        self._show_languages()
        names = list(dict.fromkeys(n for s in self._sources for n in s.curves.names))
        groups = _groups(names)
        named = _group_titles() | {"dev": measure_title(self._measure)}
        titles = [(key, title) for key, title in named.items() if key in groups]
        if not titles:
            titles = [("loss", _group_titles()["loss"])]
        self.no_languages.setVisible(bool(groups) and not self._language_names())
        self.bottom_plot.setVisible(len(titles) > 1)
        for panel in (self.top_plot, self.bottom_plot):
            panel.set_groups(titles)
            self._draw(panel, groups.get(panel.group, []))
        self._share_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Update the minimum height of the plots."""
        super().resizeEvent(event)
        self._share_room()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the room that another size of text asks for."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._share_room()

    def _share_room(self) -> None:
        is_narrow = self.width() < scaled(BRIEF_WIDTH)
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self.languages.set_brief(is_brief=is_narrow)
            self._split.setSizes([self.width(), 0])  # give the table only its minimum

    def _share_height(self) -> None:
        """Show loss and errors larger than rates, until the user moves the splitter."""
        panels = [self.top_plot, self.bottom_plot]
        shares = [
            (MAIN_HEIGHT if panel.group in MAIN_GROUPS else LEAST_HEIGHT)
            * (not panel.isHidden())
            for panel in panels
        ]
        if shares != self._shares:
            self._shares = shares
            self._plots.setSizes([100 * share for share in shares])
        for split in (self._plots, self._split):  # Qt doesn't if they are visible
            split.updateGeometry()

    def _draw(self, panel: PlotPanel, names: Sequence[str]) -> None:
        indices = {name: place for place, name in enumerate(names)}
        if panel.group == "dev":
            names = [DEV_ERROR, *self._drawn_languages()]
            indices = self._colour_places(names)
        curves = []
        for index, source in enumerate(self._sources):
            if panel.group == "dev" and source.measure != self._measure:
                continue  # errors and cross-entropy cannot share an axis
            for name, number in indices.items():
                points = source.curves.points(name)
                if len(points.steps):
                    curves.append(self._curve(source, index, number, name, points))
        is_other_measure = panel.group == "dev" and self._measure != "error"
        is_share = panel.group in SHARES and not is_other_measure
        panel.plot.set_bounds((0.0, 100.0) if is_share else None)
        panel.show_curves(
            curves,
            self._axis_title(panel.group),
            (lambda value: format_error_rate(value / 100)) if is_share else None,
        )

    def _curve(
        self,
        source: CurveSource,
        index: int,
        number: int,
        name: str,
        points: CurvePoints,
    ) -> Curve:
        """Return a plot curve: colour by curve, dashes by training."""
        title = self._title(name)
        if len(self._sources) > 1:
            title = f"{source.name}: {title}"
        values = points.values
        if name == DEV_ERROR:
            values = measured_values(source.measure, values)
        elif _SHARE.match(name):
            values = values * 100
        return Curve(
            title,
            points.steps,
            values,
            colour=number if len(self._sources) == 1 else 2 * number + index,
            dash=index,
            is_bold=name in (DEV_ERROR, DEV_ACCURACY),
        )

    def _axis_title(self, group: str) -> str:
        if group != "dev":
            return _axis_title(group)
        return {
            "error": _tr("retrieval error, %"),
            "cross-entropy": _tr("cross-entropy per piece"),
            "bleu": "BLEU",
        }[self._measure]

    # --- languages ---

    def _title(self, name: str) -> str:
        """Return the title of a curve; for a corpus pair, the corpora that differ."""
        if direction := _DIRECTION_LOSS.fullmatch(name):
            return name_direction(direction[1], "→")
        pair = _corpora_of(name)
        if pair is None:
            return metric_title(name)
        pairs = list(filter(None, map(_corpora_of, self._language_names())))
        shared = set(pair).intersection(*pairs) if len(pairs) > 1 else set()
        corpora = self._state.corpora
        known = {str(corpus.id): corpus.name for corpus in corpora}
        names = [known.get(id_, id_) for id_ in pair if id_ not in shared]
        return " – ".join(names)

    def _language_names(self) -> list[str]:
        names = (n for source in self._sources for n in source.curves.names)
        return [n for n in dict.fromkeys(names) if n.startswith(f"{DEV_ERROR}.")]

    def _drawn_languages(self) -> list[str]:
        selected = [key for key in self.languages.selected if key != DEV_ERROR]
        if selected or len(self._sources) != 1:
            return selected
        curves = self._sources[0].curves
        names = self._language_names()
        return sorted(names, key=lambda n: -(curves.last(n) or 0.0))[:N_WORST]

    def _colour_places(self, names: Sequence[str]) -> dict[str, int]:
        """Return palette indices of curves; a language keeps its index."""
        known = [DEV_ERROR, *self._language_names()]
        if len(self._sources) > 1:  # dashes distinguish the trainings
            known = list(names)
        return {name: known.index(name) for name in names}

    def _show_languages(self) -> None:
        names = self._language_names()
        self.languages.setVisible(bool(names))
        if not self._sources:
            return
        errors = [self._language(name) for name in names]
        self.languages.show_errors(
            self._language(DEV_ERROR), errors, keeps_order=self._keeps_order
        )

    def _language(self, name: str) -> LanguageError:
        title = self.tr("Mean") if name == DEV_ERROR else self._title(name)
        knows_pairs = any(source.held_out for source in self._sources)
        n_pairs = tuple(s.n_pairs(name) for s in self._sources if knows_pairs)
        if len(self._sources) > 1:
            values = tuple(source.kept(name) for source in self._sources)
            return LanguageError(name, title, values, n_pairs=n_pairs)
        curves = self._sources[0].curves
        best = curves.best(name)
        lowest = best[1] if best else None
        return LanguageError(name, title, (curves.last(name),), lowest, n_pairs)


def _corpora_of(name: str) -> tuple[str, str] | None:
    """Return the corpus ids in dev.error.ar-en.1-4; None for a language."""
    return corpus_pair(name.removeprefix(f"{DEV_ERROR}."))


def _groups(names: Sequence[str]) -> dict[str, list[str]]:
    """Group the names of curves by plot."""
    parts = [name for name in names if name.startswith("loss.")]
    if all(map(_DIRECTION_LOSS.fullmatch, parts)):
        parts.sort()  # so that equal sets of directions have the same order
    groups = {
        "loss": parts if len(parts) > 1 else [n for n in names if n == "loss"] or parts,
        "dev": [name for name in names if name == DEV_ERROR],
        "others": [name for name in names if name == DEV_OTHERS],
        "accuracy": [
            name for name in names if re.fullmatch(r"(dev\.)?accuracy(\..*)?", name)
        ],
        "error": [name for name in names if re.fullmatch(r"error(\..*)?", name)],
        "lr": [name for name in names if name == "lr"],
        "sentences": [name for name in names if name == "sentences_per_s"],
        "tokens": [name for name in names if name == "tokens_per_s"],
    }
    return {key: found for key, found in groups.items() if found}


def _group_titles() -> dict[str, str]:
    return {
        "loss": _tr("Loss"),
        "dev": _tr("Retrieval error"),
        "others": _tr("Error of other languages"),
        "accuracy": _tr("NLI accuracy"),
        "error": _tr("Batch error"),
        "lr": _tr("Learning rate"),
        "sentences": _tr("Sentences/s"),
        "tokens": _tr("Tokens/s"),
    }


def _axis_title(group: str) -> str:
    return {
        "others": _tr("retrieval error, %"),
        "accuracy": _tr("NLI accuracy, %"),
        "error": _tr("batch error, %"),
        "lr": _tr("learning rate"),
        "sentences": _tr("sentences per second"),
        "tokens": _tr("tokens per second"),
    }.get(group, _tr("loss"))
