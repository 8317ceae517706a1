"""Curves: kept in order, averaged, drawn, told at the cursor, written to files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from pyqtgraph import BarGraphItem, ScatterPlotItem
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFontInfo, QFontMetricsF, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.results.charts import Bar, BarChart
from app.settings import Settings
from app.views.client.state import AppState
from app.views.training.plots import PlotPanel
from app.views.widgets.bar_chart import MARK_PX, BarPlot
from app.views.widgets.class_colours import CLASSES_DARK, CLASSES_LIGHT
from app.views.widgets.curve_plot import (
    Curve,
    CurvePlot,
    CurveSet,
    curve_colour,
    smooth,
)
from app.views.widgets.theme import DARK, LIGHT, Theme, contrast

STEPS = np.arange(1.0, 6.0)


@pytest.fixture
def panel(state: AppState, qtbot: QtBot, theme: Theme) -> Iterator[PlotPanel]:
    panel = PlotPanel(state, "Curves")
    qtbot.addWidget(panel)
    panel.set_groups([("loss", "Loss"), ("error", "Retrieval error")])
    panel.show_curves(
        [
            Curve("ranking", STEPS, np.array([4.0, 2.0, 1.0, 0.5, 0.25])),
            Curve("nli", STEPS[:3], np.array([1.0, 0.5, np.nan]), colour=1),
        ],
        "loss",
    )
    panel.resize(700, 400)
    panel.show()
    qtbot.waitExposed(panel)
    yield panel
    panel.close()


def test_a_step_that_comes_again_replaces_its_point() -> None:
    book = CurveSet()
    for step, loss in ((10, 3.0), (20, 2.0), (30, 1.0), (20, 2.5), (15, 2.75)):
        book.add(step, {"loss": loss})
    steps, values = book.points("loss")
    assert steps.tolist() == [10, 15, 20, 30]
    assert values.tolist() == [3.0, 2.75, 2.5, 1.0]


def test_what_is_not_finite_is_a_gap_and_never_the_best() -> None:
    book = CurveSet()
    for step, error in ((1, None), (2, 0.5), (3, 0.25), (4, None)):
        book.add(step, {"dev.error": error})
    assert np.isnan(book.points("dev.error").values[[0, 3]]).all()
    assert book.best("dev.error") == (3, 0.25)
    assert book.last("dev.error") is None
    assert book.best("loss") is None


def test_smoothing_averages_as_far_as_there_are_neighbours_on_both_sides() -> None:
    values = np.array([0.0, 3.0, 6.0, np.nan, 12.0])
    # ends keep themselves; (0+3+6)/3; (3+6)/2 without the gap; (6+12)/2
    expected = [0.0, 3.0, 4.5, 9.0, 12.0]
    assert smooth(values, 3).tolist() == expected
    assert smooth(values, 1) is values


@pytest.mark.parametrize(
    ("palette", "surface"),
    [(CLASSES_LIGHT, LIGHT.surface), (CLASSES_DARK, DARK.surface)],
)
def test_every_curve_stands_out_from_its_background(
    palette: tuple[str, ...], surface: str
) -> None:
    assert min(contrast(colour, surface) for colour in palette) >= 3


def test_the_legend_tells_the_newest_values_and_those_at_the_cursor(
    panel: PlotPanel,
) -> None:
    assert panel.legend == "ranking 0.25, nli –"
    QTest.keyClick(panel.plot, Qt.Key.Key_Left)
    QTest.keyClick(panel.plot, Qt.Key.Key_Left)
    QTest.keyClick(
        panel.plot, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier
    )  # no further than the first
    assert panel.legend == "ranking 4, nli 1, step 1"
    QTest.keyClick(panel.plot, Qt.Key.Key_Right)
    assert panel.legend == "ranking 2, nli 0.5, step 2"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3.636e-6, "3.636·10⁻⁶"),
        (0.5714, "0.5714"),
        (-0.25, "−0.25"),
        (12_345.6, "12,346"),
    ],
)
def test_the_legend_has_no_raw_exponents(
    panel: PlotPanel, value: float, shown: str
) -> None:
    panel.plot.show_curves([Curve("rate", np.array([1.0]), np.array([value]))])
    assert panel.legend == f"rate {shown}"


def test_the_keyboard_zooms_and_comes_back(panel: PlotPanel) -> None:
    box = panel.plot.getViewBox()
    QTest.keyClick(panel.plot, Qt.Key.Key_Plus)
    (left, right), _ = box.viewRange()
    assert right - left < 4
    QTest.keyClick(panel.plot, Qt.Key.Key_0)
    box.updateAutoRange()
    (left, right), _ = box.viewRange()
    assert left <= 1
    assert right >= 5


def test_log_scale_and_smoothing_draw_what_they_can(panel: PlotPanel) -> None:
    panel.plot.show_curves([Curve("error", STEPS, np.array([0.5, 0.1, 0, 0, 0.01]))])
    panel.plot.set_log(True)
    panel.plot.set_smoothing(5)
    assert not panel.grab().isNull()
    assert panel.legend == "error 0.01"


def test_another_group_is_chosen_by_its_chip(panel: PlotPanel, qtbot: QtBot) -> None:
    assert panel.group == "loss"
    with qtbot.waitSignal(panel.group_changed):
        panel.prefer("error")
    panel.set_groups([("error", "Retrieval error")])
    assert panel.group == "error"


def test_values_are_written_as_csv(
    panel: PlotPanel, qtbot: QtBot, state: AppState, tmp_path: Path
) -> None:
    with qtbot.waitSignal(state.file_written):
        panel.ask_export().export_to(tmp_path / "curves.csv")
    lines = (tmp_path / "curves.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "step,ranking,nli"
    assert lines[1] == "1,4,1"
    assert lines[5] == "5,0.25,"


def test_pictures_are_written(panel: PlotPanel, tmp_path: Path) -> None:
    panel.ask_export().export_to(tmp_path / "curves.png")
    panel.ask_export().export_to(tmp_path / "curves.svg")
    picture = QImage(str(tmp_path / "curves.png"))
    assert picture.width() == 1_920
    root = ElementTree.parse(tmp_path / "curves.svg").getroot()
    assert len(list(root.iter())) > 20


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_pictures_have_a_title_and_the_chosen_colours(
    suffix: str, panel: PlotPanel, theme: Theme, tmp_path: Path
) -> None:
    theme.apply(Settings(theme="dark"))
    QApplication.processEvents()
    before = panel.grab().toImage()
    dialog = panel.ask_export()
    assert dialog.picture.background_box.currentText() == "Dark", "as the window"
    dialog.close()
    for place, is_dark, alpha in ((0, False, 255), (1, True, 255), (2, False, 0)):
        dialog = panel.ask_export()
        dialog.picture.background_box.setCurrentIndex(place)
        file = tmp_path / f"curves {place}{suffix}"
        dialog.export_to(file)
        picture = QImage(str(file))
        width, height = picture.width(), picture.height()
        empty = [(2, 2), (width - 3, height - 3), (width // 2, height // 4)]
        for x, y in empty:
            colour = picture.pixelColor(x, y)
            assert abs(colour.alpha() - alpha) < 8  # lines of the grid are faint
            assert not alpha or (colour.lightness() < 128) == is_dark
        assert any(
            colour.alpha() > 200 and (colour.lightness() < 128) != is_dark
            for y in range(2, height // 12)
            for x in range(width // 3)
            if (colour := picture.pixelColor(x, y))
        )
    assert panel.grab().toImage() == before, "the window remains dark"


@pytest.mark.parametrize("index", [0, 1, 2])  # light, dark, without background
@pytest.mark.parametrize("suffix", ["png", "svg", "csv"])
def test_an_export_writes_the_plot_of_the_moment_when_its_dialog_opened(
    panel: PlotPanel,
    state: AppState,
    qtbot: QtBot,
    tmp_path: Path,
    suffix: str,
    index: int,
) -> None:
    files = [tmp_path / f"{name}.{suffix}" for name in ("as", "then", "now")]
    for file, is_changed in zip(files, (False, True, False), strict=True):
        dialog = panel.ask_export()
        dialog.picture.background_box.setCurrentIndex(index)
        if is_changed:
            panel.show_curves([Curve("later", STEPS, STEPS)], "loss")
        with qtbot.waitSignal(state.file_written):
            dialog.export_to(file)
    if suffix == "csv":
        tables = [file.read_text(encoding="utf-8") for file in files]
        assert tables[0] == tables[1] != tables[2]
        return
    first, changed, newest = map(_draw_on_white, files)
    assert _count_different(first, changed) < 0.002
    assert _count_different(first, newest) > 0.005


def _draw_on_white(file: Path) -> NDArray[np.uint8]:
    """Return the shades of grey of a picture: uint8 (height, width)."""
    drawn = QImage(str(file))
    image = QImage(drawn.size(), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.drawImage(0, 0, drawn)
    painter.end()
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    bits = np.frombuffer(grey.constBits(), np.uint8)
    return bits.reshape(grey.height(), -1)[:, : grey.width()].copy()


def _count_different(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Return the share of pixels that differ clearly."""
    return float(np.mean(np.abs(one.astype(int) - other.astype(int)) > 60))


