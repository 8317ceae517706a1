"""Time the review: from a key to the next pair drawn, in a large set of pairs.

Run by hand: `python -m tests.benchmarks.review_speed [--pairs N]`. The window is the
real one over the real engine, off the screen.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.settings import Settings
from app.views.review.queue import QueueSettings
from app.views.shell.application import make_application, make_window
from app.views.widgets.theme import Theme
from tests.benchmarks.window_speed import pause, show, wait_for, wait_until
from tests.soak.review import open_review
from tests.views.reviewing import make_pairs

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


MAX_STEP_S = 0.050
N_STEPS = 300
THINKING_S = 0.15  # an annotator's, at their quickest


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=200_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as parent:
        os.environ["ISOGLOSS_DATA"] = parent
        folder = Path(parent) / "letters.isogloss"
        make_pairs(folder, options.pairs)
        measure(folder)


def measure(folder: Path) -> None:
    """Judge and leaf, and time each key; then until its judgement is saved."""
    application = make_application()
    settings = Settings()
    window = make_window(settings, Theme(application, settings))
    view = open_review(window, folder)
    print(f"pairs in the queue: {len(view.session.queue):,}")
    saved: list[float] = []
    for key, name in (
        (Qt.Key.Key_A, "accept"),
        (Qt.Key.Key_J, "next"),
        (Qt.Key.Key_K, "previous"),
    ):
        times: list[float] = []
        for _ in range(N_STEPS):
            started = time.perf_counter()
            QTest.keyClick(window.focusWidget() or window, key)
            view.page.repaint()
            times.append(time.perf_counter() - started)
            if key == Qt.Key.Key_A:
                wait_until(lambda: not view.session.outbox.unsaved)
                saved.append(time.perf_counter() - started)
            pause(THINKING_S)
        show(f"{name}: next pair drawn, median", statistics.median(times), MAX_STEP_S)
        show(f"{name}: next pair drawn, slowest", max(times), MAX_STEP_S)
    print(f"saved after the key: median {1000 * statistics.median(saved):.0f} ms")
    started = time.perf_counter()
    view.session.load(view.session.queue.mining or 0, QueueSettings(which="all"))
    wait_for(view.session.queue.loaded)
    print(f"another queue shown after {time.perf_counter() - started:.2f} s")
    window.close()
    wait_until(window.isHidden)


if __name__ == "__main__":
    main()
