"""A stored map with its arrays, corpora and vectors."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.arrays import IdArray
from app.engine.project.project import Project
from app.engine.store.arrays import map_array
from app.engine.store.corpora import CorpusRow, first_sentence_id, list_corpora
from app.engine.store.embeddings import (
    find_embedding,
    is_embedding_complete,
    map_embedding,
)
from app.engine.store.projections import (
    ProjectionRow,
    projection_file,
    read_projections,
)
from app.errors import UserError


class StoredMap(NamedTuple):
    """A map.

    Attributes:
        row: record of the map.
        corpora: corpora that still exist.
        ids: int64 (n,), ascending.
        clusters: int32 (n,).
    """

    row: ProjectionRow
    corpora: list[CorpusRow]
    ids: IdArray
    clusters: NDArray[np.int32]


def open_map(project: Project, id_: int) -> StoredMap:
    """Open a map.

    Raises:
        UserError: the map no longer exists.
        ResourceError: an array of the map is missing.
    """
    for row in read_projections(project.store):
        if row.id == id_:
            corpus_ids = set(msgspec.json.decode(row.corpora, type=list[int]))
            corpora = [
                one for one in list_corpora(project.store) if one.id in corpus_ids
            ]
            ids, clusters = (
                np.asarray(map_array(projection_file(project.folder, row, part)))
                for part in ("ids", "clusters")
            )
            return StoredMap(row, corpora, ids, clusters)
    raise UserError("The map is no longer in the project.")


def map_vectors(project: Project, shown: StoredMap, ids: IdArray) -> Tensor:
    """Read the unit vectors of some sentences of a map: float32 (m, d).

    Args:
        ids: int64 (m,), ascending, of sentences in existing corpora.

    Raises:
        UserError: a corpus no longer has vectors of the map's encoder.
    """
    parts = [
        _rows(project, shown.row, corpus, ids[part] - first_sentence_id(corpus.id))
        for corpus, part in _parts(shown.corpora, ids)
    ]
    return torch.from_numpy(np.concatenate(parts))


def existing_ids(shown: StoredMap, ids: IdArray) -> IdArray:
    """Return the ids of sentences in existing corpora."""
    kept = [ids[part] for _, part in _parts(shown.corpora, ids)]
    return np.concatenate(kept) if kept else np.empty(0, np.int64)


def _parts(corpora: Sequence[CorpusRow], ids: IdArray) -> list[tuple[CorpusRow, slice]]:
    """Return the range of each corpus's sentences in ascending ids."""
    ordered = sorted(corpora, key=lambda corpus: corpus.id)
    found = []
    for corpus in ordered:
        bounds = np.searchsorted(
            ids, [first_sentence_id(corpus.id), first_sentence_id(corpus.id + 1)]
        )
        found.append((corpus, slice(int(bounds[0]), int(bounds[1]))))
    return found


def _rows(
    project: Project, row: ProjectionRow, corpus: CorpusRow, indices: IdArray
) -> NDArray[Any]:
    embedding = find_embedding(project.store, corpus.id, row.fingerprint)
    if embedding is None or not is_embedding_complete(project.folder, embedding):
        raise UserError(
            f"{corpus.name} no longer has vectors by {row.encoder}. Encode it again."
        )
    unit_vectors, _, _ = map_embedding(project.folder, embedding)
    return np.asarray(unit_vectors[indices])
