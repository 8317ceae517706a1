"""Add and remove links between sentences that are translations of each other."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from app.engine.edits.base import NO_CHANGE, EditResult
from app.engine.project.project import Project
from app.engine.store import schema
from app.engine.store.corpora import corpus_of
from app.engine.store.pairs.links import find_rejected_links, read_links_between
from app.errors import UserError
from app.plurals import count_text
from app.protocol.edits.links import (
    ChangeLinks,
    LinkChange,
    LinkValues,
    UnlinkRejected,
)


def apply_link_edit(
    project: Project, connection: Connection, change: LinkChange
) -> EditResult:
    """Apply an edit of links; the journal lists the changed links.

    Raises:
        UserError: a sentence to link is not in the project, or both are of one corpus.
    """
    if isinstance(change, UnlinkRejected):
        rejected = find_rejected_links(project.store, change.mining)
        change = ChangeLinks(removed=tuple(rejected))
        return _change_links(connection, change)._replace(again=change)
    return _change_links(connection, change)


def _change_links(connection: Connection, change: ChangeLinks) -> EditResult:
    """Remove links, then add links; existing links are not changed.

    Raises:
        UserError: a sentence to link is not in the project, or both are of one corpus.
    """
    removed = _read(connection, change.removed)
    if removed:
        ends = [{"source": source, "target": target} for source, target, *_ in removed]
        is_source = schema.link.c.source_id == bindparam("source")
        is_target = schema.link.c.target_id == bindparam("target")
        connection.execute(delete(schema.link).where(is_source, is_target), ends)
    there = {frozenset(row[:2]) for row in _read(connection, _ends(change.added))}
    added = [row for row in change.added if frozenset(row[:2]) not in there]
    _check(connection, _ends(added))
    if added:
        names = ("source_id", "target_id", "kind", "run_id")
        rows = [dict(zip(names, row, strict=True)) for row in added]
        connection.execute(insert(schema.link), rows)
    if not added and not removed:
        return NO_CHANGE
    inverse = ChangeLinks(added=tuple(removed), removed=tuple(_ends(added)))
    parts = [
        text
        for rows, text in (
            (removed, f"{count_text(len(removed), 'link')} removed"),
            (added, f"{count_text(len(added), 'link')} added"),
        )
        if rows
    ]
    first = (added or removed)[0][0]
    return EditResult(first, f"{', '.join(parts)}.", inverse, [("link", first)])


def _read(connection: Connection, pairs: Sequence[tuple[int, int]]) -> list[LinkValues]:
    rows = read_links_between(connection, pairs)
    return [(row.source_id, row.target_id, row.kind, row.run_id) for row in rows]


def _ends(rows: Sequence[LinkValues]) -> list[tuple[int, int]]:
    return [(source, target) for source, target, *_ in rows]


def _check(connection: Connection, pairs: Sequence[tuple[int, int]]) -> None:
    """Check that the sentences of new links exist."""
    ids = {id_ for pair in pairs for id_ in pair}
    column = schema.sentence.c.id
    wanted = func.json_each(json.dumps(list(ids))).table_valued("value")
    query = select(column).where(column.in_(select(wanted.c.value)))
    found = set(connection.scalars(query))
    if found != ids:
        raise UserError("A sentence is not in the project any more.")
    if any(corpus_of(source) == corpus_of(target) for source, target in pairs):
        raise UserError("Sentences of one corpus can't be linked with each other.")
