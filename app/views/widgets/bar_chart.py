"""Bar chart with intervals, reference marks and a legend."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.arrays import DoubleArray
from app.number_format import format_range
from app.results.charts import (
    Bar,
    BarChart,
    chart_table,
    format_figure,
    spread_marks,
)
from app.views.widgets.boxes import make_column
from app.views.widgets.class_colours import class_colours
from app.views.widgets.controls import describe
from app.views.widgets.curve_plot import paint_axes
from app.views.widgets.number_axis import number_axes
from app.views.widgets.plot_legend import LegendEntry, PlotLegend
from app.views.widgets.theme import GRID, ThemeColours, colours_of, scaled

GROUP_PX, AXIS_PX = 16, 56  # the room between groups, the axis
BAR_PX = (22, 16, 12)  # a bar: of one series, of two, of more
SIGNS = (  # of what bars are compared with: pyqtgraph's name, and in the legend
    *(("t1", "△"), ("d", "◇"), ("s", "□"), ("x", "×"), ("o", "○")),
    *(("t", "▽"), ("+", "+"), ("star", "☆"), ("p", "⬠"), ("t3", "◁"), ("t2", "▷")),
)
MARK_PX = 9
NAME_PX = (42, 196)  # of groups' names, least and greatest
NAME_MARGIN = 14  # pixels
SHADE = 0.75  # of a bar: its interval stands out on it
BAND = 0.76  # of a group's height that its bars take
MARKS_NEAR = 0.03  # of the range of values: signs that would hide each other
MARK_GAP = 2  # pixels between two of these
CAP = 0.4  # of a bar's height: the ends of an interval
ZOOM = 0.8  # of the range, one step nearer


class BarPlot(pyqtgraph.PlotWidget):  # type: ignore[misc] # untyped
    """Horizontal bars, a group for each label, the first one at the top.

    Attributes:
        chart: the chart to draw.
        pointed: index of the group under the cursor; None: no group.
    """

    pointed_changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent, enableMenu=False, axisItems=number_axes())
        self.chart: BarChart | None = None
        self.pointed: int | None = None
        self._items: list[Any] = []
        self._lanes: list[list[float]] = []  # of the marks of each group
        self._group_px = GROUP_PX
        self.hideButtons()
        self.setMouseEnabled(x=True, y=False)
        self.invertY(True)
        self.getAxis("bottom").setZValue(-1)  # the grid lies behind the bars
        self.getAxis("bottom").setStyle(maxTickLevel=0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it is the plot's own
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self._show_theme()

    def show_chart(self, chart: BarChart) -> None:
        """Draw a chart and no other."""
        self.chart, self.pointed = chart, None
        self._show_names(chart.labels)
        self.setLabel("bottom", chart.unit)
        n = max(1, len(chart.series))
        bars = BAR_PX[min(n, len(BAR_PX)) - 1] * n
        least, greatest = self._range
        self._lanes = spread_marks(chart, MARKS_NEAR * (greatest - least))
        n_lanes = 1 + 2 * max(
            (abs(one) for row in self._lanes for one in row), default=0
        )
        marks = math.ceil(n_lanes * (MARK_PX + MARK_GAP)) if chart.marks else 0
        self._group_px = GROUP_PX + max(bars, marks)
        n_groups = len(chart.labels)
        self.setFixedHeight(scaled(self._group_px * n_groups + AXIS_PX, self))
        self.setYRange(-0.6, n_groups - 0.4, padding=0)
        self._draw()
        self.show_all()
        self._describe()
        self.pointed_changed.emit()

    def show_all(self) -> None:
        """Show every bar from zero on."""
        if self.chart is not None:
            self.setXRange(*self._range, padding=0.02)

    @property
    def _range(self) -> tuple[float, float]:
        """The least and the greatest value of the chart, including zero."""
        numbers = [0.0, 1e-6]
        for row in chart_table(self.chart)[1] if self.chart is not None else ():
            numbers += [float(v) for v in row if isinstance(v, int | float)]
        return min(numbers), max(numbers)

    def point_at(self, index: int | None) -> None:
        """Point at a group."""
        n = len(self.chart.labels) if self.chart is not None else 0
        index = index if index is not None and 0 <= index < n else None
        if index != self.pointed:
            self.pointed = index
            self._describe()
            self.pointed_changed.emit()

    def cursor_text(self) -> str:
        """Return the figures of the group under the cursor, or ""."""
        chart, index = self.chart, self.pointed
        if chart is None or index is None:
            return ""
        parts = [
            f"{name} {_describe_value(bars[index], chart.unit)}"
            for name, bars in chart.series.items()
            if bars[index].value is not None
        ]
        for name, values in chart.marks.items():
            if (mark := values[index]) is not None:
                parts.append(f"{name} {format_figure(mark, chart.unit)}")
        return f"{chart.labels[index]}: {' · '.join(parts)}"

    # --- drawing ---

    def _show_names(self, labels: Sequence[str]) -> None:
        """Name the groups; the axis leaves out names that it has no room for."""
        metrics, most = QFontMetricsF(self.font()), scaled(NAME_PX[1], self)
        cut = Qt.TextElideMode.ElideRight
        names = [metrics.elidedText(label, cut, most) for label in labels]
        widths = (metrics.horizontalAdvance(name) for name in names)
        axis = self.getAxis("left")
        axis.setTicks([list(enumerate(names))])
        axis.setWidth(max([scaled(NAME_PX[0], self), *widths]) + NAME_MARGIN)

    def _draw(self) -> None:
        for item in self._items:
            self.removeItem(item)
        self._items = []
        if self.chart is None:
            return
        palette = series_colours(colours_of(self))
        n = len(self.chart.series)
        height = BAND / max(1, n)
        for number, bars in enumerate(self.chart.series.values()):
            positions = np.arange(len(bars)) + (number - (n - 1) / 2) * height
            rows = [(bar.value, bar.low, bar.high) for bar in bars]
            figures: DoubleArray = np.array(rows, np.float64)
            colour = palette[number % len(palette)]
            self._add_bars(positions.astype(np.float64), figures, height, colour)
        step = (MARK_PX + MARK_GAP) / self._group_px
        step = height if self.chart.has_marks_on_bars else step
        for number, marks in enumerate(self.chart.marks.values()):
            spread = [
                (value, place + step * lanes[number])
                for (place, value), lanes in zip(
                    enumerate(marks), self._lanes, strict=True
                )
                if value is not None
            ]
            self._add_marks(spread, SIGNS[number % len(SIGNS)][0])

    def _add_bars(
        self, positions: DoubleArray, figures: DoubleArray, height: float, colour: str
    ) -> None:
        """Draw bars at y (n,) of figures (n, 3): value, low, high; NaN: none."""
        shade = QColor(colour)
        shade.setAlphaF(SHADE)
        shown = ~np.isnan(figures[:, 0])
        bars = pyqtgraph.BarGraphItem(
            x0=np.zeros(int(shown.sum())),
            y=positions[shown],
            width=figures[shown, 0],
            height=0.86 * height,
            brush=shade,
            pen=pyqtgraph.mkPen(None),
        )
        self._add(bars)
        is_whole = np.logical_not(np.isnan(figures).any(axis=1))  # (n, 3) -> (n,)
        value, low, high = figures[is_whole].T
        pen = pyqtgraph.mkPen(colours_of(self).text, width=1.4)
        ends = {"left": value - low, "right": high - value, "pen": pen}
        ends["beam"] = CAP * height
        self._add(pyqtgraph.ErrorBarItem(x=value, y=positions[is_whole], **ends))

    def _add_marks(self, found: list[tuple[float, float]], symbol: str) -> None:
        colours = colours_of(self)
        marks = pyqtgraph.ScatterPlotItem(
            pos=np.array(found, np.float64).reshape(-1, 2),
            symbol=symbol,
            size=MARK_PX,
            pen=pyqtgraph.mkPen(colours.text, width=1.3),
            brush=pyqtgraph.mkBrush(colours.surface),
            useCache=False,  # of small images, which a large picture would enlarge
        )
        self._add(marks)

    def _add(self, item: Any) -> None:
        self.addItem(item)
        self._items.append(item)

    def _show_theme(self) -> None:
        colours = colours_of(self)
        paint_axes(self, colours, has_names=True)
        self.showGrid(x=True, y=False, alpha=0.12)
        self._draw()

    def _describe(self) -> None:
        title = self.chart.title if self.chart is not None else self.tr("Chart")
        hint = self.tr(
            "Drag to move, scroll with Ctrl to zoom. Up and Down show the values of a "
            "group; + and − zoom, 0 shows everything."
        )
        text = self.cursor_text()
        describe(self, f"{title}: {text}" if text else title, hint)

    # --- Qt ---

    def sizeHint(self) -> QSize:
        """Ask for the height that the bars have."""
        return QSize(60 * GRID, self.minimumHeight())

    def _on_mouse_moved(self, at: QPointF) -> None:
        self.point_at(round(self.getViewBox().mapSceneToView(at).y()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl; without, the page scrolls."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show the values of the next group, or zoom."""
        here = -1 if self.pointed is None else self.pointed
        n = len(self.chart.labels) if self.chart is not None else 0
        match event.key():
            case Qt.Key.Key_Up:
                self.point_at(max(here - 1, 0))
            case Qt.Key.Key_Down:
                self.point_at(min(here + 1, n - 1))
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.getViewBox().scaleBy((ZOOM, 1.0))
            case Qt.Key.Key_Minus:
                self.getViewBox().scaleBy((1 / ZOOM, 1.0))
            case Qt.Key.Key_0:
                self.show_all()
            case _:
                super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the group under the cursor."""
        super().leaveEvent(event)
        self.point_at(None)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show no tooltip: it would cover the bar under the cursor."""
        if event.type() == QEvent.Type.ToolTip:
            return True
        return bool(super().viewportEvent(event))

    def changeEvent(self, event: QEvent) -> None:
        """Draw again in the colours of a new theme, and in a new size of text."""
        super().changeEvent(event)
        if not hasattr(self, "_items"):
            return
        if event.type() == QEvent.Type.PaletteChange:
            self._show_theme()
        elif event.type() == QEvent.Type.FontChange and self.chart is not None:
            self.show_chart(self.chart)


