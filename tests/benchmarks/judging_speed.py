"""Time what review asks of the engine: queues, judgements, explanations.

Run by hand: `python -m tests.benchmarks.judging_speed [--pairs N] [--sentences N]`. It
prints each figure beside its bound. The pairs of the queue are of two corpora of
`--sentences` each, encoded by the bundled encoder, and have random scores.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from app.engine.encoders.registry import load_encoder
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
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
from app.engine.store.pairs.texts import read_pair_texts
from app.engine.tasks.encode import encode
from app.params.vectors import Encode
from app.protocol.edits import Change
from app.protocol.edits.general import Undo
from app.protocol.edits.pairs import JudgePairs, JudgeRange, Verdict
from app.protocol.queries.pairs import ExplainQuery, QueueQuery, ThresholdQuery
from tests.benchmarks.million import make_sentences
from tests.engine.review.made import edit
from tests.engine.search.made import add_corpus

N_TIMES = 50
MAX_QUEUE_S, MAX_EXPLAIN_S, MAX_EDIT_S, MAX_TEXTS_S = 2.0, 0.1, 0.02, 0.005
LANGUAGES = 12  # of the samples
T = TypeVar("T")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--sentences", type=int, default=100_000)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        create_project(Path(folder) / "speed.isogloss") as project,
    ):
        make_pairs(project, options.pairs, options.sentences)
        desk = SearchSession(project)
        time_queues(desk)
        time_edits(desk, options.pairs)
        time_explanations(desk)


def make_pairs(project: Project, n_pairs: int, n_sentences: int) -> None:
    """Make two corpora with vectors, and pairs of them with falling random scores."""
    made = make_sentences(LANGUAGES * n_sentences)
    for _ in range(2):
        part = list(islice(made, n_sentences))
        add_corpus(project, part[0][0], part[0][0], [line for _, line in part])
    encode(project, Encode(corpora=("1", "2")), Report())
    encoder = load_encoder("", project.folder)
    rng = np.random.default_rng(1)
    scores = np.sort(rng.normal(1.05, 0.08, n_pairs))[::-1].astype(np.float32)
    sources, targets = rng.integers(0, n_sentences, (2, n_pairs))
    others = rng.integers(0, n_sentences, (2, n_pairs))
    columns = {"scores", "cosines", "source_means", "target_means"}
    columns |= {"runner_up_scores", "reverse_scores"}
    pairs = NewPairs(
        source_ids=sources + first_sentence_id(1),
        target_ids=targets + first_sentence_id(2),
        runner_up_ids=others[0] + first_sentence_id(2),
        reverse_ids=others[1] + first_sentence_id(1),
        **dict.fromkeys(columns, scores),
    )
    new = NewPairSet(
        *("speed", "mined", 1, 2, "", "", encoder.name, encoder.fingerprint),
        *("ratio", 4, "max", None, []),
    )
    mining = create_pair_set(project.store, new, None)
    write_pairs(project.store, mining, pairs, Report())
    finish_pair_set(project.store, mining, PairSetCounts(n_pairs, 0, "{}"))


def time_queues(desk: SearchSession) -> None:
    """Time each order and filter, some pairs being judged."""
    first = first_pair_id(1)
    for i in range(200):
        verdict: Verdict = "accept" if i % 3 else "reject"
        change = JudgePairs(pairs=(first + i * 5,), verdict=verdict, add_tags=("t",))
        edit(desk.project, change)
    queries = {
        "by score": QueueQuery(mining=1),
        "shuffled": QueueQuery(mining=1, order="shuffled"),
        "by value": QueueQuery(mining=1, order="value", which="unjudged"),
        "of a range": QueueQuery(mining=1, lowest=1.0, highest=1.1),
        "of a tag": QueueQuery(mining=1, tag="t"),
        "that hold a word": QueueQuery(mining=1, find="station"),
    }
    for name, query in queries.items():
        seconds, answer = timed(partial(answer_query, desk, query))
        tell(f"queue {name} ({answer['n']:,} pairs)", seconds, MAX_QUEUE_S)
    seconds, _ = timed(lambda: answer_query(desk, ThresholdQuery(mining=1)))
    tell("threshold", seconds, MAX_QUEUE_S)


def time_edits(desk: SearchSession, n_pairs: int) -> None:
    """Time a bulk judgement, its undo, and single ones behind them."""
    project = desk.project
    seconds, answer = timed(
        lambda: edit(project, JudgeRange(mining=1, verdict="accept", lowest=1.0))
    )
    tell(f"bulk: {answer.text}", seconds, None)
    seconds, answer = timed(lambda: edit(project, Undo()))
    tell(answer.text, seconds, None)
    for what in ("queue behind them", "queue behind one more"):
        seconds, _ = timed(lambda: answer_query(desk, QueueQuery(mining=1)))
        tell(what, seconds, MAX_QUEUE_S)
        edit(project, JudgePairs(pairs=(first_pair_id(1),), verdict="flag"))
    rng = np.random.default_rng(2)
    ids = (first_pair_id(1) + rng.permutation(n_pairs)).tolist()
    changes: list[Change] = [
        JudgePairs(pairs=(ids[i],), verdict="reject") for i in range(10 * N_TIMES)
    ]
    times = [timed(partial(edit, project, change))[0] for change in changes]
    tell("a judgement, median", statistics.median(times), MAX_EDIT_S)
    tell("a judgement, the slowest of a hundred", sorted(times)[-5], None)
    times = [
        timed(partial(read_pair_texts, project.store, ids[i : i + 50]))[0]
        for i in range(N_TIMES)
    ]
    tell("texts of 50 pairs, median", statistics.median(times), MAX_TEXTS_S)


def time_explanations(desk: SearchSession) -> None:
    """Time explanations once vectors and encoder are in memory."""
    first = first_pair_id(1)
    answer_query(desk, ExplainQuery(pair=first))
    times = [
        timed(partial(answer_query, desk, ExplainQuery(pair=first + i * 7)))[0]
        for i in range(N_TIMES)
    ]
    tell("explanation, median", statistics.median(times), MAX_EXPLAIN_S)
    tell("explanation, the slowest", max(times), None)


def timed(do: Callable[[], T]) -> tuple[float, T]:
    """Return the seconds that a call took, and what it gave."""
    begun = time.perf_counter()
    value = do()
    return time.perf_counter() - begun, value


def tell(what: str, seconds: float, bound: float | None) -> None:
    """Print a figure beside its bound."""
    limit = "" if bound is None else f"  (bound {1000 * bound:,.0f} ms)"
    mark = "" if bound is None or seconds <= bound else "  TOO SLOW"
    print(f"{what:<60} {1000 * seconds:9,.1f} ms{limit}{mark}", flush=True)


if __name__ == "__main__":
    main()
