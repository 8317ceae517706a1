"""Reports of a training's runs: points of curves, time and notes."""

import math
import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from app.engine.runtime.report import Report

FILE = "points.jsonl"
RUN, SECONDS, NOTES = "run", "elapsed_s", "notes"  # keys in a checkpoint's notes


class Point(msgspec.Struct, frozen=True, array_like=True):
    """Values of curves at a step; None: not finite."""

    step: int
    values: dict[str, float | None]


class History:
    """Reports of all runs of a training, from the first step.

    The points are in a file next to the checkpoints, the rest in the checkpoints. A
    resumed run can thus report the complete training.

    Attributes:
        notes: sentences on possible differences from an uninterrupted training.
    """

    def __init__(self, folder: Path, prepared_s: float = 0.0):
        """Make an empty history.

        Args:
            prepared_s: time of this run before the training loop.
        """
        self._file = folder / FILE
        self._prepared_s = prepared_s
        self._begun = time.monotonic()
        self._earlier_s = 0.0
        self._unsaved: list[Point] = []
        self.notes: list[str] = []

    @property
    def elapsed_s(self) -> float:
        """Seconds of all runs; of an interrupted one until its last checkpoint."""
        return self._earlier_s + self.run_s

    @property
    def run_s(self) -> float:
        """Return the seconds of this run."""
        return time.monotonic() - self._begun

    def add(self, step: int, values: Mapping[str, float]) -> None:
        """Add a point."""
        self._unsaved.append(Point(step, dict(values)))

    def save(self, run: int | None) -> dict[str, str]:
        """Append new points to the file, and return the notes for a checkpoint.

        Args:
            run: id of the run in the project; None: without a project.
        """
        with self._file.open("ab") as stream:
            stream.writelines(msgspec.json.encode(one) + b"\n" for one in self._unsaved)
            stream.flush()
            os.fsync(stream.fileno())
        self._unsaved = []
        notes = msgspec.json.encode(self.notes).decode()
        seconds = str(self.elapsed_s + self._prepared_s)
        return {RUN: str(run), SECONDS: seconds, NOTES: notes}

    def restore(self, step: int, notes: Mapping[str, str], report: Report) -> None:
        """Continue after a checkpoint; report its points if another run recorded them.

        Args:
            step: step of the checkpoint; later points are dropped.
        """
        self._earlier_s = float(notes.get(SECONDS, 0.0))
        self.notes = msgspec.json.decode(notes.get(NOTES, "[]"), type=list[str])
        points = [one for one in _read_points(self._file) if one.step <= step]
        part = self._file.with_suffix(".part")
        part.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in points))
        part.replace(self._file)
        if report.run is None or notes.get(RUN) == str(report.run):
            return
        for point in points:
            values = {
                name: math.nan if value is None else value
                for name, value in point.values.items()
            }
            report.metric(point.step, **values)


def _read_points(file: Path) -> list[Point]:
    """Read the points of a file up to the first damaged line."""
    points: list[Point] = []
    lines = file.read_bytes().splitlines() if file.exists() else []
    for line in lines:
        try:
            points.append(msgspec.json.decode(line, type=Point))
        except msgspec.DecodeError:  # writing was interrupted, as by a power failure
            break
    return points
