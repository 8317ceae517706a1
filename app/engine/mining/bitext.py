"""Score the pairs of an existing bitext, and write the scores as TSV."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from app.arrays import FloatArray, IdArray
from app.engine.mining.exact_search import ExactSide, Neighbours, exact_cosines
from app.engine.mining.pairs import (
    Candidates,
    RunnersUp,
    find_runners_up,
    list_candidates,
)
from app.engine.mining.scores import (
    Histogram,
    describe_scores,
    margin_scores,
    neighbour_means,
)
from app.engine.mining.sides import Participants
from app.engine.runtime.report import Report
from app.engine.store.arrays import partial_path
from app.errors import UserError
from app.params.mining import MarginName

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


class Bitext(NamedTuple):
    """Pairs of two sides, and the neighbours of the sides in each other.

    Attributes:
        sources, targets: int64 (p,), indices among the participating rows.
        source, target: the sides.
        of_sources, of_targets: neighbours of sources and of targets.
    """

    sources: IdArray
    targets: IdArray
    source: ExactSide
    target: ExactSide
    of_sources: Neighbours
    of_targets: Neighbours


class ScoredPairs(NamedTuple):
    """Scores of a bitext's pairs and their parts, float32 (p,) each.

    Attributes:
        scores: margin scores.
        cosines, source_means, target_means: the parts of the scores.
        runners_up: best other target of each source.
        reverse: best other source of each target.
    """

    scores: FloatArray
    cosines: FloatArray
    source_means: FloatArray
    target_means: FloatArray
    runners_up: RunnersUp
    reverse: RunnersUp


class BitextSummary(msgspec.Struct, frozen=True):
    """Statistics of a bitext's scores.

    Attributes:
        mean: mean score.
        quantiles: scores by the share of pairs below them.
        best: share of pairs in which neither side has a better candidate, 0…1.
        histogram: histogram of the scores.
    """

    mean: float | None
    quantiles: dict[str, float]
    best: float | None
    histogram: Histogram


def score_bitext(bitext: Bitext, margin: MarginName) -> ScoredPairs:
    """Score every pair of a bitext."""
    sources, targets = bitext.sources, bitext.targets
    with torch.inference_mode():
        cosines = exact_cosines(
            bitext.source,
            bitext.target,
            torch.from_numpy(sources),
            torch.from_numpy(targets),
        ).numpy()
    source_means = neighbour_means(bitext.of_sources.scores)[sources]
    target_means = neighbour_means(bitext.of_targets.scores)[targets]
    scores = margin_scores(cosines, source_means, target_means, margin)
    candidates: Candidates = list_candidates(
        bitext.of_sources, bitext.of_targets, margin
    )
    rivals = find_runners_up(candidates, sources, targets)
    return ScoredPairs(scores, cosines, source_means, target_means, *rivals)


def summarise(scored: ScoredPairs) -> BitextSummary:
    """Describe the scores of a bitext."""
    scores = scored.scores
    if not len(scores):
        return BitextSummary(None, {}, None, describe_scores(scores))
    values = np.quantile(scores.astype(np.float64), QUANTILES).tolist()
    rivals = (scored.runners_up.scores, scored.reverse.scores)
    is_best = np.ones(len(scores), np.bool_)
    for rival in rivals:
        is_best &= np.isnan(rival) | (scores >= rival)
    names = [f"{share:g}" for share in QUANTILES]
    return BitextSummary(
        mean=float(scores.mean(dtype=np.float64)),
        quantiles=dict(zip(names, values, strict=True)),
        best=float(is_best.mean()),
        histogram=describe_scores(scores),
    )


def places_of(participants: Participants, rows: IdArray) -> IdArray:
    """Return the index of the participating row of each row; -1: none."""
    standing = participants.stands_for[rows]
    indices = np.searchsorted(participants.rows, standing)
    return np.where(standing < 0, -1, indices)


HEADER = "score\tcosine\tsource\ttarget\n"
STEP = 5_000  # lines between two checks for Cancel


class ScoredTable(NamedTuple):
    """The content of a table of scores.

    Attributes:
        is_known: bool (all,), which pairs have a score.
        sources, targets: texts of all pairs.
        scored: scores of the known pairs.
    """

    is_known: NDArray[np.bool_]
    sources: Sequence[str]
    targets: Sequence[str]
    scored: ScoredPairs


def check_place(out: Path) -> None:
    """Check that a table can be written before the scoring.

    Raises:
        UserError: the file already exists, or its folder does not exist.
    """
    if out.exists():
        raise UserError(f"{out} already exists. Choose another name.")
    if not out.parent.is_dir():
        raise UserError(f"{out.parent} is not a folder. Choose an existing folder.")


def write_table(out: Path, table: ScoredTable, report: Report) -> None:
    """Write all pairs, with empty cells for missing scores."""
    cells = np.full((len(table.sources), 2), np.nan)
    cells[table.is_known] = np.stack(
        [table.scored.scores, table.scored.cosines], axis=1
    )
    part = partial_path(out)
    try:
        with part.open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(HEADER)
            lines = zip(cells.tolist(), table.sources, table.targets, strict=True)
            for number, (values, source, target) in enumerate(lines):
                if number % STEP == 0:
                    report.step("Writing scores", number, len(cells))
                numbers = "\t".join("" if math.isnan(v) else f"{v:.6f}" for v in values)
                stream.write(f"{numbers}\t{_cell(source)}\t{_cell(target)}\n")
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


def _cell(text: str) -> str:
    return text.replace("\t", " ")
