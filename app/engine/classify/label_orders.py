"""Labels of corpora: their classes with counts, and the ids of some of them."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.classify_questions import LabelCountsQuery, LabelOrderQuery
from app.engine.project import Project
from app.engine.store.find import corpora_by_id
from app.engine.store.label_rows import (
    ClassCount,
    count_classes,
    read_corpus_labels,
)
from app.engine.store.members import is_member, members
from app.engine.store.rows import CorpusRow, first_id

N_CLASSES = 100  # of a corpus that an answer names


def count_labels(project: Project, query: LabelCountsQuery) -> dict[str, Any]:
    """Count the labelled sentences of corpora and sub-corpora, class by class.

    Raises:
        UserError: a sub-corpus is gone.
    """
    told = []
    for corpus in corpora_by_id(project.store, query.corpora, query.subcorpora):
        counts = _count(project, corpus)
        if not counts:
            continue
        told.append(
            {
                "id": corpus.id,
                "n_labelled": sum(one.n for one in counts),
                "n_classes": len(counts),
                "classes": [[one.name, one.n] for one in counts[:N_CLASSES]],
            }
        )
    return {"corpora": told}


def order_labels(project: Project, query: LabelOrderQuery) -> NDArray[np.int64]:
    """Choose sentences by their labels, in the order of corpora: int64 (n,)."""
    parts = [np.empty(0, np.int64)]
    for corpus in corpora_by_id(project.store, query.corpora, query.subcorpora):
        labels = read_corpus_labels(project.store, corpus.id)
        rows = members(project, corpus)
        places = np.arange(corpus.n_sentences) if rows is None else rows
        names = set(query.classes)
        is_wanted = np.zeros(corpus.n_sentences, bool)
        is_wanted[
            [place for place, name in labels.items() if not names or name in names]
        ] = True
        if query.which == "unlabelled":
            is_wanted[:] = True
            is_wanted[list(labels)] = False
        parts.append(places[is_wanted[places]] + first_id(corpus.id))
    return np.concatenate(parts)


def _count(project: Project, corpus: CorpusRow) -> list[ClassCount]:
    """Count the labels of a corpus or a sub-corpus of it, the most frequent first."""
    if not corpus.subcorpus:
        return count_classes(project.store, [corpus.id])
    labels = read_corpus_labels(project.store, corpus.id)
    places = np.fromiter(labels, np.int64, len(labels))
    taken = places[is_member(project, corpus, places)].tolist()
    counts = Counter(labels[place] for place in taken)
    rows = [ClassCount(name, n) for name, n in counts.items()]
    return sorted(rows, key=lambda row: (-row.n, row.name))
