"""Nearest neighbours by an approximate index, for corpora too large for exact search.

The index is built and searched in a child process (see search/index.py). Its results
are scored again in float32, and its recall is measured by an exact search for a sample
of both sides.
"""

import shutil
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import torch

from app.arrays import FloatArray, IdArray
from app.engine.mining.exact_search import (
    ExactSide,
    Neighbours,
    exact_cosines,
    exact_neighbours,
    nearest_of,
)
from app.engine.mining.top_k import RoughHits
from app.engine.runtime.blocking_calls import ChildCall, ChildDiedError, run_in_child
from app.engine.runtime.report import Report
from app.engine.search.knn import NO_NEIGHBOUR
from app.engine.statistics import wilson_interval
from app.engine.store.arrays import MIN_FREE_BYTES, map_array, write_array
from app.errors import ResourceError
from app.number_format import format_percent
from app.params.mining import IndexName

MODULE = "app.engine.search.index"
BUILD_STAGE, SEARCH_STAGE = "Building the index", "Searching the index"
SCORING_STAGE, SAMPLE_STAGE = "Scoring neighbours", "Measuring the index"
SAMPLED, TUNED = 1_000, 256  # sentences per side: for the recall, for the search width
SEED = 2
ASKED = 2  # times k neighbours are requested; the best k by float32 are kept
SCORED_ROWS = 65_536


class MappedSide(NamedTuple):
    """One side and the file of its vectors."""

    exact: ExactSide
    file: Path


class IndexSettings(NamedTuple):
    """Options of an approximate index.

    Attributes:
        kind: kind of the index.
        k: number of neighbours per row.
        folder: folder for the index and the results, which a later run reuses after a
            kill.
        n_threads: number of threads; 0: all.
    """

    kind: IndexName
    k: int
    folder: Path
    n_threads: int = 0


class Recall(msgspec.Struct, frozen=True):
    """The share of the true neighbours that an index found, 0…1.

    Attributes:
        share: mean over the sentences of a sample of both sides.
        low, high: 95 % interval, calculated as if each sentence had one neighbour, so
            slightly too wide.
        sentences: number of sentences in the sample.
    """

    share: float
    low: float
    high: float
    sentences: int

    @property
    def text(self) -> str:
        """Return the share as text."""
        return (
            f"{format_percent(self.share, 1)} of the true neighbours "
            f"({100 * self.low:.1f} to {format_percent(self.high, 1)}, measured on "
            f"{self.sentences:,} sentences)"
        )


def find_approximate_neighbours(
    source: MappedSide, target: MappedSide, settings: IndexSettings, report: Report
) -> tuple[Neighbours, Neighbours, Recall]:
    """Find approximately the k nearest rows of each row on the other side.

    Returns:
        The neighbours of the sources, (n, min(k, m)), and of the targets, (m, min(k,
        n)), and the recall.

    Raises:
        ResourceError: the index does not fit on disk or in memory.
        Cancelled: the results so far stay in the folder.
    """
    found, shares = [], []
    for name, side, other in (
        ("source", source, target),
        ("target", target, source),
    ):
        direction = _Direction(
            side, other, settings._replace(folder=settings.folder / name)
        )
        near, share = direction.find(report)
        found.append(near)
        shares.append(share)
    of_both = np.concatenate(shares)
    interval = wilson_interval(float(of_both.sum()), len(of_both))
    return found[0], found[1], Recall(*interval, len(of_both))


