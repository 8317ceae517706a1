"""Curve plot with a legend of its values."""

import html
from collections.abc import Callable, Iterator, Sequence
from math import floor, isfinite, log10

import numpy as np
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.number_format import MINUS, format_tick
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import describe, make_label
from app.views.widgets.curve_plot import Curve, CurvePlot, curve_colour, curve_dash
from app.views.widgets.theme import GRID, ThemeColours, colours_of, scaled

LEAST, GAP = 18 * GRID, 4  # height of the plot; below the legend
BOLD = 1.05  # how much wider a number in bold makes an entry of the legend
MARKS = ("━━", "╍╍", "┅┅", "━╍")  # of a legend, for the dashes of plots.DASHES
Number = Callable[[float], str]


class CurveChart(QWidget):
    """A plot with its legend above.

    Attributes:
        plot: the plot.
    """

    def __init__(
        self,
        title: str,
        *,
        place: str = "",
        place_number: Number | None = None,
        parent: QWidget | None = None,
    ):
        """Make it empty.

        Args:
            title: names the plot for a screen reader.
            place: what the horizontal axis counts; empty: steps.
            place_number: writes one; None: as a whole number.
        """
        super().__init__(parent)
        self._number: Number = _plain
        self._place = place or self.tr("step")
        self._place_number: Number = place_number or _whole
        self.plot = CurvePlot(title, self)
        self.plot.cursor_moved.connect(self._show_legend)
        self._legend = make_label("", wraps=True)
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        # Else the dash of the first curve, wider than its place, would be cut.
        self._legend.setContentsMargins(GRID // 2, 0, 0, 0)
        make_column(self._legend, (self.plot, 1), parent=self, gap=GAP)

    @property
    def legend(self) -> str:
        """The text of the legend, without colours."""
        return self._legend.accessibleName()

    def show_curves(
        self, curves: Sequence[Curve], axis: str, number: Number | None = None
    ) -> None:
        """Draw curves.

        Args:
            axis: title of the axis of values, with the unit.
            number: writes a value for the legend.
        """
        self._number = number or _plain
        self.plot.set_titles(self._place, axis)
        self.plot.show_curves(curves)

    def table(self) -> Iterator[Sequence[str]]:
        """Yield a row per place: the place, then the value of each curve, if any."""
        curves = self.plot.curves
        yield [self._place, *(curve.title for curve in curves)]
        steps = np.unique(np.concatenate([np.empty(0), *(c.steps for c in curves)]))
        columns = [dict(zip(c.steps, c.values, strict=True)) for c in curves]
        for step in steps:
            cells = (column.get(step) for column in columns)
            yield [f"{step:.9g}", *("" if v is None else f"{v:.9g}" for v in cells)]

    def _show_legend(self) -> None:
        colours = colours_of(self)
        values = self.plot.values_at_cursor()
        parts, words = [], []
        for curve, value in zip(self.plot.curves, values, strict=True):
            number = "–" if value is None else self._number(value)
            words.append(f"{curve.title} {number}")
            parts.append(
                _legend_entry(
                    curve, number, colours, wraps=self._is_too_wide(words[-1])
                )
            )
        if self.plot.cursor is not None:
            place = f"{self._place} {self._place_number(self.plot.cursor)}"
            parts.append(f'<span style="color:{colours.secondary}">{place}</span>')
            words.append(place)
        self._legend.setText(" &nbsp; ".join(parts))
        describe(self._legend, ", ".join(words), has_tooltip=False)
        self._keep_room()

    def _is_too_wide(self, words: str) -> bool:
        """Return whether an entry, with its mark and a bold number, needs two lines."""
        metrics = self._legend.fontMetrics()
        wanted = metrics.horizontalAdvance(f"{MARKS[0]} {words}") * BOLD
        return wanted > self.width() - GRID

    def _keep_room(self) -> None:
        """Ask for room for all lines of the legend: the plot must not lie over it."""
        height, least = self._legend.heightForWidth(self.width()), scaled(LEAST, self)
        self.plot.setMinimumHeight(least)
        self.setMinimumHeight(height + GAP + least)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the legend again."""
        super().resizeEvent(event)
        self._show_legend()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the legend again in the colours of a new theme, or in larger text."""
        super().changeEvent(event)
        kinds = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
        if event.type() in kinds and hasattr(self, "_legend"):
            self._show_legend()


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _plain(value: float) -> str:
    """Write four digits: 0.5714, 12,345 or 3.636·10⁻⁶."""
    size = abs(value)
    if isfinite(size) and (size >= 10_000 or 0 < size < 1e-4):
        return format_tick(value, 10.0 ** min(floor(log10(size)) - 3, 0))
    return f"{value:.4g}".replace("-", MINUS)


def _legend_entry(
    curve: Curve, number: str, colours: ThemeColours, *, wraps: bool
) -> str:
    mark = MARKS[curve_dash(curve)]
    colour = curve_colour(curve, colours)
    words = f"{html.escape(curve.title)} <b>{number}</b>"
    text = words if wraps else words.replace(" ", "&nbsp;")
    return f'<span style="color:{colour}">{mark}</span>&nbsp;{text}'
