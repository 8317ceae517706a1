"""Judge 10,000 pairs by keyboard, and kill the engine at random moments of it.

Run by hand: `python -m tests.soak.review [--judgements N] [--kills K]`. The window is
the real one over the real engine, off the screen. It fails if a judgement is lost or
said twice, if memory grows, or if fewer than 99 % of the steps end within 50 ms.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.engine.project.project import open_project
from app.engine.store.pairs.sets import first_pair_id, read_all_current_judgements
from app.settings import Settings
from app.views.review.view import ReviewView
from app.views.shell.application import Watchdog, begin, make_application, make_window
from app.views.shell.main_window import MainWindow
from app.views.widgets.theme import Theme
from tests.benchmarks.window_speed import pause, wait_for, wait_until
from tests.views.reviewing import make_pairs

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


KEYS = {
    "accept": Qt.Key.Key_A,
    "reject": Qt.Key.Key_R,
    "skip": Qt.Key.Key_Space,
    "flag": Qt.Key.Key_F,
}
STEP_S, MIN_SHARE = 0.050, 0.99
MAX_GROWTH = 60e6  # bytes, from the first tenth on
BETWEEN_S = 0.02  # from one key to the next: fifty judgements a second
BEAT_MS = 5


def main() -> int:
    """Judge, kill, compare; returns 0 if all bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judgements", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isogloss-soak-") as parent:
        os.environ["ISOGLOSS_DATA"] = parent
        folder = Path(parent) / "letters.isogloss"
        mining = make_pairs(folder, options.judgements + 100)
        chance = random.Random(options.seed)
        said, is_quick = review(folder, options.judgements, options.kills, chance)
        is_whole = compare(folder, mining, said)
    return 0 if is_quick and is_whole else 1


def review(
    folder: Path, n: int, n_kills: int, chance: random.Random
) -> tuple[list[str], bool]:
    """Judge n pairs in the window; returns what was said, and whether bounds held."""
    application = make_application()
    settings = Settings()
    window = make_window(settings, Theme(application, settings))
    view = open_review(window, folder)
    kills = set(chance.sample(range(n), n_kills))
    said: list[str] = []
    times: list[float] = []
    memory: list[int] = []
    watchdog = Watchdog(window, beat_ms=BEAT_MS)
    watchdog.start()
    for step in range(n):
        verdict = chance.choices(list(KEYS), (60, 30, 5, 5))[0]
        before = view.session.queue.current
        started = time.perf_counter()
        QTest.keyClick(window.focusWidget() or window, KEYS[verdict])
        view.page.repaint()  # the next pair is on the screen
        times.append(time.perf_counter() - started)
        if view.session.queue.current == before:
            raise RuntimeError(f"the key of judgement {step + 1} was not taken")
        said.append(verdict)
        if step in kills:
            pause(chance.random() * BETWEEN_S)
            window.state.client.kill()
        pause(BETWEEN_S)
        if step % max(n // 20, 1) == 0:
            memory.append(psutil.Process().memory_info().rss)
            print(f"{step:,} judged, {memory[-1] / 1e6:,.0f} MB", flush=True)
    for _ in range(6):  # a minute
        wait_until(lambda: not view.session.outbox.unsaved)
    if view.session.outbox.is_stuck:
        print("some are sent again by the button")
        view.session.outbox.send_again()
        wait_until(lambda: not view.session.outbox.unsaved)
    watchdog.stop()
    n_unsaved = len(view.session.outbox.unsaved)
    is_quick = report(times, watchdog, memory) and not n_unsaved
    print(f"judgements that are not saved at the end: {n_unsaved}")
    window.close()
    wait_until(window.isHidden)
    return said, is_quick


def open_review(window: MainWindow, folder: Path) -> ReviewView:
    """Open the project at the review's first pair."""
    window.show()
    begin(window)
    window.state.open_project(folder)
    wait_for(window.state.project_opened)
    window.show_view("review")
    view = window.view
    assert isinstance(view, ReviewView)
    wait_until(lambda: view.page.pair is not None)
    window.activateWindow()
    view.focus_first()
    wait_until(view.page.text_view.hasFocus)
    pause(2.0)  # the imports in the background are over
    return view


def report(times: list[float], watchdog: Watchdog, memory: list[int]) -> bool:
    """Print the figures beside their bounds; returns whether all hold."""
    ordered = [1000 * one for one in sorted(times)]
    n_quick = sum(one <= STEP_S for one in times)
    share = n_quick / len(times)
    beats = 1 - watchdog.n_late / max(watchdog.n_beats, 1)
    growth = max(memory[-1] - memory[len(memory) // 10], 0)
    print(
        f"from the key to the next pair drawn: median {ordered[len(times) // 2]:.1f} "
        f"ms, slowest {ordered[-1]:.0f} ms; {100 * share:.2f} % within 50 ms "
        f"(bound {100 * MIN_SHARE:.0f} %)"
    )
    print(
        f"steps of the window's thread: {100 * beats:.2f} % of {watchdog.n_beats:,} "
        f"within 50 ms, slowest {1000 * watchdog.slowest_s:.0f} ms"
    )
    print(f"growth of memory: {growth / 1e6:.0f} MB (bound {MAX_GROWTH / 1e6:.0f} MB)")
    return share >= MIN_SHARE and beats >= MIN_SHARE and growth <= MAX_GROWTH


def compare(folder: Path, mining: int, said: list[str]) -> bool:
    """Compare what was said with what the store holds."""
    with open_project(folder) as project:
        rows = read_all_current_judgements(project.store, mining)
        first = first_pair_id(mining)
        held = {row.pair_id - first: row.verdict for row in rows}
        n_steps = len({row.step for row in rows})
    wrong = [index for index, verdict in enumerate(said) if held.get(index) != verdict]
    print(
        f"{len(said):,} judgements ({dict(Counter(said))}), {len(wrong)} lost, "
        f"{len(rows):,} pairs judged in {n_steps:,} steps"
    )
    return not wrong and len(rows) == len(said)


if __name__ == "__main__":
    sys.exit(main())
