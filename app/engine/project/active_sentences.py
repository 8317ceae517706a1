"""Active sentences of a corpus: those of the sub-corpus that are not hidden."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from app.engine.project.project import Project
from app.engine.store.corpora import CorpusRow, first_sentence_id, position_of
from app.engine.store.hidden_sentences import hidden_ids, hidden_version
from app.engine.store.sentences import iterate_texts
from app.engine.store.subcorpora import read_subcorpus, subcorpus_ids
from app.errors import UserError


def active_positions(project: Project, corpus: CorpusRow) -> NDArray[np.int64] | None:
    """Return the positions of a corpus's active sentences; None: all.

    Left out are the sentences that are hidden or removed and, where the row is part of
    a sub-corpus, those outside it.

    Returns:
        int64 (m,), rising.

    Raises:
        UserError: the sub-corpus is gone.
    """
    hidden = _hidden_positions(project, corpus.id)
    if corpus.subcorpus:
        chosen = subcorpus_positions(project, corpus)
        return np.setdiff1d(chosen, hidden, assume_unique=True)
    if not len(hidden):
        return None
    takes_part = np.ones(corpus.n_sentences, bool)
    takes_part[hidden] = False
    return np.flatnonzero(takes_part)


def _hidden_positions(project: Project, corpus_id: int) -> NDArray[np.int64]:
    """Return the positions of hidden and removed sentences, reread after changes.

    Reading a million rows takes almost a second, and every query needs them.
    """
    state = hidden_version(project.store, corpus_id)
    seen, positions = project.hidden.get(corpus_id, (None, None))
    if positions is None or seen != state:
        positions = hidden_ids(project.store, corpus_id) - first_sentence_id(corpus_id)
        project.hidden[corpus_id] = (state, positions)
    return positions


def subcorpus_positions(project: Project, corpus: CorpusRow) -> NDArray[np.int64]:
    """Return the positions of a corpus in its sub-corpus, including hidden ones.

    Returns:
        int64 (m,), rising.

    Raises:
        UserError: the sub-corpus is gone.
    """
    row = read_subcorpus(project.store, corpus.subcorpus)
    if row is None or row.state != "ready":
        raise UserError("The sub-corpus is not in the project any more.")
    ids = subcorpus_ids(project.folder, row)
    bounds = np.searchsorted(
        ids, [first_sentence_id(corpus.id), first_sentence_id(corpus.id + 1)]
    )
    return np.array(ids[slice(*bounds)]) - first_sentence_id(corpus.id)


def count_active(project: Project, corpus: CorpusRow) -> int:
    """Count the active sentences of a corpus."""
    rows = active_positions(project, corpus)
    return corpus.n_sentences if rows is None else len(rows)


def iterate_active_texts(
    project: Project, corpus: CorpusRow
) -> Iterator[list[tuple[int, str]]]:
    """Return id and text of the active sentences, like `iterate_texts`."""
    rows = active_positions(project, corpus)
    pages = iterate_texts(project.store, corpus.id)
    if rows is None:
        yield from pages
        return
    takes_part = np.zeros(corpus.n_sentences, bool)
    takes_part[rows] = True
    for page in pages:
        yield [row for row in page if takes_part[position_of(row[0])]]


def is_active(
    project: Project, corpus: CorpusRow, positions: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which positions of a corpus are active: bool, one per sentence."""
    rows = active_positions(project, corpus)
    if rows is None:
        return np.ones(len(positions), bool)
    return np.isin(positions, rows)


def active_links(
    project: Project,
    corpora: Sequence[CorpusRow],
    rows: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the links between active sentences.

    Args:
        corpora: source and target.
        rows: int64 (n,) positions in each, linked one by one.
    """
    is_kept = is_active(project, corpora[0], rows[0])
    is_kept &= is_active(project, corpora[1], rows[1])
    return rows[0][is_kept], rows[1][is_kept]
