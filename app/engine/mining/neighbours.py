"""Find the k nearest neighbours of two sides in one pass over the matrix.

The state is saved in one file, written under a temporary name, flushed and renamed; the
previous file is deleted afterwards, so that a kill at any moment leaves a complete
file.

Each block of the similarity matrix is computed once, and yields the candidates of its
rows and of its columns. In a rounded precision, candidates are selected with the error
bound and scored again in float32, so that every precision, device, block size and
number of threads finds the same neighbours.

Panels of rows are compared by as many threads as torch has, one panel per thread, so
that only the merging of results is sequential.
"""

import logging
import os
import shutil
import zipfile
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray

from app.engine.mining.block_scan import BlockShape, PanelFound, PanelWork, choose_shape
from app.engine.mining.exact_search import (
    ExactSide,
    Neighbours,
    exact_cosines,
    nearest_of,
    search_given_up_rows,
)
from app.engine.mining.rounding import (
    ROUNDOFF,
    Precision,
    RoundedSide,
    choose_precision,
    round_side,
    score_error_bound,
)
from app.engine.mining.top_k import ErrorBound, RoughHits, TopKCandidates
from app.engine.runtime.report import Report
from app.engine.search.knn import NO_NEIGHBOUR
from app.engine.store.arrays import partial_path
from app.engine.timing import SaveClock

PATTERN = "pass-*.npz"


class PassState(NamedTuple):
    """The saved state of a pass.

    Attributes:
        key: key of the search.
        precision: precision of the pass; its thresholds are invalid for any other.
        arrays: arrays by name.
    """

    key: str
    precision: Precision
    arrays: dict[str, NDArray[Any]]


def save_state(folder: Path, state: PassState) -> None:
    """Write a record, and delete the previous record."""
    folder.mkdir(parents=True, exist_ok=True)
    old = _records(folder)
    file = folder / f"pass-{_number(old) + 1:06d}.npz"
    part = partial_path(file)
    labels = {"key": np.array(state.key), "precision": np.array(state.precision)}
    with part.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **labels, **state.arrays)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(file)
    for one in old:
        one.unlink()


def load_state(folder: Path | None, key: str) -> PassState | None:
    """Read the newest record with this key; None if there is none."""
    if folder is None or not folder.is_dir():
        return None
    for file in reversed(_records(folder)):
        try:
            with np.load(file, allow_pickle=False) as found:
                arrays = dict(found.items())
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            continue  # lost by the disk: start again
        precision = cast("Precision", str(arrays.pop("precision")))
        if str(arrays.pop("key")) == key:
            return PassState(key, precision, arrays)
    return None


def drop_state(folder: Path) -> None:
    """Delete all records of a finished or abandoned run."""
    shutil.rmtree(folder, ignore_errors=True)


def _records(folder: Path) -> list[Path]:
    return sorted(folder.glob(PATTERN))


def _number(files: list[Path]) -> int:
    return int(files[-1].stem.partition("-")[2]) if files else 0


log = logging.getLogger("engine")
Found = TypeVar("Found")

STAGE, SCORING_STAGE = "Comparing sentences", "Scoring neighbours"
MANY_COLUMNS = 200_000
FINISHED_ROWS = 65_536  # columns whose candidates are scored together
SAVE_S = 15.0  # between two records of the progress; a kill loses this much
POLL_S = 0.1  # a cancel takes at most this and the time of a block


class PassSettings(NamedTuple):
    """Options of a pass; its result depends only on k.

    Attributes:
        k: neighbours per row; fewer if the other side has fewer rows.
        precision: precision of the pass over the matrix; auto: the fastest here.
        device: torch device.
        shape: block sizes; None: chosen by the sizes of the sides.
        n_threads: threads on the CPU; 0: as many as torch has.
        folder: folder for records of the progress, to resume after a kill; None: none.
        key: key of the record; records with another key are ignored.
    """

    k: int
    precision: Precision | Literal["auto"] = "auto"
    device: str = "cpu"
    shape: BlockShape | None = None
    n_threads: int = 0
    folder: Path | None = None
    key: str = ""


