"""Which sentences of a corpus take part: those of a sub-corpus, less the hidden."""

import numpy as np
from numpy.typing import NDArray

from app.engine.project import Project
from app.engine.store.hidden_rows import hidden_ids
from app.engine.store.rows import CorpusRow, first_id
from app.engine.store.subcorpus_rows import read_subcorpus, subcorpus_ids
from app.errors import UserError


def members(project: Project, corpus: CorpusRow) -> NDArray[np.int64] | None:
    """Name the positions of a corpus that take part; None: all of them.

    Left out are the sentences that are hidden or removed and, where the row is part of
    a sub-corpus, those outside it.

    Returns:
        int64 (m,), rising.

    Raises:
        UserError: the sub-corpus is gone.
    """
    first = first_id(corpus.id)
    hidden = hidden_ids(project.store, corpus.id) - first
    if corpus.subcorpus:
        chosen = subcorpus_members(project, corpus)
        return np.setdiff1d(chosen, hidden, assume_unique=True)
    if not len(hidden):
        return None
    takes_part = np.ones(corpus.n_sentences, bool)
    takes_part[hidden] = False
    return np.flatnonzero(takes_part)


def subcorpus_members(project: Project, corpus: CorpusRow) -> NDArray[np.int64]:
    """Name the positions of a corpus that its sub-corpus names, hidden ones too.

    Returns:
        int64 (m,), rising.

    Raises:
        UserError: the sub-corpus is gone.
    """
    row = read_subcorpus(project.store, corpus.subcorpus)
    if row is None or row.state != "ready":
        raise UserError("The sub-corpus is not in the project any more.")
    ids = subcorpus_ids(project.folder, row)
    bounds = np.searchsorted(ids, [first_id(corpus.id), first_id(corpus.id + 1)])
    return np.array(ids[slice(*bounds)]) - first_id(corpus.id)


def n_members(project: Project, corpus: CorpusRow) -> int:
    """Count the sentences of a corpus that take part."""
    rows = members(project, corpus)
    return corpus.n_sentences if rows is None else len(rows)
