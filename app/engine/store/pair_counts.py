"""Counts of pairs that are quick whatever the size of the set."""

from sqlalchemy import Engine, func, select

from app.engine.store.pair_rows import MiningRow, first_pair_id
from app.engine.store.schema import CORPUS_STRIDE, judgement

SCORE_SQL = "SELECT score FROM pair WHERE id = ?"
MAX_COUNTED = 10_000  # judgements; counting more would take longer than a blink


def count_at_or_above(store: Engine, row: MiningRow, threshold: float) -> int:
    """Count the taken pairs whose score reaches a threshold.

    The ids of a mined or scored set are in the order of the scores, so some twenty rows
    are looked at.
    """
    low, high = 0, row.n_pairs  # the first pair below the threshold is within
    first = first_pair_id(row.id)
    with store.connect() as connection:
        while low < high:
            middle = (low + high) // 2
            found = connection.exec_driver_sql(SCORE_SQL, (first + middle,)).first()
            if found is not None and found[0] >= threshold:
                low = middle + 1
            else:
                high = middle
    return low


def count_judged(store: Engine) -> dict[int, int] | None:
    """Count the judged pairs of every set; None: too many to count at once."""
    with store.connect() as connection:
        newest_id = connection.scalar(select(func.max(judgement.c.id))) or 0
        if newest_id > MAX_COUNTED:  # ids are never used again, so there are no more
            return None
        newest = select(func.max(judgement.c.id)).group_by(judgement.c.pair_id)
        mining = judgement.c.pair_id.op("/")(CORPUS_STRIDE)
        counted = select(mining, func.count()).where(
            judgement.c.id.in_(newest), judgement.c.verdict != ""
        )
        found = connection.execute(counted.group_by(mining)).all()
    return {int(mining_id): int(n) for mining_id, n in found}


def count_verdicts(store: Engine, mining_id: int) -> dict[str, int] | None:
    """Count a set's pairs by the verdict that holds; None: too many to count at once.

    Pairs whose verdict was taken back, or that only have a note, are not counted.
    """
    column = judgement.c.pair_id
    is_here = (column >= first_pair_id(mining_id)) & (
        column < first_pair_id(mining_id + 1)
    )
    some = select(column).where(is_here).limit(MAX_COUNTED + 1).subquery()
    newest = select(func.max(judgement.c.id)).where(is_here).group_by(column)
    counted = select(judgement.c.verdict, func.count()).where(
        judgement.c.id.in_(newest), judgement.c.verdict != ""
    )
    with store.connect() as connection:
        n_rows = connection.scalar(select(func.count()).select_from(some)) or 0
        if n_rows > MAX_COUNTED:
            return None
        found = connection.execute(counted.group_by(judgement.c.verdict)).all()
    return {str(verdict): int(n) for verdict, n in found}
