"""Time the read view: opening long texts, frames while scrolling, find, words, export.

Run by hand: `python -m tests.benchmarks.reading [--lines N]`. The view is the real one,
off the screen, at 1440 × 900; queries are answered by the engine's functions.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from sqlalchemy import insert

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project, open_project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import (
    NewPairs,
    PairSetCounts,
    create_pair_set,
    finish_pair_set,
    write_pairs,
)
from app.engine.tasks.export_word_alignments import export_word_alignments
from app.engine.tasks.index_words import index_words
from app.params.words import ExportWordAlignments, IndexWords
from app.protocol.queries.reading import (
    LinkedCorporaQuery,
    ReadingQuery,
    WordLinksQuery,
)
from app.protocol.queries.search import OrderQuery
from app.views.read.model import Place
from app.views.read.view import ReadView
from app.views.shell.application import make_application
from tests.benchmarks.million import make_sentences
from tests.benchmarks.window_speed import wait_until
from tests.engine.search.made import add_corpus
from tests.views.mined import MINING
from tests.views.stage import Stage

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

SIZE = (1440, 900)
N_FRAMES, N_WORDS = 200, 40
GAP_SHARE = 0.02  # of the lines without a link


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    n = parser.parse_args().lines
    make_application()
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as parent:
        folder = Path(parent) / "texts.isogloss"
        with create_project(folder) as project:
            fill_project(project, n)
        with open_project(folder) as project:
            measure(project, folder, n)


def fill_project(project: Project, n: int) -> None:
    """Write two linked corpora of n sentences, and index their words."""
    rng = random.Random(1)
    for name, code in (("English", "en"), ("German", "de")):
        texts = [text for _, text in make_sentences(n, only=code)]
        add_corpus(project, name, code, texts)
    one, two = first_sentence_id(1), first_sentence_id(2)
    links = [
        {"source_id": one + row, "target_id": two + row, "kind": "imported"}
        for row in range(n)
        if rng.random() > GAP_SHARE
    ]
    with project.store.begin() as connection:
        connection.execute(insert(schema.link), links)
    index_words(project, IndexWords(), Report())
    fill_pairs(project, n)


def fill_pairs(project: Project, n: int) -> None:
    """Write a mined pair for each line, in an order that is not that of the text."""
    order = np.random.default_rng(1).permutation(n)
    sources, targets = order + first_sentence_id(1), order + first_sentence_id(2)
    scores, none = np.linspace(2, 1, n, dtype=np.float32), np.full(n, -1)
    pairs = NewPairs(
        *(sources, targets, scores, scores, scores, scores),
        *(none, scores, none, scores),
    )
    mining = create_pair_set(project.store, MINING._replace(target_corpus_id=2), None)
    write_pairs(project.store, mining, pairs, Report())
    finish_pair_set(project.store, mining, PairSetCounts(n, 0, "{}"))


def measure(project: Project, folder: Path, n: int) -> None:
    """Open the view over a project, and time what a reader does."""
    session = SearchSession(project)
    session.encoder()  # as in a window, where it is warm
    stage = Stage(folder)
    for kind in (LinkedCorporaQuery, ReadingQuery, WordLinksQuery, OrderQuery):
        stage.client.answers[kind] = lambda query: answer_query(session, query)
    stage.state.open_project(folder)
    wait_until(lambda: stage.state.project is not None)
    view: ReadView | None = None

    def _open() -> None:
        nonlocal view
        view = ReadView(stage.state)
        view.resize(*SIZE)
        view.show()
        shown = view
        wait_until(lambda: shown.session.rows.n_rows > 0)

    report(f"{n:,} lines of two corpora opened", [timed(_open)])
    assert view is not None
    board = view.board
    rng = np.random.default_rng(1)
    bar = board.verticalScrollBar()
    places = np.linspace(0, bar.maximum(), N_FRAMES).astype(int).tolist()
    jumps = [timed(partial(frame, view, at)) for at in places]
    report("a frame while dragging the scroll bar from end to end", jumps)
    steps = [timed(lambda: key(view, Qt.Key.Key_PageDown)) for _ in range(N_FRAMES)]
    report("a page further with the keyboard", steps)
    report("find in both columns", [timed(lambda: find(view, "the"))])
    rows = rng.integers(0, view.session.rows.n_rows, N_WORDS).tolist()
    report("translations of a word, first", [timed(lambda: point(view, rows[0]))])
    later = [timed(partial(point, view, row)) for row in rows[1:]]
    report("translations of a word in another row", later)
    reading = view.session
    (source,) = [one for one, _ in reading.sources() if one.pairs]

    def _open_pairs() -> None:
        reading.open(source)
        wait_until(lambda: bool(reading.rows.columns and reading.rows.columns[1].pairs))

    report(f"{n:,} pairs of a set opened", [timed(_open_pairs)])
    jumps = [timed(partial(frame, view, at)) for at in places]
    report("a frame while dragging the scroll bar through them", jumps)
    view.close()
    params = ExportWordAlignments(
        source="English", target="German", out=folder.parent / "words.pharaoh"
    )
    took = timed(lambda: export_word_alignments(project, params, Report()))
    report("word alignments exported", [took])
    stage.close()


def frame(view: ReadView, at: int) -> None:
    """Scroll to a place and paint."""
    view.board.verticalScrollBar().setValue(at)
    view.board.viewport().repaint()


def key(view: ReadView, pressed: Qt.Key) -> None:
    """Press a key and paint."""
    QTest.keyClick(view.board, pressed)
    view.board.viewport().repaint()


def find(view: ReadView, text: str) -> None:
    """Find a text and wait for its count."""
    view.find_bar.open()
    view.find_bar.field.setText(text)
    view.finder.search()
    wait_until(lambda: " of " in view.find_bar.count.text())


def point(view: ReadView, row: int) -> None:
    """Mark the first word of a row that has both sides, and wait for translations."""
    rows = view.session.rows
    while not rows.ids(row, 0) or not rows.ids(row, 1):
        row = (row + 1) % rows.n_rows
    view.board.select(Place(row, 0))
    view.words.step(1)
    wait_until(lambda: bool(view.words.description))
    view.board.viewport().repaint()


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds that an action takes, and the processor time of them."""
    begun, computed = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - begun, time.process_time() - computed


def report(what: str, seconds: list[tuple[float, float]]) -> None:
    """Print the median and the slowest of some times."""
    for name, times in zip(
        ("", ", processor time"), zip(*seconds, strict=True), strict=True
    ):
        middle, most = statistics.median(times), max(times)
        print(f"{what}{name}: median {1e3 * middle:.0f} ms, at most {1e3 * most:.0f}")


if __name__ == "__main__":
    main()
