"""Read, append and describe judgements; the newest one of a pair applies.

A row is the state of its pair from then on. A step contains the rows of one change; its
undo is another step, which appends the earlier judgements.
"""

import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine

from app.arrays import IdArray
from app.engine.store.pairs.judged_ranges import add_judged_range, as_range_sql
from app.engine.store.pairs.sets import first_pair_id

STATE_COLUMNS = (
    "p.id, coalesce(j.source_id, p.source_id), coalesce(j.target_id, p.target_id), "
    "coalesce(j.verdict, ''), j.source_text, j.target_text, coalesce(j.note, ''), "
    "coalesce(j.tags, '[]'), coalesce(j.who, ''), coalesce(j.origin, ''), "
    "coalesce(j.verdict_id, j.id)"
)
_NEWEST_SQL = "(SELECT max(id) FROM judgement WHERE pair_id = p.id)"
PAIRS_SQL = f"FROM pair p LEFT JOIN judgement j ON j.id = {_NEWEST_SQL}"
STEP_SQL = (
    "FROM (SELECT pair_id, min(id) AS id FROM judgement WHERE step = :undoes "
    "GROUP BY pair_id) s JOIN pair p ON p.id = s.pair_id LEFT JOIN judgement j "
    "ON j.id = (SELECT max(id) FROM judgement WHERE pair_id = p.id AND id < s.id)"
)


class PairState(NamedTuple):
    """The current state of a pair; the verdict is empty if it was never judged.

    Attributes:
        source_id, target_id: first sentences; a runner-up may be swapped in.
        source_text, target_text: edited texts; None: as imported.
        who: annotator; empty: unnamed.
        origin: package of the judgement; empty: made in this project.
        given_id: judgement that set the verdict; None: never judged.
    """

    pair_id: int
    source_id: int
    target_id: int
    verdict: str
    source_text: str | None
    target_text: str | None
    note: str
    tags: tuple[str, ...]
    who: str
    origin: str
    given_id: int | None = None


def read_pair_states(
    connection: Connection, ids: Sequence[int]
) -> dict[int, PairState]:
    """Read the current states of pairs; deleted pairs are left out."""
    raw: Any = connection.connection.driver_connection
    marks = ", ".join("?" * len(ids))
    rows = raw.execute(
        f"SELECT {STATE_COLUMNS} {PAIRS_SQL} WHERE p.id IN ({marks})", tuple(ids)
    )
    return {row[0]: _pair_state(row) for row in rows}


def read_step_states(
    connection: Connection, step: int, limit: int
) -> tuple[list[PairState], list[PairState]]:
    """Read the judgements of the pairs of a step, before and after it."""
    raw: Any = connection.connection.driver_connection
    sql = f"SELECT {STATE_COLUMNS} {STEP_SQL} ORDER BY p.id LIMIT :limit"
    before = [
        _pair_state(row) for row in raw.execute(sql, {"undoes": step, "limit": limit})
    ]
    sql = (
        f"SELECT {STATE_COLUMNS} FROM judgement j JOIN pair p ON p.id = j.pair_id "
        "WHERE j.step = :step ORDER BY p.id LIMIT :limit"
    )
    after = [
        _pair_state(row) for row in raw.execute(sql, {"step": step, "limit": limit})
    ]
    return before, after


def _pair_state(row: Sequence[Any]) -> PairState:
    values = list(row)
    values[7] = tuple(json.loads(row[7]))
    return PairState(*values)


