"""Probing files for tests: the class depends on a word or on the length."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from app.engine.heads.workers import Workers
from app.engine.probing.sets import ProbingSet, ProbingSplit
from app.engine.runtime.report import Report

Row = tuple[str, str, str]
FILLERS = ("ball", "goal", "tax", "vote", "rain", "wind")


def work_alone(work: Callable[[Any], None], items: Iterable[Any]) -> None:
    """Do work for one item after the other."""
    for item in items:
        work(item)


ALONE = Workers(work_alone, Report())


def make_set(
    train: Iterable[tuple[int, str]], *rest: Iterable[tuple[int, str]]
) -> ProbingSet:
    """Make a set of (class, text) of train, development and test."""
    parts = []
    for rows in (train, *rest):
        listed = list(rows)
        classes = np.array([one for one, _ in listed], np.int64)
        lines = np.arange(len(listed))
        parts.append(ProbingSplit([text for _, text in listed], classes, lines))
    n_classes = int(parts[0].classes.max()) + 1
    labels = tuple("abcdefghij"[:n_classes])
    return ProbingSet("made.tsv", "made", "", labels, *parts)


def make_rows(n: int, split: str, *, seed: int) -> list[Row]:
    """Draw rows whose label is Sing or Plur as "the" or "team" is among the words."""
    generator = np.random.default_rng(seed)
    rows = []
    for index in range(n):
        words = [*generator.choice(FILLERS, 4), ("the", "team")[index % 2]]
        generator.shuffle(words)
        rows.append((split, ("Sing", "Plur")[index % 2], " ".join(words)))
    return rows


def make_file(file: Path, *, n: int = 60) -> Path:
    """Write a file whose property is in its words."""
    rows = make_rows(n, "tr", seed=1) + make_rows(30, "va", seed=2)
    return write_rows(file, rows + make_rows(40, "te", seed=3))


def write_rows(file: Path, rows: Iterable[tuple[str, ...]]) -> Path:
    """Write rows as they are."""
    text = "".join("\t".join(row) + "\n" for row in rows)
    file.write_text(text, encoding="utf-8", newline="\n")
    return file
