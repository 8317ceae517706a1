"""The k nearest neighbours of two sides in each other, by one pass over the matrix.

Each block of the similarity matrix is worked out once, and gives what can still matter
to its rows and to its columns. In a rounded precision what is kept is chosen by the
bound of its error, and scored again in float32: every precision, device and size of
block gives the same neighbours.
"""

from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from app.engine.mining.contest import Contest, Events, Slack
from app.engine.mining.pass_state import (
    PassState,
    SaveClock,
    load_state,
    save_state,
)
from app.engine.mining.precision import (
    ROUNDOFF,
    Precision,
    RoundedSide,
    choose_precision,
    round_side,
    score_slack,
)
from app.engine.mining.rescoring import (
    ExactSide,
    Neighbours,
    exact_cosines,
    nearest_of,
    search_again,
)
from app.engine.mining.scan import BlockScan, BlockShape
from app.engine.report import Report
from app.engine.search.knn import NOTHING

STAGE, SCORING_STAGE = "compare sentences", "score neighbours"
FINISHED_ROWS = 65_536  # columns whose candidates are scored at a time
SAVE_S = 15.0  # between two records of how far the pass is: what a kill can lose


class PassSettings(NamedTuple):
    """How a pass works; its result depends on k alone.

    Attributes:
        k: neighbours of each row; fewer where the other side has fewer.
        precision: of the pass over the matrix; auto: the quickest here.
        device: a torch device.
        shape: of the blocks.
        folder: where the pass records how far it is, to go on after a kill; None: not.
        key: what the record belongs to; one of another key is not taken up.
    """

    k: int
    precision: Precision | Literal["auto"] = "auto"
    device: str = "cpu"
    shape: BlockShape = BlockShape()
    folder: Path | None = None
    key: str = ""


def find_neighbours(
    source: ExactSide, target: ExactSide, settings: PassSettings, report: Report
) -> tuple[Neighbours, Neighbours]:
    """Find the k nearest of each source row among the targets, and the other way.

    Args:
        source: n rows.
        target: m rows.
        settings: k and how to work.
        report: is told of every block.

    Returns:
        Those of the sources, (n, min(k, m)), and of the targets, (m, min(k, n)).

    Raises:
        UserError: a vector holds a value that is not a number.
        Cancelled: what was recorded stays, and the next call goes on there.
    """
    if not len(source) or not len(target):
        return _none(len(source)), _none(len(target))
    with torch.inference_mode():
        work = _Pass(source, target, settings)
        work.run(report)
        return work.finish(report)


