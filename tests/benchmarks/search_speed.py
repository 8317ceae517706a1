"""Time search, words, orders and finds over a million sentences.

Run by hand: `python -m tests.benchmarks.search_speed [--sentences N]`. It prints each
figure beside its bound. A read of the stored matrix is the sum of its bits as integers,
by the same library with the same threads, just before each search.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from app.engine.process.queries import answer_query
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.arrays import map_array
from app.engine.store.corpora import list_corpora
from app.engine.store.embeddings import embedding_files, list_embeddings
from app.engine.tasks.encode import encode
from app.params.vectors import Encode
from app.protocol.answers.search import OrderAnswer
from app.protocol.base import BaseQuery
from app.protocol.queries.encoders import WarmQuery
from app.protocol.queries.search import KeywordQuery, NearestQuery, OrderQuery
from tests.benchmarks.million import make_project, make_sentences

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


N_QUERIES = 40
MAX_MEDIAN_S, MAX_READS = 0.060, 1.5
MAX_RERANKED_S, RERANKER = 0.150, "isogloss-3-context"
MAX_HIT_S, MAX_ORDER_S = 0.150, 2.0
OTHERS: tuple[KeywordQuery | OrderQuery, ...] = (
    KeywordQuery(text="the"),
    KeywordQuery(text='"the station" rain*'),
    OrderQuery(),
    OrderQuery(order_by="text"),
    OrderQuery(order_by="length", descending=True),
    OrderQuery(order_by="language"),
    OrderQuery(find="station"),
    OrderQuery(find="поезд", order_by="text"),
    OrderQuery(languages=("de", "tr")),
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000)
    n = parser.parse_args().sentences
    with (
        tempfile.TemporaryDirectory(prefix="isogloss-bench-") as parent,
        make_project(Path(parent) / "million.isogloss", n) as project,
    ):
        corpora = tuple(corpus.name for corpus in list_corpora(project.store))
        result = encode(project, Encode(corpora=corpora), Report())
        print(f"encoded {n / result.seconds:,.0f} sentences a second")
        desk = SearchSession(project)
        seconds, _ = _time(partial(answer_query, desk, WarmQuery()))
        _print("loading the encoder and the vectors", seconds, None)
        _measure_search(project, desk)
        for query in OTHERS:
            seconds, answer = _time(partial(answer_query, desk, query))
            found = answer.n if isinstance(answer, OrderAnswer) else len(answer.hits)
            bound = MAX_HIT_S if isinstance(query, KeywordQuery) else MAX_ORDER_S
            _print(f"{_describe(query)}: {found:,}", seconds, bound)


def _measure_search(project: Project, desk: SearchSession) -> None:
    rows = list_embeddings(project.store)
    files = [embedding_files(project.folder, row.array) for row in rows]
    units = [torch.from_numpy(map_array(unit)) for unit, _, _ in files]
    scans = [torch.from_numpy(map_array(scan)) for _, scan, _ in files]
    times: dict[str, list[float]] = {
        name: [] for name in ("search", "units", "scans", "re-ranked")
    }
    for _, text in make_sentences(N_QUERIES + 1, seed=2):
        times["units"].append(_time(partial(_read, units))[0])
        times["scans"].append(_time(partial(_read, scans))[0])
        query = NearestQuery(text=text, k=10)
        times["search"].append(_time(partial(answer_query, desk, query))[0])
        again = NearestQuery(text=text, k=10, reranker=RERANKER)
        times["re-ranked"].append(_time(partial(answer_query, desk, again))[0])
    pairs = zip(times["search"], times["units"], strict=True)
    n_reads = statistics.median(search / read for search, read in pairs)
    median = {name: statistics.median(values[1:]) for name, values in times.items()}
    n_rows = sum(row.n_rows for row in rows)
    _print(f"top 10 of {n_rows:,} x {rows[0].dim}", median["search"], MAX_MEDIAN_S)
    _print("slowest of them", max(times["search"][1:]), MAX_HIT_S)
    _print("the same, 200 of them re-ranked", median["re-ranked"], MAX_RERANKED_S)
    _print("one read of the stored matrix (float32)", median["units"], None)
    _print("one read of its float16 copy", median["scans"], None)
    print(f"{'reads of the stored matrix':<64} {n_reads:>8.2f}     <= {MAX_READS}")


def _read(matrices: list[torch.Tensor]) -> None:
    for matrix in matrices:
        matrix.view(torch.int64).sum()


def _time(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    value = work()
    return time.perf_counter() - begun, value


def _describe(query: BaseQuery[Any]) -> str:
    fields = {name: getattr(query, name) for name in query.__struct_fields__}
    defaults = {"k": 12, "order_by": "position"}
    told = [f"{k}={v}" for k, v in fields.items() if v and v != defaults.get(k)]
    return f"{type(query).__name__} {' '.join(told)}"


def _print(name: str, seconds: float, bound_s: float | None) -> None:
    bound = "" if bound_s is None else f"<= {bound_s * 1e3:,.0f}"
    print(f"{name:<64} {seconds * 1e3:>8,.1f} ms  {bound}", flush=True)


if __name__ == "__main__":
    main()
