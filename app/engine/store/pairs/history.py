"""Read the history of a review: judged steps, tags, opinions and edits."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    func,
    literal_column,
    select,
    text,
)

from app.engine.store.pairs.judged_ranges import read_judged_ranges
from app.engine.store.pairs.sets import JudgementRow, first_pair_id, judgement_row
from app.engine.store.rows import select_fields
from app.engine.store.schema import edit, judgement, opinion
from app.protocol.edits.pairs import SetMerge, UndoJudgement

MAX_COUNTED = 10_001  # maximum count of judgements of a step


class JudgedStep(NamedTuple):
    """A step in the history of judgements.

    Attributes:
        row: first judgement of the step.
        before: previous judgement of the same pair; None: not judged.
        n: number of judgements; `MAX_COUNTED`: that many or more.
        as_range: the verdict was set for a range of scores.
    """

    row: JudgementRow
    before: JudgementRow | None
    n: int
    as_range: bool = False


class Merge(NamedTuple):
    """A merge of returned judgements that was not undone.

    Attributes:
        id: id in the journal of changes.
        step: step of the judgements changed by the merge or by its redo; 0: none.
        pair_id: one of the merged pairs.
        who: the annotator.
        n: number of judgements.
        n_texts: number of judgements with a corrected text.
        after_id: newest judgement before the merge.
        made_at: seconds since 1970.
    """

    id: int
    step: int
    pair_id: int
    who: str
    n: int
    n_texts: int
    after_id: int
    made_at: float


class MergedStep(NamedTuple):
    """Summary of a step that merged returned judgements.

    Attributes:
        who: the annotator.
        n: number of judgements.
        n_texts: number of judgements with a corrected text.
    """

    who: str
    n: int
    n_texts: int


class OpinionRow(NamedTuple):
    """Another person's opinion of a pair, merged from a package (table `opinion`)."""

    id: int
    pair_id: int
    source_id: int
    target_id: int
    verdict: str
    source_text: str | None
    target_text: str | None
    note: str
    tags: list[str]
    who: str
    created_at: float
    after_id: int


class Authors(NamedTuple):
    """Authors of a pair's verdict and edited texts.

    Attributes:
        verdict, texts: names; empty: nobody.
        verdict_at, texts_at: seconds since 1970; 0: unknown.
    """

    verdict: str = ""
    texts: str = ""
    verdict_at: float = 0.0
    texts_at: float = 0.0


# With the index on `step`, each number takes one look-up, however large the steps are.
_STEPS = text(
    """
WITH RECURSIVE steps(step) AS (
    SELECT max(step) FROM judgement WHERE step < :before AND step > :after
    UNION ALL
    SELECT (SELECT max(step) FROM judgement WHERE step < steps.step AND step > :after)
    FROM steps WHERE steps.step IS NOT NULL
)
SELECT (SELECT id FROM judgement
        WHERE step = steps.step AND pair_id >= :low AND pair_id < :high
        ORDER BY pair_id LIMIT 1) AS first_id,
    (SELECT count(*) FROM (
        SELECT 1 FROM judgement
        WHERE step = steps.step AND pair_id >= :low AND pair_id < :high LIMIT :counted
    )) AS n
FROM steps WHERE EXISTS (
    SELECT 1 FROM judgement
    WHERE step = steps.step AND pair_id >= :low AND pair_id < :high
) LIMIT :limit
"""
)


