"""The values that the documents of a map's sentences have of a field."""

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.store.document_rows import list_documents
from app.engine.store.rows import first_id

Found = tuple[str, dict[str, int], NDArray[np.int64]]  # field, values known, of points


def put_field(
    store: Engine, ids: NDArray[np.int64], corpus_id: int, found: Found
) -> None:
    """Write which value of a field each sentence of a corpus has.

    Args:
        store: of the project.
        ids: int64 (n,), rising ids of sentences.
        corpus_id: whose documents.
        found: name of the field; the values known so far with their places, which
            grow; int64 (n,) that is written: the place of the value, -1: none.
    """
    name, places, values = found
    rows = list_documents(store, corpus_id)
    bounds = np.searchsorted(ids, [first_id(corpus_id), first_id(corpus_id + 1)])
    here = slice(*bounds.tolist())
    firsts = np.array([row.first for row in rows], np.int64)
    said = (row.fields.get(name, "") for row in rows)
    of_rows = [places.setdefault(value, len(places)) if value else -1 for value in said]
    at = np.searchsorted(firsts, ids[here] & 0xFFFFFFFF, side="right") - 1
    values[here] = np.array([*of_rows, -1], np.int64)[at]  # before the first: the last


__all__ = ["put_field"]
