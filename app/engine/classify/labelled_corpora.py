"""The labelled sentences of corpora, and the pairs of two corpora row by row."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.classify.labelled import DISAGREED, Labelled
from app.engine.project import Project
from app.engine.store.bulk import iterate_texts
from app.engine.store.label_rows import read_corpus_labels
from app.engine.store.members import is_member
from app.engine.store.pair_rows import read_links
from app.engine.store.rows import CorpusRow, first_id
from app.errors import UserError


def read_corpora(project: Project, corpora: Sequence[CorpusRow]) -> Labelled:
    """Read the sentences of a corpus that have a label and take part.

    Of two corpora a row is the sentence of the first, which has the label, and that of
    the second in the same position.

    Raises:
        UserError: none has a label, or the two corpora are not of one length.
    """
    names = " + ".join(corpus.name for corpus in corpora)
    if len({corpus.n_sentences for corpus in corpora}) > 1:
        raise UserError(
            f"{names}: they have {corpora[0].n_sentences:,} and "
            f"{corpora[1].n_sentences:,} sentences, but pairs are two corpora that "
            "were imported together, row by row."
        )
    store = project.store
    found = read_corpus_labels(store, corpora[0].id)
    taking = _taking_part(project, corpora)
    found = {place: name for place, name in found.items() if taking[place]}
    if len(corpora) > 1:
        found = {place: name for place, name in found.items() if name != DISAGREED}
    if not found:
        raise UserError(
            f"No sentence of {names} has a label: import it with a label column, or "
            "label some by hand (hidden sentences take no part)."
        )
    positions = sorted(found)
    firsts = np.array([first_id(corpus.id) for corpus in corpora], np.int64)
    return Labelled(
        names,
        tuple(_texts_at(store, corpus.id, set(positions)) for corpus in corpora),
        [found[position] for position in positions],
        np.array(positions, np.int64)[:, None] + firsts,  # (n, 1) + (t,) -> (n, t)
        tuple(corpora),
        n_unlabelled=int(taking.sum()) - len(found),
        note=pairing_note(store, corpora),
    )


def _taking_part(project: Project, corpora: Sequence[CorpusRow]) -> NDArray[np.bool_]:
    """Tell which rows take part, of pairs those of which both texts do: bool (n,)."""
    everything = np.arange(corpora[0].n_sentences)
    taking = np.ones(len(everything), bool)
    for corpus in corpora:
        taking &= is_member(project, corpus, everything)
    return taking


def pairing_note(store: Engine, corpora: Sequence[CorpusRow]) -> str:
    """Say that two corpora are only assumed to be pairs; empty: they are known to be.

    They are where one import made both, or links join most rows of equal position.
    """
    if len(corpora) < 2:
        return ""
    one, other = corpora[:2]
    if one.run_id is not None and one.run_id == other.run_id:
        return ""
    ours, theirs = read_links(store, one.id, other.id)
    if 2 * int((ours == theirs).sum()) > one.n_sentences:
        return ""
    return (
        f"{one.name} and {other.name} were not imported together, and no links join "
        "them row by row: it is assumed that equal rows are pairs."
    )


def _texts_at(store: Engine, corpus_id: int, positions: set[int]) -> list[str]:
    """Read the texts at some positions, in their order."""
    first = first_id(corpus_id)
    return [
        text
        for page in iterate_texts(store, corpus_id)
        for id_, text in page
        if id_ - first in positions
    ]
