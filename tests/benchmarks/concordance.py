"""Time concordances over a million sentences.

Run by hand: `python -m tests.benchmarks.concordance [--sentences N] [--only ??]`, once
for one language and once for all. Each figure stands beside its bound and beside what
the question costs at least, in the same run: a count of the keyword index of SQLite
(FTS5), which gives sentences and no places; and a bare scan of texts in memory by `re`.
"""

import argparse
import os
import re
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.corpora import list_corpora
from app.engine.store.sentences import read_texts
from app.engine.words.answers import answer_word_query
from app.engine.words.index import open_index
from app.params.words import SortKey
from app.protocol.queries.words import ConcordanceQuery
from tests.benchmarks.million import make_project

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


WORDS = {"en": "the"}  # frequent ones; else one of most languages
EXPRESSION = r"\b\w+tion\b"
FIRST = 200  # lines that a window shows
N_ROUNDS = 5
MAX_FIRST_S, MAX_COUNT_S, MAX_EXPRESSION_S = 0.150, 2.0, 5.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--only", default="en", help="language; ?? for all")
    options = parser.parse_args()
    n, only = options.sentences, options.only
    with (
        tempfile.TemporaryDirectory(prefix="isogloss-bench-") as parent,
        make_project(Path(parent) / "million.isogloss", n, only=only) as project,
    ):
        seconds, n_tokens = _time(partial(_index, project))
        print(f"indexed {n:,} sentences, {n_tokens:,} words in {seconds:,.1f} s")
        desk = SearchSession(project)
        word = WORDS.get(only, "a")
        _measure_words(project, desk, word)
        _measure_sorting(desk, word)
        _measure_expression(project, desk)


def _index(project: Project) -> int:
    corpora = list_corpora(project.store)
    return sum(open_index(project, corpus, Report()).n_tokens for corpus in corpora)


def _measure_words(project: Project, desk: SearchSession, word: str) -> None:
    sql = f"SELECT count(*) FROM sentence_words WHERE sentence_words MATCH '{word}'"
    with project.store.connect() as connection:
        least, n_sentences = _best(lambda: connection.exec_driver_sql(sql).scalar_one())
    print(f"keyword index: {n_sentences:,} sentences in {least * 1e3:,.1f} ms")
    first = ConcordanceQuery(text=word, top=FIRST)
    cold, _ = _time(partial(answer_word_query, desk, first))
    _print("the first lines, indexes not open yet", cold, None)
    seconds, answer = _best(partial(answer_word_query, desk, first))
    print(f"{answer['n']:,} hits in {answer['n_sentences']:,} sentences, all counted")
    _print(f"the first {FIRST} lines", seconds, MAX_FIRST_S)
    every = ConcordanceQuery(text=word)
    seconds, _ = _best(partial(answer_word_query, desk, every))
    _print("all lines, in the order of the text", seconds, MAX_COUNT_S)


def _measure_sorting(desk: SearchSession, word: str) -> None:
    orders: tuple[tuple[SortKey, ...], ...] = (
        ("R1", "L1"),
        ("R1", "R2", "R3"),
        ("random",),
    )
    for sort in orders:
        for top in (FIRST, 10_000_000):
            query = ConcordanceQuery(text=word, sort=sort, top=top)
            seconds, answer = _best(partial(answer_word_query, desk, query))
            name = f"sorted by {', '.join(sort)}: {answer['n_lines']:,} lines"
            _print(name, seconds, MAX_COUNT_S)


def _measure_expression(project: Project, desk: SearchSession) -> None:
    texts = [
        text
        for corpus in list_corpora(project.store)
        for text in read_texts(project.store, corpus.id, 0, corpus.n_sentences)
    ]
    seconds, n = _time(partial(_scan, texts))
    del texts
    _print(f"bare scan by re: {n:,} hits", seconds, None)
    query = ConcordanceQuery(text=EXPRESSION, mode="regex", top=FIRST)
    seconds, answer = _time(partial(answer_word_query, desk, query))
    cut = ", cut" if answer.is_cut else ""
    name = f"{EXPRESSION}: {answer['n']:,} of {answer['n_searched']:,} read{cut}"
    _print(name, seconds, MAX_EXPRESSION_S)


def _scan(texts: list[str]) -> int:
    bare = re.compile(EXPRESSION, re.IGNORECASE)
    return sum(1 for text in texts for _ in bare.finditer(text))


def _best(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the median time of some rounds, and the value."""
    rounds = [_time(work) for _ in range(N_ROUNDS)]
    return sorted(seconds for seconds, _ in rounds)[N_ROUNDS // 2], rounds[0][1]


def _time(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    value = work()
    return time.perf_counter() - begun, value


def _print(name: str, seconds: float, bound_s: float | None) -> None:
    bound = "" if bound_s is None else f"<= {bound_s * 1e3:,.0f}"
    print(f"{name:<64} {seconds * 1e3:>8,.1f} ms  {bound}", flush=True)


if __name__ == "__main__":
    main()