def read_judged_steps(
    store: Engine,
    *,
    mining: int | None = None,
    before: int | None = None,
    after: int = 0,
    limit: int = 40,
) -> list[JudgedStep]:
    """Read the steps of judgements, newest first.

    Args:
        mining: only judgements of this pair set; None: of all pair sets.
        before: only steps with a smaller number (the next page).
        after: only steps with a larger number (newer steps).
        limit: number of steps per page.
    """
    bounds = {
        "before": 2**62 if before is None else before,
        "after": after,
        "limit": limit,
        "low": 0 if mining is None else first_pair_id(mining),
        "high": 2**62 if mining is None else first_pair_id(mining + 1),
        "counted": MAX_COUNTED,
    }
    with store.connect() as connection:
        counts = {row.first_id: row.n for row in connection.execute(_STEPS, bounds)}
    if not counts:
        return []
    rows = _read_rows(store, list(counts))
    older = _read_before(store, list(rows.values()))
    ranges = read_judged_ranges(store)
    return [
        JudgedStep(
            rows[id_],
            older.get(id_),
            n,
            ranges.has(id_),
        )
        for id_, n in counts.items()
        if id_ in rows
    ]


# The newest judgement when an opinion was merged, even if later withdrawn.
_MERGED_AFTER = (
    "(CASE WHEN opinion.after_id < 0 THEN -1 - opinion.after_id "
    "ELSE opinion.after_id END)"
)
# The opinion has a text that differs from the pair's text at the time of the merge.
_OTHER_TEXT: ColumnElement[int] = literal_column(
    "CASE WHEN coalesce(opinion.source_text, opinion.target_text) IS NOT NULL "
    "AND (opinion.source_text, opinion.target_text) IS NOT (SELECT b.source_text, "
    "b.target_text FROM judgement b WHERE b.pair_id = opinion.pair_id "
    f"AND b.id <= {_MERGED_AFTER} ORDER BY b.id DESC LIMIT 1) THEN 1 END"
)


def read_merges(store: Engine, mining: int) -> list[Merge]:
    """Read the merges of a mining's pairs that were not undone, newest first."""
    opinions = select(
        edit.c.id,
        func.json_extract(edit.c.inverse, "$.step").label("step"),
        func.min(opinion.c.pair_id),
        func.max(opinion.c.who),
        func.count(),
        func.count(_OTHER_TEXT),
        func.max(opinion.c.after_id),
        edit.c.created_at,
    ).join_from(edit, opinion, _IS_OF_MERGE)
    is_merge = func.json_extract(edit.c.change, "$.change") == SetMerge.__name__
    of_mining = opinion.c.pair_id.between(
        first_pair_id(mining), first_pair_id(mining + 1) - 1
    )
    query = opinions.where(edit.c.undone == 0, is_merge, of_mining)
    query = query.group_by(edit.c.id).order_by(edit.c.id.desc())
    with store.connect() as connection:
        return [Merge(*row) for row in connection.execute(query)]


_IS_OF_MERGE = opinion.c.id.between(
    func.json_extract(edit.c.change, "$.first_opinion"),
    func.json_extract(edit.c.change, "$.last_opinion"),
)


def read_merged_steps(
    store: Engine, steps: Sequence[JudgedStep]
) -> dict[int, MergedStep]:
    """Read summaries of those steps that are merges or undo a merge.

    Returns:
        Summaries by step number.
    """
    found: dict[int, MergedStep] = {}
    with store.connect() as connection:
        for step in steps:
            if step.row.undoes is None and not step.row.origin:
                continue
            base = step.row.undoes or step.row.step
            if (merged := _find_merged(connection, base)) is not None:
                found[step.row.step] = merged
    return found


# The first judgement of a step that is from a package.
_FIRST_MERGED = text(
    "SELECT id, pair_id, origin, who, created_at FROM judgement "
    "WHERE step = :step AND origin <> '' AND undoes IS NULL ORDER BY id LIMIT 1"
)
# Redo appended the same judgements again.
_REPEATED = text(
    "SELECT max(step) FROM judgement WHERE pair_id = :pair_id AND origin = :origin "
    "AND who = :who AND created_at = :created_at AND undoes IS NULL AND step < :step"
)


