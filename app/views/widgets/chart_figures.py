"""Charts as widgets: bars, heat maps, curves, each with what its file needs."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from app.charts import (
    OF_A_HUNDRED,
    RHO,
    BarChart,
    Chart,
    HeatMap,
    LineChart,
    chart_table,
    format_figure,
)
from app.views.widgets import heat_map
from app.views.widgets.bar_figure import BarFigure
from app.views.widgets.curve_figure import CurveFigure
from app.views.widgets.heat import Heat, short_value
from app.views.widgets.plots import Curve


class Figure(NamedTuple):
    """A chart that is drawn.

    Attributes:
        widget: what is painted.
        table: gives the values, the header first.
        told: tells what is pointed at; empty: nothing is, or the legend tells it.
        told_changed: something else is pointed at; None: the legend tells it.
        show_all: zooms out; None: nothing is zoomed.
        grows: takes what room there is.
        full_size: gives a copy at its best size, for a file; None: it has that.
    """

    widget: QWidget
    table: Callable[[], Iterator[Sequence[str]]]
    told: Callable[[], str]
    told_changed: SignalInstance | None = None
    show_all: Callable[[], object] | None = None
    grows: bool = True
    full_size: Callable[[], QWidget] | None = None


def make_figure(chart: Chart) -> Figure:
    """Draw a chart."""
    match chart:
        case BarChart():
            bars = BarFigure(chart)
            changed = bars.told_changed
            show_all = bars.show_all
            return Figure(bars, bars.table, bars.told, changed, show_all, grows=False)
        case HeatMap():
            return _make_map(chart)
        case LineChart():
            return _make_curves(chart)


def _make_map(chart: HeatMap) -> Figure:
    cells = [[np.nan if v is None else v for v in row] for row in chart.values]
    write = partial(format_figure, unit=chart.unit)
    unit = "" if chart.unit == RHO else chart.unit
    heat = Heat(
        np.array(cells, np.float32).reshape(len(chart.rows), len(chart.columns)),
        chart.rows,
        chart.columns,
        top=_top(chart),
        low=0.0 if chart.middle is not None else chart.low,
        writers=(write, _whole if chart.unit in OF_A_HUNDRED else short_value),
        title=RHO if chart.unit == RHO else "",
        precise=lambda value: f"{write(value)} {unit}".rstrip(),
        signs=chart.signs,
        details=chart.details,
    )
    figure = heat_map.HeatMap(chart.title)
    figure.show_heat(heat)
    full_size = partial(_make_full_size, chart.title, heat)
    figure.setMaximumSize(full_size().size())
    return Figure(
        figure,
        partial(_table, chart),
        figure.told,
        figure.pointed_changed,
        full_size=full_size,
    )


def _make_full_size(title: str, heat: Heat) -> heat_map.HeatMap:
    """Draw a heat map with the largest cells."""
    figure = heat_map.HeatMap(title)
    figure.show_heat(heat)
    figure.resize(figure.sizeHint())
    figure.resize(figure.sizeHint())  # in that width the names may lie
    return figure


def _top(chart: HeatMap) -> float:
    """Give the value of the deepest shade; around a middle, of both hues."""
    return chart.high if chart.middle is None else max(-chart.low, chart.high)


def _make_curves(chart: LineChart) -> Figure:
    figure = CurveFigure(chart.title, place=chart.x)
    curves = []
    for number, (name, points) in enumerate(chart.lines.items()):
        steps, values = np.array(points, np.float64).reshape(-1, 2).T
        curves.append(Curve(name, steps, values, number))
    figure.show_curves(curves, chart.y)
    figure.plot.show_all()
    return Figure(figure, figure.table, lambda: "", None, figure.plot.show_all)


def _table(chart: Chart) -> Iterator[Sequence[str]]:
    head, rows = chart_table(chart)
    yield head
    yield from (["" if v is None else str(v) for v in row] for row in rows)


def _whole(value: float) -> str:
    return f"{value:.0f}"