VERDICTS = ("", "accept", "reject", "skip", "flag")
_AS_RANGE = as_range_sql("judgement", "coalesce(j.verdict_id, j.id)")
_VERDICT_CODES = {verdict: i for i, verdict in enumerate(VERDICTS)}
_OTHER_VERDICT = (
    "o.verdict <> j.verdict AND o.verdict IN ('accept', 'reject') "
    "AND j.verdict IN ('accept', 'reject')"
)
# Both annotators corrected a text, or one accepted or corrected a runner-up, and the
# sentences and texts are unchanged since the merge.
_OTHER_TEXT = (
    "(o.source_text <> j.source_text OR o.target_text <> j.target_text "
    "OR ((o.source_id, o.target_id) <> (j.source_id, j.target_id) "
    "AND ((o.verdict = 'accept' AND j.verdict = 'accept') "
    "OR coalesce(o.source_text, o.target_text) IS NOT NULL))) "
    "AND (SELECT (b.source_id, b.target_id, b.source_text, b.target_text) "
    "IS (j.source_id, j.target_id, j.source_text, j.target_text) FROM judgement b "
    "WHERE b.pair_id = o.pair_id AND b.id <= o.after_id ORDER BY b.id DESC LIMIT 1)"
)
# The last opinion (o) on a pair that was not judged (j) since the merge.
_OPEN_OPINION = (
    "o.after_id >= coalesce(j.verdict_id, j.id) "
    "AND o.after_id >= 0 AND o.id = (SELECT max(id) FROM opinion "
    "WHERE pair_id = o.pair_id AND who = o.who AND after_id >= 0)"
)
CONFLICT_SQL = f"{_OPEN_OPINION} AND (({_OTHER_VERDICT}) OR ({_OTHER_TEXT}))"


class CurrentVerdicts(NamedTuple):
    """The current verdicts of all pairs that were ever judged, in the order of id.

    Attributes:
        pair_ids: int64 (j,).
        verdicts: int8 (j,), places in `VERDICTS`.
    """

    pair_ids: IdArray
    verdicts: NDArray[np.int8]

    def of(self, pair_ids: IdArray) -> NDArray[np.int8]:
        """Return the verdict of each pair id (ascending): int8 (p,); 0: none."""
        found = np.zeros(len(pair_ids), np.int8)
        indices = np.searchsorted(pair_ids, self.pair_ids)
        is_in = indices < len(pair_ids)
        is_in[is_in] = pair_ids[indices[is_in]] == self.pair_ids[is_in]
        found[indices[is_in]] = self.verdicts[is_in]
        return found


class JudgementLog(NamedTuple):
    """Judgements in the order of creation.

    Attributes:
        pair_ids: int64 (j,).
        verdicts: int8 (j,), places in `VERDICTS`.
        is_swapped: bool (j,), whether a runner-up is swapped in.
        as_range: bool (j,), whether the verdict was set for a range of scores.
        newest_id: id of the last judgement.
    """

    pair_ids: IdArray
    verdicts: NDArray[np.int8]
    is_swapped: NDArray[np.bool_]
    as_range: NDArray[np.bool_]
    newest_id: int


class ChangedSides(NamedTuple):
    """The current sides of a pair that was changed; text None: as imported."""

    pair_id: int
    source_id: int
    target_id: int
    source_text: str | None
    target_text: str | None


def read_current_verdicts(store: Engine, mining_id: int) -> CurrentVerdicts:
    """Read the current verdict of each pair of a mining that was ever judged."""
    # SQLite takes the other columns from the row with the maximum
    rows = _read_pair_rows(
        store,
        "SELECT pair_id, verdict, max(id) FROM judgement WHERE pair_id >= ? "
        "AND pair_id < ? GROUP BY pair_id ORDER BY pair_id",
        mining_id,
    )
    ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
    verdicts = np.fromiter((_VERDICT_CODES[row[1]] for row in rows), np.int8, len(rows))
    return CurrentVerdicts(ids, verdicts)


def read_judgements_since(store: Engine, mining_id: int, after_id: int) -> JudgementLog:
    """Read the judgements of a mining's pairs after a given one, in order."""
    # the plus prevents SQLite from using the index of all judgements of these pairs
    rows = _read_pair_rows(
        store,
        "SELECT j.pair_id, j.verdict, j.source_id <> p.source_id "
        f"OR j.target_id <> p.target_id, {_AS_RANGE}, j.id "
        "FROM judgement j CROSS JOIN pair p "
        "ON p.id = j.pair_id WHERE +j.pair_id >= ? AND +j.pair_id < ? "
        "AND j.id > ? ORDER BY j.id",
        mining_id,
        after_id,
    )
    return JudgementLog(
        _ids(rows),
        np.fromiter((_VERDICT_CODES[row[1]] for row in rows), np.int8, len(rows)),
        np.fromiter((row[2] for row in rows), np.bool_, len(rows)),
        np.fromiter((row[3] for row in rows), np.bool_, len(rows)),
        rows[-1][4] if rows else after_id,
    )


