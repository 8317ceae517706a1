"""Charts as plain data, drawn by the window and printed by reports."""

import math

import msgspec

from app.number_format import MINUS

PER_CENT, TIMES_100 = "%", "correlation × 100"
RHO, BLEU = "ρ", "BLEU"
PERCENT_UNITS = (PER_CENT, TIMES_100, BLEU)  # units whose values have one decimal


class Bar(msgspec.Struct, frozen=True):
    """A figure with its 95 % interval; None: not measured."""

    value: float | None
    low: float | None = None
    high: float | None = None


class BarChart(msgspec.Struct, frozen=True):
    """A bar chart with intervals: one group per label, one bar per series.

    Attributes:
        title: title of the chart.
        unit: unit of the values, as on the axis.
        labels: names of the groups, from the top.
        series: bars by series name, one per label.
        marks: values to compare with by name, one per label, such as a baseline; None:
            no value.
        note: sentence below the chart.
        has_marks_on_bars: whether each series has a mark on its bar, in the same order;
            otherwise marks are in the middle of their group.
    """

    title: str
    unit: str
    labels: tuple[str, ...]
    series: dict[str, tuple[Bar, ...]]
    marks: dict[str, tuple[float | None, ...]] = {}
    note: str = ""
    has_marks_on_bars: bool = False


class HeatMapChart(msgspec.Struct, frozen=True):
    """A matrix of figures, with darker shades for higher values.

    Attributes:
        values: a tuple per row; None: not measured.
        low, high: values of the lightest and the darkest shade.
        middle: centre of a diverging scale; None: a sequential scale.
        signs: marks after the value of each cell; may be empty.
        details: additional text for each cell; may be empty.
        is_directed: whether cells are directed from row to column.
    """

    title: str
    unit: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    low: float
    high: float
    middle: float | None = None
    note: str = ""
    signs: tuple[tuple[str, ...], ...] = ()
    details: tuple[tuple[str, ...], ...] = ()
    is_directed: bool = False


class LineChart(msgspec.Struct, frozen=True):
    """Curves: by name, points of x and y."""

    title: str
    x: str
    y: str
    lines: dict[str, tuple[tuple[float, float], ...]]
    note: str = ""


Chart = BarChart | HeatMapChart | LineChart


def chart_table(chart: Chart) -> tuple[list[str], list[list[object]]]:
    """Return the header and the rows of a chart's table, as in its CSV file."""
    match chart:
        case BarChart():
            return _table_of_bars(chart)
        case HeatMapChart():
            cells = zip(chart.rows, chart.values, strict=True)
            return ["", *chart.columns], [[name, *row] for name, row in cells]
        case LineChart():
            points = [
                [name, x, y] for name, line in chart.lines.items() for x, y in line
            ]
            return ["curve", chart.x, chart.y], points


def spread_marks(chart: BarChart, near: float) -> list[list[float]]:
    """Stack the marks of each group that are near each other.

    Args:
        chart: the chart.
        near: difference of values below which marks overlap.

    Returns:
        For each group, the line of each mark; 0: the middle of the group.
    """
    n = len(chart.marks)
    if chart.has_marks_on_bars:
        return [[number - (n - 1) / 2 for number in range(n)] for _ in chart.labels]
    found: list[list[float]] = []
    for values in zip(*chart.marks.values(), strict=True):
        lanes = [0.0] * n
        known = sorted((v, number) for number, v in enumerate(values) if v is not None)
        heaps: list[list[int]] = []
        before = -math.inf
        for value, number in known:
            if value - before >= near:
                heaps.append([])
            heaps[-1].append(number)
            before = value
        for heap in heaps:
            for line, number in enumerate(sorted(heap)):
                lanes[number] = line - (len(heap) - 1) / 2
        found.append(lanes)
    return found


def format_figure(value: float, unit: str) -> str:
    """Format a figure: per cent to a tenth, ρ to 0.01, others with three digits."""
    places = {RHO: ".2f"} | dict.fromkeys(PERCENT_UNITS, ".1f")
    text = format(value, places.get(unit, ".3g"))
    return text.replace("-", MINUS)


def _table_of_bars(chart: BarChart) -> tuple[list[str], list[list[object]]]:
    head = [""]
    for name in chart.series:
        head += [name, f"{name}, low", f"{name}, high"]
    rows: list[list[object]] = []
    for index, label in enumerate(chart.labels):
        row: list[object] = [label]
        for bars in chart.series.values():
            row += [bars[index].value, bars[index].low, bars[index].high]
        rows.append(row + [values[index] for values in chart.marks.values()])
    return head + list(chart.marks), rows