class _Direction:
    """A search for the rows of one side in the index of the other side."""

    def __init__(self, side: MappedSide, other: MappedSide, settings: IndexSettings):
        self._side, self._other, self._settings = side, other, settings
        self._k = min(settings.k, len(other.exact))
        self._folder = settings.folder
        self._folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(SEED)
        n, n_sample = len(side.exact), SAMPLED + TUNED
        self._sample = random.permutation(n)[:n_sample]

    def find(self, report: Report) -> tuple[Neighbours, FloatArray]:
        """Return the neighbours, and the recall of each row of the sample."""
        truth = exact_neighbours(
            self._side.exact,
            self._other.exact,
            (self._sample, self._k),
            report,
            stage=SAMPLE_STAGE,
        )
        job = self._write_job(truth)
        if not (self._folder / "index.faiss").exists():
            self._check_space()
            self._call("build_index", job, BUILD_STAGE, report)
        self._call("search_index", job, SEARCH_STAGE, report)
        files = sorted(self._folder.glob("found-*.npy"))
        near = self._score(np.concatenate([map_array(file) for file in files]), report)
        measured = slice(min(TUNED, len(self._sample) // 2), None)
        indices = self._sample[measured]
        # equal scores are equivalent: a row beyond the k-th may replace it
        lowest = truth.scores[measured][:, -1:]
        share = (near.scores[indices] >= lowest).mean(axis=1)
        return near, share

    def _write_job(self, truth: Neighbours) -> dict[str, object]:
        """Write the input files of the child process."""
        tuned = slice(max(1, min(TUNED, len(self._sample) // 2)))
        arrays = {
            "stored": _rows(self._other.exact),
            "query": _rows(self._side.exact),
            "sample": self._sample[tuned],
            "truth": truth.rows[tuned],
            "progress": np.zeros(2, np.int64),
        }
        files = {name: self._folder / f"{name}.npy" for name in arrays}
        for name, array in arrays.items():
            write_array(files[name], array)
        return {
            "kind": self._settings.kind,
            "stored": str(self._other.file),
            "stored_rows": str(files["stored"]),
            "queries": str(self._side.file),
            "query_rows": str(files["query"]),
            "sample": str(files["sample"]),
            "truth": str(files["truth"]),
            "folder": str(self._folder),
            "k": min(ASKED * self._k, len(self._other.exact)),
            "n_threads": self._settings.n_threads,
        }

    def _call(
        self, function: str, job: dict[str, object], stage: str, report: Report
    ) -> None:
        progress = np.load(self._folder / "progress.npy", mmap_mode="r")

        def done() -> tuple[int, int]:
            return int(progress[0]), int(progress[1])

        call = ChildCall(f"{MODULE}:{function}", {"message": job})
        note = f"{len(self._other.exact):,} sentences"
        try:
            run_in_child(call, report, stage=stage, note=note, progress=done)
        except ChildDiedError as error:
            size = index_bytes(self._other.exact, self._settings.kind)
            raise ResourceError(
                f"The process of the index ended unexpectedly ({error.code}), "
                f"probably because memory ran out: an index of {note} takes about "
                f"{size / 1e9:.1f}\u00a0GB. Close other programs, or choose exact or "
                "sq8."
            ) from error

    def _check_space(self) -> None:
        """Check the free disk space for an index."""
        needed = index_bytes(self._other.exact, self._settings.kind)
        free = shutil.disk_usage(self._folder).free
        if needed + MIN_FREE_BYTES > free:
            raise ResourceError(
                f"The index takes {needed / 1e6:,.0f}\u00a0MB, but the disk of "
                f"{self._folder} has {free / 1e6:,.0f}\u00a0MB free. Free some space."
            )

    def _score(self, rough: IdArray, report: Report) -> Neighbours:
        """Score results of the index, int64 (n, asked), in float32; -1: no result."""
        parts = []
        for start in range(0, len(rough), SCORED_ROWS):
            report.step(SCORING_STAGE, start, len(rough))
            part = rough[start : start + SCORED_ROWS]
            owners, columns = np.nonzero(part != NO_NEIGHBOUR)
            others = torch.from_numpy(part[owners, columns])
            places = torch.from_numpy(owners + start)
            cosines = exact_cosines(self._side.exact, self._other.exact, places, others)
            events = RoughHits(torch.from_numpy(owners), others, cosines)
            parts.append(nearest_of(events, cosines, len(part), self._k))
        scores, rows = zip(*parts, strict=True)
        return Neighbours(np.concatenate(scores), np.concatenate(rows))


def index_bytes(side: ExactSide, kind: IndexName) -> int:
    """Estimate the size of an index in memory and on disk."""
    dim = side.vectors.shape[1]
    each: dict[IndexName, int] = {
        "ivf": 4 * dim + 8,
        "sq8": dim + 8,
        "hnsw": 4 * dim + 4 * 66,
        "exact": 0,
    }
    return len(side) * each[kind]


def _rows(side: ExactSide) -> IdArray:
    return np.arange(len(side)) if side.rows is None else side.rows