def find_neighbours(
    source: ExactSide, target: ExactSide, settings: PassSettings, report: Report
) -> tuple[Neighbours, Neighbours]:
    """Find the k nearest targets of each source row, and the k nearest sources.

    Args:
        source: n rows.
        target: m rows.
        settings: k and options of the pass.
        report: receives the progress ten times a second.

    Returns:
        The neighbours of the sources, (n, min(k, m)), and targets, (m, min(k, n)).

    Raises:
        UserError: a vector contains a value that is not a number.
        Cancelled: the record is kept, and the next call resumes from it.
    """
    if not len(source) or not len(target):
        return _none(len(source)), _none(len(target))

    def find(some: PassSettings) -> tuple[Neighbours, Neighbours]:
        work = _Pass(source, target, some, report)
        work.run(report)
        return work.of_sources(report), work.of_targets(report)

    return _where_it_fits(find, settings)


def find_own_neighbours(
    side: ExactSide, settings: PassSettings, report: Report
) -> Neighbours:
    """Find the k nearest of each row among the rows of its own side, including itself.

    Each pair is compared once, which halves the work of `find_neighbours` for a side
    with itself; the result is the same, in one direction.

    Args:
        side: n rows.
        settings: k and options of the pass.
        report: receives the progress ten times a second.

    Returns:
        The neighbours, (n, min(k, n)).
    """
    if not len(side):
        return _none(0)

    def find(some: PassSettings) -> Neighbours:
        own = some._replace(key=f"{some.key} self")
        work = _Pass(side, side, own, report, is_self=True)
        work.run(report)
        return work.of_targets(report)

    return _where_it_fits(find, settings)


def _where_it_fits(
    find: Callable[[PassSettings], Found], settings: PassSettings
) -> Found:
    """Search on the requested device, or on the CPU if its memory is too small."""
    with torch.inference_mode():
        try:
            return find(settings)
        except torch.OutOfMemoryError:
            if settings.device == "cpu":
                raise
        log.warning(
            "The GPU's memory is too small for these vectors. The CPU is used instead."
        )
        return find(settings._replace(device="cpu"))


