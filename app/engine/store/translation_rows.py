"""Reads of translations: what links say of many sentences at once."""

from collections.abc import Sequence

from sqlalchemy import Engine, select, union_all

from app.engine.store.rows import MAX_VARIABLES
from app.engine.store.schema import link


def list_translations(store: Engine, ids: Sequence[int]) -> dict[int, list[int]]:
    """List the sentences that links say are translations of each of some sentences.

    Returns:
        Rising ids for each sentence that has a translation.
    """
    found: dict[int, set[int]] = {}
    with store.connect() as connection:
        for start in range(0, len(ids), MAX_VARIABLES // 2):
            wanted = [int(id_) for id_ in ids[start : start + MAX_VARIABLES // 2]]
            query = union_all(
                select(link.c.source_id, link.c.target_id).where(
                    link.c.source_id.in_(wanted)
                ),
                select(link.c.target_id, link.c.source_id).where(
                    link.c.target_id.in_(wanted)
                ),
            )
            for asked, other in connection.execute(query):
                found.setdefault(asked, set()).add(other)
    return {id_: sorted(others) for id_, others in found.items()}


__all__ = ["list_translations"]
