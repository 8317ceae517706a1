"""Aligned sentences of all files as one store: what most objectives learn of."""

from pathlib import Path

import numpy as np

from app.engine.report import Report
from app.engine.training.data.row_store import (
    RowStore,
    StoreFiller,
    make_store,
    open_store,
)
from app.engine.training.data.rows import Row, RowGroup
from app.engine.training.files import file_stem, read_pairs
from app.engine.training.leaks import KeptOut
from app.engine.training.objectives.objective import ObjectiveContext
from app.errors import UserError

FOLDER = "aligned"
WITH_TEXTS = ("distillation", "translation")  # objectives that read text again


def open_aligned(context: ObjectiveContext, report: Report) -> RowStore:
    """Cut the aligned files into tokens, or open what was cut before.

    Sentence 2p is the source (English) side of pair p, sentence 2p + 1 the other. The
    files were checked when they were split; here only pairs without a known token are
    left out.

    Raises:
        UserError: a line has no tab, or fewer than two pairs are left.
        ResourceError: a file is missing.
    """
    folder = context.folder / FOLDER
    return open_store(folder) or _cut(context, folder, report)


def _cut(context: ObjectiveContext, folder: Path, report: Report) -> RowStore:
    """Cut the files."""
    if not context.files:
        raise UserError("Name at least one file or corpus of aligned sentences.")
    nothing = KeptOut(np.empty(0, np.uint64))
    filler = StoreFiller(context.units, nothing, 2, "pairs")
    params = context.params
    filler.keeps_texts = bool(params.n_hard_negatives) or any(
        text.startswith(WITH_TEXTS) for text in params.objectives
    )
    groups = [
        RowGroup(file_stem(file), map(Row, read_pairs(file))) for file in context.files
    ]
    store = make_store(folder, groups, filler, report)
    if store.n_rows < 2:
        raise UserError(
            f"The aligned files give {store.n_rows} pairs to learn from, but it takes "
            f"two at least.{''.join(' ' + note for note in store.notes)}"
        )
    return store
