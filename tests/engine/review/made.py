"""Pairs to judge: two small corpora, and a mining of them without an encoder."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import (
    NewPairs,
    NewPairSet,
    PairSetCounts,
    create_pair_set,
    finish_pair_set,
    first_pair_id,
    read_current_judgements,
    write_pairs,
)
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits import Change
from tests.engine.search.made import add_corpus

NEW = NewPairSet(
    *("letters", "mined", 1, 2, "", "", "words", "f" * 8, "ratio"),
    *(4, "max", None, []),
)


def add_pairs(
    project: Project,
    n: int = 6,
    *,
    scores: Sequence[float] = (),
    n_candidates: int = 0,
    new: NewPairSet = NEW,
    report: str = "{}",
) -> int:
    """Write n pairs, source i with target i; all but the last have a runner-up."""
    indices = np.arange(n)
    falling = np.array(scores or 1.5 - indices / 8, np.float32)
    runners_up = np.where(indices < n - 1, indices + 1, -1)
    sides = [
        first_sentence_id(new.source_corpus_id),
        first_sentence_id(new.target_corpus_id),
    ]
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
    mining = create_pair_set(project.store, new, None)
    pairs = NewPairs(indices + sides[0], indices + sides[1], **parts)
    write_pairs(project.store, mining, pairs, Report())
    counts = PairSetCounts(n - n_candidates, n_candidates, report)
    finish_pair_set(project.store, mining, counts)
    return mining


def add_corpora(project: Project, n: int = 6) -> None:
    """Put corpora 1 and 2 of n sentences each into a project."""
    add_corpus(project, "Hafen", "de", [f"Schiff {i}" for i in range(n)])
    add_corpus(project, "harbour", "en", [f"ship {i}" for i in range(n)])


def edit(project: Project, change: Change) -> EditAnswer:
    return apply_edit(project, change, lambda kind, id_: None)


def verdicts(project: Project, mining: int, n: int = 6) -> list[str]:
    """Return what holds for the first n pairs."""
    ids = [first_pair_id(mining) + i for i in range(n)]
    held = read_current_judgements(project.store, ids)
    return [held[id_].verdict if id_ in held else "" for id_ in ids]
