"""Charts as SVG with colours that adapt to light and dark themes."""

import math
import unicodedata
from collections.abc import Iterator, Sequence
from html import escape

from app.number_format import MINUS, format_tick
from app.results.charts import (
    PERCENT_UNITS,
    BarChart,
    Chart,
    HeatMapChart,
    LineChart,
    format_figure,
    spread_marks,
)

NARROW, WIDE = 0.6, 1.0  # width relative to font size: most scripts, East Asian scripts
ELLIPSIS = "…"
N_TICKS = 5  # approximate ticks per axis


def text_width(text: str, size: float) -> float:
    """Estimate the width of text at a font size, in the same unit, conservatively."""
    return size * sum(map(_advance, text))


def fit_text(text: str, room: float, size: float) -> str:
    """Truncate text to a width, with an ellipsis."""
    text = " ".join(text.split())
    if text_width(text, size) <= room:
        return text
    room -= size * _advance(ELLIPSIS)
    kept = 0
    for sign in text:
        room -= size * _advance(sign)
        if room < 0:
            break
        kept += 1
    return text[:kept].rstrip() + ELLIPSIS


def _advance(sign: str) -> float:
    """Return the advance width of a character, relative to the font size."""
    if unicodedata.combining(sign):
        return 0.0
    return WIDE if unicodedata.east_asian_width(sign) in "WF" else NARROW


WIDTH = 760  # of every picture, in units of its view box
RIGHT, TOP, BOTTOM = 24, 34, 40  # room around the figures
MOST_LABEL, MOST_HEADING = 260, 130  # maximum room for labels and slanted headings
FONT, SMALL, FIGURE = 12.0, 11.0, 10.5  # sizes of text
MIN_FIGURE_SIZE = 7.0  # minimum size of a readable figure
SLANT = math.sqrt(0.5)  # headings at 45°
BAR, GAP = 12, 12  # height of a bar; gap between groups
MARK_GAP = 10.0  # distance between overlapping marks
MARKS_NEAR = 0.015  # of the range of values, below which marks overlap
CELL, CELL_HEIGHT = 46, 24  # at most
DARK_SHADE = 0.6  # shade above which a cell's figure needs the other colour in dark
N_COLOURS = 6
PLOT_HEIGHT = 240
MARKS = ("│", "○", "△", "◇", "×", "+", "▽", "□")


def draw(chart: Chart) -> str:
    """Draw a picture as an SVG element."""
    match chart:
        case BarChart():
            return _draw_bars(chart)
        case HeatMapChart():
            return _draw_map(chart)
        case LineChart():
            return _draw_lines(chart)


def ticks(low: float, high: float) -> list[float]:
    """Return round numbers in a range, in steps of 1, 2 or 5 × 10^k."""
    if not high > low:
        return [low]
    raw = (high - low) / N_TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(index * step, 10) for index in range(first, last + 1)]


def _written_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return the ticks in a range, and their labels."""
    found = ticks(low, high)
    if len(found) < 2:
        return [(tick, f"{tick:,.3g}".replace("-", MINUS)) for tick in found]
    spacing = round(found[1] - found[0], 10)
    return [(tick, format_tick(tick, spacing)) for tick in found]


def _label(x: float, y: float, name: str, size: float, room: float) -> str:
    """Draw a right-aligned label at x, truncated, with the full text as a tooltip."""
    kind = "s" if size == SMALL else ""
    shown = fit_text(name, room, size)
    text = _text(x, y, shown, kind=kind)
    if shown == " ".join(name.split()):
        return text
    return f"<g><title>{escape(name)}</title>{text}</g>"


def _room(names: Sequence[str], size: float) -> float:
    """Return the width of the labels next to the values, with a gap."""
    widest = max((text_width(name, size) for name in names), default=0.0)
    return min(MOST_LABEL, 16 + widest)


def _series_class(number: int) -> str:
    """Return the CSS class of a series; colours repeat in a paler shade."""
    return f"c{number % N_COLOURS}" + (" q" if number >= N_COLOURS else "")


def make_element(body: str, height: float, title: str) -> str:
    """Make a picture of its parts, at the common width."""
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
    """Maps numbers to positions on an axis."""

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
    left = _room(chart.labels, FONT)
    x = _Scale([0.0, *_numbers(chart)], left, WIDTH - RIGHT)
    lanes = spread_marks(chart, MARKS_NEAR * (x.high - x.low))
    apart = BAR if chart.has_marks_on_bars else MARK_GAP
    farthest = max((one for row in lanes for one in row), default=0.0)
    group = max(len(names) * BAR, math.ceil((2 * farthest + 1) * apart)) + GAP
    legend = _legend(names, marks)
    top = TOP + 18 * len(legend)
    foot = top + group * len(chart.labels)
    parts = [*_legend_lines(legend), *_axis(x, top - 6, foot, chart.unit)]
    for index, label in enumerate(chart.labels):
        y = top + index * group
        middle = y + (group - GAP) / 2
        parts.append(_label(left - 8, middle, label, FONT, left - 12))
        for number in range(len(names)):
            at = middle + (number - len(names) / 2) * BAR
            parts.append(_bar(chart, x, (index, number), at))
        for number, values in enumerate(chart.marks.values()):
            if (value := values[index]) is not None:
                sign = MARKS[number % len(MARKS)]
                at = middle + lanes[index][number] * apart
                parts.append(_text(x(value), at, sign, kind="m", anchor="middle"))
    return make_element("".join(parts), foot + BOTTOM, chart.title)


def _bar(chart: BarChart, x: _Scale, at: tuple[int, int], y: float) -> str:
    index, number = at
    name = list(chart.series)[number]
    bar = chart.series[name][index]
    if bar.value is None:
        return ""
    left, right = sorted((x(0.0), x(bar.value)))
    tip = f"{chart.labels[index]}, {name}: {format_figure(bar.value, chart.unit)}"
    if bar.low is not None and bar.high is not None:
        ends = (format_figure(end, chart.unit) for end in (bar.low, bar.high))
        tip += f" ({'–'.join(ends)})"
    parts = [
        f'<rect x="{left:.1f}" y="{y:.1f}" width="{right - left:.1f}" '
        f'height="{BAR - 2}" class="{_series_class(number)}">'
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
    for tick, text in _written_ticks(x.low, x.high):
        yield _line((x(tick), top, x(tick), foot), "g")
        yield _text(x(tick), foot + 10, text, kind="s", anchor="middle")
    yield _text(WIDTH - RIGHT, foot + 26, unit, kind="s")


def _legend(names: Sequence[str], marks: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Lay out the legend in lines of symbols and names."""
    items = [(_series_class(n), name) for n, name in enumerate(names)]
    items += [(MARKS[n % len(MARKS)], name) for n, name in enumerate(marks)]
    items = [(sign, fit_text(name, WIDTH - RIGHT - 40, SMALL)) for sign, name in items]
    lines: list[list[tuple[str, str]]] = []
    room = 0.0
    for sign, name in items:
        width = 34 + text_width(name, SMALL)
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
            x += 34 + text_width(name, SMALL)


