"""Time the click of the classify view: until twelve languages are on its board.

Run by hand: `python -m tests.benchmarks.classify_click`. The demo project is made
first; the window is the real one over the real engine, off the screen.
"""

import os
import tempfile
import time
from pathlib import Path

from app.engine.demo import build_from_samples
from app.engine.runtime.report import Report
from app.settings import Settings
from app.views.classify.view import ClassifyView
from app.views.shell.application import begin, make_application, make_window
from app.views.shell.main_window import MainWindow
from app.views.widgets.theme import Theme
from tests.benchmarks.window_speed import show, wait_for, wait_until

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


MAX_BOARD_S = 20.0
N_LANGUAGES = 12


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as parent:
        os.environ["ISOGLOSS_DATA"] = parent
        folder = build_from_samples(Path(parent) / "demo.isogloss", Report())
        application = make_application()
        settings = Settings()
        window = make_window(settings, Theme(application, settings))
        window.show()
        begin(window)
        window.state.open_project(folder)
        wait_for(window.state.project_opened)
        measure_click(window)
        window.close()
        wait_until(lambda: window.closer.may_close)


def measure_click(window: MainWindow) -> None:
    """Time from the click on what is proposed to the board drawn."""
    window.show_view("classify")
    view = window.views["classify"]
    assert isinstance(view, ClassifyView)
    wait_until(
        lambda: view.steps.transfer.quick.isEnabled() and view.state.labels.is_counted
    )
    started = time.perf_counter()
    view.steps.transfer.quick.click()
    wait_until(lambda: view.steps.transfer.shown is not None, limit_s=6 * MAX_BOARD_S)
    view.steps.transfer.grab()
    elapsed_s = time.perf_counter() - started
    assert len(view.steps.transfer.page.rows) == N_LANGUAGES
    show("click until twelve languages are on the board", elapsed_s, MAX_BOARD_S)


if __name__ == "__main__":
    main()
