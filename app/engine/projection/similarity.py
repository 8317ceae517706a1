"""How near the sentences of a map are to one of them, by their vectors."""

import numpy as np

from app.engine.project import Project
from app.engine.projection.shown import map_vectors, open_map, still_there
from app.engine.store.arrays import FloatArray
from app.errors import UserError
from app.map_questions import SimilarityQuery

BLOCK = 65_536  # sentences at a time


def find_similarities(project: Project, query: SimilarityQuery) -> FloatArray:
    """Give the cosine of every sentence of a map with one: float32 (n,), −1…1.

    Returns:
        In the order of the map's ids; NaN where the corpus is gone.

    Raises:
        UserError: the map, the sentence or vectors are gone.
    """
    shown = open_map(project, query.projection)
    if query.sentence not in still_there(shown, shown.ids):
        raise UserError(f"The sentence is not on the map {shown.row.name}.")
    own = map_vectors(project, shown, np.array([query.sentence], np.int64))[0]  # (d,)
    values = np.full(len(shown.ids), np.nan, np.float32)
    for start in range(0, len(shown.ids), BLOCK):
        ids = still_there(shown, shown.ids[start : start + BLOCK])
        if len(ids):
            places = np.searchsorted(shown.ids, ids)
            values[places] = (map_vectors(project, shown, ids) @ own).numpy()
    return values
