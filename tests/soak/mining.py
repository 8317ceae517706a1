"""Kill mining at random moments, and compare what it makes in the end.

Run by hand: `python -m tests.soak.mining [--kills 100] [--seed 1]`. Each round mines a
copy of one project; the engine is killed by the system after a random time, started
again and resumed, until it is done. The pairs are then those of a run without a kill,
bit by bit.
"""

import argparse
import random
import shutil
import tempfile
import threading
import time
from pathlib import Path

from tests.process.mining_kills import (
    finish,
    made_in,
    make_project,
    mined_whole,
    open_and_run,
    start_engine,
)


def main() -> None:
    """Kill, resume, compare, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="isogloss-soak-") as made:
        folder = Path(made)
        project = folder / "p.isogloss"
        make_project(project, folder)
        whole = mined_whole(project, folder / "whole.isogloss", folder)
        seconds = _run_seconds(project, folder)
        print(f"mined without a kill: {len(whole[1]):,} pairs in {seconds:.1f} s")
        n_kills = n_rounds = 0
        while n_kills < options.kills:
            n_kills += _round(project, folder, (rng, seconds), whole)
            n_rounds += 1
            print(f"{n_rounds} rounds, {n_kills} kills, the same pairs", flush=True)


def _round(
    project: Path, folder: Path, moments: tuple[random.Random, float], whole: object
) -> int:
    """Mine a copy to its end; returns how often the engine was killed."""
    rng, most_s = moments
    copy = folder / "copy.isogloss"
    shutil.copytree(project, copy)
    n_kills = 0
    while not _survives(copy, folder, rng.uniform(0, most_s)):
        n_kills += 1
    assert made_in(copy) == whole, f"other pairs after {n_kills} kills"
    shutil.rmtree(copy)
    return n_kills


def _run_seconds(project: Path, folder: Path) -> float:
    """Time a run that is not killed."""
    copy = folder / "timed.isogloss"
    shutil.copytree(project, copy)
    with start_engine(folder) as engine:
        run = open_and_run(engine, copy)
        begun = time.monotonic()
        finish(engine, run)
        return time.monotonic() - begun


def _survives(copy: Path, folder: Path, seconds: float) -> bool:
    """Mine until the end or the kill; tell whether it came to its end."""
    with start_engine(folder) as engine:
        run = open_and_run(engine, copy)
        killer = threading.Timer(seconds, engine.process.kill)
        killer.start()
        try:
            finish(engine, run)
        except OSError:  # the connection is gone
            return False
        finally:
            killer.cancel()
    return True


if __name__ == "__main__":
    main()
