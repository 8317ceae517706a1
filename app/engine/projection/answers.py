"""Answers to what is asked about maps, as plain JSON values."""

from typing import Any

from app.engine.projection.comparison import compare_projections
from app.engine.projection.selection import describe_selection
from app.engine.projection.similarity import find_similarities
from app.engine.search.desk import SearchDesk
from app.map_questions import (
    CompareProjectionsQuery,
    MapQuery,
    SelectionQuery,
    SimilarityQuery,
)


def answer_map_query(desk: SearchDesk, query: MapQuery) -> dict[str, Any]:
    """Answer a short read about maps.

    Raises:
        UserError: what the query names is not there.
    """
    match query:
        case SelectionQuery():
            return describe_selection(desk, query)
        case SimilarityQuery():
            values = find_similarities(desk.project, query)
            return {"file": desk.write_view(values)}
        case CompareProjectionsQuery():
            found = compare_projections(desk.project, query)
            return {
                "file": desk.write_view(found.ids),
                "n": len(found.ids),
                "shares": desk.write_view(found.shares),
                "k": found.k,
                "n_shared": found.n_shared,
                "kept": found.kept.value,
                "low": found.kept.low,
                "high": found.kept.high,
                "is_sample": len(found.ids) < found.n_shared,
            }
