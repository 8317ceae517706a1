"""The scores of a bitext as a TSV: every pair, in the order in which it was given."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.mining.bitext import ScoredPairs
from app.engine.report import Report
from app.engine.store.arrays import part_of
from app.errors import UserError

HEADER = "score\tcosine\tsource\ttarget\n"
STEP = 5_000  # lines between two looks at Cancel


class ScoredTable(NamedTuple):
    """What is written.

    Attributes:
        is_known: bool (all,), which pairs have a score.
        sources, targets: texts of all pairs.
        scored: of the known ones.
    """

    is_known: NDArray[np.bool_]
    sources: Sequence[str]
    targets: Sequence[str]
    scored: ScoredPairs


def check_place(out: Path) -> None:
    """Check that a table can be written there, before the work.

    Raises:
        UserError: something is there already, or its folder is none.
    """
    if out.exists():
        raise UserError(f"{out} exists already: choose another name.")
    if not out.parent.is_dir():
        raise UserError(f"{out.parent} is no folder: name one that exists.")


def write_table(out: Path, table: ScoredTable, report: Report) -> None:
    """Write all pairs; the cells of those without a score are empty."""
    cells = np.full((len(table.sources), 2), np.nan)
    cells[table.is_known] = np.stack(
        [table.scored.scores, table.scored.cosines], axis=1
    )
    part = part_of(out)
    try:
        with part.open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(HEADER)
            lines = zip(cells.tolist(), table.sources, table.targets, strict=True)
            for number, (values, source, target) in enumerate(lines):
                if number % STEP == 0:
                    report.step("write scores", number, len(cells))
                told = "\t".join("" if math.isnan(v) else f"{v:.6f}" for v in values)
                stream.write(f"{told}\t{_cell(source)}\t{_cell(target)}\n")
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


def _cell(text: str) -> str:
    return text.replace("\t", " ")
