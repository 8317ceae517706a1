"""Estimate the time and memory that mining needs."""

import time
from typing import TYPE_CHECKING

import numpy as np
import psutil

from app.arrays import FloatArray
from app.engine.mining.approximate_search import index_bytes
from app.engine.mining.exact_search import ExactSide
from app.engine.mining.neighbours import PassSettings, find_neighbours
from app.engine.project.active_sentences import active_positions, count_active
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.search.languages import matches_language
from app.engine.store.corpora import CorpusRow
from app.engine.store.embeddings import find_embedding, map_embedding
from app.engine.store.lookup import find_corpus
from app.engine.store.sentences import read_languages
from app.errors import ResourceError
from app.languages import parse_language
from app.protocol.answers.pairs import MiningPlan
from app.protocol.queries.pairs import MiningPlanQuery

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project.project import Project
    from app.engine.search.session import SearchSession

SAMPLE_ROWS, SAMPLE_COLUMNS = 4_096, 16_384
AFTER_S = 10e-6  # per sentence and neighbour, to select and write pairs
# Bytes per sentence and neighbour, without the rounded vector; bytes of everything
# else.
NEIGHBOUR_BYTES, BLOCK_BYTES = 100, 60_000_000
LONG_S = 1_800  # above this, an index is suggested


def plan_mining(session: "SearchSession", query: MiningPlanQuery) -> MiningPlan:
    """Estimate time and memory of mining from a trial with real vectors.

    Raises:
        UserError: an unknown corpus, encoder or language.
    """
    project = session.project
    encoder = session.encoder(query.encoder)
    names = (query.source, query.target or query.source)
    source, target = (find_corpus(project.store, name) for name in names)
    n = _count(project, source, query.source_language)
    m = _count(project, target, query.target_language)
    own = _vectors(project, source, encoder, SAMPLE_ROWS)
    other = _vectors(project, target, encoder, SAMPLE_COLUMNS)
    pass_s = _pass_s(own, other, (n, m), query.k)
    after_s = AFTER_S * (n + m) * query.k
    needed = (n + m) * (4 * encoder.dim + NEIGHBOUR_BYTES * query.k) + BLOCK_BYTES
    return _make_plan(query, (n, m), pass_s + after_s, needed, other)


def _make_plan(
    query: MiningPlanQuery,
    sizes: tuple[int, int],
    seconds: float,
    needed: int,
    sample: FloatArray,
) -> MiningPlan:
    memory = psutil.Process().memory_info().rss + needed
    compared = f"{sizes[0]:,} × {sizes[1]:,} sentences"
    if query.index != "exact":
        larger = ExactSide(sample, np.empty(max(sizes), np.int64))
        memory += index_bytes(larger, query.index)
        text = (
            f"{compared} with an index: {_gigabytes(memory)} of memory. Exact search "
            f"would take about {_duration(seconds)}. The index's recall is measured."
        )
        return MiningPlan(None, memory, *sizes, text)
    text = f"{compared}: about {_duration(seconds)} and {_gigabytes(memory)} of memory."
    if seconds > LONG_S:
        text += (
            " An index (ivf) is faster but misses some neighbours. Its recall is "
            "measured."
        )
    return MiningPlan(seconds, memory, *sizes, text)


def _count(project: "Project", corpus: CorpusRow, language: str) -> int:
    """Count the sentences of a language; empty: of all languages."""
    if not language:
        return count_active(project, corpus)
    code = parse_language(language).code
    codes = read_languages(project.store, corpus.id)
    if codes is None:
        is_in = matches_language(corpus.language, [code])
        return count_active(project, corpus) if is_in else 0
    rows = active_positions(project, corpus)
    codes = codes if rows is None else codes[rows]
    there, counts = np.unique(codes, return_counts=True)
    wanted = [matches_language(str(one), [code]) for one in there]
    return int(counts[wanted].sum())


def _vectors(
    project: "Project", corpus: CorpusRow, encoder: "Encoder", n: int
) -> FloatArray:
    """Return some unit vectors of a corpus; random ones if it is not encoded."""
    row = find_embedding(project.store, corpus.id, encoder.fingerprint)
    if row is not None and row.n_done == row.n_rows:
        try:
            unit, _, norms = map_embedding(project.folder, row)
        except ResourceError:
            norms = np.empty(0, np.float32)
        known = np.nonzero(norms > 0)[0]
        if len(known):
            indices = np.linspace(0, len(known) - 1, min(n, len(known))).astype(int)
            return np.ascontiguousarray(unit[known[indices]])
    random = np.random.default_rng(1)
    vectors = random.standard_normal((n, encoder.dim), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _pass_s(
    source: FloatArray, target: FloatArray, sizes: tuple[int, int], k: int
) -> float:
    """Estimate the seconds of a pass over all rows from two passes over samples.

    The first panels let most candidates pass, and a pass needs time to start, so the
    time of the second half of the rows represents all others.
    """
    half = -(-len(source) // 2)
    times = [_timed_s(source[:end], target, k) for end in (half, len(source), half)]
    short_s, long_s = min(times[::2]), times[1]  # the first pass starts slowly
    each_s = max(long_s - short_s, 0.1 * long_s) / max(len(source) - half, 1)
    begin_s = max(short_s - half * each_s, 0.0)
    n, m = sizes
    return begin_s + each_s * n * m / len(target)


def _timed_s(source: FloatArray, target: FloatArray, k: int) -> float:
    settings = PassSettings(k, device=preferred_device())
    begun = time.perf_counter()
    find_neighbours(ExactSide(source), ExactSide(target), settings, Report())
    return time.perf_counter() - begun


def _duration(seconds: float) -> str:
    """Format a time with a suitable unit."""
    if seconds < 60:
        return f"{max(1, round(seconds))}\u00a0s"
    if seconds < 5_400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3_600:.1f} hours"


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f}\u00a0GB"
