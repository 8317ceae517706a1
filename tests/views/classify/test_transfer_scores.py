"""Correlations of scored pairs in the classify view: r is written alike."""

import pytest
from pytestqt.qtbot import QtBot
from scipy import stats

from app.views.classify.transfer.plot import TransferFigure
from app.views.classify.transfer.results import TransferScore
from app.views.classify.transfer.table import TransferTable
from app.views.widgets.statistics_format import (
    correlation_interval,
    format_coefficient_change,
)
from tests.views.classify.opened import cells

NOTHING = (None, None, None, None)  # macro-F1, its interval, the majority
GERMAN = TransferScore(
    *("de", "German", 120, 0.714, 0.613, 0.792, *NOTHING, 0),
    is_home=False,
    is_correlation=True,
)
ENGLISH = TransferScore(
    *("en", "English", 90, 0.826, 0.741, 0.885, *NOTHING, 0),
    is_home=True,
    is_correlation=True,
)


def test_the_table_and_the_plot_write_r_alike(qtbot: QtBot) -> None:
    table, figure = TransferTable(), TransferFigure("Board")
    for widget in (table, figure):
        qtbot.addWidget(widget)
    rows = [GERMAN, ENGLISH]
    table.show_rows(rows, ENGLISH.value, has_scores=True)
    figure.show_rows(rows, ENGLISH)
    heading = table.horizontalHeaderItem(2)
    assert heading is not None
    assert heading.text().strip() == "Pearson’s r"
    assert cells(table, 0)[2] == "0.71\u00a0(0.61–0.79)"
    assert "+0.11" in cells(table, 0)  # the gap: English minus German
    assert "English 0.83" in figure.legend
    assert "German 0.71" in figure.plot.accessibleName()
    assert figure.plot.getAxis("bottom").labelText == "Pearson’s r"
    (low, high), _ = figure.plot.viewRange()
    assert low <= 0
    assert 1 <= high < 1.1


def test_the_interval_of_r_is_that_of_fisher() -> None:
    x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    found = stats.pearsonr(x, [2.0, 1.0, 4.0, 3.0, 6.0, 5.0])
    expected = found.confidence_interval(0.95)
    low, high = correlation_interval(float(found.statistic), 6)
    assert (low, high) == pytest.approx(tuple(expected), abs=1e-6)
    assert correlation_interval(0.9, 3) == (-1.0, 1.0)
    assert format_coefficient_change(-0.114) == "−0.11"
    assert format_coefficient_change(0.114) == "+0.11"
    assert {format_coefficient_change(one) for one in (0.004, 0.0, -0.004)} == {"0.00"}
