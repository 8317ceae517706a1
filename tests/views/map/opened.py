"""The map view over a map of four squares, and what is done on it."""

from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.protocol.edits.labels import LabelSentences
from app.views.map.view import MapView
from tests.views.map import mapped
from tests.views.stage import Stage

N_EACH = 60
N = 4 * N_EACH


def add_map(folder: Path, **fields: Any) -> int:
    """Add a map of four squares: each corpus has a corner, and is a cluster."""
    ids = mapped.all_ids(N_EACH)
    corner = np.repeat(np.arange(4), N_EACH)
    side = np.arange(N) % N_EACH / N_EACH  # along a diagonal
    xy = np.stack([3.0 * (corner % 2) + side, 3.0 * (corner // 2) + side], 1)
    if fields.pop("is_turned", False):
        xy = xy[:, ::-1]
    return mapped.add_map(
        folder, ids, xy.astype(np.float32), corner.astype(np.int32), **fields
    )


def open_view(stage: Stage, qtbot: QtBot) -> MapView:
    stage.open(qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    view = MapView(stage.state)
    qtbot.addWidget(view)
    view.resize(1000, 800)
    view.show()
    return view


def wait_ready(view: MapView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: view.page.pane.colouring is not None)
    qtbot.waitUntil(lambda: not view.page.pane.is_busy)


def colour_by(view: MapView, key: str, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.page.ready):
        view.sidebar.column_chosen.emit(key)


def place_of(view: MapView, sentence: int) -> QPoint:
    """Return the place of a sentence in the picture."""
    points, canvas = view.page.pane.points, view.page.canvas
    assert points is not None
    index = points.place_of(sentence)
    assert index is not None
    grid = points.grid
    at = canvas.frame.pixel_at(float(grid.x[index]), float(grid.y[index]))
    return QPointF(*at).toPoint()


def drag(view: MapView, corners: list[tuple[float, float]], keys: Any = None) -> None:
    """Drag the mouse over corners in coordinates of the map."""
    canvas = view.page.canvas
    places = [QPointF(*canvas.frame.pixel_at(x, y)).toPoint() for x, y in corners]
    held = keys or Qt.KeyboardModifier.NoModifier
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, held, places[0])
    for place in places[1:]:
        QTest.mouseMove(canvas, place)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, held, places[-1])


def lasso(view: MapView, corner: int, keys: Any = None) -> None:
    """Draw around a square of the map."""
    x, y = 3.0 * (corner % 2), 3.0 * (corner // 2)
    if view.page.canvas.tool != "lasso":
        QTest.keyClick(view.page.canvas, Qt.Key.Key_L)
    low, high = -0.3, 1.3
    drag(
        view,
        [
            (x + low, y + low),
            (x + high, y + low),
            (x + high, y + high),
            (x + low, y + high),
        ],
        keys,
    )


def rows_of(view: MapView) -> list[int]:
    model = view.page.sentences.table.page_model
    return model.ids_at(0, model.rowCount())


def lit(view: MapView) -> set[int]:
    """Return the sentences that are not grey."""
    points, _ = view.page.canvas.image.drawn
    shown = view.page.pane.points
    assert shown is not None
    if points.mask is None:
        return set(shown.ids.tolist())
    return set(shown.ids[shown.grid.order[points.mask]].tolist())


def labelled(stage: Stage) -> list[LabelSentences]:
    return [c for c in stage.client.changes() if isinstance(c, LabelSentences)]