class _Pass:
    """One pass: the sides, the room for a block, and what was found so far."""

    def __init__(self, source: ExactSide, target: ExactSide, settings: PassSettings):
        self._sides, self._settings = (source, target), settings
        dim, device = source.vectors.shape[1], settings.device
        saved = load_state(settings.folder, settings.key)
        precision = saved.precision if saved else settings.precision
        if precision == "auto":
            precision = choose_precision(dim, device)
        self._precision: Precision = precision
        self._source = round_side(*source, precision, device)
        self._target = round_side(*target, precision, device)
        self._row_slack = _slack(self._source, self._target, precision)
        slack = _slack(self._target, self._source, precision)
        self._columns = Contest(min(settings.k, len(source)), slack)
        k = min(settings.k, len(target))
        self._scores = np.full((len(source), k), -np.inf, np.float32)
        self._rows = np.full((len(source), k), NOTHING, np.int64)
        self._done = 0
        self._scan = BlockScan(settings.shape, self._source.matrix.dtype, device)
        if saved is not None:
            self._take_up(saved)

    def run(self, report: Report) -> None:
        """Go through the panels of source rows that are not done."""
        n, panel = len(self._sides[0]), self._settings.shape.panel
        clock = SaveClock(SAVE_S)
        while self._done < n:
            self._panel(self._done, report)
            self._columns.settle()
            self._done = min(self._done + panel, n)
            if self._settings.folder is not None and clock.is_due():
                self._save(self._settings.folder)
        report.step(STAGE, n, n)

    def finish(self, report: Report) -> tuple[Neighbours, Neighbours]:
        """Give the neighbours; what was given up in the pass is searched in float32."""
        source, target = self._sides
        of_sources = Neighbours(self._scores, self._rows)
        of_targets = self._of_targets(report)
        search_again(source, target, of_sources, report)
        search_again(target, source, of_targets, report)
        return of_sources, of_targets

    def _panel(self, start: int, report: Report) -> None:
        """Compare one panel of source rows with every target."""
        panel, strip, n_strips = self._settings.shape
        n, m = len(self._source.matrix), len(self._target.matrix)
        end = min(start + panel, n)
        own = self._row_slack.own[start:end]
        rows = Contest(self._rows.shape[1], self._row_slack._replace(own=own))
        for first in range(0, m, strip * n_strips):
            report.step(STAGE, start + (end - start) * first // m, n)
            n_used = self._multiply(start, first)
            self._begin(start, first, rows, n_used)
            self._add(start, first, rows, n_used)
            rows.settle()
        events = rows.candidates()
        cosines = exact_cosines(*self._sides, events.owners + start, events.others)
        found = nearest_of(events, cosines, end - start, rows.k)
        self._scores[start:end], self._rows[start:end] = found

    def _multiply(self, start: int, first: int) -> int:
        """Work out the block at a row and a column; returns its number of strips."""
        panel, strip, n_strips = self._settings.shape
        sources = self._source.matrix[start : start + panel]
        targets = self._target.matrix[first : first + strip * n_strips]
        starts = range(0, len(targets), strip)
        for index, column in enumerate(starts):
            self._scan.multiply(index, sources, targets[column : column + strip])
        return len(starts)

    def _begin(self, start: int, first: int, rows: Contest, n_used: int) -> None:
        """Set thresholds of rows and columns that are seen the first time."""
        columns, n_rows = self._columns, len(rows.thresholds)
        if first == 0:
            rows.begin(self._scan.row_floor(rows.k, n_used)[:n_rows])
        if start == 0:
            n_columns = len(columns.thresholds) - first
            floor = self._scan.column_floor(columns.k, n_used)
            columns.begin(floor[:n_columns], first)

    def _add(self, start: int, first: int, rows: Contest, n_used: int) -> None:
        """Add what a block holds for its rows and for its columns."""
        panel, strip, _ = self._settings.shape
        found = self._scan.row_events(_padded(rows.thresholds, panel), n_used)
        rows.add(found._replace(others=found.others + first))
        width = strip * n_used
        thresholds = self._columns.thresholds[first : first + width]
        found = self._scan.column_events(_padded(thresholds, width), n_used)
        owners, others = found.owners + first, found.others + start
        self._columns.add(Events(owners, others, found.scores))

    def _of_targets(self, report: Report) -> Neighbours:
        """Score the candidates of the columns in float32, a part at a time."""
        source, target = self._sides
        events = self._columns.candidates()
        parts = []
        for start in range(0, len(target), FINISHED_ROWS):
            report.step(SCORING_STAGE, start, len(target))
            end = min(start + FINISHED_ROWS, len(target))
            which = (events.owners >= start) & (events.owners < end)
            some = Events(*(column[which] for column in events))
            cosines = exact_cosines(target, source, some.owners, some.others)
            some = some._replace(owners=some.owners - start)
            parts.append(nearest_of(some, cosines, end - start, self._columns.k))
        scores, rows = zip(*parts, strict=True)
        return Neighbours(np.concatenate(scores), np.concatenate(rows))

    def _save(self, folder: Path) -> None:
        found = {name: t.cpu().numpy() for name, t in self._columns.state().items()}
        done = slice(0, self._done)
        found |= {"near_scores": self._scores[done], "near_rows": self._rows[done]}
        save_state(folder, PassState(self._settings.key, self._precision, found))

    def _take_up(self, saved: PassState) -> None:
        arrays = dict(saved.arrays)
        scores, rows = arrays.pop("near_scores"), arrays.pop("near_rows")
        self._done = len(scores)
        self._scores[: self._done], self._rows[: self._done] = scores, rows
        device = self._settings.device
        self._columns.restore(
            {name: torch.from_numpy(a).to(device) for name, a in arrays.items()}
        )


def _slack(own: RoundedSide, other: RoundedSide, precision: Precision) -> Slack:
    """Bound the error of each owner's scores (see precision.py)."""
    other_error = float(other.errors.max()) * (1 + own.errors)
    summation = score_slack(precision, own.matrix.shape[1])
    return Slack(own.errors + other_error + summation, ROUNDOFF[precision])


def _padded(thresholds: Tensor, n: int) -> Tensor:
    """Fill up with +inf: nothing is found for rows that are not there."""
    return torch.nn.functional.pad(
        thresholds, (0, n - len(thresholds)), value=torch.inf
    )


def _none(n: int) -> Neighbours:
    return Neighbours(np.empty((n, 0), np.float32), np.empty((n, 0), np.int64))
