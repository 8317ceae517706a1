"""A plot with its head: what is drawn, legend with values, scale, smoothing, export."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.controls import describe
from app.views.widgets.curve_figure import CurveFigure, Number
from app.views.widgets.plot_file import PlotFile
from app.views.widgets.plots import Curve

SMOOTHING = (1, 5, 15, 51)  # points


class PlotPanel(QWidget):
    """Shows one group of curves at a time.

    Attributes:
        plot: the plot.
    """

    group_changed = Signal()

    def __init__(self, state: AppState, title: str, parent: QWidget | None = None):
        super().__init__(parent)
        self._title = title
        self._wanted = ""
        self._figure = CurveFigure(title)
        self.plot = self._figure.plot
        self._file = PlotFile(state, self._figure, title, self._figure.table)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(self._make_head())
        layout.addWidget(self._figure, 1)

    @property
    def group(self) -> str:
        """The group of curves that is drawn; empty before there is one."""
        return str(self._groups.currentData() or "")

    @property
    def legend(self) -> str:
        """What the legend says, without colours."""
        return self._figure.legend

    def set_groups(self, groups: Sequence[tuple[str, str]]) -> None:
        """Offer groups of curves: pairs of key and title.

        The wanted one is drawn when it is among them, else the first.
        """
        keys = [self._groups.itemData(i) for i in range(self._groups.count())]
        if [key for key, _ in groups] == keys:
            return
        self._groups.blockSignals(True)
        self._groups.clear()
        for key, title in groups:
            self._groups.addItem(title, key)
        self._groups.setCurrentIndex(max(self._groups.findData(self._wanted), 0))
        self._groups.blockSignals(False)
        self.plot.show_all()

    def choose(self, group: str) -> None:
        """Want a group of curves: it is drawn as soon as there is one."""
        self._wanted = group
        place = self._groups.findData(group)
        if place >= 0:
            self._groups.setCurrentIndex(place)

    def show_curves(
        self, curves: Sequence[Curve], axis: str, number: Number | None = None
    ) -> None:
        """Draw curves.

        Args:
            curves: what to draw.
            axis: title of the axis of values, with the unit.
            number: writes a value for the legend.
        """
        self._figure.show_curves(curves, axis, number)

    def save(self, file: Path) -> None:
        """Write the plot as a picture or a table, as the file's ending says."""
        self._file.save(file)

    # --- making ---

    def _make_head(self) -> QHBoxLayout:
        self._groups = QComboBox()
        self._groups.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        describe(self._groups, self._title, self.tr("Choose what is drawn."))
        self._groups.currentIndexChanged.connect(self._on_chosen)
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self._groups)
        head.addStretch()
        self._log = QCheckBox(self.tr("Log scale"))
        describe(
            self._log,
            self.tr("Log scale"),
            self.tr("Draw the values on a logarithmic scale."),
        )
        self._log.toggled.connect(self.plot.set_log)
        self._smoothing = QComboBox()
        for window in SMOOTHING:
            words = self.tr("Mean of {n}") if window > 1 else self.tr("Not smoothed")
            self._smoothing.addItem(words.format(n=window), window)
        describe(
            self._smoothing,
            self.tr("Smoothing"),
            self.tr("Draw means over so many neighbouring points."),
        )
        self._smoothing.currentIndexChanged.connect(
            lambda: self.plot.set_smoothing(self._smoothing.currentData())
        )
        menu = self._file.make_menu(self.plot.show_all)
        for widget in (self._log, self._smoothing, menu):
            head.addWidget(widget)
        return head

    def _on_chosen(self) -> None:
        self._wanted = self.group
        self._file.name = f"{self._title} {self.group}"
        self.plot.show_all()
        self.group_changed.emit()