def series_colours(colours: ThemeColours) -> tuple[str, ...]:
    """Return the colours of series as #RRGGBB."""
    return class_colours(colours)


def _describe_value(bar: Bar, unit: str) -> str:
    assert bar.value is not None, "bars that are not there are left out"
    if bar.low is None or bar.high is None:
        return format_figure(bar.value, unit)
    value, low, high = (format_figure(v, unit) for v in (bar.value, bar.low, bar.high))
    return f"{value} ({format_range(low, high)})"


class BarChartFigure(QWidget):
    """A chart of bars with its legend.

    Attributes:
        plot: the plot.
    """

    told_changed = Signal()

    def __init__(self, chart: BarChart, parent: QWidget | None = None):
        super().__init__(parent)
        self._chart = chart
        self.plot = BarPlot()
        self.plot.pointed_changed.connect(self.told_changed)
        self._legend = PlotLegend(self._list_entries)
        make_column(self._legend, self.plot, parent=self, gap=4)
        self.plot.show_chart(chart)
        self._legend.show_entries()

    @property
    def legend(self) -> str:
        """The text of the legend, without colours."""
        return self._legend.words

    def cursor_text(self) -> str:
        """Return the figures that are pointed at; empty: nothing is."""
        return self.plot.cursor_text()

    def show_all(self) -> None:
        """Zoom out."""
        self.plot.show_all()

    def table(self) -> Iterator[Sequence[str]]:
        """Return the values, the header first."""
        head, rows = chart_table(self._chart)
        yield head
        yield from (["" if v is None else str(v) for v in row] for row in rows)

    def _list_entries(self) -> list[LegendEntry]:
        palette, ink = series_colours(colours_of(self)), colours_of(self).text
        entries = [
            ("■", palette[index % len(palette)], name)
            for index, name in enumerate(self._chart.series)
        ]
        return entries + [
            (SIGNS[index % len(SIGNS)][1], ink, name)
            for index, name in enumerate(self._chart.marks)
        ]
