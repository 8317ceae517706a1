"""Plot of curves: zoom, cursor, log scale, smoothing."""

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.arrays import DoubleArray
from app.views.widgets.class_colours import CLASSES_LIGHT, class_colours
from app.views.widgets.controls import describe
from app.views.widgets.number_axis import number_axes
from app.views.widgets.theme import ThemeColours, colours_of


class CurvePoints(NamedTuple):
    """One curve: steps rise, and a value that was not finite is NaN; both (n,)."""

    steps: DoubleArray
    values: DoubleArray


class CurveSet:
    """Points of named curves; a repeated step replaces the old point."""

    def __init__(self) -> None:
        self._steps: dict[str, array[float]] = {}
        self._values: dict[str, array[float]] = {}

    @property
    def names(self) -> list[str]:
        """Names of the curves, in the order they were added."""
        return list(self._steps)

    def add(self, step: int, values: Mapping[str, float | None]) -> None:
        """Add one point to each named curve."""
        for name, value in values.items():
            number = float("nan") if value is None else value
            steps = self._steps.setdefault(name, array("d"))
            numbers = self._values.setdefault(name, array("d"))
            if not steps or step > steps[-1]:
                steps.append(step)
                numbers.append(number)
                continue
            index = bisect_left(steps, step)
            if steps[index] == step:
                numbers[index] = number
            else:
                steps.insert(index, step)
                numbers.insert(index, number)

    def points(self, name: str) -> CurvePoints:
        """Return a copy of a curve; one that does not exist has no points."""
        empty = array("d")
        return CurvePoints(
            np.array(self._steps.get(name, empty), dtype=np.float64),
            np.array(self._values.get(name, empty), dtype=np.float64),
        )

    def last(self, name: str, *, until: float = math.inf) -> float | None:
        """Return the last value of a curve up to a step; None if there is none."""
        index = bisect_right(self._steps.get(name, ()), until) - 1
        value = self._values[name][index] if index >= 0 else math.nan
        return None if math.isnan(value) else value

    def best(self, name: str, *, first_step: int = 0) -> tuple[int, float] | None:
        """Return step and value of the lowest point of a curve from a step on."""
        steps, values = self.points(name)
        values = np.where(steps < first_step, np.nan, values)
        if np.isnan(values).all():
            return None
        index = int(np.nanargmin(values))
        return int(steps[index]), float(values[index])

    def forget_after(self, step: int) -> None:
        """Remove the points after a step."""
        for name, steps in self._steps.items():
            index = bisect_right(steps, step)
            del steps[index:], self._values[name][index:]

    def clear(self) -> None:
        """Remove every point."""
        self._steps.clear()
        self._values.clear()


def smooth(values: DoubleArray, window: int) -> DoubleArray:
    """Average each value with its neighbours.

    Args:
        values: (n,); NaN is left out of the averages.
        window: how many values around each one, odd; at the ends as many as there
            are on both sides, so that the curve keeps its ends.

    Returns:
        (n,) means.
    """
    n = len(values)
    if window < 2 or n < 3:
        return values
    is_number = ~np.isnan(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(is_number, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(is_number)])
    indices = np.arange(n)
    reach = np.minimum(np.minimum(indices, n - 1 - indices), window // 2)
    low, high = indices - reach, indices + reach + 1
    found = counts[high] - counts[low]
    with np.errstate(invalid="ignore"):
        means = (sums[high] - sums[low]) / np.where(found, found, np.nan)
    return np.asarray(means, dtype=np.float64)


DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)
WIDTH, BOLD_WIDTH = 1.6, 2.6  # pixels
FAINT = 70  # opacity of the unsmoothed curve, of 255
N_FINE = 5_000  # points; a longer curve is drawn without smooth edges, to be quick
ZOOM = 0.8  # of the range, one step nearer
EDGE = 0.03  # of the range, beside the outermost points


class Curve(NamedTuple):
    """A curve to draw.

    Attributes:
        title: what the legend calls it.
        steps, values: float64 (n,); NaN is a gap.
        colour: place in the palette; beyond its end the line is dashed.
        dash: place in DASHES, on top of what the colour's place gives.
        is_bold: it is drawn thicker.
    """

    title: str
    steps: DoubleArray
    values: DoubleArray
    colour: int = 0
    dash: int = 0
    is_bold: bool = False


def curve_colour(curve: Curve, colours: ThemeColours) -> str:
    """Return the colour of a curve as #RRGGBB."""
    palette = class_colours(colours)
    return palette[curve.colour % len(palette)]