def _find_merged(connection: Connection, step: int) -> MergedStep | None:
    """Find the opinions that a step merged, recorded just before its judgements."""
    repeated: int | None = step
    while repeated is not None:
        bounds = {"step": repeated}
        first = connection.execute(_FIRST_MERGED, bounds).one_or_none()
        if first is None:
            return None
        is_of_step = (
            (opinion.c.package_id == first.origin)
            & (opinion.c.who == first.who)
            & (literal_column(_MERGED_AFTER) == first.id - 1)
        )
        counts = select(func.count(), func.count(_OTHER_TEXT)).where(is_of_step)
        n, n_texts = connection.execute(counts.select_from(opinion)).one()
        if n:
            return MergedStep(first.who, n, n_texts)
        same = {**first._asdict(), **bounds}
        repeated = connection.scalar(_REPEATED, same)
    return None


def read_opinions(
    store: Engine, pair_ids: Sequence[int]
) -> dict[int, list[OpinionRow]]:
    """Read each other annotator's newest opinion on up to 10,000 pairs.

    Returns:
        Opinions by pair, in the order in which the annotators were merged.
    """
    newest = (
        select(func.max(opinion.c.id))
        .where(opinion.c.pair_id.in_([int(id_) for id_ in pair_ids]))
        .where(opinion.c.after_id >= 0)  # negative: withdrawn
        .group_by(opinion.c.pair_id, opinion.c.who)
    )
    query = select_fields(opinion, OpinionRow).where(opinion.c.id.in_(newest))
    found: dict[int, list[OpinionRow]] = {}
    with store.connect() as connection:
        for row in connection.execute(query.order_by(opinion.c.id)):
            values = {**row._asdict(), "tags": json.loads(row.tags)}
            found.setdefault(row.pair_id, []).append(OpinionRow(**values))
    return found


def read_authors(store: Engine, pair_ids: Sequence[int]) -> dict[int, Authors]:
    """Read the authors of the current verdicts and texts of up to 10,000 pairs.

    Each judgement repeats the earlier texts, so the author of a text is the annotator
    who first entered it.
    """
    columns = (
        *(judgement.c.id, judgement.c.pair_id, judgement.c.verdict_id),
        *(judgement.c.verdict, judgement.c.who),
        *(judgement.c.source_text, judgement.c.target_text),
        judgement.c.created_at,
    )
    wanted = judgement.c.pair_id.in_([int(id_) for id_ in pair_ids])
    found: dict[int, Authors] = {}
    made: dict[int, tuple[str, float]] = {}  # author and time, by judgement id
    writers: dict[tuple[int, str | None, str | None], tuple[str, float]] = {}
    with store.connect() as connection:
        query = select(*columns).where(wanted).order_by(judgement.c.id)
        for row in connection.execute(query):
            made[row.id] = row.who, row.created_at
            given_id, nobody = row.verdict_id or row.id, ("", 0.0)
            giver = made.get(given_id, nobody) if row.verdict else nobody
            texts = row.source_text, row.target_text
            writer = writers.setdefault((row.pair_id, *texts), made[row.id])
            if texts == (None, None):
                writer = nobody
            found[row.pair_id] = Authors(giver[0], writer[0], giver[1], writer[1])
    return found


def has_opinions(store: Engine, mining_id: int) -> bool:
    """Return whether other annotators' opinions on a mining's pairs were merged."""
    low, high = first_pair_id(mining_id), first_pair_id(mining_id + 1)
    column = opinion.c.pair_id
    is_merged = column >= low, column < high, opinion.c.after_id >= 0
    query = select(1).where(*is_merged).limit(1)
    with store.connect() as connection:
        return connection.scalar(query) is not None


def list_tags(store: Engine, mining_id: int) -> list[str]:
    """List the tags of a mining's pairs in alphabetical order."""
    low, high = first_pair_id(mining_id), first_pair_id(mining_id + 1)
    column, other = judgement.c.pair_id, judgement.alias()
    newest = select(func.max(other.c.id)).where(other.c.pair_id == column)
    query = select(judgement.c.tags).distinct()
    query = query.where(column >= low, column < high, judgement.c.tags != "[]")
    query = query.where(judgement.c.id == newest.scalar_subquery())
    with store.connect() as connection:
        lists = [json.loads(tags) for tags in connection.scalars(query)]
    return sorted({tag for tags in lists for tag in tags}, key=str.casefold)


