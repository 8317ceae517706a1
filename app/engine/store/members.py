"""Which sentences of a corpus take part: those of a sub-corpus, less the hidden."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from app.engine.project import Project
from app.engine.store.bulk import iterate_texts
from app.engine.store.hidden_rows import hidden_ids, hidden_state
from app.engine.store.rows import CorpusRow, first_id, position_of
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
    hidden = _hidden(project, corpus.id)
    if corpus.subcorpus:
        chosen = subcorpus_members(project, corpus)
        return np.setdiff1d(chosen, hidden, assume_unique=True)
    if not len(hidden):
        return None
    takes_part = np.ones(corpus.n_sentences, bool)
    takes_part[hidden] = False
    return np.flatnonzero(takes_part)


def _hidden(project: Project, corpus_id: int) -> NDArray[np.int64]:
    """Name the positions of hidden and removed sentences: read again if they changed.

    A million rows take most of a second to read, and every question asks for them.
    """
    state = hidden_state(project.store, corpus_id)
    seen, positions = project.hidden.get(corpus_id, (None, None))
    if positions is None or seen != state:
        positions = hidden_ids(project.store, corpus_id) - first_id(corpus_id)
        project.hidden[corpus_id] = (state, positions)
    return positions


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


def iterate_members(
    project: Project, corpus: CorpusRow, *, pattern: str = ""
) -> Iterator[list[tuple[int, str]]]:
    """Give id and text of the sentences that take part, as `iterate_texts` does."""
    rows = members(project, corpus)
    pages = iterate_texts(project.store, corpus.id, pattern=pattern)
    if rows is None:
        yield from pages
        return
    takes_part = np.zeros(corpus.n_sentences, bool)
    takes_part[rows] = True
    for page in pages:
        yield [row for row in page if takes_part[position_of(row[0])]]


def is_member(
    project: Project, corpus: CorpusRow, positions: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Tell which positions of a corpus take part: bool, as many as there are."""
    rows = members(project, corpus)
    if rows is None:
        return np.ones(len(positions), bool)
    return np.isin(positions, rows)


def linked_members(
    project: Project,
    corpora: Sequence[CorpusRow],
    rows: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Leave the links whose sentences both take part.

    Args:
        project: open for reading or writing.
        corpora: source and target.
        rows: int64 (n,) positions in each, linked one by one.
    """
    is_kept = is_member(project, corpora[0], rows[0])
    is_kept &= is_member(project, corpora[1], rows[1])
    return rows[0][is_kept], rows[1][is_kept]
