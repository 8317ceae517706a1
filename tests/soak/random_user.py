"""Use the window at random: click, type, undo, cancel, kill the engine, switch project.

Run by hand: `python -m tests.soak.random_user [--actions N] [--switches N] [--seed N]`.
The window is the real one over the real engine, off the screen, with two copies of the
demo project, which has something in every view. It fails if a fault is logged, if
memory grows, or if a judgement or a sentence is lost.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import NamedTuple

import psutil
from sqlalchemy import func, select

from app.engine.demo import build_demo
from app.engine.project.project import open_project
from app.engine.runtime.report import Report
from app.engine.store.schema import judgement, sentence
from app.settings import Settings
from app.views.shell.application import begin, make_application, make_window
from app.views.widgets.theme import Theme
from tests.benchmarks.window_speed import pause, wait_for, wait_until
from tests.process.user import FaultRecorder, User

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

MAX_GROWTH = 150e6  # bytes, from the second switch on
KILL_SHARE = 0.2  # of the switches before which the engine is killed
PROGRESS_EVERY = 500  # actions


class Counts(NamedTuple):
    """Rows of a project that no random action may delete."""

    sentences: int
    judgements: int


def main() -> int:
    """Use the window, and print figures; returns 0 if all bounds are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--actions", type=int, default=10_000)
    parser.add_argument("--switches", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--project", type=Path, help="Use copies of this project.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isogloss-soak-") as parent:
        os.environ["ISOGLOSS_DATA"] = parent
        folders = [Path(parent) / f"{name}.isogloss" for name in ("a", "b")]
        if options.project is None:
            build_demo(folders[0], Report())
        else:
            shutil.copytree(options.project, folders[0])
        shutil.copytree(folders[0], folders[1])
        before = [count_rows(folder) for folder in folders]
        faults, growth = use_window(folders, options)
        after = [count_rows(folder) for folder in folders]
    n_lost = sum(
        new.sentences < old.sentences or new.judgements < old.judgements
        for old, new in zip(before, after, strict=True)
    )
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(faults)} faults, memory {growth / 1e6:+.0f} MB, {n_lost} losses")
    return 0 if not faults and growth <= MAX_GROWTH and not n_lost else 1


def use_window(
    folders: list[Path], options: argparse.Namespace
) -> tuple[list[str], float]:
    """Act at random in a new window; returns the faults and the growth of memory."""
    application = make_application()
    settings = Settings()
    window = make_window(settings, Theme(application, settings))
    window.show()
    begin(window)
    n_each = max(1, options.actions // options.switches)
    user = User(window, Random(options.seed))
    faults, resident = act_at_random(user, folders, options.switches, n_each)
    window.closer.may_close = True
    client = window.state.client
    if client.is_running:
        client.quit()
        wait_until(lambda: not client.is_running, limit_s=60)
    window.close()
    return faults, float(resident[-1] - resident[min(1, len(resident) - 1)])


def act_at_random(
    user: User, folders: list[Path], n_switches: int, n_each: int
) -> tuple[list[str], list[int]]:
    """Act at random, and end all jobs.

    Args:
        user: of the window; its generator decides.
        folders: projects that are opened in turn.
        n_switches: how often a project is opened.
        n_each: actions in each.

    Returns:
        The faults, and the bytes that the window has after each switch.
    """
    recorder = FaultRecorder(user.window)
    resident: list[int] = []
    started = time.monotonic()
    for number in range(n_switches):
        switch_project(user, folders[number % len(folders)])
        resident.append(psutil.Process().memory_info().rss)
        for index in range(n_each):
            n_before = len(recorder.faults)
            user.act()
            if len(recorder.faults) > n_before:
                print(f"fault after: {user.last}", file=sys.stderr, flush=True)
            done = number * n_each + index + 1
            if done % PROGRESS_EVERY == 0:
                seconds = time.monotonic() - started
                print(f"{done:,} actions, {seconds:.0f} s", flush=True)
    end_jobs(user)
    recorder.stop()
    return recorder.faults, resident


def switch_project(user: User, folder: Path) -> None:
    """End what runs, sometimes by killing the engine, and open another project."""
    window = user.window
    if user.rng.random() < KILL_SHARE and window.state.client.is_running:
        window.state.client.kill()
        pause(0.2)
    end_jobs(user)
    window.state.open_project(folder)
    wait_for(window.state.project_opened, 120.0)
    pause(0.3)


def end_jobs(user: User) -> None:
    """Close the dialogs, and cancel every run."""
    user.close_dialogs()
    state = user.window.state
    for run in state.runs:
        state.cancel(run)
    wait_until(lambda: not state.is_busy, limit_s=120)


def count_rows(folder: Path) -> Counts:
    """Count what must not be lost."""
    with open_project(folder) as project, project.store.connect() as connection:
        return Counts(
            *(
                connection.scalar(select(func.count()).select_from(table)) or 0
                for table in (sentence, judgement)
            )
        )


if __name__ == "__main__":
    sys.exit(main())
