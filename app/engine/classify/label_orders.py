"""Labels of corpora: their classes with counts, and the ids of some of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.classify_questions import LabelCountsQuery, LabelOrderQuery
from app.engine.project import Project
from app.engine.store.label_rows import count_classes, read_corpus_labels
from app.engine.store.rows import CorpusRow, first_id, has_labels, list_corpora

N_CLASSES = 100  # of a corpus that an answer names


def count_labels(project: Project, query: LabelCountsQuery) -> dict[str, Any]:
    """Count the labelled sentences of corpora, class by class."""
    told = []
    for corpus in _wanted(project, query.corpora):
        if not has_labels(project.store, corpus.id):
            continue
        counts = count_classes(project.store, [corpus.id])
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
    for corpus in _wanted(project, query.corpora):
        labels = read_corpus_labels(project.store, corpus.id)
        ids = np.arange(corpus.n_sentences, dtype=np.int64) + first_id(corpus.id)
        if query.which == "unlabelled":
            labelled = np.fromiter(labels, np.int64, len(labels))
            parts.append(np.delete(ids, labelled))
            continue
        names = set(query.classes)
        chosen = [
            place
            for place, name in sorted(labels.items())
            if not names or name in names
        ]
        parts.append(ids[np.array(chosen, np.int64)])
    return np.concatenate(parts)


def _wanted(project: Project, ids: tuple[int, ...]) -> list[CorpusRow]:
    return [row for row in list_corpora(project.store) if not ids or row.id in ids]
