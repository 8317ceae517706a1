"""The pane of charts: how much room it takes."""

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QSplitter, QTableView
from pytestqt.qtbot import QtBot

from app.results.charts import HeatMapChart, LineChart
from app.views.client.state import AppState
from app.views.widgets.chart_pane import ChartPane

MATRIX = HeatMapChart(
    "Matrix", "%", ("de", "en"), ("length", "topic"), ((88, 60), (98, 57)), 0, 100
)
CURVE = LineChart("Curve", "step", "loss", {"run": ((0, 2.0), (10, 1.0))})


def test_a_small_chart_leaves_its_room_to_the_table_below(
    open_state: AppState, qtbot: QtBot
) -> None:
    split = QSplitter(Qt.Orientation.Vertical)
    pane = ChartPane(open_state, split, fits_content=True)
    table = QTableView(split)
    qtbot.addWidget(split)
    split.resize(900, 800)
    split.setSizes([600, 200])
    split.show()
    pane.show_charts([MATRIX, CURVE])
    qtbot.waitUntil(lambda: pane.height() < 250)
    assert pane.figure is not None
    chart = pane.figure.widget
    assert chart.minimumHeight() > 60
    qtbot.waitUntil(
        lambda: chart.visibleRegion().boundingRect().height() == chart.height()
    )
    assert table.height() > 500
    pane.choose("Curve")
    split.setSizes([600, 200])
    qtbot.waitUntil(lambda: pane.height() > 500)


def test_a_long_note_has_its_lines_and_they_stay_for_what_is_pointed_at(
    open_state: AppState, qtbot: QtBot
) -> None:
    note = (
        "Rows: source, columns: target. Retrieval error in per cent, lower is better."
    )
    pane = ChartPane(open_state)
    qtbot.addWidget(pane)
    pane.resize(300, 500)
    pane.show()
    pane.show_charts([msgspec.structs.replace(MATRIX, note=note)])
    label = pane._cursor_label
    qtbot.waitUntil(lambda: QLabel.text(label) == note)
    height = label.height()
    assert height >= label.heightForWidth(label.width()) > label.fontMetrics().height()
    assert pane.figure is not None
    QTest.keyClick(pane.figure.widget, Qt.Key.Key_Right)
    assert pane.cursor_text != note
    assert label.height() == height
    qtbot.waitUntil(lambda: pane.rect().contains(label.geometry()))
    pane.resize(900, 500)
    qtbot.waitUntil(lambda: label.height() < height)