# --- a matrix ---


def _draw_map(chart: HeatMapChart) -> str:
    left = _room(chart.rows, SMALL)
    names = [fit_text(name, MOST_HEADING, SMALL) for name in chart.columns]
    reach = SLANT * max((text_width(name, SMALL) for name in names), default=0.0)
    room = WIDTH - left - max(RIGHT, reach)
    width = min(CELL, room / max(1, len(names)))
    height = min(CELL_HEIGHT, max(12.0, width * 0.6))
    top = 24 + reach
    parts = []
    for index, name in enumerate(names):
        x = left + (index + 0.5) * width
        parts.append(
            f'<text x="{x:.1f}" y="{top - 6:.1f}" class="s" '
            f'transform="rotate(-45 {x:.1f} {top - 6:.1f})">{escape(name)}'
            f"<title>{escape(chart.columns[index])}</title></text>"
        )
    for row, name in enumerate(chart.rows):
        y = top + row * height
        parts.append(_label(left - 6, y + height / 2, name, SMALL, left - 10))
        for column, value in enumerate(chart.values[row]):
            if value is not None:
                box = (left + column * width, y, width, height)
                parts.append(_cell(chart, (row, column), value, box))
    return make_element(
        "".join(parts), top + len(chart.rows) * height + 12, chart.title
    )


def _cell(
    chart: HeatMapChart,
    at: tuple[int, int],
    value: float,
    box: tuple[float, float, float, float],
) -> str:
    x, y, width, height = box
    kind, shade = _shade(chart, value)
    figure = format_figure(value, chart.unit)
    row, column = at
    tip = f"{chart.rows[row]}, {chart.columns[column]}: {figure}"
    if chart.details and chart.details[row][column]:
        tip += f", {chart.details[row][column]}"
    rect = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 1:.1f}" '
        f'height="{height - 1:.1f}" class="{kind}" fill-opacity="{shade:.2f}">'
        f"<title>{escape(tip)}</title></rect>"
    )
    if chart.unit in PERCENT_UNITS and width < CELL:
        figure = f"{value:.0f}"
    if chart.signs:
        figure += chart.signs[row][column]
    size = min(FIGURE, height - 2, (width - 2) / text_width(figure, 1.0))
    if size < MIN_FIGURE_SIZE:
        return rect
    return rect + (
        f'<text x="{x + width / 2:.1f}" y="{y + height / 2:.1f}" '
        f'class="{"t deep" if shade > DARK_SHADE else "t"}" '
        f'style="font-size:{size:.1f}px" '
        f'text-anchor="middle" dominant-baseline="central">{figure}</text>'
    )


def _shade(chart: HeatMapChart, value: float) -> tuple[str, float]:
    """Return the CSS class of a cell and its shade, 0…1."""
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
    legend = _legend(list(chart.lines) if len(chart.lines) > 1 else [], [])
    top = TOP + 18 * len(legend)
    foot = top + PLOT_HEIGHT
    x = _Scale([point[0] for point in points], 70, WIDTH - RIGHT)
    y = _Scale([point[1] for point in points], foot, top)
    parts = [*_legend_lines(legend), *_axis(x, top, foot, chart.x)]
    for tick, text in _written_ticks(y.low, y.high):
        parts.append(_line((70, y(tick), WIDTH - RIGHT, y(tick)), "g"))
        parts.append(_text(64, y(tick), text, kind="s"))
    parts.append(_text(8, top - 10, chart.y, kind="s", anchor="start"))
    for number, line in enumerate(chart.lines.values()):
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line)
        kind = f"p {_series_class(number)}"
        parts.append(f'<polyline points="{path}" class="{kind}"/>')
    return make_element("".join(parts), foot + BOTTOM, chart.title)
