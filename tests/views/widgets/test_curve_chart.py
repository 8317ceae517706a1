"""The chart of curves on a page that scrolls, and in larger text."""

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.widgets.curve_chart import LEAST, CurveChart
from app.views.widgets.curve_plot import Curve
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.theme import Theme, scaled


@pytest.fixture
def chart(theme: Theme, qtbot: QtBot) -> Iterator[CurveChart]:
    """A chart at the top of a page that scrolls."""
    page, chart = QWidget(), CurveChart("Accuracy")
    steps = np.arange(3.0)
    chart.show_curves([Curve("mean", steps, 10 * steps)], "accuracy, %")
    layout = QVBoxLayout(page)
    layout.addWidget(chart)
    layout.addSpacing(5_000)
    area = make_scroll_area(page)
    area.resize(600, 500)
    qtbot.addWidget(area)
    with qtbot.waitExposed(area):
        area.show()
    yield chart
    area.close()


def turn_wheel(chart: CurveChart, key: Qt.KeyboardModifier) -> None:
    """Turn the wheel downwards over the plot."""
    window, plot = chart.window(), chart.plot
    place = QPointF(plot.mapTo(window, plot.rect().center()))
    QTest.wheelEvent(window.windowHandle(), place, QPoint(0, -120), stateKey=key)


def width(chart: CurveChart) -> float:
    """Return how many steps the plot shows."""
    (low, high), _ = chart.plot.viewRange()
    return float(high - low)


def test_the_wheel_scrolls_the_page_and_zooms_with_ctrl(chart: CurveChart) -> None:
    area = chart.window()
    assert isinstance(area, QScrollArea)
    bar = area.verticalScrollBar()
    before = width(chart)
    turn_wheel(chart, Qt.KeyboardModifier.NoModifier)
    assert bar.value() > 0
    assert width(chart) == pytest.approx(before, rel=0.01)
    bar.setValue(0)
    turn_wheel(chart, Qt.KeyboardModifier.ControlModifier)
    assert bar.value() == 0
    assert width(chart) > 1.2 * before
    assert "scroll with Ctrl" in chart.plot.accessibleDescription()


def test_the_plot_is_higher_in_larger_text(chart: CurveChart, theme: Theme) -> None:
    assert chart.plot.minimumHeight() == LEAST
    try:
        theme.apply(Settings(theme="light", text_scale=150))
        assert chart.plot.minimumHeight() == scaled(LEAST) > 1.4 * LEAST
    finally:
        theme.apply(Settings(theme="light"))
    assert chart.plot.minimumHeight() == LEAST
