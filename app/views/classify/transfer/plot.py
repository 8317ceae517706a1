"""Plot of scores with confidence intervals by language of a transfer test."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.views.classify.transfer.results import TransferScore
from app.views.widgets.boxes import make_column
from app.views.widgets.class_colours import class_colours
from app.views.widgets.controls import describe
from app.views.widgets.curve_plot import paint_axes
from app.views.widgets.number_axis import number_axes
from app.views.widgets.plot_legend import LegendEntry, PlotLegend
from app.views.widgets.statistics_format import format_coefficient, format_rate
from app.views.widgets.theme import ThemeColours, colours_of, mix, scaled

LINE_PX, AXIS_PX = 18, 44  # height per language; height of axis and title
METRIC_OFFSET = 0.17  # offset of accuracy and macro-F1 from the centre of a line
DOT_SIZE, BAR_WIDTH = 8, 2.2  # pixels
LABEL_WIDTH = 104  # width of the names


class TransferFigure(QWidget):
    """The plot below its legend, as saved in a picture.

    Attributes:
        plot: the plot.
    """

    def __init__(self, title: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.plot = TransferPlot(title, self)
        self._legend = PlotLegend(self._list_entries)
        self._home = ""
        make_column(self._legend, (self.plot, 1), parent=self, gap=4)

    @property
    def legend(self) -> str:
        """The text of the legend."""
        return self._legend.words

    def show_rows(self, rows: Sequence[TransferScore], home: TransferScore) -> None:
        """Draw languages from top to bottom, and the training score."""
        self._home = f"{home.title} {_format_value(home)}"
        self.plot.show_rows(rows, home)
        self._legend.show_entries()

    def _list_entries(self) -> list[LegendEntry]:
        rows = self.plot.rows
        has_classes = any(row.f1 is not None for row in rows)
        accuracy, f1, majority = self.plot.colours()
        entries = [("●", accuracy, self.tr("accuracy, with its 95\u00a0% interval"))]
        if has_classes:
            entries.append(("◆", f1, self.tr("macro-F1")))
            entries.append(("|", majority, self.tr("majority class")))
        else:
            words = self.tr("Pearson’s r, with its 95\u00a0% interval")
            entries[0] = ("●", accuracy, words)
        entries.append(("┆", majority, self._home))
        return entries


def _format_value(row: TransferScore) -> str:
    return (
        format_coefficient(row.value) if row.is_correlation else format_rate(row.value)
    )


class TransferPlot(pyqtgraph.PlotWidget):  # type: ignore[misc] # untyped
    """Dots with error bars; the Up and Down keys select a language.

    Attributes:
        rows: the scores drawn, from top to bottom.
        chosen: the key of the selected language.
    """

    language_chosen = Signal(str)
    _look: tuple[ThemeColours, int] | None = None  # theme and text size

    def __init__(self, title: str, parent: QWidget | None = None):
        """Initialise an empty plot; `title` is its name for screen readers."""
        super().__init__(parent, enableMenu=False, axisItems=number_axes())
        self.rows: list[TransferScore] = []
        self.chosen = ""
        self._title = title
        self._home = 0.0
        self._items: list[Any] = []
        self._mark = pyqtgraph.LinearRegionItem(
            orientation="horizontal", movable=False, values=(-2, -1)
        )
        self._mark.setZValue(-10)
        self.addItem(self._mark, ignoreBounds=True)
        self._home_line = pyqtgraph.InfiniteLine(angle=90, movable=False)
        self.addItem(self._home_line, ignoreBounds=True)
        self.hideButtons()
        self.setMouseEnabled(x=False, y=False)
        self.invertY(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._describe()
        self._show_theme()

    def show_rows(self, rows: Sequence[TransferScore], home: TransferScore) -> None:
        """Draw languages, and a line at the score in the training language."""
        self.rows, self._home = list(rows), home.value
        self.chosen = ""
        axis = self.getAxis("left")
        axis.setTicks([[(index, row.title) for index, row in enumerate(self.rows)]])
        axis.setWidth(scaled(LABEL_WIDTH, self))
        self._describe()
        self._show_theme()
        self._show_mark()
        low = min([0.0, *(row.low for row in self.rows)])
        self.setXRange(self._scale * low, self._scale, padding=0.01)
        self.setYRange(-0.6, len(self.rows) - 0.4, padding=0)
        self.setMinimumHeight(self.sizeHint().height())

    def choose(self, key: str) -> None:
        """Mark a language, without emitting a signal."""
        self.chosen = key
        self._show_mark()

    @contextmanager
    def unmarked(self) -> Iterator[None]:
        """Temporarily hide the mark of the selected language."""
        self._mark.hide()
        try:
            yield
        finally:
            self._mark.show()

    def colours(self) -> tuple[str, str, str]:
        """Return the colours of accuracy, macro-F1 and the majority class."""
        colours = colours_of(self)
        palette = class_colours(colours)
        return colours.accent, palette[1], colours.secondary

    @property
    def _scale(self) -> float:
        """Factor for scores; rates are drawn in %."""
        return 1.0 if self.rows and self.rows[0].is_correlation else 100.0

    def _draw(self) -> None:
        for item in self._items:
            self.removeItem(item)
        self._items = []
        accuracy, f1, majority = self.colours()
        has_f1 = any(row.f1 is not None for row in self.rows)
        shift = METRIC_OFFSET if has_f1 else 0.0
        positions = np.arange(len(self.rows), dtype=np.float64)
        main = [(row.value, row.low, row.high) for row in self.rows]
        self._add_dots(positions - shift, main, accuracy, "o")
        if has_f1:
            nan = float("nan")
            other = [
                (nan, nan, nan)
                if row.f1 is None
                else (row.f1, row.f1_low or row.f1, row.f1_high or row.f1)
                for row in self.rows
            ]
            self._add_dots(positions + shift, other, f1, "d")
            shares = np.array(
                [nan if row.majority is None else row.majority for row in self.rows]
            )
            ticks = pyqtgraph.ScatterPlotItem(
                x=self._scale * shares,
                y=positions,
                symbol="|",
                size=9,
                pen=majority,
                useCache=False,
            )
            self._keep(ticks)
        self._home_line.setValue(self._scale * self._home)

    def _add_dots(
        self,
        places: Any,
        values: Sequence[tuple[float, float, float]],
        colour: str,
        symbol: str,
    ) -> None:
        """Draw scores (value, low, high) with their intervals."""
        numbers = self._scale * np.array(values, np.float64).reshape(-1, 3)  # (n, 3)
        is_known = ~np.isnan(numbers[:, 0])
        middle, low, high = numbers[is_known].T  # (n, 3) -> 3 of (n,)
        bars = pyqtgraph.ErrorBarItem(
            x=middle,
            y=places[is_known],
            left=middle - low,
            right=high - middle,
            pen=pyqtgraph.mkPen(mix(colours_of(self), "secondary", 0.45), width=1.4)
            if symbol == "d"
            else pyqtgraph.mkPen(colour, width=BAR_WIDTH),
        )
        dots = pyqtgraph.ScatterPlotItem(
            x=middle,
            y=places[is_known],
            symbol=symbol,
            size=DOT_SIZE,
            brush=QColor(colour),
            pen=pyqtgraph.mkPen(colours_of(self).surface, width=1),
            useCache=False,  # of small images, blurred in a large picture
        )
        self._keep(bars)
        self._keep(dots)

    def _keep(self, item: Any) -> None:
        self.addItem(item)
        self._items.append(item)

    def _show_mark(self) -> None:
        keys = [row.key for row in self.rows]
        index = keys.index(self.chosen) if self.chosen in keys else -2
        self._mark.setRegion((index - 0.5, index + 0.5))

    def _describe(self) -> None:
        values = ", ".join(f"{row.title} {_format_value(row)}" for row in self.rows)
        describe(
            self,
            f"{self._title}: {values}" if values else self._title,
            self.tr("Click a language or select one with the Up and Down keys."),
        )

    def _show_theme(self) -> None:
        self._look = self._find_look()
        colours = colours_of(self)
        paint_axes(self, colours, has_names=True)
        words = self.tr("%") if self._scale > 1 else self.tr("Pearson’s r")
        self.setLabel("bottom", words)
        self.showGrid(x=True, y=False, alpha=0.12)
        self._home_line.setPen(
            pyqtgraph.mkPen(colours.secondary, width=1.2, style=Qt.PenStyle.DashLine)
        )
        brush = QColor(colours.accent_soft)
        self._mark.setBrush(brush)
        for line in self._mark.lines:
            line.setPen(pyqtgraph.mkPen(None))
        self._draw()

    def _choose_place(self, index: int) -> None:
        if 0 <= index < len(self.rows):
            self.choose(self.rows[index].key)
            self.language_chosen.emit(self.chosen)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the language of a line."""
        scene = self.mapToScene(event.position().toPoint())
        self._choose_place(round(self.getViewBox().mapSceneToView(scene).y()))
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Let the page handle the wheel."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Select the language above or below."""
        keys = [row.key for row in self.rows]
        here = keys.index(self.chosen) if self.chosen in keys else -1
        match event.key():
            case Qt.Key.Key_Up:
                self._choose_place(max(here - 1, 0))
            case Qt.Key.Key_Down:
                self._choose_place(min(here + 1, len(keys) - 1))
            case _:
                super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        """Return the height of a line per language."""
        height = scaled(LINE_PX, self) * len(self.rows) + scaled(AXIS_PX, self)
        return QSize(30 * LINE_PX, height)

    def minimumSizeHint(self) -> QSize:
        """Return the minimum height for readable lines."""
        return QSize(0, self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Redraw after the theme or text size changes."""
        super().changeEvent(event)
        kinds = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
        if event.type() in kinds and self._look not in (None, self._find_look()):
            self._show_theme()

    def _find_look(self) -> tuple[ThemeColours, int]:
        """Return theme and text size; Qt also reports changes without effect."""
        return colours_of(self), self.font().pixelSize()

    def viewportEvent(self, event: QEvent) -> bool:
        """Suppress the tooltip, which would cover the plot."""
        if event.type() == QEvent.Type.ToolTip:
            return True
        handled: bool = super().viewportEvent(event)
        return handled
