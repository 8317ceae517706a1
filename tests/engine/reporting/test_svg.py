"""Charts of a report: positions of elements, and no overflowing text."""

import pytest
from lxml import etree

from app.engine.reporting.svg import BAR, SMALL, draw, ticks
from app.results.charts import (
    Bar,
    BarChart,
    Chart,
    HeatMapChart,
    LineChart,
    chart_table,
)

BARS = BarChart(
    "Probing",
    "%",
    ("tense", "<depth> & more"),
    {
        "one": (Bar(50.0, 40.0, 60.0), Bar(25.0)),
        "two": (Bar(100.0, 90.0, 100.0), Bar(None)),
    },
    {"majority": (30.0, None)},
)
MATRIX = HeatMapChart(
    "Error",
    "%",
    ("de", "fr"),
    ("en", "es"),
    ((0.0, 50.0), (None, 100.0)),
    0,
    100,
)
CURVES = LineChart("Loss", "step", "loss", {"loss": ((0, 2.0), (10, 1.0), (20, 0.5))})


def parse(chart: Chart) -> etree._Element:
    return etree.fromstring(draw(chart))


def test_a_bar_is_as_long_as_its_value() -> None:
    found = parse(BARS).findall("rect")
    bars = [rect for rect in found if rect.find("title") is not None]
    widths = [float(rect.get("width", "")) for rect in bars]
    assert len(bars) == 3  # one is not measured
    assert widths[0] == pytest.approx(widths[1] / 2, abs=0.1)  # one after the other
    assert widths[2] == pytest.approx(widths[1] / 4, abs=0.1)
    assert "one: 50.0 (40.0–60.0)" in bars[0].findtext("title", "")


def test_an_interval_reaches_from_its_low_to_its_high() -> None:
    root = parse(BARS)
    (whisker, _) = root.findall("line[@class='w']")
    bar = next(rect for rect in root.findall("rect") if rect.find("title") is not None)
    per_point = float(bar.get("width", "")) / 50
    length = float(whisker.get("x2", "")) - float(whisker.get("x1", ""))
    assert length == pytest.approx(20 * per_point, abs=0.2)


def test_a_mark_stands_where_its_value_is_and_only_there() -> None:
    root = parse(BARS)
    bar = next(rect for rect in root.findall("rect") if rect.find("title") is not None)
    left, per_point = float(bar.get("x", "")), float(bar.get("width", "")) / 50
    marks = [text for text in root.findall("text[@class='m']") if text.text == "│"]
    assert len(marks) == 2  # the legend's, and that of the first group
    assert float(marks[1].get("x", "")) == pytest.approx(left + 30 * per_point, abs=0.2)


def test_a_cell_is_the_deeper_the_higher_and_none_is_drawn_where_nothing_is() -> None:
    cells = parse(MATRIX).findall("rect")
    shades = [float(cell.get("fill-opacity", "")) for cell in cells]
    assert len(shades) == 3
    assert shades == sorted(shades)
    assert shades[1] == pytest.approx((shades[0] + shades[2]) / 2, abs=0.011)


def test_curves_have_a_point_for_each_value() -> None:
    (line,) = parse(CURVES).findall("polyline")
    points = [tuple(map(float, p.split(","))) for p in line.get("points", "").split()]
    assert len(points) == 3
    assert points[1][0] == pytest.approx((points[0][0] + points[2][0]) / 2)
    assert points[0][1] < points[1][1] < points[2][1]  # down the page: lower


def test_a_label_cannot_break_out_of_its_element() -> None:
    assert "<depth>" not in draw(BARS)
    assert [t.text for t in parse(BARS).iter("text") if t.text == "<depth> & more"]


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0, 100, [0, 20, 40, 60, 80, 100]),
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (-3, 7, [-2, 0, 2, 4, 6]),
        (5, 5, [5]),
    ],
)
def test_ticks_are_round(low: float, high: float, wanted: list[float]) -> None:
    assert ticks(low, high) == wanted


def test_numbers_on_axes_have_separators_and_equal_decimals() -> None:
    line = ((0, -0.5), (2_000_000, 1.0))
    texts = [
        one.text
        for one in parse(LineChart("Loss", "step", "loss", {"a": line})).findall("text")
    ]
    assert {"0", "1,000,000", "2,000,000"} <= set(texts)
    assert {"−0.5", "0.0", "1.0"} <= set(texts)
    small = LineChart("Rate", "step", "rate", {"a": ((0, 0.0), (1, 4e-6))})
    assert "4·10⁻⁶" in [one.text for one in parse(small).findall("text")]