def read_changes_since(store: Engine, since: float) -> list[Any]:
    """Read the changes in the journal since a time that were not undone.

    Args:
        since: seconds since 1970.

    Returns:
        Plain JSON values, in the order of the changes.
    """
    query = (
        select(edit.c.change)
        .where(edit.c.created_at >= since, edit.c.undone == 0)
        .order_by(edit.c.id)
    )
    with store.connect() as connection:
        return [json.loads(change) for change in connection.scalars(query)]


def count_changes_since(store: Engine, step: int, *, merge: int = 0) -> int | None:
    """Count the changes in the journal after a step that were not undone.

    Args:
        merge: journal id of a merge to count from instead of the step; 0: none.

    Returns:
        The number of changes to undo to return to the step; None if the step is not in
        the journal because it was undone or is an undo.
    """
    inverse = msgspec.json.encode(UndoJudgement(step=step)).decode()
    is_merge = func.json_extract(edit.c.inverse, "$.change") == SetMerge.__name__
    is_step = func.json_extract(edit.c.inverse, "$.step") == step
    own = select(func.max(edit.c.id)).where(
        edit.c.undone == 0, (edit.c.inverse == inverse) | (is_merge & is_step)
    )
    with store.connect() as connection:
        id_ = merge or connection.scalar(own)
        if id_ is None:
            return None
        newer = select(func.count()).where(edit.c.id > id_, edit.c.undone == 0)
        return int(connection.scalar(newer) or 0)


_NEWEST_OF_SET = text(
    """
SELECT count(*) FROM (
    SELECT json_extract(inverse, '$.step') AS step,
        json_extract(inverse, '$.first_opinion') AS opinion,
        json_extract(inverse, '$.change') AS kind
    FROM edit WHERE undone = 0 ORDER BY id DESC LIMIT :n
) newest WHERE kind IN (:judgements, :merge) AND (
    EXISTS (SELECT 1 FROM judgement WHERE judgement.step = newest.step
            AND pair_id >= :low AND pair_id < :high)
    OR EXISTS (SELECT 1 FROM opinion WHERE id = newest.opinion
               AND pair_id >= :low AND pair_id < :high)
)
"""
)


def count_newest_of_set(store: Engine, mining: int, n: int) -> int:
    """Count how many of the newest n changes affect a pair set."""
    values = {
        "n": n,
        "judgements": UndoJudgement.__name__,
        "merge": SetMerge.__name__,
        "low": first_pair_id(mining),
        "high": first_pair_id(mining + 1),
    }
    with store.connect() as connection:
        return int(connection.scalar(_NEWEST_OF_SET, values) or 0)


def _read_rows(store: Engine, ids: Sequence[int]) -> dict[int, JudgementRow]:
    """Read up to 10,000 judgements by judgement id."""
    query = select_fields(judgement, JudgementRow).where(judgement.c.id.in_(ids))
    with store.connect() as connection:
        return {row.id: judgement_row(row) for row in connection.execute(query)}


def _read_before(
    store: Engine, rows: Sequence[JudgementRow]
) -> dict[int, JudgementRow]:
    """Read the previous judgement of each given judgement, by the given ids."""
    table, older = judgement.alias(), judgement.alias()
    previous = (
        select(func.max(older.c.id))
        .where(older.c.pair_id == table.c.pair_id, older.c.id < table.c.id)
        .scalar_subquery()
    )
    query = select(table.c.id, previous.label("previous"))
    query = query.where(table.c.id.in_([row.id for row in rows]))
    with store.connect() as connection:
        places = {row.id: row.previous for row in connection.execute(query)}
    found = _read_rows(store, [id_ for id_ in places.values() if id_])
    return {id_: found[old] for id_, old in places.items() if old in found}
