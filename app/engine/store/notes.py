"""All notes of a project: on sentences and on pairs, flagged pairs, and labels."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Engine, Select, and_, exists, func, or_, select

from app.engine.store.corpora import (
    EXAMPLE_WRITER,
    find_word_lists,
    list_corpora,
)
from app.engine.store.pairs.sets import list_pair_sets
from app.engine.store.rows import read_rows
from app.engine.store.schema import CORPUS_STRIDE, judgement, label, note, sentence


class NoteRow(NamedTuple):
    """A note, a flagged pair, or a label.

    Attributes:
        sentence_id: the sentence, or the source of a pair.
        target_id: the target of a pair; 0: the note is on a sentence.
        pair_id: 0: the note is on a sentence.
        text: text of the note; may be empty if the pair is flagged.
        verdict: verdict on the pair; empty: none.
        source_text, target_text: edited texts of a pair; empty: as imported.
        label: label of the sentence; empty: the row is a note or a flag.
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
    label: str = ""


def list_notes(store: Engine, *, limit: int, offset: int = 0) -> list[NoteRow]:
    """List the notes of existing corpora and pair sets, newest first.

    Example notes on the words of a dictionary are left out.
    """
    last = offset + limit
    rows = [
        *read_rows(store, _notes_on_sentences(store).limit(last), NoteRow),
        *read_rows(store, _notes_on_pairs(store).limit(last), NoteRow),
    ]
    return sorted(rows, key=lambda row: -row.changed_at)[offset:last]


def list_labels(
    store: Engine, class_name: str = "", *, limit: int, offset: int = 0
) -> list[NoteRow]:
    """List the labels of sentences, of one class or of all (""), newest first."""
    query = _labels(store, class_name).order_by(label.c.id.desc())
    return read_rows(store, query.limit(limit).offset(offset), _label_row)


def count_notes(store: Engine) -> int:
    """Count the notes and the flagged pairs."""
    return _count(store, _notes_on_sentences(store)) + _count(
        store, _notes_on_pairs(store)
    )


def count_labels(store: Engine, class_name: str = "") -> int:
    """Count the labelled sentences, of one class or of all ("")."""
    return _count(store, _labels(store, class_name))


def _label_row(sentence_id: int, name: str, who: str, when: float) -> NoteRow:
    return NoteRow(sentence_id, "", who, when, label=name)


def _count(store: Engine, query: Select[Any]) -> int:
    counted = select(func.count()).select_from(query.order_by(None).subquery())
    with store.connect() as connection:
        return connection.scalar(counted) or 0


def _is_in(column: ColumnElement[int], owners: Iterable[int]) -> ColumnElement[bool]:
    """Return whether a row id belongs to one of some corpora or pair sets."""
    return (column // CORPUS_STRIDE).in_(sorted(owners))


def _labels(store: Engine, class_name: str) -> Select[Any]:
    newer = label.alias()
    is_old = exists().where(
        newer.c.sentence_id == label.c.sentence_id, newer.c.id > label.c.id
    )
    name = label.c.class_name
    is_wanted = name == class_name if class_name else name != ""
    ready = (corpus.id for corpus in list_corpora(store))
    return select(label.c.sentence_id, name, label.c.who, label.c.created_at).where(
        and_(is_wanted, ~is_old, _is_in(label.c.sentence_id, ready))
    )


def _notes_on_sentences(store: Engine) -> Select[Any]:
    ready = (corpus.id for corpus in list_corpora(store))
    is_example = _is_in(note.c.sentence_id, find_word_lists(store))
    is_example &= note.c.who == EXAMPLE_WRITER
    return (
        select(note.c.sentence_id, note.c.text, note.c.who, note.c.changed_at)
        .join(sentence, sentence.c.id == note.c.sentence_id)
        .where(note.c.text != "", _is_in(note.c.sentence_id, ready), ~is_example)
        .order_by(note.c.changed_at.desc())
    )


def _notes_on_pairs(store: Engine) -> Select[Any]:
    newer = judgement.alias()
    newest = select(func.max(newer.c.id)).where(newer.c.pair_id == judgement.c.pair_id)
    ready = (mining.id for mining in list_pair_sets(store))
    return (
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
        .where(_is_in(judgement.c.pair_id, ready))
        .order_by(judgement.c.id.desc())
    )