def read_tagged_pairs(store: Engine, mining_id: int, tag: str) -> IdArray:
    """Return the ids of pairs with a tag: int64 (p,), ascending."""
    rows = _read_pair_rows(
        store,
        "SELECT pair_id, max(id), tags FROM judgement WHERE pair_id >= ? "
        "AND pair_id < ? GROUP BY pair_id HAVING EXISTS "
        "(SELECT 1 FROM json_each(tags) WHERE value = ?) ORDER BY pair_id",
        mining_id,
        tag,
    )
    return _ids(rows)


def read_changed_sides(store: Engine, mining_id: int) -> list[ChangedSides]:
    """Read the pairs whose text was edited, or whose runner-up was swapped in."""
    rows = _read_pair_rows(
        store,
        "SELECT j.pair_id, j.source_id, j.target_id, j.source_text, j.target_text "
        "FROM judgement j JOIN pair p ON p.id = j.pair_id WHERE j.pair_id >= ? "
        "AND j.pair_id < ? AND (j.source_text IS NOT NULL OR j.target_text IS NOT NULL "
        "OR j.source_id <> p.source_id OR j.target_id <> p.target_id) AND j.id = "
        "(SELECT max(id) FROM judgement WHERE pair_id = j.pair_id) ORDER BY j.pair_id",
        mining_id,
    )
    return [ChangedSides(*row) for row in rows]


_OPINIONS_SQL = (
    "SELECT DISTINCT o.pair_id FROM opinion o JOIN judgement j "
    "ON j.id = (SELECT max(id) FROM judgement WHERE pair_id = o.pair_id) WHERE"
)
_CONFLICTS_SQL = f"{_OPINIONS_SQL} {CONFLICT_SQL} AND o.pair_id"
_FLAGGED_SQL = f"{_OPINIONS_SQL} {_OPEN_OPINION} AND o.verdict = 'flag' AND o.pair_id"


def read_conflicting_pairs(store: Engine, mining_id: int) -> IdArray:
    """Return pairs in unresolved conflict between annotators: int64, ascending."""
    where = f"{_CONFLICTS_SQL} >= ? AND o.pair_id < ? ORDER BY o.pair_id"
    return _ids(_read_pair_rows(store, where, mining_id))


def read_flagged_by_others(store: Engine, mining_id: int) -> IdArray:
    """Return pairs flagged by another annotator, not judged since: int64, ascending."""
    where = f"{_FLAGGED_SQL} >= ? AND o.pair_id < ? ORDER BY o.pair_id"
    return _ids(_read_pair_rows(store, where, mining_id))


def find_conflicts(store: Engine, pair_ids: Sequence[int]) -> set[int]:
    """Return those of up to 10,000 pairs that are in conflict."""
    marks = ", ".join("?" * len(pair_ids))
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows = raw.execute(f"{_CONFLICTS_SQL} IN ({marks})", tuple(pair_ids))
        return {row[0] for row in rows}


def _read_pair_rows(
    store: Engine, sql: str, mining_id: int, *more: Any
) -> list[tuple[Any, ...]]:
    bounds = first_pair_id(mining_id), first_pair_id(mining_id + 1)
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows: list[tuple[Any, ...]] = raw.execute(sql, (*bounds, *more)).fetchall()
        return rows


def _ids(rows: Sequence[tuple[Any, ...]]) -> IdArray:
    return np.fromiter((row[0] for row in rows), np.int64, len(rows))


