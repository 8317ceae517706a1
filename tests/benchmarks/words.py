"""Time the word index and what is counted with it, over 20 million words.

Run by hand: `python -m tests.benchmarks.words [--sentences N]`. The text is made: words
drawn by Zipf and Mandelbrot's law from 600,000 that are made of syllables, 20 a
sentence, in 2,000 documents. Each figure stands beside its bound and beside what the
question costs at least, in the same run: `str.split` and `Counter` over the same texts
in memory, a bare `bincount` of the ids. Times are those of a clock and of the CPU.
"""

import argparse
import itertools
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.store.sentences import read_texts
from app.engine.tasks.index_words import index_words
from app.engine.words.index import open_index
from app.params.words import IndexWords
from app.protocol.base import BaseQuery
from app.protocol.queries.words import (
    CollocatesQuery,
    FrequenciesQuery,
    KeynessQuery,
    WordIndexQuery,
)

N_WORDS, N_DOCUMENTS = 600_000, 2_000
LENGTH = 20  # words of a sentence
MANDELBROT = 2.7  # of the law: 1 / (rank + 2.7)
SYLLABLES = ["ka", "le", "mi", "no", "ru", "sta", "te", "vo", "schi", "an", "er", "un"]
PAGE = 50_000
CORPUS = "INSERT INTO corpus VALUES (1,'made','en','en','ready',?,'','{}',NULL,0)"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="isogloss-bench-") as parent,
        make_project(Path(parent) / "words.isogloss", options.sentences) as project,
    ):
        _print("index words, and the list of frequencies", _index(project), 60)
        size = sum(
            file.stat().st_size for file in (project.folder / "arrays").iterdir()
        )
        print(f"the index takes {size / 1e6:,.0f} MB on the disk")
        (corpus,) = list_corpora(project.store)
        tokens = open_index(project, corpus, Report()).tokens
        print(f"{len(tokens):,} words, {int(tokens.max()) + 1:,} different forms")
        _print("bare bincount", _time(partial(np.bincount, np.array(tokens))), None)
        _remove_lists(project)
        _ask(project, "frequencies, first", FrequenciesQuery(), 60)
        _ask(project, "frequencies, again, another window", FrequenciesQuery(), 1)
        _ask(project, "bigrams, first", FrequenciesQuery(n=2), 60)
        _ask(project, "bigrams, again", FrequenciesQuery(n=2), 1)
        by_letters = FrequenciesQuery(n=2, order_by="item", descending=False)
        _ask(project, "bigrams in the order of letters", by_letters, None)
        _ask(project, "six words, first", FrequenciesQuery(n=6), 60)
        _ask(
            project,
            "collocates of the most frequent word",
            CollocatesQuery(text="ka"),
            3,
        )
        _ask(project, "collocates of a word of rank 100", _rank_100(project), 3)
        same = KeynessQuery(corpora=(1,), against_corpora=(1,), n=1)
        _ask(project, "keyness, the corpus against itself", same, None)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(f"highest memory {peak:,.0f} MB, mapped arrays included")
        _measure_bare(project)


def make_project(folder: Path, n: int) -> Project:
    """Make a project of n sentences as an import leaves it."""
    project = create_project(folder)
    generator = np.random.default_rng(1)
    words = np.array([_word(rank) for rank in range(N_WORDS)], object)
    shares = 1 / (np.arange(N_WORDS) + MANDELBROT)
    ends = np.cumsum(shares / shares.sum())
    with project.store.begin() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        raw.execute(CORPUS, (n,))
        for start in range(0, n, PAGE):
            m = min(PAGE, n - start)
            drawn = np.searchsorted(ends, generator.random((m, LENGTH)))
            texts = [" ".join(row) + "." for row in words[drawn.clip(max=N_WORDS - 1)]]
            ids = range(first_sentence_id(1) + start, first_sentence_id(1) + start + m)
            rows = [
                (id_, text, "en", 1, len(text), id_)
                for id_, text in zip(ids, texts, strict=True)
            ]
            raw.executemany("INSERT INTO sentence VALUES (?,?,?,?,?,?)", rows)
        bounds = np.linspace(0, n, N_DOCUMENTS + 1).astype(int).tolist()
        stretches = [
            (1, low, high - low, f"document {low}", "{}")
            for low, high in itertools.pairwise(bounds)
            if high > low
        ]
        raw.executemany("INSERT INTO document VALUES (?,?,?,?,?)", stretches)
    return project


def _word(rank: int) -> str:
    """Make a word: the frequent ones are short."""
    word, rest = "", rank
    while True:
        word += SYLLABLES[rest % len(SYLLABLES)]
        rest = rest // len(SYLLABLES) - 1
        if rest < 0:
            return word if rank % 7 else word.capitalize() if rank else word


def _measure_bare(project: Project) -> None:
    (corpus,) = list_corpora(project.store)
    texts = read_texts(project.store, corpus.id, 0, corpus.n_sentences)

    def count() -> int:
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(text.lower().split())
        return len(counts)

    _print("bare str.split and Counter, nothing kept", _time(count), None)


def _index(project: Project) -> tuple[float, float]:
    return _time(partial(index_words, project, IndexWords(), Report()))


def _remove_lists(project: Project) -> None:
    for file in (project.folder / "arrays").glob("*.list-*"):
        file.unlink()


def _rank_100(project: Project) -> CollocatesQuery:
    query = FrequenciesQuery(offset=99, limit=1)
    (row,) = answer_query(SearchSession(project), query).rows
    return CollocatesQuery(text=row.item)


def _ask(
    project: Project, name: str, query: WordIndexQuery, bound_s: float | None
) -> None:
    desk = SearchSession(project)
    _print(
        name, _time(partial(answer_query, desk, cast("BaseQuery[Any]", query))), bound_s
    )


def _time(work: Callable[[], Any]) -> tuple[float, float]:
    begun, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begun, time.process_time() - cpu


def _print(name: str, seconds: tuple[float, float], bound_s: float | None) -> None:
    bound = "" if bound_s is None else f"<= {bound_s:,.0f} s"
    print(
        f"{name:<44} {seconds[0]:>7.2f} s  CPU {seconds[1]:>7.2f} s  {bound}",
        flush=True,
    )


if __name__ == "__main__":
    main()
