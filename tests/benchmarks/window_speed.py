"""Time the window: its start, opening a project, and how long any step holds it.

Run by hand: `python -m tests.benchmarks.window_speed [--sentences N | --demo]`. A
process of its own makes the project; the window is the real one over the real engine,
off the screen. With --demo, the demo is unpacked and opened instead.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec
import psutil
from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer, SignalInstance
from PySide6.QtWidgets import QApplication, QWidget

from app.settings import Settings
from app.views.corpora.view import CorporaView
from app.views.search.view import SearchView
from app.views.shell.application import Watchdog, begin, make_application, make_window
from app.views.shell.main_window import MainWindow
from app.views.shell.view_registry import list_views
from app.views.widgets.search_query import SearchQuery
from app.views.widgets.theme import Theme

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


MAX_START_S, MAX_OPEN_S, MAX_DEMO_S, MAX_HIT_S = 2.0, 1.0, 2.0, 0.150
MAX_OPENING_S, MAX_TEXT_SIZE_S = 0.150, 0.300
MIN_SHARE = 0.99  # of the steps within 50 ms
SCROLL_S, N_QUERIES, BEAT_MS = 8.0, 20, 5
SORTS = (("text", False), ("length", True), ("line", False))
DRAW = (
    "import time, psutil\n"
    "from app.settings import Settings\n"
    "from app.views.shell import application\n"
    "from app.views.widgets.theme import Theme\n"
    "app = application.make_application()\n"
    "settings = Settings()\n"
    "window = application.make_window(settings, Theme(app, settings))\n"
    "window.show()\n"
    "window.grab()\n"
    "print(time.time() - psutil.Process().create_time())\n"
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--project", type=Path, help="Measure this project instead.")
    parser.add_argument("--demo", action="store_true", help="Open the demo instead.")
    parser.add_argument("--make", type=Path, help="Only make the project there.")
    options = parser.parse_args()
    if options.make is not None:
        make_encoded_project(options.make, options.sentences)
        return
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as parent:
        os.environ["ISOGLOSS_DATA"] = parent
        if options.demo:
            measure_demo(Path(parent) / "demo.isogloss")
            return
        folder = options.project or Path(parent) / "million.isogloss"
        if options.project is None:
            words = ["--make", str(folder), "--sentences", str(options.sentences)]
            module = "tests.benchmarks.window_speed"
            subprocess.run([sys.executable, "-m", module, *words], check=True)
        measure_start()
        measure_window(folder)


def make_encoded_project(folder: Path, n: int) -> None:
    """Make a project of n sentences that are encoded."""
    from app.engine.runtime.report import Report
    from app.engine.store.corpora import list_corpora
    from app.engine.tasks.encode import encode
    from app.params.vectors import Encode
    from tests.benchmarks.million import make_project

    with make_project(folder, n) as project:
        corpora = tuple(corpus.name for corpus in list_corpora(project.store))
        encode(project, Encode(corpora=corpora), Report())


def measure_start() -> None:
    """Time processes from their start to the window drawn."""
    command = [sys.executable, "-c", DRAW]
    times = [
        float(subprocess.run(command, check=True, capture_output=True).stdout)
        for _ in range(3)
    ]
    show("window drawn after the process starts", max(times), MAX_START_S)


def measure_demo(folder: Path) -> None:
    """Time the demo from the click to its first view."""
    window = open_window()
    seconds = open_and_draw(window, folder, "demo")
    show("demo unpacked, opened and drawn", seconds, MAX_DEMO_S)
    measure_openings(window)
    measure_text_size(window)
    close_window(window)


def open_window() -> MainWindow:
    """Show the window and start the engine."""
    application = make_application()
    settings = Settings()
    window = make_window(settings, Theme(application, settings))
    window.show()
    begin(window)
    wait_for(window.state.client.engine_started)
    pause(2.0)  # the imports in the background are over
    return window


def open_and_draw(
    window: MainWindow, folder: Path, mode: Literal["open", "demo"]
) -> float:
    """Return the seconds until a project is opened and drawn."""
    started = time.perf_counter()
    window.state.open_project(folder, mode)
    wait_for(window.state.project_opened)
    window.grab()
    return time.perf_counter() - started


def close_window(window: MainWindow) -> None:
    """Close the window and the engine."""
    window.close()
    wait_until(lambda: window.closer.may_close)


def measure_window(folder: Path) -> None:
    """Open, scroll, sort and search, and watch the thread meanwhile."""
    window = open_window()
    seconds = open_and_draw(window, folder, "open")
    show("project opened and drawn", seconds, MAX_OPEN_S)
    watchdog = Watchdog(window, beat_ms=BEAT_MS)
    for name, work in (
        ("scrolling and sorting", browse),
        ("searching", search),
    ):
        pause(1.0)
        watchdog.start()
        work(window)
        watchdog.stop()
        share = 1 - watchdog.n_late / max(watchdog.n_beats, 1)
        verdict = "ok" if share >= MIN_SHARE else "TOO SLOW"
        print(
            f"{name}: {100 * share:.2f} % of {watchdog.n_beats:,} steps within 50 ms "
            f"(bound {100 * MIN_SHARE:.0f} %), slowest "
            f"{1000 * watchdog.slowest_s:.0f} ms: {verdict}"
        )
    measure_openings(window)
    measure_text_size(window)
    memory = psutil.Process().memory_info().rss
    print(f"memory of the window: {memory / 1e6:,.0f} MB")
    close_window(window)


def measure_openings(window: MainWindow) -> None:
    """Time the first opening of each view: until it is drawn.

    Processor time of the window's thread is printed too: other work doesn't change it.
    """
    for entry in list_views(window.state):
        if entry.name not in window.views:
            show_work(
                f"first opening of {entry.name}",
                partial(window.show_view, entry.name),
                window,
                MAX_OPENING_S,
            )
            pause(1.0)


def measure_text_size(window: MainWindow) -> None:
    """Time a change of the text size with all views made."""
    settings = msgspec.structs.replace(window.state.settings, text_scale=115)
    change = partial(window.state.change_settings, settings)
    show_work("change of the text size", change, window, MAX_TEXT_SIZE_S)


class PaintCounter(QObject):
    """Counts how often a widget is painted."""

    def __init__(self, widget: QWidget):
        super().__init__(widget)
        self.n = 0
        widget.installEventFilter(self)

    def eventFilter(self, _widget: QObject, event: QEvent) -> bool:
        """Count a painting, and let it go on."""
        self.n += event.type() == QEvent.Type.Paint
        return False


def show_work(
    what: str, work: Callable[[], object], window: MainWindow, limit_s: float
) -> None:
    """Time something that the window does, until it has drawn itself."""
    paintings = PaintCounter(window)
    started, processor = time.perf_counter(), time.thread_time()
    work()
    while not paintings.n:
        QApplication.processEvents()
    elapsed_s = time.perf_counter() - started
    processor_ms = 1000 * (time.thread_time() - processor)
    show(f"{what} ({processor_ms:.0f} ms of processor time)", elapsed_s, limit_s)
    paintings.deleteLater()


def browse(window: MainWindow) -> None:
    """Scroll through all sentences and sort them by each column."""
    window.show_view("corpora")
    view = window.views["corpora"]
    assert isinstance(view, CorporaView)
    view.list.selectAll()
    pause(2.0)
    bar = view.page.table.verticalScrollBar()
    places = random.Random(1)
    print(f"rows in the table: {view.page.table.model().rowCount():,}")
    for key, is_descending in SORTS:
        end = time.monotonic() + SCROLL_S / len(SORTS)
        while time.monotonic() < end:
            bar.setValue(places.randrange(bar.maximum() + 1))
            pause(0.016)
        view.page.table.sort_by(key, is_descending=is_descending)
        view.page.refresh()
        wait_for(view.page.shown)


def search(window: MainWindow) -> None:
    """Search, and time from asking to the hits drawn."""
    window.show_view("search")
    view = window.views["search"]
    assert isinstance(view, SearchView)
    times = []
    for i in range(N_QUERIES):
        started = time.perf_counter()
        view.controller.send(
            SearchQuery(text=f"The storm tore {i} roofs off the houses.")
        )
        wait_for(view.hits_shown)
        view.columns.grab()
        times.append(time.perf_counter() - started)
        pause(0.2)
    first, *others = times
    show("first hit drawn after Enter, the first time", first, MAX_HIT_S)
    show("first hit drawn after Enter, median", statistics.median(others), MAX_HIT_S)


def wait_for(signal: SignalInstance, timeout_s: float = 60.0) -> None:
    """Run the event loop until a signal comes."""
    loop = QEventLoop()
    signal.connect(loop.quit)
    QTimer.singleShot(round(1000 * timeout_s), loop, lambda: loop.exit(1))
    if loop.exec():
        raise TimeoutError(str(signal))


def wait_until(is_done: Callable[[], bool], *, limit_s: float = 10.0) -> None:
    """Run the event loop until something holds, or so many seconds at most."""
    end = time.monotonic() + limit_s
    while not is_done() and time.monotonic() < end:
        pause(0.02)


def pause(seconds: float) -> None:
    """Run the event loop for a while."""
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop, loop.quit)
    loop.exec()


def show(name: str, seconds: float, bound: float) -> None:
    """Print a figure beside its bound."""
    verdict = "ok" if seconds <= bound else "TOO SLOW"
    print(f"{name}: {seconds:.3f} s (bound {bound:.3f} s): {verdict}")


if __name__ == "__main__":
    main()