_CONDITIONS: dict[str, list[str]] = {
    "all": [],
    "unjudged": ["coalesce(j.verdict, '') = ''"],
    "judged": ["j.verdict <> ''"],
    "conflict": [
        f"EXISTS (SELECT 1 FROM opinion o WHERE o.pair_id = p.id AND {CONFLICT_SQL})"
    ],
    "flag": [
        "(j.verdict = 'flag' OR EXISTS (SELECT 1 FROM opinion o WHERE "
        f"o.pair_id = p.id AND o.verdict = 'flag' AND {_OPEN_OPINION}))"
    ],
    **{
        verdict: [f"j.verdict = '{verdict}'"]
        for verdict in ("accept", "reject", "skip")
    },
}
_COLUMNS = (
    "pair_id, source_id, target_id, verdict, source_text, target_text, note, tags, "
    "who, origin, verdict_id, step, undoes, created_at"
)


class ScoreRange(NamedTuple):
    """Pairs in an inclusive range of ids and scores with a certain current verdict."""

    first: int
    last: int
    lowest: float | None
    highest: float | None
    which: str


def next_step(connection: Connection) -> int:
    """Return the number of a new step, and block writes by other connections."""
    raw: Any = connection.connection.driver_connection
    if not raw.in_transaction:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    (newest,) = raw.execute("SELECT max(step) FROM judgement").fetchone()
    return (newest or 0) + 1


def append_judgements(
    connection: Connection,
    step: int,
    rows: Iterable[PairState],
    *,
    is_given: bool = True,
    made_at: Iterable[float] | None = None,
) -> None:
    """Append judgements, which apply from now on.

    Args:
        connection: in a transaction.
        is_given: whether the verdict is new; otherwise the earlier verdict is repeated.
        made_at: time of each row, in seconds since 1970; None: now.
    """
    raw: Any = connection.connection.driver_connection
    marks = ", ".join("?" * (_COLUMNS.count(",") + 1))
    times = repeat(time.time()) if made_at is None else made_at
    raw.executemany(
        f"INSERT INTO judgement ({_COLUMNS}) VALUES ({marks})",
        [
            (
                *row[:7],
                json.dumps(row.tags, ensure_ascii=False),
                *(row.who, row.origin),
                *(None if is_given else row.given_id, step, None, at),
            )
            for row, at in zip(rows, times, strict=False)
        ],
    )


def append_range(
    connection: Connection, step: int, where: ScoreRange, verdict: str, who: str
) -> int:
    """Judge all pairs of a range in two statements, and return their number.

    Pairs that an annotator read and gave the same verdict still count as read.
    """
    conditions = ["p.id BETWEEN :first AND :last", "p.n_source > 0", "p.n_target > 0"]
    if where.lowest is not None:
        conditions.append("p.score >= :lowest")
    if where.highest is not None:
        conditions.append("p.score <= :highest")
    conditions += _CONDITIONS[where.which]
    raw: Any = connection.connection.driver_connection
    kept = STATE_COLUMNS.split(", coalesce(j.verdict")[0]
    sql = (
        f"INSERT INTO judgement ({_COLUMNS}) SELECT {kept}, :verdict, j.source_text, "
        f"j.target_text, coalesce(j.note, ''), coalesce(j.tags, '[]'), :who, '', NULL, "
        f":step, NULL, :now {PAIRS_SQL} WHERE {' AND '.join(conditions)} "
        "AND coalesce(j.step, 0) < :step "
    )
    values = _sql_values(
        **where._asdict(), step=step, verdict=verdict, who=who, now=time.time()
    )
    is_read = f"AND j.verdict = :verdict AND NOT {_AS_RANGE} ORDER BY p.id"
    n_read = int(raw.execute(sql + is_read, values).rowcount)
    done = raw.execute(sql + "ORDER BY p.id", values)
    n, last_id = int(done.rowcount), int(done.lastrowid or 0)
    add_judged_range(connection, "judgement", last_id, n)
    return n_read + n


