"""Edits of beads: each edit replaces beads by others, and can be undone.

A manual link counts as accepted: a judgement is appended for it in the same step, so
that a manual link looks like any judged pair.
"""

from typing import Any

from sqlalchemy import Connection, delete, select, update

from app.engine.edits.base import EditResult
from app.engine.store import schema
from app.engine.store.pairs.beads import Bead, insert_beads
from app.engine.store.pairs.judgements import (
    PairState,
    append_judgements,
    append_previous_states,
    next_step,
    read_pair_states,
)
from app.engine.store.pairs.sets import first_pair_id, pair_set_of
from app.engine.store.rows import select_fields
from app.errors import UserError
from app.plurals import count_text
from app.protocol.edits.alignments import (
    MAX_JOINED,
    AlignmentChange,
    MergeBead,
    MoveBoundary,
    RestoreBeads,
    SplitBead,
    UnlinkBead,
)

GONE = "The link is not in the project any more."
StoredBead = tuple[int, Bead]  # id of its pair


def apply_alignment_edit(
    connection: Connection, change: AlignmentChange, who: str
) -> EditResult:
    """Apply an edit.

    Raises:
        UserError: the bead does not exist, or can't be split, merged or moved.
    """
    step = next_step(connection)  # blocks other writers from here on
    match change:
        case SplitBead():
            old = [_bead(connection, change.bead)]
            return _replace(connection, old, split_bead(old[0][1]), (step, who))
        case UnlinkBead():
            old = [_bead(connection, change.bead)]
            return _replace(connection, old, unlink_bead(old[0][1]), (step, who))
        case MergeBead():
            old = _with_next(connection, change.bead)
            return _replace(
                connection, old, merge_beads([b for _, b in old]), (step, who)
            )
        case MoveBoundary():
            old = _with_next(connection, change.bead)
            new = move_boundary([bead for _, bead in old], change.side, change.by)
            return _replace(connection, old, new, (step, who))
        case RestoreBeads():
            return _restore(connection, change, step)


def split_bead(bead: Bead) -> list[Bead]:
    """Split a bead in the middle; the first part keeps the larger half.

    Raises:
        UserError: the bead has only one sentence.
    """
    if (bead.n_source, bead.n_target) == (1, 1):
        return unlink_bead(bead)
    if bead.n_source + bead.n_target < 2:
        raise UserError("One sentence alone can't be split.")
    n, m = (bead.n_source + 1) // 2, (bead.n_target + 1) // 2
    return _cut(bead, n, m)


def unlink_bead(bead: Bead) -> list[Bead]:
    """Unlink the sentences of both sides.

    Raises:
        UserError: the bead is not linked.
    """
    if not bead.is_link:
        raise UserError("There is no link to move: one side is empty.")
    return _cut(bead, bead.n_source, 0)


def merge_beads(beads: list[Bead]) -> list[Bead]:
    """Merge two beads.

    Raises:
        UserError: there is no second bead, or the beads are too long.
    """
    if len(beads) < 2:
        raise UserError("There is no link after this one to merge it with.")
    merged = _join(*beads)
    _check_length(merged)
    return [merged]


def move_boundary(beads: list[Bead], side: str, by: int) -> list[Bead]:
    """Move the end of one side of the first bead by one sentence.

    Args:
        beads: the first bead, and the next bead if it exists.
        side: `source` or `target`.
        by: 1: move a sentence in from the next bead; -1: move one to it.

    Raises:
        UserError: there is no sentence to move.
    """
    first = beads[0]
    end = _cut(first, first.n_source, first.n_target)[1]  # empty, after the bead
    second = beads[1] if len(beads) > 1 else end
    name = f"n_{side}"
    if getattr(second if by > 0 else first, name) < 1:
        where = "next link" if by > 0 else "link"
        raise UserError(f"The {where} has no {side} sentence to move.")
    sizes = {name: getattr(first, name) + by}
    n_source = sizes.get("n_source", first.n_source)
    n_target = sizes.get("n_target", first.n_target)
    parts = _cut(_join(first, second), n_source, n_target)
    moved = [bead for bead in parts if bead.n_source or bead.n_target]
    for bead in moved:
        _check_length(bead)
    return moved


def _join(first: Bead, second: Bead) -> Bead:
    """Return the bead that joins two beads.

    Raises:
        UserError: a sentence between the beads is hidden.
    """
    for id_, n in (("source_id", "n_source"), ("target_id", "n_target")):
        end = getattr(first, id_) + getattr(first, n)
        are_both = getattr(first, n) and getattr(second, n)
        if are_both and end != getattr(second, id_):
            raise UserError(
                "A sentence between these links was not aligned (it is hidden, or "
                "outside the sub-corpus), so they can't be joined."
            )
    n_source = first.n_source + second.n_source
    n_target = first.n_target + second.n_target
    return Bead(first.source_id, n_source, first.target_id, n_target)


def _cut(bead: Bead, n: int, m: int) -> list[Bead]:
    """Split a bead after n source and m target sentences."""
    source, target = bead.source_id, bead.target_id
    rest = bead.n_source - n, bead.n_target - m
    return [
        Bead(source, n, target, m),
        Bead(source + n, rest[0], target + m, rest[1]),
    ]