def _is_blue(colour: QColor) -> bool:
    """Return whether a pixel is of the first curve, also at its edge."""
    return colour.blue() - colour.red() > 60


def test_a_picture_has_the_chosen_size(panel: PlotPanel, tmp_path: Path) -> None:
    dialog = panel.ask_export()
    dialog.picture.width_box.setValue(1_600)
    assert dialog.picture.height_box.value() == 900, "the shape of a slide"
    dialog.picture.height_box.setValue(1_600)
    dialog.picture.width_box.setValue(800)
    assert dialog.picture.height_box.value() == 800, "the chosen shape"
    dialog.export_to(tmp_path / "square.png")
    picture = QImage(str(tmp_path / "square.png"))
    assert (picture.width(), picture.height()) == (800, 800)
    rows = [
        y
        for y in range(60, 800)
        if any(_is_blue(picture.pixelColor(x, y)) for x in range(60, 800))
    ]
    assert max(rows) - min(rows) > 500, "the curve fills the height"


def test_a_place_that_cannot_be_written_keeps_the_dialog(
    panel: PlotPanel, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    dialog = panel.ask_export()
    dialog.export_to(tmp_path / "folder" / "curves.png")
    (tmp_path / "taken.svg").mkdir()
    again = panel.ask_export()
    again.export_to(tmp_path / "taken.svg")
    assert again.isVisible()
    assert "is a folder" in again.error


def test_the_axis_of_bars_is_as_wide_as_its_widest_name(
    qapp: QApplication, qtbot: QtBot
) -> None:
    plot = BarPlot()
    qtbot.addWidget(plot)
    wide = "ＷＷＷＷＷＷ"  # twice as wide as Latin letters: it was left out
    bars = (Bar(2.0), Bar(1.0))
    plot.show_chart(BarChart("Words", "count", (wide, "a"), {"count": bars}))
    assert plot.getAxis("left").fixedWidth > QFontMetricsF(
        plot.font()
    ).horizontalAdvance(wide)
    plot.show_chart(BarChart("Words", "count", (wide * 9, "a"), {"count": bars}))
    assert plot.getAxis("left").fixedWidth < 300, "a long name is elided"
    plot.show_chart(BarChart("Words", "count", (wide, "a"), {"count": bars}))
    font = plot.font()
    font.setPixelSize(2 * QFontInfo(font).pixelSize())
    before = plot.getAxis("left").fixedWidth
    plot.setFont(font)
    assert plot.getAxis("left").fixedWidth > 1.5 * before, "text is larger now"


def axes(plot: CurvePlot) -> tuple[list[float], list[float]]:
    box = plot.getViewBox()
    box.updateAutoRange()
    steps, values = box.viewRange()
    return [round(one) for one in steps], [round(one) for one in values]


def test_marks_of_encoders_are_on_their_bars(qtbot: QtBot) -> None:
    plot = BarPlot()
    qtbot.addWidget(plot)
    names = ("one", "two", "three")
    series: dict[str, tuple[Bar, ...]] = {name: (Bar(50.0),) for name in names}
    marks: dict[str, tuple[float | None, ...]] = {
        f"{name}, by margin": (30.0,) for name in names
    }
    chart = BarChart("Error", "%", ("de",), series, marks, has_marks_on_bars=True)
    plot.show_chart(chart)
    bars = [i.opts["y"][0] for i in plot.items() if isinstance(i, BarGraphItem)]
    signs = [i.getData()[1][0] for i in plot.items() if isinstance(i, ScatterPlotItem)]
    assert sorted(signs) == pytest.approx(sorted(bars))
    assert len(set(bars)) == 3


@pytest.mark.parametrize("scale", [100, 150])
def test_equal_baselines_do_not_hide_each_other(
    scale: int, qtbot: QtBot, theme: Theme
) -> None:
    theme.apply(Settings(theme="light", text_scale=scale))
    plot = BarPlot()
    qtbot.addWidget(plot)
    names = ("one", "two", "three", "four", "five", "six", "seven", "eight")
    marks: dict[str, tuple[float | None, ...]] = {
        name: (50.0, 50 + n / 5, 50 + 4.0 * n, None if n else 20.0)
        for n, name in enumerate(names)
    }
    bars = tuple(Bar(value, value - 2, value + 2) for value in (80.0, 70.0, 60.0, 50.0))
    labels = ("Length", "Words", "Tense", "Depth")
    plot.show_chart(BarChart("Probing", "%", labels, {"isogloss": bars}, marks))
    plot.resize(600, plot.minimumHeight())
    plot.show()
    qtbot.waitExposed(plot)
    box = plot.getViewBox()
    places = [
        box.mapViewToScene(QPointF(x, y)).toTuple()
        for item in plot.items()
        if isinstance(item, ScatterPlotItem)
        for x, y in zip(*item.getData(), strict=True)
    ]
    assert len(places) == 3 * len(names) + 1
    for index, (x, y) in enumerate(places):
        for other_x, other_y in places[:index]:
            assert max(abs(x - other_x), abs(y - other_y)) >= MARK_PX
    theme.apply(Settings(theme="light"))


def test_the_axes_of_a_single_point_begin_at_zero(qtbot: QtBot) -> None:
    plot = CurvePlot("one")
    qtbot.addWidget(plot)
    plot.set_bounds((0, 100))
    plot.show_curves([Curve("mean", np.array([0.0]), np.array([85.0]))])
    assert axes(plot) == ([0, 1], [-3, 103])  # with 3 % of room on both sides
    plot.set_bounds(None)
    plot.show_curves([Curve("loss", np.array([200.0]), np.array([10.0]))])
    assert axes(plot) == ([-6, 206], [-1, 21])
    plot.show_curves([Curve("loss", np.array([200.0, 400.0]), np.array([10.0, 6.0]))])
    (left, right), (low, high) = axes(plot)
    assert 150 < left <= 200 < 400 <= right < 450
    assert 5 <= low <= 6 < 10 <= high <= 11


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0, 12_000], ["0", "5,000", "10,000"]),
        ([-1, 1], ["−1.0", "−0.5", "0.0", "0.5", "1.0"]),
        ([0, 9e-6], ["0", "2·10⁻⁶", "4·10⁻⁶", "6·10⁻⁶", "8·10⁻⁶"]),
        ([2.0e-4, 1.4e-3], ["0.0005", "0.0010"]),
    ],
)
def test_the_numbers_of_an_axis_are_short_and_have_commas(
    values: list[float], ticks: list[str], qtbot: QtBot
) -> None:
    plot = CurvePlot("one")
    qtbot.addWidget(plot)
    axis = plot.getAxis("left")
    ((spacing, places), *_) = axis.tickValues(*values, 300)
    assert axis.tickStrings(places, axis.scale, spacing) == ticks