def append_previous_states(connection: Connection, step: int, undoes: int) -> int:
    """Append the judgement before a step for each of its pairs; return the count.

    Author and time are copied; the time of a pair that was never judged is 0.
    """
    raw: Any = connection.connection.driver_connection
    sql = (
        f"INSERT INTO judgement ({_COLUMNS}) SELECT {STATE_COLUMNS}, :step, :undoes, "
        f"coalesce(j.created_at, 0) {STEP_SQL} ORDER BY p.id"
    )
    values = _sql_values(step=step, undoes=undoes)
    return int(raw.execute(sql, values).rowcount)


def append_step_again(connection: Connection, step: int, repeats: int) -> int:
    """Append the judgements of an earlier step again, and return the count."""
    raw: Any = connection.connection.driver_connection
    kept = _COLUMNS.split(", verdict_id")[0]
    sql = (
        f"INSERT INTO judgement ({_COLUMNS}) SELECT {kept}, coalesce(verdict_id, id), "
        ":step, NULL, created_at FROM judgement WHERE step = :repeats ORDER BY pair_id"
    )
    values = _sql_values(step=step, repeats=repeats)
    return int(raw.execute(sql, values).rowcount)


def _sql_values(**values: object) -> dict[str, object]:
    return values


VERDICT_PARTICIPLES = {
    "accept": "accepted",
    "reject": "rejected",
    "skip": "skipped",
    "flag": "flagged",
    "": "not judged any more",
}


class PairNames(NamedTuple):
    """The words for a single pair, and for its sides.

    Attributes:
        pair: name of the pair at its first mention.
        source, target: sentences of the pair, quoted; empty: unknown.
        is_link: whether the pair is an alignment link: "confirmed", not "accepted".
    """

    pair: str = "the pair"
    source: str = ""
    target: str = ""
    is_link: bool = False


NO_NAMES = PairNames()


def describe_step(
    before: Sequence[PairState],
    after: Sequence[PairState],
    names: PairNames = NO_NAMES,
) -> str:
    """Describe the changes of a step from its old and new judgements, in order.

    Args:
        after: current judgements of the same pairs.
        names: words for a single pair whose earlier sentences were restored.
    """
    said: Counter[str] = Counter()
    for old, new in zip(before, after, strict=True):
        said.update(_differences(old, new, names))
    pairs = (names.pair, *[NO_NAMES.pair] * len(said))
    sentences = [
        part.format(f"{n:,} pairs" if n > 1 else pair, "are" if n > 1 else "is")
        for pair, (part, n) in zip(pairs, said.items(), strict=False)
    ]
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)


def _differences(old: PairState, new: PairState, names: PairNames) -> list[str]:
    """Describe the differences; {0} stands for the pairs, {1} for "is" or "are"."""
    parts = []
    is_other = (old.verdict, old.who) != (new.verdict, new.who)
    if is_other and (old.verdict or new.verdict):
        verdict = VERDICT_PARTICIPLES[new.verdict]
        if names.is_link and new.verdict == "accept":
            verdict = "confirmed"
        elif names.is_link and (old.verdict, new.verdict) == ("accept", ""):
            verdict = "not confirmed any more"
        parts.append(f"{{0}} {{1}} {verdict}.")
    source_texts = old.source_text, new.source_text
    target_texts = old.target_text, new.target_text
    for side, is_swapped, name, (was, text) in (
        ("source", old.source_id != new.source_id, names.source, source_texts),
        ("target", old.target_id != new.target_id, names.target, target_texts),
    ):
        if is_swapped:
            quoted = _escape_braces(name)
            what = f"{quoted} again" if quoted else "another sentence"
            parts.append(f"The {side} of {{0}} is {what}.")
        elif was != text:
            how = "reset" if text is None else "edited"
            parts.append(f"The {side} of {{0}} is {how}.")
    if old.note != new.note:
        how = "saved" if new.note else "removed"
        parts.append(f"The note on {{0}} is {how}.")
    added, taken = set(new.tags) - set(old.tags), set(old.tags) - set(new.tags)
    parts += [f"{{0}} {{1}} tagged {_escape_braces(tag)}." for tag in sorted(added)]
    parts += [
        f"{{0}} {{1}} not tagged {_escape_braces(tag)} any more."
        for tag in sorted(taken)
    ]
    return parts


def _escape_braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
