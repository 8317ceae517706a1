"""All notes of a project: on sentences and on pairs, and pairs that are flagged."""

from typing import NamedTuple

from sqlalchemy import Engine, func, or_, select

from app.engine.store.corpora import corpus_of, list_corpora
from app.engine.store.pairs.sets import list_pair_sets, pair_set_of
from app.engine.store.schema import judgement, note, sentence


class NoteRow(NamedTuple):
    """A note, or a flagged pair.

    Attributes:
        sentence_id: of a pair, its source.
        target_id: of a pair, its target; 0: the note is on a sentence.
        pair_id: 0: the note is on a sentence.
        text: may be empty if the pair is flagged.
        verdict: of the pair; empty: none.
        source_text, target_text: of a pair, as edited; empty: as imported.
        changed_at: seconds since 1970.
    """

    sentence_id: int
    text: str
    who: str
    changed_at: float
    target_id: int = 0
    pair_id: int = 0
    verdict: str = ""
    source_text: str = ""
    target_text: str = ""


def list_notes(store: Engine, *, limit: int) -> list[NoteRow]:
    """List the notes of corpora and pair sets that are there, the newest first."""
    rows = [*_notes_on_sentences(store, limit), *_notes_on_pairs(store, limit)]
    return sorted(rows, key=lambda row: -row.changed_at)[:limit]


def _notes_on_sentences(store: Engine, limit: int) -> list[NoteRow]:
    query = (
        select(note.c.sentence_id, note.c.text, note.c.who, note.c.changed_at)
        .join(sentence, sentence.c.id == note.c.sentence_id)
        .where(note.c.text != "")
        .order_by(note.c.changed_at.desc())
        .limit(limit)
    )
    ready = {corpus.id for corpus in list_corpora(store)}
    with store.connect() as connection:
        rows = [NoteRow(*row) for row in connection.execute(query)]
    return [row for row in rows if corpus_of(row.sentence_id) in ready]


def _notes_on_pairs(store: Engine, limit: int) -> list[NoteRow]:
    newer = judgement.alias()
    newest = select(func.max(newer.c.id)).where(newer.c.pair_id == judgement.c.pair_id)
    query = (
        select(
            judgement.c.source_id,
            judgement.c.note,
            judgement.c.who,
            judgement.c.created_at,
            judgement.c.target_id,
            judgement.c.pair_id,
            judgement.c.verdict,
            func.coalesce(judgement.c.source_text, ""),
            func.coalesce(judgement.c.target_text, ""),
        )
        .where(or_(judgement.c.note != "", judgement.c.verdict == "flag"))
        .where(judgement.c.id == newest.scalar_subquery())
        .order_by(judgement.c.id.desc())
        .limit(limit)
    )
    ready = {mining.id for mining in list_pair_sets(store)}
    with store.connect() as connection:
        rows = [NoteRow(*row) for row in connection.execute(query)]
    return [row for row in rows if pair_set_of(row.pair_id) in ready]