def test_eight_curves_have_eight_colours() -> None:
    empty = np.empty(0)
    curves = [Curve(str(n), empty, empty, colour=n) for n in range(8)]
    for tokens in (LIGHT, DARK):
        assert len({curve_colour(curve, tokens) for curve in curves}) == 8


def test_a_curve_has_the_same_hue_in_both_themes() -> None:
    empty = np.empty(0)
    for n in range(8):
        curve = Curve(str(n), empty, empty, colour=n)
        hues = [
            QColor(curve_colour(curve, tokens)).hslHueF() * 360
            for tokens in (LIGHT, DARK)
        ]
        assert abs((hues[0] - hues[1] + 180) % 360 - 180) < 40, (n, hues)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_of_a_picture_are_enlarged_with_it(
    scheme: Literal["light", "dark"], panel: PlotPanel, theme: Theme, tmp_path: Path
) -> None:
    theme.apply(Settings(theme=scheme))
    panel.show_curves([Curve("error", STEPS, np.full(5, 2.0))], "error")
    QApplication.processEvents()
    file = tmp_path / "curves.png"
    dialog = panel.ask_export()
    dialog.picture.width_box.setValue(7_000)  # as many as are allowed
    dialog.export_to(file)
    picture = QImage(str(file))
    column = [
        picture.pixelColor(picture.width() // 2, y) for y in range(picture.height())
    ]
    n = sum(map(_is_blue, column))
    scale = picture.width() / panel.width()
    assert n > 1.2 * scale, (n, scale)  # a line is 1.6 pixels wide on the screen


def test_the_legend_of_a_picture_is_not_cut(panel: PlotPanel, tmp_path: Path) -> None:
    panel.ask_export().export_to(tmp_path / "curves.png")
    picture = QImage(str(tmp_path / "curves.png"))
    of_curve = [
        x
        for x in range(picture.width() // 3)
        for y in range(picture.height() // 4)
        if _is_blue(picture.pixelColor(x, y))
    ]
    assert min(of_curve) >= 8


def test_titles_of_axes_follow_the_size_of_the_text(theme: Theme, qtbot: QtBot) -> None:
    plot = CurvePlot("Loss")
    qtbot.addWidget(plot)
    plot.set_titles("step", "loss")
    plot.show()
    label = plot.getAxis("left").label
    try:
        theme.apply(Settings(theme="light", text_scale=150))
        assert label.font().pixelSize() == 20
    finally:
        theme.apply(Settings(theme="light"))
    assert label.font().pixelSize() == 13
