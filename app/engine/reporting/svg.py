"""Pictures of a report as SVG; colours are classes, so that light and dark both fit."""

import math
from collections.abc import Iterator, Sequence
from html import escape

from app.charts import BarChart, Chart, HeatMap, LineChart, format_figure

WIDTH = 760  # of every picture, in the units of its view box
LABEL, RIGHT, TOP, BOTTOM = 190, 24, 34, 40  # room around the figures
BAR, GAP = 12, 12  # height of a bar; room between two groups
CELL, CELL_HEIGHT = 46, 24  # at most
FEWEST_PIXELS = 26  # of a cell, to write its figure into it
N_COLOURS = 6
PLOT_HEIGHT = 240
MARKS = ("│", "○", "△", "◇", "×", "+", "▽", "□")


def draw(chart: Chart) -> str:
    """Draw a picture as an SVG element."""
    match chart:
        case BarChart():
            return _draw_bars(chart)
        case HeatMap():
            return _draw_map(chart)
        case LineChart():
            return _draw_lines(chart)


def ticks(low: float, high: float, n: int = 5) -> list[float]:
    """Give round numbers between two, about n of them: steps of 1, 2 or 5 × 10^k."""
    if not high > low:
        return [low]
    raw = (high - low) / n
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(place * step, 10) for place in range(first, last + 1)]


def _element(body: str, height: float, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}">{body}</svg>'
    )


def _text(x: float, y: float, text: str, *, kind: str = "", anchor: str = "end") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}" '
        f'dominant-baseline="central">{escape(text)}</text>'
    )


def _line(points: tuple[float, float, float, float], kind: str) -> str:
    x1, y1, x2, y2 = points
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} class="{kind}"/>'


class _Scale:
    """Places numbers on an axis."""

    def __init__(self, numbers: Sequence[float], start: float, end: float):
        low, high = min(numbers), max(numbers)
        low, high = (low - 0.5, high + 0.5) if high == low else (low, high)
        self.low, self.high = low, high
        self._start, self._end = start, end

    def __call__(self, number: float) -> float:
        share = (number - self.low) / (self.high - self.low)
        return self._start + share * (self._end - self._start)


# --- bars ---


def _draw_bars(chart: BarChart) -> str:
    names, marks = list(chart.series), list(chart.marks)
    group = len(names) * BAR + GAP
    legend = _legend(names if len(names) > 1 else [], marks)
    top = TOP + 18 * len(legend)
    foot = top + group * len(chart.labels)
    x = _Scale([0.0, *_numbers(chart)], LABEL, WIDTH - RIGHT)
    parts = [*_legend_lines(legend), *_axis(x, top - 6, foot, chart.unit)]
    for place, label in enumerate(chart.labels):
        y = top + place * group
        parts.append(_text(LABEL - 8, y + (group - GAP) / 2, label))
        for number in range(len(names)):
            parts.append(_bar(chart, x, (place, number), y + number * BAR))
        for number, values in enumerate(chart.marks.values()):
            if (value := values[place]) is not None:
                sign = MARKS[number % len(MARKS)]
                middle = y + (group - GAP) / 2
                parts.append(_text(x(value), middle, sign, kind="m", anchor="middle"))
    return _element("".join(parts), foot + BOTTOM, chart.title)


def _bar(chart: BarChart, x: _Scale, at: tuple[int, int], y: float) -> str:
    place, number = at
    name = list(chart.series)[number]
    bar = chart.series[name][place]
    if bar.value is None:
        return ""
    left, right = sorted((x(0.0), x(bar.value)))
    tip = f"{chart.labels[place]}, {name}: {format_figure(bar.value, chart.unit)}"
    if bar.low is not None and bar.high is not None:
        ends = (format_figure(end, chart.unit) for end in (bar.low, bar.high))
        tip += f" ({'–'.join(ends)})"
    parts = [
        f'<rect x="{left:.1f}" y="{y:.1f}" width="{right - left:.1f}" '
        f'height="{BAR - 2}" class="c{number % N_COLOURS}">'
        f"<title>{escape(tip)}</title></rect>"
    ]
    if bar.low is not None and bar.high is not None:
        middle = y + (BAR - 2) / 2
        parts.append(_line((x(bar.low), middle, x(bar.high), middle), "w"))
    return "".join(parts)


def _numbers(chart: BarChart) -> Iterator[float]:
    for bars in chart.series.values():
        for bar in bars:
            yield from (v for v in (bar.value, bar.low, bar.high) if v is not None)
    for values in chart.marks.values():
        yield from (value for value in values if value is not None)


def _axis(x: _Scale, top: float, foot: float, unit: str) -> Iterator[str]:
    for tick in ticks(x.low, x.high):
        yield _line((x(tick), top, x(tick), foot), "g")
        yield _text(x(tick), foot + 10, f"{tick:g}", kind="s", anchor="middle")
    yield _text(WIDTH - RIGHT, foot + 26, unit, kind="s")


