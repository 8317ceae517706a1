"""Links between the sentences of pairs."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Engine, Row, and_, func, select

from app.engine.store.pairs.sets import read_all_current_judgements
from app.engine.store.schema import link


def read_links_between(
    connection: Connection, pairs: Sequence[tuple[int, int]]
) -> Sequence[Row[Any]]:
    """Read the links of any number of pairs, whichever sentence is the source."""
    both = {*pairs, *((target, source) for source, target in pairs)}
    wanted = func.json_each(json.dumps(list(both))).table_valued("value")
    source, target = (func.json_extract(wanted.c.value, f"$[{n}]") for n in (0, 1))
    is_it = and_(link.c.source_id == source, link.c.target_id == target)
    return connection.execute(select(link).join_from(wanted, link, is_it)).all()


def find_rejected_links(store: Engine, mining_id: int) -> list[tuple[int, int]]:
    """Return the rejected pairs of a set that are linked: source and target."""
    rejected = [
        (row.source_id, row.target_id)
        for row in read_all_current_judgements(store, mining_id)
        if row.verdict == "reject"
    ]
    with store.connect() as connection:
        rows = read_links_between(connection, rejected)
    linked = {frozenset((row.source_id, row.target_id)) for row in rows}
    return [pair for pair in rejected if frozenset(pair) in linked]
