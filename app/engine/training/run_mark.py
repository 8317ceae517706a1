"""Whose a training's work folder is: the run that is dropped takes it along."""

import shutil
from pathlib import Path

MARK_FILE = "run"


def mark_run(folder: Path, run: int | None) -> None:
    """Write into a work folder which run of the project works there."""
    if run is not None:
        mark = folder / MARK_FILE
        mark.write_text(f"{run}\n", encoding="utf-8", newline="\n")


def drop_work(parent: Path, run: int) -> None:
    """Remove the work folders of a run beside where its encoder would stand."""
    for mark in parent.glob(f".*.training-*/{MARK_FILE}"):
        if mark.read_text(encoding="utf-8").strip() == str(run):
            shutil.rmtree(mark.parent, ignore_errors=True)
