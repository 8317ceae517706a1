"""Links between sentences whose pair was rejected."""

from sqlalchemy import Engine, select, tuple_

from app.engine.store.pairs.sets import read_all_current_judgements
from app.engine.store.schema import link

N_AT_ONCE = 1_000  # pairs of a query


def find_rejected_links(store: Engine, mining_id: int) -> list[tuple[int, int]]:
    """Return the rejected pairs of a set that are linked: source and target."""
    rejected = [
        (row.source_id, row.target_id)
        for row in read_all_current_judgements(store, mining_id)
        if row.verdict == "reject"
    ]
    ends = tuple_(link.c.source_id, link.c.target_id)
    linked: set[frozenset[int]] = set()
    with store.connect() as connection:
        for start in range(0, len(rejected), N_AT_ONCE):
            some = rejected[start : start + N_AT_ONCE]
            both = [*some, *(pair[::-1] for pair in some)]
            query = select(link.c.source_id, link.c.target_id).where(ends.in_(both))
            linked.update(frozenset(row) for row in connection.execute(query))
    return [pair for pair in rejected if frozenset(pair) in linked]
