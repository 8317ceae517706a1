"""Time the equivalents of words in 100,000 pairs of sentences.

Run by hand: `python -m tests.benchmarks.equivalents [--pairs N]`. The text is made:
words drawn by Zipf's law from 50,000, twelve a sentence; each is translated by the word
of its number, every fifth by its neighbour. The bound is a second for a word. Beside
it stands, in the same run, what any answer costs at least: the links are read and the
words of both sides sorted.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import text

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.tasks.index_words import index_words
from app.engine.words.equivalents.pairs import read_linked
from app.engine.words.index import open_index
from app.params.words import IndexWords
from app.protocol.queries.words import EquivalentsQuery

N_WORDS, LENGTH, BOUND_S = 50_000, 12, 1.0
CORPUS = "INSERT INTO corpus VALUES (:id,:l,:l,:l,'ready',:n,'','{}',NULL,0)"
SENTENCE = "INSERT INTO sentence VALUES (:id,:t,:l,:line,:length,0)"
LINK = "INSERT INTO link VALUES (:s,:t,'imported',NULL)"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    n = parser.parse_args().pairs
    with (
        tempfile.TemporaryDirectory(prefix="isogloss-bench-") as parent,
        create_project(Path(parent) / "e.isogloss") as project,
    ):
        _fill(project, n)
        index_words(project, IndexWords(), Report())
        _print("bare: links read, words sorted", lambda: _bare(project))
        desk = SearchSession(project)
        for name, words in (
            ("a word, first question", "w100x"),
            ("another word", "w101x"),
            ("the most frequent word", "w0x"),
            ("a word of rank 10,000", "w10000x"),
            ("a phrase", "w0x w1x"),
            ("a prefix", "w1*"),
            ("a word again, with links read anew", "w102x"),
        ):
            query = EquivalentsQuery(text=words, target_language="de")
            _print(name, partial(_ask, desk, query))


def _fill(project: Project, n: int) -> None:
    """Write the sentences of both languages, and a link for each pair."""
    generator = np.random.default_rng(1)
    shares = 1 / (np.arange(N_WORDS) + 2.7)
    drawn = generator.choice(N_WORDS, (n, LENGTH), p=shares / shares.sum())
    others = drawn + (generator.random(drawn.shape) < 0.2)
    generator.permuted(others, axis=1, out=others)
    with project.store.begin() as connection:
        for id_, language, ids in ((1, "en", drawn), (2, "de", others)):
            connection.execute(text(CORPUS), {"id": id_, "l": language, "n": n})
            rows = [
                {**row, "l": language, "line": index + 1}
                for index, row in enumerate(_rows(id_, ids))
            ]
            connection.execute(text(SENTENCE), rows)
        links = [
            {"s": first_sentence_id(1) + i, "t": first_sentence_id(2) + i}
            for i in range(n)
        ]
        connection.execute(text(LINK), links)


def _rows(corpus: int, ids: NDArray[np.int64]) -> list[dict[str, object]]:
    letter = "w" if corpus == 1 else "v"
    texts = [" ".join(f"{letter}{id_}x" for id_ in row) for row in ids.tolist()]
    first = first_sentence_id(corpus)
    return [
        {"id": first + index, "t": line, "length": len(line)}
        for index, line in enumerate(texts)
    ]


def _bare(project: Project) -> str:
    pairs = read_linked(project.store)
    for corpus in list_corpora(project.store):
        tokens = open_index(project, corpus, Report()).layer("word").tokens
        np.sort(tokens)
    return f"{pairs.n:,} pairs"


def _ask(desk: SearchSession, query: EquivalentsQuery) -> str:
    answer = answer_query(desk, query)
    best = answer.rows[0].item if answer.rows else "-"
    return f"{answer.n_word:,} pairs with it; best: {best}"


def _print(name: str, act: Callable[[], str]) -> None:
    begun, cpu = time.perf_counter(), time.process_time()
    told = act()
    took, cpu = time.perf_counter() - begun, time.process_time() - cpu
    print(f"{name:38} {took:6.3f} s (CPU {cpu:.3f} s; bound {BOUND_S} s) {told}")


if __name__ == "__main__":
    main()
