"""Find and copy judgements of the same two sentences in other pair sets."""

from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine

from app.engine.store.pairs.judged_ranges import add_judged_range, as_range_sql
from app.engine.store.pairs.sets import first_pair_id
from app.engine.store.schema import CORPUS_STRIDE

_NEWEST = "(SELECT max(id) FROM judgement WHERE pair_id = {})"
# The newest judgement of the same two sides in another set (j), joined with the
# judgement that set its verdict (v), for the pairs without a verdict or an edited text
# here (p). A runner-up that was swapped in must also be a runner-up here.
_SAME_PAIRS = f"""
FROM pair p
JOIN (
    SELECT q.source_id, q.n_source, q.target_id, q.n_target, max(c.id) AS id
    FROM judgement c
    JOIN pair q ON q.id = c.pair_id
    JOIN mining m ON m.id = c.pair_id / {CORPUS_STRIDE} AND m.state = 'ready'
    WHERE c.verdict <> '' AND (c.pair_id < :low OR c.pair_id >= :high)
        AND c.id = {_NEWEST.format("c.pair_id")}
    GROUP BY q.source_id, q.n_source, q.target_id, q.n_target
) same ON same.source_id = p.source_id AND same.n_source = p.n_source
    AND same.target_id = p.target_id AND same.n_target = p.n_target
JOIN judgement j ON j.id = same.id
JOIN judgement v ON v.id = coalesce(j.verdict_id, j.id)
LEFT JOIN judgement h ON h.id = {_NEWEST.format("p.id")}
WHERE p.id >= :low AND p.id < :high
    AND j.source_id IN (p.source_id, p.reverse_id)
    AND j.target_id IN (p.target_id, p.runner_up_id)
    AND coalesce(h.verdict, '') = ''
    AND h.source_text IS NULL AND h.target_text IS NULL
"""
_AS_RANGE = as_range_sql("judgement", "v.id")


class SameJudgements(NamedTuple):
    """Number of judgements of a set's pairs in other sets, and those sets."""

    n: int
    minings: list[int]


def find_same_judgements(store: Engine, mining: int) -> SameJudgements:
    """Count the pairs of a set that are judged only in other sets."""
    sql = f"SELECT j.pair_id / {CORPUS_STRIDE}, count(*) {_SAME_PAIRS} GROUP BY 1"
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows = raw.execute(sql, _bounds(mining)).fetchall()
    return SameJudgements(sum(n for _, n in rows), [id_ for id_, _ in rows])


def copy_same_judgements(connection: Connection, mining: int, step: int) -> int:
    """Append these judgements as one step, with authors and times; return the count."""
    raw: Any = connection.connection.driver_connection
    sql = (
        "INSERT INTO judgement (pair_id, source_id, target_id, verdict, source_text, "
        "target_text, note, tags, who, origin, created_at, step) "
        "SELECT p.id, j.source_id, j.target_id, j.verdict, j.source_text, "
        f"j.target_text, j.note, j.tags, v.who, v.origin, j.created_at, :step "
        f"{_SAME_PAIRS} AND {{is_range}} ORDER BY p.id"
    )
    values = {**_bounds(mining), "step": step}
    n_read = int(raw.execute(sql.format(is_range=f"NOT {_AS_RANGE}"), values).rowcount)
    done = raw.execute(sql.format(is_range=_AS_RANGE), values)
    n_as_range = int(done.rowcount)
    add_judged_range(connection, "judgement", int(done.lastrowid or 0), n_as_range)
    return n_read + n_as_range


def _bounds(mining: int) -> dict[str, int]:
    return {"low": first_pair_id(mining), "high": first_pair_id(mining + 1)}
