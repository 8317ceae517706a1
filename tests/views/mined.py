"""A project with sets of pairs, as mining and scoring write them."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import insert

from app.engine.project.project import open_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import (
    NewPairs,
    NewPairSet,
    PairSetCounts,
    create_pair_set,
    finish_pair_set,
    first_pair_id,
    write_pairs,
)
from app.params import command_name, params_to_json
from app.params.base import TaskParams
from app.params.mining import EvaluateMining

SCORES = (1.5, 1.2, 0.9)  # of the three sentences of a side
REPORT = {
    "n_sources": 3,
    "n_targets": 3,
    "n_found": 3,
    "n_below": 0,
    "n_duplicates": 0,
    "n_unknown": 0,
    "scores": {"low": 0.9, "high": 1.5, "counts": [1, 0, 1, 0, 0, 1]},
    "filters": [],
}
MINING = NewPairSet(
    *("English – Arabic", "mined", 1, 3, "", "", "isogloss-2", "f" * 64, "ratio"),
    *(4, "max", None, []),
)


def add_run(folder: Path, params: TaskParams, result: Any = None) -> int:
    """Record a run that has finished; returns its id."""
    values = {
        "task": command_name(type(params)),
        "params": params_to_json(params),
        "state": "finished",
        "result": json.dumps(result or {}),
        "started_at": time.time(),
        "ended_at": time.time(),
    }
    with open_project(folder) as project, project.store.begin() as connection:
        return int(connection.execute(insert(schema.run).values(values)).lastrowid)


def add_mining(
    folder: Path,
    new: NewPairSet = MINING,
    *,
    n_candidates: int = 0,
    report: dict[str, Any] | None = None,
    scores: Sequence[float] = SCORES,
    run_id: int | None = None,
) -> int:
    """Pair sentence i with sentence i; the next one is the runner-up."""
    n = len(scores)
    indices = np.arange(n)
    parts = np.array(scores, np.float32)
    sources = indices + first_sentence_id(new.source_corpus_id)
    targets = indices + first_sentence_id(new.target_corpus_id)
    has_next = indices < n - 1
    pairs = NewPairs(
        sources,
        targets,
        parts,
        parts / np.float32(2),
        parts / np.float32(4),
        parts / np.float32(4),
        np.where(has_next, targets + 1, -1),
        parts / np.float32(2),
        np.where(has_next, sources + 1, -1),
        parts / np.float32(3),
    )
    counts = PairSetCounts(n - n_candidates, n_candidates, json.dumps(report or REPORT))
    with open_project(folder) as project:
        mining = create_pair_set(project.store, new, run_id)
        write_pairs(project.store, mining, pairs, Report())
        finish_pair_set(project.store, mining, counts)
    return mining


def judge(folder: Path, mining: int, verdicts: dict[int, str]) -> None:
    """Judge pairs by their places."""
    rows = [
        {
            "step": 1,
            "pair_id": first_pair_id(mining) + place,
            "source_id": first_sentence_id(MINING.source_corpus_id) + place,
            "target_id": first_sentence_id(MINING.target_corpus_id) + place,
            "verdict": verdict,
            "who": "Ana",
            "created_at": time.time(),
        }
        for place, verdict in verdicts.items()
    ]
    with open_project(folder) as project, project.store.begin() as connection:
        connection.execute(insert(schema.judgement), rows)


def add_evaluation(folder: Path) -> int:
    """Record an evaluation with one wrong and one missed pair."""
    params = EvaluateMining(
        source=Path("/gold/de.tsv"), target=Path("/gold/ar.tsv"), gold=Path("/gold/g")
    )
    point = {"precision": 0.5, "recall": 1.0, "f1": 2 / 3, "pairs": 4}
    best = {"precision": 0.8, "recall": 0.7, "f1": 0.75, "pairs": 3}
    texts = {"source": "de-1", "source_text": "Wir bleiben.", "target": "ar-2"}
    result = {
        **best,
        "threshold": 1.1,
        "f1_interval": (0.6, 0.9),
        "curve": [{**point, "threshold": 0.9}],
        "gold": 3,
        "best_f1": 0.75,
        "encoder": "isogloss-2",
        "margin": "ratio",
        "margins": [
            {**point, "threshold": 1.0, "margin": "distance", "f1": 0.8},
            {**best, "threshold": 1.1, "margin": "ratio"},
        ],
        "recommended": "distance",
        "wrong": [{**texts, "target_text": "سنبقى ليلة أخرى.", "score": 1.3}],
        "missed": [{**texts, "target_text": "الريح شمالية."}],
    }
    return add_run(folder, params, result)