def _check_length(bead: Bead) -> None:
    if max(bead.n_source, bead.n_target) > MAX_JOINED:
        raise UserError(f"A link joins at most {MAX_JOINED} sentences on a side.")


def _replace(
    connection: Connection, old: list[StoredBead], new: list[Bead], by: tuple[int, str]
) -> EditResult:
    """Replace beads, and judge the manual links."""
    mining_id = pair_set_of(old[0][0])
    _delete(connection, [id_ for id_, _ in old])
    ids = insert_beads(connection, mining_id, new)
    step = _judge(connection, list(zip(ids, new, strict=True)), by)
    inverse = RestoreBeads(
        mining=mining_id,
        made=tuple(ids),
        rows=tuple(bead for _, bead in old),
        step=step,
    )
    n_more = sum(bead.is_link for bead in new) - sum(b.is_link for _, b in old)
    changed = _count(connection, mining_id, n_more)
    text = _describe_change([b for _, b in old], new, "now")
    return EditResult(ids[0], text, inverse, changed + _changed(old, ids))


def _restore(connection: Connection, change: RestoreBeads, step: int) -> EditResult:
    """Restore the earlier beads and their judgements."""
    made = [_bead(connection, id_) for id_ in change.made]
    _delete(connection, list(change.made))
    back = [Bead(*values) for values in change.rows]
    ids = insert_beads(connection, change.mining, back)
    if change.step:
        append_previous_states(connection, step, change.step)
    n_more = sum(bead.is_link for bead in back) - sum(b.is_link for _, b in made)
    changed = _count(connection, change.mining, n_more)
    text = _describe_change([b for _, b in made], back, "again")
    return EditResult(ids[0], text, None, changed + _changed(made, ids))


def _judge(connection: Connection, new: list[StoredBead], by: tuple[int, str]) -> int:
    """Accept manual links; reset the judgement of an earlier bead with the same id."""
    held = read_pair_states(connection, [id_ for id_, _ in new])
    rows: list[PairState] = []
    for id_, bead in new:
        was = held[id_]
        now = was._replace(
            source_id=bead.source_id,
            target_id=bead.target_id,
            verdict="accept" if bead.is_link else "",
            source_text=None,
            target_text=None,
            who=by[1],
            origin="",
        )
        if bead.is_link or now._replace(who=was.who, origin=was.origin) != was:
            rows.append(now)
    append_judgements(connection, by[0], rows)
    return by[0] if rows else 0


def _bead(connection: Connection, pair_id: int) -> StoredBead:
    """Read a bead of an existing alignment."""
    table, mining = schema.pair, schema.mining
    beads = select_fields(table, Bead).where(table.c.id == pair_id)
    row = connection.execute(beads).first()
    query = select(mining.c.kind, mining.c.state)
    kind = connection.execute(query.where(mining.c.id == pair_set_of(pair_id))).first()
    if row is None or kind is None or kind.state != "ready":
        raise UserError(GONE)
    if kind.kind != "aligned":
        raise UserError("Only links of aligned documents can be split and merged.")
    return pair_id, Bead(*row)


def _with_next(connection: Connection, pair_id: int) -> list[StoredBead]:
    """Read a bead, and the next bead if it exists."""
    first = _bead(connection, pair_id)
    table = schema.pair
    last = first_pair_id(pair_set_of(pair_id) + 1)
    query = select(table.c.id).where(table.c.id > pair_id, table.c.id < last)
    next_id = connection.scalar(query.order_by(table.c.id).limit(1))
    return [first] if next_id is None else [first, _bead(connection, next_id)]


def _delete(connection: Connection, ids: list[int]) -> None:
    connection.execute(delete(schema.pair).where(schema.pair.c.id.in_(ids)))


def _count(
    connection: Connection, mining_id: int, n_more: int
) -> list[tuple[str, int]]:
    """Update the number of links of an alignment; return the changed rows."""
    table = schema.mining
    if not n_more:
        return []
    values: dict[str, Any] = {"n_pairs": table.c.n_pairs + n_more}
    connection.execute(update(table).where(table.c.id == mining_id).values(values))
    return [("mining", mining_id)]


def _changed(old: list[StoredBead], ids: list[int]) -> list[tuple[str, int]]:
    return [("pair", id_) for id_ in sorted({*(id_ for id_, _ in old), *ids})]


def _describe_change(old: list[Bead], new: list[Bead], word: str) -> str:
    """Describe the changes of beads, such as "A 1:1 link is now 1 unlinked …"."""
    before, after = _name_beads(old), _name_beads(new)
    n_things = sum(b.is_link or b.n_source + b.n_target for b in old)
    verb = "is" if n_things == 1 else "are"
    parts = [verb, word, after] if word == "now" else [verb, after, word]
    return f"{before[0].upper()}{before[1:]} {' '.join(parts)}."


def _name_beads(beads: list[Bead]) -> str:
    """Describe the links of beads by their sizes, and count unlinked sentences."""
    names = [
        f"a {bead.n_source}:{bead.n_target} link" for bead in beads if bead.is_link
    ]
    for side in ("source", "target"):
        n = sum(getattr(bead, f"n_{side}") for bead in beads if not bead.is_link)
        if n:
            names.append(count_text(n, f"unlinked {side} sentence"))
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
