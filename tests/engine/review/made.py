"""Pairs to judge: two small corpora, and a mining of them without an encoder."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.engine.changes import apply_change
from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.pair_rows import first_pair_id, read_judgements
from app.engine.store.pair_writes import (
    MiningCounts,
    NewMining,
    NewPairs,
    create_mining,
    finish_mining,
    write_pairs,
)
from app.engine.store.rows import first_id
from app.messages import Change
from tests.engine.search.made import add_corpus

NEW = NewMining(
    *("letters", "mined", 1, 2, "", "", "words", "f" * 8, "ratio"),
    *(4, "max", None, []),
)


def add_pairs(
    project: Project,
    n: int = 6,
    *,
    scores: Sequence[float] = (),
    n_candidates: int = 0,
    new: NewMining = NEW,
) -> int:
    """Write n pairs, source i with target i; all but the last have a runner-up."""
    places = np.arange(n)
    falling = np.array(scores or 1.5 - places / 8, np.float32)
    runners_up = np.where(places < n - 1, places + 1, -1)
    sides = [first_id(new.source_corpus_id), first_id(new.target_corpus_id)]
    parts: dict[str, Any] = {
        "scores": falling,
        "cosines": falling / 2,
        "source_means": falling / 3,
        "target_means": falling / 4,
        "runner_up_ids": np.where(runners_up < 0, -1, runners_up + sides[1]),
        "runner_up_scores": falling / 2,
        "reverse_ids": np.where(runners_up < 0, -1, runners_up + sides[0]),
        "reverse_scores": falling / 2,
    }
    mining = create_mining(project.store, new, None)
    pairs = NewPairs(places + sides[0], places + sides[1], **parts)
    write_pairs(project.store, mining, pairs, Report())
    counts = MiningCounts(n - n_candidates, n_candidates, "{}")
    finish_mining(project.store, mining, counts)
    return mining


def add_corpora(project: Project, n: int = 6) -> None:
    """Put corpora 1 and 2 of n sentences each into a project."""
    add_corpus(project, "Hafen", "de", [f"Schiff {i}" for i in range(n)])
    add_corpus(project, "harbour", "en", [f"ship {i}" for i in range(n)])


def edit(project: Project, change: Change) -> dict[str, Any]:
    return apply_change(project, change, lambda kind, id_: None)


def verdicts(project: Project, mining: int, n: int = 6) -> list[str]:
    """Give what holds for the first n pairs."""
    ids = [first_pair_id(mining) + i for i in range(n)]
    held = read_judgements(project.store, ids)
    return [held[id_].verdict if id_ in held else "" for id_ in ids]
