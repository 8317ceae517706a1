"""Time the map view: frames while it moves, a lasso, the sentence under the mouse.

Run by hand: `python -m tests.benchmarks.map_view [--points N]`. The page is the real
one, off the screen, at 1440 × 900, over a project of generated sentences.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.settings import Settings
from app.views.map.colouring import CLUSTER, DENSITY, LANGUAGE, LENGTH
from app.views.map.drawing.canvas import SLOW_S, MapCanvas
from app.views.map.drawing.mouse import DrawnShape
from app.views.map.view import MapView
from app.views.shell.application import make_application
from app.views.widgets.theme import Theme
from tests.benchmarks.window_speed import show, wait_until
from tests.views.map import mapped
from tests.views.stage import Stage

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


SIZE = (1440, 900)
MIN_FRAMES = 20.0  # a second
MAX_HOVER_S = 0.050
N_FRAMES, N_HOVERS = 60, 300
N_CLOUDS = 60
ZOOMS = (1.0, 2.0, 4.0, 16.0, 100.0)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as parent:
        folder = make_project(Path(parent) / "map.isogloss", options.points)
        measure(folder, options.points)


def make_project(folder: Path, n: int) -> Path:
    """Make a project with a map of n points in clouds."""
    n_each = n // len(mapped.LANGUAGES)
    mapped.build_corpora(folder, n_each)
    ids = mapped.all_ids(n_each)
    xy, clusters = mapped.clouds(len(ids), N_CLOUDS)
    mapped.add_map(folder, ids, xy, clusters)
    return folder


def measure(folder: Path, n: int) -> None:
    """Open the map, colour it, move it, point at it, draw around points."""
    application = make_application()
    Theme(application, Settings())
    stage = Stage(folder)
    stage.state.open_project(folder)
    wait_until(lambda: stage.state.project is not None)
    view = MapView(stage.state)
    canvas, page = view.page.canvas, view.page
    view.resize(SIZE[0] + 260, SIZE[1] + 110)
    started = time.perf_counter()
    view.show()
    wait_until(lambda: page.pane.colouring is not None)
    opened_s = time.perf_counter() - started
    print(f"{n:,} points: open and coloured in {opened_s:.2f} s")
    canvas.setFixedSize(*SIZE)
    wait_until(lambda: (canvas.width(), canvas.height()) == SIZE)
    for key in (LANGUAGE, CLUSTER, LENGTH, DENSITY):
        started = time.perf_counter()
        page.colours.colour_by(key)
        wait_until(partial(is_coloured, view, key))
        print(f"coloured by {key} after {time.perf_counter() - started:.2f} s")
        measure_frames(canvas, key)
    page.colours.colour_by(LANGUAGE)
    wait_until(partial(is_coloured, view, LANGUAGE))
    measure_lasso(canvas, lambda: page.selection.clear())
    measure_hover(canvas)
    view.close()
    stage.close()


def is_coloured(view: MapView, key: str) -> bool:
    """Return whether the map has the colours of a column."""
    colouring = view.page.pane.colouring
    return colouring is not None and colouring.key == key


def measure_frames(canvas: MapCanvas, key: str) -> None:
    """Move and zoom at several distances, and count whole frames, each painted."""
    canvas.show_all()
    canvas.repaint()
    for zoom in ZOOMS:
        canvas.show_all()
        canvas.zoom(zoom)
        canvas.repaint()
        fine = [time_frame(canvas, 0.0) for _ in range(8)]
        times = [time_frame(canvas, step) for step in np.linspace(-3, 3, N_FRAMES)]
        rate = 1 / statistics.mean(times)
        verdict = "ok" if rate >= MIN_FRAMES else "TOO SLOW"
        image = canvas.image
        is_coarse = ", coarse in motion" if image.draw_s > SLOW_S else ""
        print(
            f"  {key}, zoom {zoom:g}: {rate:.0f} frames/s while it moves, slowest "
            f"{1000 * max(times):.0f} ms{is_coarse}; at rest "
            f"{1000 * statistics.median(fine):.0f} ms; {image.n_visible:,} points "
            f"visible: {verdict}"
        )


def time_frame(canvas: MapCanvas, step: float) -> float:
    """Move by some pixels and paint (0: paint finely again); returns seconds."""
    started = time.perf_counter()
    if step:
        canvas.set_camera(canvas.camera.moved(step, -step))
    else:
        canvas.image._on_redraw_timeout()
    canvas.repaint()
    return time.perf_counter() - started


def measure_lasso(canvas: MapCanvas, clear: Callable[[], object]) -> None:
    """Draw around the middle of the map."""
    canvas.show_all()
    box = canvas.frame.box
    turns = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    corners = np.stack(
        [x + 0.2 * box.width * np.cos(turns), y + 0.2 * box.height * np.sin(turns)], 1
    )
    started = time.perf_counter()
    canvas.drawn.emit(DrawnShape(corners, "new"))
    canvas.repaint()
    print(f"lasso drawn, selected and painted: {time.perf_counter() - started:.3f} s")
    clear()


def measure_hover(canvas: MapCanvas) -> None:
    """Move the mouse over the map; the card of the sentence is painted each time."""
    draw = np.random.default_rng(1)
    for zoom in (1.0, 16.0, 100.0):
        canvas.show_all()
        canvas.zoom(zoom)
        canvas.repaint()
        times, n_found = [], 0
        for x, y in draw.uniform(0.2, 0.8, (N_HOVERS, 2)):
            place = QPointF(x * canvas.width(), y * canvas.height())
            started = time.perf_counter()
            found = canvas.id_near(place)
            canvas.hovered.emit(found)
            canvas.repaint()
            times.append(time.perf_counter() - started)
            n_found += found is not None
        print(f"hover at zoom {zoom:g}: {n_found} of {N_HOVERS} places had a sentence")
        show("  card painted, median", statistics.median(times), MAX_HOVER_S)
        show("  card painted, slowest", max(times), MAX_HOVER_S)
    QTest.keyClick(canvas, Qt.Key.Key_0)


if __name__ == "__main__":
    main()