class _Pass:
    """One pass: the sides and the results so far."""

    def __init__(
        self,
        source: ExactSide,
        target: ExactSide,
        settings: PassSettings,
        report: Report,
        *,
        is_self: bool = False,
    ):
        self._sides, self._settings = (source, target), settings
        dim, device = source.vectors.shape[1], settings.device
        self._n_threads = 1
        if device == "cpu":
            self._n_threads = settings.n_threads or torch.get_num_threads()
        # settings for a GPU are slow on a CPU
        self._key = f"{settings.key} {device}"
        saved = load_state(settings.folder, self._key)
        precision = saved.precision if saved else settings.precision
        if precision == "auto":
            precision = choose_precision(dim, device)
        self._precision: Precision = precision
        shape = settings.shape or choose_shape(len(source), self._n_threads, device)
        if saved is not None:
            shape = shape._replace(panel=int(saved.arrays["panel"]))
        rounded = [
            round_side(*one, precision, device, report)
            for one in self._sides[: 1 if is_self else 2]
        ]
        rounded *= 2 // len(rounded)
        slack = _error_bound(rounded[1], rounded[0], precision)
        self._columns = TopKCandidates(min(settings.k, len(source)), slack)
        k = min(settings.k, len(target))
        n_found = 0 if is_self else len(source)
        self._scores = np.full((n_found, k), -np.inf, np.float32)
        self._rows = np.full((n_found, k), NO_NEIGHBOUR, np.int64)
        self._starts = np.arange(0, len(source), shape.panel)
        self._is_done = np.zeros(len(self._starts), np.bool_)
        if saved is not None:
            self._take_up(saved)
        self._shape = shape
        self._work = PanelWork(
            self._sides,
            (rounded[0], rounded[1]),
            _error_bound(rounded[0], rounded[1], precision),
            self._columns,
            shape,
            is_self=is_self,
        )
        n_blocks = [self._work.n_blocks_of(start) for start in self._starts.tolist()]
        self._n_blocks = sum(n_blocks)
        self._n_before = int(np.array(n_blocks)[self._is_done].sum())

    def run(self, report: Report) -> None:
        """Compare the remaining panels of source rows."""
        n_before = torch.get_num_threads()
        pool = ThreadPoolExecutor(self._n_threads, "mining", _use_one_thread)
        # otherwise cuBLAS may sum float16 in float16
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        try:
            if self._n_threads > 1:
                _use_one_thread()
            self._run(pool, report)
        finally:
            self._work.is_stopped.set()
            pool.shutdown(cancel_futures=True)
            torch.set_num_threads(n_before)
        report.step(STAGE, len(self._sides[0]), len(self._sides[0]))

    def of_sources(self, report: Report) -> Neighbours:
        """Return the neighbours of rows; those given up are searched in float32."""
        found = Neighbours(self._scores, self._rows)
        search_given_up_rows(*self._sides, found, report)
        return found

    def of_targets(self, report: Report) -> Neighbours:
        """Return the neighbours of columns; those given up are searched in float32."""
        found = self._score_targets(report)
        search_given_up_rows(*self._sides[::-1], found, report)
        return found

    def _run(self, pool: ThreadPoolExecutor, report: Report) -> None:
        """Keep every thread busy with a panel, and merge the results."""
        left = iter(np.nonzero(~self._is_done)[0].tolist())
        pending: set[Future[PanelFound]] = set()
        clock = SaveClock(SAVE_S)
        while True:
            while len(pending) < self._n_wanted():
                panel = next(left, None)
                if panel is None:
                    break
                pending.add(self._submit(pool, panel))
            if not pending:
                return
            done, pending = wait(pending, POLL_S, FIRST_COMPLETED)
            for future in done:
                self._merge(future.result())
            report.step(STAGE, self._n_compared(), len(self._sides[0]))
            if self._settings.folder is not None and done and clock.is_due():
                self._save(self._settings.folder)

    def _n_wanted(self) -> int:
        """Return the number of panels to compare at the same time.

        The first panel lets most candidates pass. With many columns it is compared
        alone, since the candidates of several panels would fill the memory.
        """
        is_first = not self._is_done.any()
        if is_first and len(self._sides[1]) > MANY_COLUMNS:
            return 1
        return self._n_threads + 1

    def _submit(self, pool: ThreadPoolExecutor, panel: int) -> "Future[PanelFound]":
        start, k = int(self._starts[panel]), self._rows.shape[1]
        is_early = not self._is_done.any()
        return pool.submit(self._work.compare, start, k, is_early=is_early)

    def _merge(self, found: PanelFound) -> None:
        """Merge the results of a panel."""
        end = found.start + len(found.rows)  # equals the start for a side with itself
        self._scores[found.start : end] = found.scores
        self._rows[found.start : end] = found.rows
        self._columns.add_checked(found.events)
        self._columns.give_up(found.crowded)
        self._columns.settle()
        self._is_done[found.start // self._shape.panel] = True

    def _n_compared(self) -> int:
        """Count the compared source rows, with unfinished panels by their share."""
        share = (self._n_before + self._work.n_blocks) / self._n_blocks
        return int(share * len(self._sides[0]))

    def _score_targets(self, report: Report) -> Neighbours:
        """Score the candidates of the columns in float32, in parts."""
        source, target = self._sides
        events = self._columns.candidates()
        parts = []
        for start in range(0, len(target), FINISHED_ROWS):
            report.step(SCORING_STAGE, start, len(target))
            end = min(start + FINISHED_ROWS, len(target))
            which = (events.owners >= start) & (events.owners < end)
            some = RoughHits(*(column[which] for column in events))
            cosines = exact_cosines(target, source, some.owners, some.others)
            some = some._replace(owners=some.owners - start)
            parts.append(nearest_of(some, cosines, end - start, self._columns.k))
        scores, rows = zip(*parts, strict=True)
        return Neighbours(np.concatenate(scores), np.concatenate(rows))

    def _save(self, folder: Path) -> None:
        found = {name: t.cpu().numpy() for name, t in self._columns.state().items()}
        found |= {"near_scores": self._scores, "near_rows": self._rows}
        found |= {"is_done": self._is_done, "panel": np.array(self._shape.panel)}
        save_state(folder, PassState(self._key, self._precision, found))

    def _take_up(self, saved: PassState) -> None:
        arrays = dict(saved.arrays)
        arrays.pop("panel")
        self._is_done = arrays.pop("is_done")
        self._scores, self._rows = arrays.pop("near_scores"), arrays.pop("near_rows")
        device = self._settings.device
        self._columns.restore(
            {name: torch.from_numpy(a).to(device) for name, a in arrays.items()}
        )


def _error_bound(
    own: RoundedSide, other: RoundedSide, precision: Precision
) -> ErrorBound:
    """Return an error bound of each owner's scores (see rounding.py)."""
    other_error = float(other.errors.max()) * (1 + own.errors)
    summation = score_error_bound(precision, own.matrix.shape[1])
    return ErrorBound(own.errors + other_error + summation, ROUNDOFF[precision])


def _use_one_thread() -> None:
    torch.set_num_threads(1)


def _none(n: int) -> Neighbours:
    return Neighbours(np.empty((n, 0), np.float32), np.empty((n, 0), np.int64))
