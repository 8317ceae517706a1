"""Sentences of corpora that links say are translations of each other, row by row."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.engine.store.bulk import read_texts
from app.engine.store.find import find_corpora
from app.engine.store.members import linked_members, n_members
from app.engine.store.pair_rows import read_links
from app.engine.store.rows import CorpusRow
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.project import Project

FEWEST = 2  # rows that a retrieval error means anything for

IdArray = NDArray[np.int64]


def read_linked(
    project: "Project | None", names: Sequence[str]
) -> tuple[dict[str, list[str]], str]:
    """Read what is linked in all of some corpora, and say how much it is.

    A sentence of the first corpus is a row if every other one has a translation of it,
    the first of those linked; none of them stands in two rows.

    Args:
        project: that holds the corpora.
        names: names or ids of the corpora; the links go out from the first.

    Returns:
        Texts by the name of the corpus, all of one length, and a sentence.

    Raises:
        UserError: there is no project, fewer than two corpora, one that is not there,
            or too few sentences that are linked.
    """
    if project is None:
        raise UserError("Corpora are of a project: name one.")
    corpora = find_corpora(project.store, names)
    if len(corpora) < 2:
        raise UserError("It takes at least two corpora: name another one.")
    first, *others = corpora
    linked = [
        linked_members(
            project, (first, other), read_links(project.store, first.id, other.id)
        )
        for other in others
    ]
    positions = _in_all([_one_to_one(*sides) for sides in linked])
    if len(positions) < FEWEST:
        raise UserError(
            f"{len(positions)} sentences of {first.name} are linked in all "
            f"{len(corpora)} corpora, but it takes at least {FEWEST}: link or align "
            "them, or take fewer corpora."
        )
    texts = {}
    for place, corpus in enumerate(corpora):
        whole = read_texts(project.store, corpus.id, 0, corpus.n_sentences)
        rows = positions[:, place].tolist()
        texts[_name(corpora, corpus)] = [whole[row] for row in rows]
    note = (
        f"Measured on the {len(positions):,} of {n_members(project, first):,} "
        f"sentences of {first.name} that are linked in all {len(corpora)} corpora."
    )
    return texts, note


def _one_to_one(sources: IdArray, targets: IdArray) -> dict[int, int]:
    """Give each source its first target, int64 (p,) each; a target is given once."""
    found: dict[int, int] = {}
    taken = set()
    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        if source not in found and target not in taken:
            found[source] = target
            taken.add(target)
    return found


def _in_all(links: Sequence[dict[int, int]]) -> IdArray:
    """Give the positions of every row in the first corpus and the others: (n, c)."""
    shared = sorted(set.intersection(*(set(one) for one in links)))
    rows = [[source, *(one[source] for one in links)] for source in shared]
    return np.array(rows, np.int64).reshape(-1, len(links) + 1)


def _name(corpora: Sequence[CorpusRow], corpus: CorpusRow) -> str:
    is_one = [one.name for one in corpora].count(corpus.name) == 1
    return corpus.name if is_one else f"{corpus.name} ({corpus.id})"
