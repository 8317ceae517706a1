"""Count and rename the judgements that an annotator made in this project.

Judgements from a package belong to other people, so their names do not change.
"""

from typing import Any

from sqlalchemy import Connection, Engine

from app.engine.store.schema import CORPUS_STRIDE

_BY = "WHERE who = :who AND origin = ''"
# An undo appends the state before a step; the undone step no longer counts.
_HOLDS = (
    "AND undoes IS NULL "
    "AND step NOT IN (SELECT undoes FROM judgement WHERE undoes IS NOT NULL)"
)
_RENAMED = "AND coalesce(verdict_id, id) <= :until"


def count_judged_by(store: Engine, who: str) -> int:
    """Count the pairs that an annotator judged in this project."""
    sql = f"SELECT count(DISTINCT pair_id) FROM judgement {_BY} {_HOLDS}"
    with store.connect() as connection:
        return int(_run(connection, sql, who=who).fetchone()[0])


def list_annotators(store: Engine) -> list[str]:
    """List the annotators of judgements made in this project, in alphabetical order.

    Judgements without a name or from a package are left out.
    """
    sql = (
        "SELECT DISTINCT who FROM judgement "
        f"WHERE origin = '' AND who <> '' {_HOLDS} ORDER BY who"
    )
    with store.connect() as connection:
        return [who for (who,) in _run(connection, sql).fetchall()]


def has_judgements(store: Engine, who: str) -> bool:
    """Return whether a name has judgements, made here or merged from a package."""
    with store.connect() as connection:
        return is_annotator(connection, who)


def is_annotator(connection: Connection, who: str) -> bool:
    """Return whether a name has judgements, made here or merged from a package."""
    sql = (
        f"SELECT EXISTS (SELECT 1 FROM judgement {_BY} {_HOLDS}) "
        "OR EXISTS (SELECT 1 FROM opinion WHERE who = :who AND after_id >= 0)"
    )
    return bool(_run(connection, sql, who=who).fetchone()[0])


def newest_judgement_id(connection: Connection) -> int:
    """Return the id of the newest judgement; 0 if there is none."""
    sql = "SELECT coalesce(max(id), 0) FROM judgement"
    return int(_run(connection, sql).fetchone()[0])


def rename_annotator(
    connection: Connection, old: str, new: str, until: int
) -> tuple[int, list[int]]:
    """Rename an annotator in judgements whose verdict is not newer than `until`.

    Returns:
        The number of pairs, and the ids of their sets.
    """
    sql = (
        f"SELECT pair_id / {CORPUS_STRIDE}, count(DISTINCT pair_id) FROM judgement "
        f"{_BY} {_RENAMED} GROUP BY 1"
    )
    found = _run(connection, sql, who=old, until=until).fetchall()
    sql = f"UPDATE judgement SET who = :new {_BY} {_RENAMED}"
    _run(connection, sql, who=old, until=until, new=new)
    return sum(n for _, n in found), [mining for mining, _ in found]


def _run(connection: Connection, sql: str, **values: object) -> Any:
    raw: Any = connection.connection.driver_connection
    return raw.execute(sql, values)