def curve_dash(curve: Curve) -> int:
    """Return the place of a curve's line in DASHES."""
    return (curve.dash + curve.colour // len(CLASSES_LIGHT)) % len(DASHES)


def curve_pen(curve: Curve, colours: ThemeColours) -> QPen:
    """Return the pen of a curve."""
    width = BOLD_WIDTH if curve.is_bold else WIDTH
    pen: QPen = pyqtgraph.mkPen(curve_colour(curve, colours), width=width)
    pen.setStyle(DASHES[curve_dash(curve)])
    return pen


def paint_axes(
    plot: pyqtgraph.PlotWidget, colours: ThemeColours, *, has_names: bool = False
) -> None:
    """Set a plot to the colours of a theme, and its titles to the size of the text.

    Args:
        plot: is painted.
        has_names: the left axis has names, which are read as text, not numbers.
    """
    plot.setBackground(colours.surface)
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(QColor(colours.line))
        is_text = has_names and side == "left"
        axis.setTextPen(QColor(colours.text if is_text else colours.secondary))
        axis.label.setFont(plot.font())
        axis.showLabel(axis.label.isVisible())  # measures it again


class CurvePlot(pyqtgraph.PlotWidget):  # type: ignore[misc] # untyped
    """Curves over the steps of a run; the keyboard moves the cursor and zooms.

    Attributes:
        curves: the curves to draw.
        cursor: the step whose values are shown; None: the newest.
    """

    cursor_moved = Signal()

    def __init__(self, title: str, parent: QWidget | None = None):
        """Make an empty plot; `title` names it for a screen reader."""
        super().__init__(parent, enableMenu=False, axisItems=number_axes())
        self.curves: list[Curve] = []
        self.cursor: float | None = None
        self._home: float | None = None
        self._bounds: tuple[float, float] | None = None
        self._follows = True  # shows all points, also new ones
        self._window, self._is_log = 1, False
        self._steps: DoubleArray | None = None  # of all curves, when asked for
        self._lines: list[tuple[pyqtgraph.PlotDataItem, pyqtgraph.PlotDataItem]] = []
        self._marker = pyqtgraph.InfiniteLine(angle=90, movable=False)
        self._marker.setVisible(False)
        self.addItem(self._marker, ignoreBounds=True)
        self.hideButtons()
        self.plotItem.setClipToView(True)
        self.plotItem.setDownsampling(auto=True, mode="peak")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it is the plot's own
        describe(
            self,
            title,
            self.tr(
                "Drag to move, scroll with Ctrl to zoom. Left and Right show the "
                "values of a step; + and − zoom, 0 shows everything."
            ),
        )
        self.getViewBox().sigRangeChangedManually.connect(self._on_zoomed)
        self.show_theme()

    def show_curves(self, curves: Sequence[Curve]) -> None:
        """Draw these curves and no others."""
        self.curves = list(curves)
        self._steps = None
        self._draw()

    def set_titles(self, bottom: str, left: str) -> None:
        """Name the axes."""
        self.setLabel("bottom", bottom)
        self.setLabel("left", left)

    def set_bounds(self, bounds: tuple[float, float] | None) -> None:
        """Set the lowest and the highest possible value; None: any."""
        self._bounds = bounds

    def set_log(self, is_log: bool) -> None:
        """Draw values on a logarithmic scale, or on a plain one."""
        self._is_log = is_log
        self.setLogMode(y=is_log)
        self._draw()
        self.show_all()

    def set_smoothing(self, window: int) -> None:
        """Average over so many points; the curve itself stays behind, faint."""
        self._window = window
        self._draw()

    def show_all(self) -> None:
        """Zoom out to all points, and follow them as they grow."""
        self._follows = True
        self._fit_axes()

    def values_at_cursor(self) -> list[float | None]:
        """Return each curve's value at the last step not after the cursor."""
        return [_value_at(curve, self.cursor) for curve in self.curves]

    def move_cursor(self, step: float | None) -> None:
        """Show the values of a step; None: of the newest."""
        self.cursor = step
        self._marker.setVisible(step is not None)
        if step is not None:
            self._marker.setValue(step)
        self.cursor_moved.emit()

    def set_home(self, step: float | None) -> None:
        """Show the values of a step where no other is pointed at; None: the newest."""
        self._home = step
        self.move_cursor(step)

    def show_theme(self) -> None:
        """Draw in the colours in use."""
        colours = colours_of(self)
        paint_axes(self, colours)
        self.showGrid(x=False, y=True, alpha=0.15)
        self._marker.setPen(pyqtgraph.mkPen(colours.secondary, width=1))
        self._draw()

    def _draw(self) -> None:
        colours = colours_of(self)
        self._make_lines(len(self.curves))
        for curve, (raw, line) in zip(self.curves, self._lines, strict=False):
            pen = curve_pen(curve, colours)
            window = min(self._window, len(curve.values) // 4 * 2 + 1)
            is_smooth = window > 2
            raw.setVisible(is_smooth)
            if is_smooth:
                faint = QPen(pen)
                colour = QColor(pen.color())
                colour.setAlpha(FAINT)
                faint.setColor(colour)
                raw.setData(
                    curve.steps,
                    self._drawable(curve.values),
                    pen=faint,
                    antialias=len(curve.values) <= N_FINE,
                )
            values = smooth(curve.values, window) if is_smooth else curve.values
            is_point = len(values) == 1
            line.setData(
                curve.steps,
                self._drawable(values),
                pen=pen,
                symbol="o" if is_point else None,
                symbolBrush=pen.color(),
                symbolPen=None,
                symbolSize=6,
                antialias=len(values) <= N_FINE,
            )
        if self._follows:
            self._fit_axes()
        self.cursor_moved.emit()

    def _fit_axes(self) -> None:
        """Show all points; begin at 0 where the points of an axis are all equal."""
        box = self.getViewBox()
        box.enableAutoRange()
        steps, values = (
            np.concatenate([np.empty(0), *columns])
            for columns in (
                [curve.steps for curve in self.curves],
                [self._drawable(curve.values) for curve in self.curves],
            )
        )
        if (step := _only_value(steps)) is not None:
            box.setXRange(min(step, 0.0), max(step, 1.0), padding=EDGE)
        value = _only_value(values)
        if value is not None and not self._is_log:
            low, high = self._bounds or (min(value, 0.0), 2 * abs(value) or 1.0)
            box.setYRange(low, high, padding=EDGE)

    def _on_zoomed(self) -> None:
        self._follows = False

    def _drawable(self, values: DoubleArray) -> DoubleArray:
        """Leave out what a logarithmic scale has no place for."""
        return np.where(values > 0, values, np.nan) if self._is_log else values

    def _make_lines(self, n: int) -> None:
        """Have one pair of lines for each curve: as it is, and smoothed."""
        while len(self._lines) < n:
            pair = tuple(
                pyqtgraph.PlotDataItem(connect="finite", autoDownsampleFactor=1.0)
                for _ in range(2)
            )
            for item in pair:
                self.addItem(item)
            self._lines.append((pair[0], pair[1]))
        for pair in self._lines[n:]:
            for item in pair:
                self.removeItem(item)
        del self._lines[n:]

    def _all_steps(self) -> DoubleArray:
        if self._steps is None:
            steps = [np.empty(0), *(curve.steps for curve in self.curves)]
            self._steps = np.unique(np.concatenate(steps))
        return self._steps

    def _step_cursor(self, n: int) -> None:
        """Move the cursor by n points; from nowhere it begins at the newest."""
        steps = self._all_steps()
        if not len(steps):
            return
        here = len(steps) - 1
        if self.cursor is not None:
            here = int(np.searchsorted(steps, self.cursor)) + n
        self.move_cursor(float(steps[min(max(here, 0), len(steps) - 1)]))

    def _zoom(self, share: float) -> None:
        self._follows = False
        self.getViewBox().scaleBy((share, 1.0))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl, or a plot that has the focus; else the page scrolls."""
        has_key = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if has_key or self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show the values under the mouse."""
        super().mouseMoveEvent(event)
        steps = self._all_steps()
        if event.buttons() or not len(steps):
            return
        scene = self.mapToScene(event.position().toPoint())
        place: QPointF = self.getViewBox().mapSceneToView(scene)
        after = int(np.searchsorted(steps, place.x()))
        near = steps[max(after - 1, 0) : after + 1]
        self.move_cursor(float(near[np.abs(near - place.x()).argmin()]))

    def leaveEvent(self, event: QEvent) -> None:
        """Show the newest values again, or those at home."""
        super().leaveEvent(event)
        self.move_cursor(self._home)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Zoom out to all points."""
        super().mouseDoubleClickEvent(event)
        self.show_all()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor, or zoom."""
        is_far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Left:
                self._step_cursor(-10 if is_far else -1)
            case Qt.Key.Key_Right:
                self._step_cursor(10 if is_far else 1)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self._zoom(ZOOM)
            case Qt.Key.Key_Minus:
                self._zoom(1 / ZOOM)
            case Qt.Key.Key_0:
                self.show_all()
            case _:
                super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show no tooltip: it would cover what the cursor points at."""
        if event.type() == QEvent.Type.ToolTip:
            return True
        return bool(super().viewportEvent(event))

    def changeEvent(self, event: QEvent) -> None:
        """Draw again in the colours of a new theme, or in another size of text."""
        super().changeEvent(event)
        kinds = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
        if event.type() in kinds and hasattr(self, "_marker"):
            self.show_theme()


def _only_value(values: DoubleArray) -> float | None:
    """Return the value that all numbers have; None if they differ or are missing."""
    numbers = values[np.isfinite(values)]
    is_one = len(numbers) > 0 and numbers.min() == numbers.max()
    return float(numbers[0]) if is_one else None


def _value_at(curve: Curve, step: float | None) -> float | None:
    """Return the value at a step, or at the last step before it; None: no value."""
    index = len(curve.steps) - 1
    if step is not None:
        index = int(np.searchsorted(curve.steps, step, side="right")) - 1
    if index < 0 or np.isnan(curve.values[index]):
        return None
    return float(curve.values[index])
