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
    """Bars with intervals: a group for each label, a bar for each series.

    Attributes:
        title: what is shown.
        unit: of the values, as the axis says it.
        labels: names of the groups, from the top.
        series: by name, a bar for each label.
        marks: by name, a value for each label to compare with: a baseline, a published
            figure; None: there is none.
        note: a sentence under the picture.
        has_marks_on_bars: there is a mark for each series, in their order, on its bar;
            else marks are in the middle of their group.
    """

    title: str
    unit: str
    labels: tuple[str, ...]
    series: dict[str, tuple[Bar, ...]]
    marks: dict[str, tuple[float | None, ...]] = {}
    note: str = ""
    has_marks_on_bars: bool = False


class HeatMap(msgspec.Struct, frozen=True):
    """A matrix of figures; the deeper the shade, the higher.

    Attributes:
        values: a tuple for each row; None: not measured.
        low, high: values of the palest and of the deepest shade.
        middle: where the shade turns over; None: the shade only deepens.
        signs: marks after the value of each cell; may be empty.
        details: additional text for each cell; may be empty.
        is_directed: a cell is from its row to its column.
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


Chart = BarChart | HeatMap | LineChart


def chart_table(chart: Chart) -> tuple[list[str], list[list[object]]]:
    """Return the head and the rows of a picture's table, as its CSV has them."""
    match chart:
        case BarChart():
            return _table_of_bars(chart)
        case HeatMap():
            cells = zip(chart.rows, chart.values, strict=True)
            return ["", *chart.columns], [[name, *row] for name, row in cells]
        case LineChart():
            points = [
                [name, x, y] for name, line in chart.lines.items() for x, y in line
            ]
            return ["curve", chart.x, chart.y], points


def spread_marks(chart: BarChart, near: float) -> list[list[float]]:
    """Place the signs of each group above each other where they are near.

    Args:
        chart: the chart.
        near: difference of values below which signs would hide each other.

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
    """Write a figure: per cents to a tenth, ρ to 0.01, others to three digits."""
    places = {RHO: ".2f"} | dict.fromkeys(PERCENT_UNITS, ".1f")
    text = format(value, places.get(unit, ".3g"))
    return text.replace("-", MINUS)


def _table_of_bars(chart: BarChart) -> tuple[list[str], list[list[object]]]:
    head = [""]
    for name in chart.series:
        head += [name, f"{name}, low", f"{name}, high"]
    rows: list[list[object]] = []
    for place, label in enumerate(chart.labels):
        row: list[object] = [label]
        for bars in chart.series.values():
            row += [bars[place].value, bars[place].low, bars[place].high]
        rows.append(row + [values[place] for values in chart.marks.values()])
    return head + list(chart.marks), rows