def test_tables_of_pictures_hold_every_figure() -> None:
    head, rows = chart_table(BARS)
    assert head == [
        *("", "one", "one, low", "one, high"),
        *("two", "two, low", "two, high", "majority"),
    ]
    assert rows[0] == ["tense", 50.0, 40.0, 60.0, 100.0, 90.0, 100.0, 30.0]
    assert chart_table(MATRIX) == (["", "en", "es"], [["de", 0, 50], ["fr", None, 100]])
    assert chart_table(CURVES)[1][2] == ["loss", 20, 0.5]


def test_names_that_are_too_long_are_cut_and_told_whole_when_hovered() -> None:
    name = "a language whose name is longer than any picture has room for, and more"
    chart = BarChart("Error", "%", (name,), {"one": (Bar(1.0),)})
    group = parse(chart).find("g")
    assert group is not None
    assert group.findtext("title") == name
    shown = group.findtext("text", "")
    assert shown.endswith("…")
    assert name.startswith(shown[:-1])


def test_equal_marks_stand_one_below_the_other() -> None:
    marks: dict[str, tuple[float | None, ...]] = {"a": (30.0,), "b": (30.0,)}
    chart = BarChart("Error", "%", ("de",), {"one": (Bar(50.0),)}, marks)
    found = parse(chart).findall("text[@class='m']")[2:]  # the first are the legend's
    assert len({text.get("x") for text in found}) == 1
    ys = [float(text.get("y", "")) for text in found]
    assert ys[1] - ys[0] >= SMALL - 1, "neither covers the other"


def test_the_bars_of_a_group_are_in_its_middle_beside_many_equal_marks() -> None:
    marks: dict[str, tuple[float | None, ...]] = dict.fromkeys("abcdef", (30.0, None))
    series: dict[str, tuple[Bar, ...]] = {
        "one": (Bar(50.0), Bar(60.0)),
        "two": (Bar(40.0), Bar(70.0)),
    }
    chart = BarChart("Error", "%", ("de", "fr"), series, marks)
    root = parse(chart)
    signs = [float(s.get("y", "")) for s in root.findall("text[@class='m']")[6:]]
    bars = [bar for bar in root.iter("rect") if bar.find("title") is not None]
    tops = [float(bar.get("y", "")) for bar in bars]
    assert tops == sorted(tops)
    assert tops[2] > max(signs), "the next group is below"
    assert tops[0] > min(signs)
    assert abs((tops[0] + tops[1]) / 2 + BAR / 2 - sum(signs) / 6) < BAR


def test_marks_of_encoders_are_on_their_bars() -> None:
    marks: dict[str, tuple[float | None, ...]] = {"a": (30.0,), "b": (30.0,)}
    series: dict[str, tuple[Bar, ...]] = {"one": (Bar(50.0),), "two": (Bar(60.0),)}
    chart = BarChart("Error", "%", ("de",), series, marks, has_marks_on_bars=True)
    root = parse(chart)
    signs = root.findall("text[@class='m']")[2:]  # the first are the legend's
    bars = [bar for bar in root.iter("rect") if bar.find("title") is not None]
    for bar, sign in zip(bars, signs, strict=True):
        top, height = float(bar.get("y", "")), float(bar.get("height", ""))
        assert top < float(sign.get("y", "")) < top + height


def test_a_matrix_of_thirty_columns_stays_in_the_picture_with_its_figures() -> None:
    names = tuple(f"lang{n:02}_Latn_{'x' * 30}" for n in range(30))
    values = tuple(tuple(float(n) for n in range(30)) for _ in names)
    chart = HeatMapChart("Error", "%", names, names, values, 0, 100)
    root = parse(chart)
    figures = [t for t in root.findall("text") if (t.get("class") or "")[0] == "t"]
    assert len(figures) == 900
    headings = [t for t in root.findall("text") if t.get("transform")]
    last = headings[-1]
    assert float(last.get("x", "")) + 0.7 * 11 * 0.5 * len(last.text or "") <= 760


def test_figures_of_small_scales_keep_their_digits() -> None:
    chart = HeatMapChart("Eigen", "", ("a",), ("b",), ((0.4821,),), 0.4, 0.6)
    assert [t.text for t in parse(chart).findall("text")][-1] == "0.482"