def _legend(names: Sequence[str], marks: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Lay the legend out in lines of pairs: what is drawn, and its name."""
    items = [(f"c{n % N_COLOURS}", name) for n, name in enumerate(names)]
    items += [(MARKS[n % len(MARKS)], name) for n, name in enumerate(marks)]
    lines: list[list[tuple[str, str]]] = []
    room = 0.0
    for sign, name in items:
        width = 34 + 7.2 * len(name)
        if not lines or room < width:
            lines.append([])
            room = WIDTH - RIGHT
        lines[-1].append((sign, name))
        room -= width
    return lines


def _legend_lines(lines: Sequence[Sequence[tuple[str, str]]]) -> Iterator[str]:
    for row, line in enumerate(lines):
        x, y = 8.0, 14 + 18 * row
        for sign, name in line:
            if sign in MARKS:
                yield _text(x + 6, y, sign, kind="m", anchor="middle")
            else:
                box = f'x="{x}" y="{y - 6}" width="12" height="12"'
                yield f'<rect {box} class="{sign}"/>'
            yield _text(x + 18, y, name, kind="s", anchor="start")
            x += 34 + 7.2 * len(name)


# --- a matrix ---


def _draw_map(chart: HeatMap) -> str:
    left = min(LABEL, 16 + 7.5 * max(map(len, chart.rows), default=1))
    width = min(CELL, (WIDTH - left - RIGHT) / max(1, len(chart.columns)))
    height = min(CELL_HEIGHT, max(12.0, width * 0.6))
    top = 16 + min(120.0, 6.2 * max(map(len, chart.columns), default=1))
    parts = []
    for place, name in enumerate(chart.columns):
        x = left + (place + 0.5) * width
        parts.append(
            f'<text x="{x:.1f}" y="{top - 6:.1f}" class="s" '
            f'transform="rotate(-45 {x:.1f} {top - 6:.1f})">{escape(name)}</text>'
        )
    for row, name in enumerate(chart.rows):
        y = top + row * height
        parts.append(_text(left - 6, y + height / 2, name, kind="s"))
        for column, value in enumerate(chart.values[row]):
            if value is not None:
                box = (left + column * width, y, width, height)
                parts.append(_cell(chart, (row, column), value, box))
    return _element("".join(parts), top + len(chart.rows) * height + 12, chart.title)


def _cell(
    chart: HeatMap,
    at: tuple[int, int],
    value: float,
    box: tuple[float, float, float, float],
) -> str:
    x, y, width, height = box
    kind, shade = _shade(chart, value)
    tip = f"{chart.rows[at[0]]}, {chart.columns[at[1]]}: {value:.1f}"
    rect = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 1:.1f}" '
        f'height="{height - 1:.1f}" class="{kind}" fill-opacity="{shade:.2f}">'
        f"<title>{escape(tip)}</title></rect>"
    )
    if width < FEWEST_PIXELS:
        return rect
    middle = x + width / 2
    digits = f"{value:.0f}" if abs(value) >= 10 else f"{value:.1f}"
    return rect + _text(middle, y + height / 2, digits, kind="t", anchor="middle")


def _shade(chart: HeatMap, value: float) -> tuple[str, float]:
    """Give the class of a cell and how deep its shade is, 0…1."""
    if chart.middle is None:
        share = (value - chart.low) / max(chart.high - chart.low, 1e-9)
        return "h", 0.04 + 0.76 * min(max(share, 0.0), 1.0)
    reach = max(chart.high - chart.middle, chart.middle - chart.low, 1e-9)
    share = min(abs(value - chart.middle) / reach, 1.0)
    return ("h" if value >= chart.middle else "l"), 0.04 + 0.76 * share


# --- curves ---


def _draw_lines(chart: LineChart) -> str:
    points = [point for line in chart.lines.values() for point in line]
    if not points:
        return ""
    legend = _legend(list(chart.lines), [])
    top = TOP + 18 * len(legend)
    foot = top + PLOT_HEIGHT
    x = _Scale([point[0] for point in points], 70, WIDTH - RIGHT)
    y = _Scale([point[1] for point in points], foot, top)
    parts = [*_legend_lines(legend), *_axis(x, top, foot, chart.x)]
    for tick in ticks(y.low, y.high):
        parts.append(_line((70, y(tick), WIDTH - RIGHT, y(tick)), "g"))
        parts.append(_text(64, y(tick), f"{tick:g}", kind="s"))
    parts.append(_text(8, top - 10, chart.y, kind="s", anchor="start"))
    for number, line in enumerate(chart.lines.values()):
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line)
        kind = f"p c{number % N_COLOURS}"
        parts.append(f'<polyline points="{path}" class="{kind}"/>')
    return _element("".join(parts), foot + BOTTOM, chart.title)


__all__ = ["draw", "ticks"]
