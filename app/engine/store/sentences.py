"""Read sentences, links and notes, by id or by range.

A range is read in pieces, so that a map of a million sentences fits in memory.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Engine,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    column,
    exists,
    func,
    literal,
    or_,
    select,
    union_all,
)

from app.engine.store.corpora import (
    CorpusRow,
    corpus_of,
    first_sentence_id,
)
from app.engine.store.rows import (
    MAX_VARIABLES,
    read_rows,
    read_rows_by_id,
    select_fields,
)
from app.engine.store.schema import (
    CORPUS_STRIDE,
    coded_segment,
    hidden,
    judgement,
    link,
    mining,
    note,
    pair,
    sentence,
)
from app.protocol.edits.alignments import MAX_JOINED

PAGE = 20_000
N_SAMPLED = 200  # sentences of a corpus, to detect its languages and links


IdRows = NDArray[np.int64]


_LANGUAGES_SQL = (
    "SELECT id, language FROM sentence WHERE id >= ? AND id < ? AND language != ?"
)


_LENGTHS_SQL = "SELECT id, length FROM sentence WHERE id >= ? AND id < ? ORDER BY id"


_LINKS_SQL = (
    "SELECT source_id, target_id FROM link WHERE source_id >= ? AND source_id < ?"
)


class SentenceRow(NamedTuple):
    """A sentence."""

    id: int
    text: str
    language: str
    line: int
    length: int


def read_sentences(store: Engine, ids: Sequence[int]) -> list[SentenceRow | None]:
    """Read sentences by id, in the given order; None for a deleted sentence."""
    return read_rows_by_id(store, sentence, SentenceRow, ids)


def read_coded_segments(
    store: Engine, ids: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """Read format and XML of the segments with inline codes, by sentence."""
    column = coded_segment.c.sentence_id
    found: dict[int, tuple[str, str]] = {}
    with store.connect() as connection:
        for start in range(0, len(ids), MAX_VARIABLES):
            query = select(column, coded_segment.c.format, coded_segment.c.xml)
            part = column.in_(ids[start : start + MAX_VARIABLES])
            for id_, kind, xml in connection.execute(query.where(part)):
                found[id_] = kind, xml
    return found


def read_context(
    store: Engine, sentence_id: int, *, n_around: int = 2
) -> list[SentenceRow]:
    """Read a sentence with up to `n_around` visible sentences before and after it."""
    low = max(sentence_id - n_around, first_sentence_id(corpus_of(sentence_id)))
    query = (
        select_fields(sentence, SentenceRow)
        .where(sentence.c.id.between(low, sentence_id + n_around))
        .where(or_(sentence.c.id == sentence_id, _is_active()))
        .order_by(sentence.c.id)
    )
    return read_rows(store, query, SentenceRow)


def read_translations(store: Engine, sentence_id: int) -> list[SentenceRow]:
    """Read the visible known translations of a sentence."""
    known = list_translations(store, [sentence_id]).get(sentence_id, [])
    query = select_fields(sentence, SentenceRow)
    query = query.where(sentence.c.id.in_(known), _is_active())
    query = query.order_by(sentence.c.language, sentence.c.id)
    return read_rows(store, query, SentenceRow)


def count_translations(store: Engine, ids: Sequence[int]) -> dict[int, int]:
    """Count the visible known translations of each sentence that has any."""
    known = list_translations(store, ids)
    query = select(hidden.c.sentence_id).where(hidden.c.sentence_id.in_(_values("ids")))
    others = json.dumps(list(set().union(*known.values())))
    with store.connect() as connection:
        left_out = set(connection.scalars(query, {"ids": others}))
    counts = {
        id_: sum(other not in left_out for other in translations)
        for id_, translations in known.items()
    }
    return {id_: n for id_, n in counts.items() if n}


def list_translations(store: Engine, ids: Sequence[int]) -> dict[int, list[int]]:
    """List the known translations of each of some sentences.

    In a link of several sentences, each sentence translates each one of the other side.

    Returns:
        Ascending ids for each sentence that has a translation.
    """
    wanted = {int(id_) for id_ in ids}
    found: dict[int, set[int]] = {}
    with store.connect() as connection:
        ends = json.dumps(list(wanted))
        firsts = json.dumps([id_ - n for id_ in wanted for n in range(MAX_JOINED)])
        values = {"ends": ends, "firsts": firsts}
        for first, n, other, m in connection.execute(_known_translations(), values):
            for asked in wanted.intersection(range(first, first + n)):
                found.setdefault(asked, set()).update(range(other, other + m))
    return {id_: sorted(others) for id_, others in found.items() if others}


def list_linked_corpora(store: Engine, corpus: CorpusRow) -> set[int]:
    """Return the ids of the corpora that a sample of a corpus is linked to."""
    found = list_translations(store, sample_ids(corpus))
    return {corpus_of(id_) for others in found.values() for id_ in others}


def sample_ids(corpus: CorpusRow) -> list[int]:
    """Return the ids of equally spaced sentences."""
    n = min(corpus.n_sentences, N_SAMPLED)
    indices = np.unique(np.linspace(0, max(corpus.n_sentences - 1, 0), n).astype(int))
    return [first_sentence_id(corpus.id) + place for place in indices.tolist()]


@cache  # called for every sentence that is selected
def _known_translations() -> CompoundSelect[Any]:
    """Select the links and accepted pairs of some sentences.

    The statement takes JSON lists: `ends`, the sentences, and `firsts`, where a side
    that contains one of them may begin.

    Returns:
        Rows of the first sentence and the number of sentences of the given side, and
        the same for the other side.
    """
    one = literal(1)
    ends = (link.c.source_id, link.c.target_id)
    sides = (_side("source"), _side("target"))
    parts = [
        select(end, one, other, one).where(end.in_(_values("ends")))
        for end, other in (ends, ends[::-1])
    ]
    for own, opposite in (sides, sides[::-1]):
        query = select(*own, *opposite).join(pair, pair.c.id == judgement.c.pair_id)
        parts.append(query.where(own[0].in_(_values("firsts")), _is_accepted()))
    return union_all(*parts)


def _side(name: Literal["source", "target"]) -> tuple[ColumnElement[int], ...]:
    """Return the first sentence and the number of sentences of a side, as judged."""
    first = judgement.c[f"{name}_id"]
    is_own = first == pair.c[f"{name}_id"]  # otherwise a runner-up: one sentence
    return first, case((is_own, pair.c[f"n_{name}"]), else_=1)


def _values(name: str) -> Select[Any]:
    """Select any number of ids from a single parameter, a JSON list."""
    values = func.json_each(bindparam(name))
    return select(values.table_valued(column("value", Integer)).c.value)


def has_links(store: Engine, corpus_id: int) -> bool:
    """Return whether any sentence of a corpus has a translation."""
    low, high = first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1)
    with store.connect() as connection:
        return any(
            connection.scalar(select(1).where(end >= low, end < high).limit(1))
            for end in (link.c.source_id, link.c.target_id)
        )


def read_note(store: Engine, sentence_id: int) -> str:
    """Read the note on a sentence; empty if it has none."""
    query = select(note.c.text).where(note.c.sentence_id == sentence_id)
    with store.connect() as connection:
        return connection.scalar(query) or ""


def read_notes(store: Engine, ids: Sequence[int]) -> dict[int, str]:
    """Read the notes on up to 10,000 sentences, by sentence."""
    wanted = note.c.sentence_id.in_([int(id_) for id_ in ids])
    query = select(note.c.sentence_id, note.c.text).where(wanted, note.c.text != "")
    with store.connect() as connection:
        return {row.sentence_id: row.text for row in connection.execute(query)}


def _is_accepted() -> ColumnElement[bool]:
    """Return whether a judgement is current, accepts its pair, and its set exists."""
    newer = judgement.alias()
    newest = select(func.max(newer.c.id)).where(newer.c.pair_id == judgement.c.pair_id)
    pair_set = judgement.c.pair_id // CORPUS_STRIDE
    return and_(
        judgement.c.verdict == "accept",
        judgement.c.id == newest.scalar_subquery(),
        exists().where(mining.c.id == pair_set, mining.c.state == "ready"),
    )


@cache
def _is_active() -> ColumnElement[bool]:
    """Return whether a sentence is neither hidden nor removed."""
    return ~exists().where(hidden.c.sentence_id == sentence.c.id)


IntegerColumn = Literal["id", "line", "length", "hash"]


def read_texts(store: Engine, corpus_id: int, start: int, end: int) -> list[str]:
    """Read the texts of a corpus's sentences at the positions start … end - 1.

    Raises:
        RuntimeError: a sentence is missing: the store is damaged.
    """
    base = first_sentence_id(corpus_id)
    sql = "SELECT text FROM sentence WHERE id >= ? AND id < ? ORDER BY id"
    with store.connect() as connection:
        cursor = _driver_connection(connection).execute(sql, (base + start, base + end))
        texts = [text for (text,) in cursor]
    if len(texts) != end - start:
        raise RuntimeError(
            f"corpus {corpus_id} has {len(texts):,} sentences at {start}…{end - 1}"
        )
    return texts


def read_integers(
    store: Engine, corpus_id: int, column: IntegerColumn
) -> NDArray[np.int64]:
    """Read one column of a corpus's sentences in the order of position."""
    sql = f"SELECT {column} FROM sentence WHERE id >= ? AND id < ? ORDER BY id"
    bounds = (first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1))
    with store.connect() as connection:
        cursor = _driver_connection(connection).execute(sql, bounds)
        return np.fromiter((value for (value,) in cursor), np.int64)


def iterate_texts(
    store: Engine, corpus_id: int, *, pattern: str = ""
) -> Iterator[list[tuple[int, str]]]:
    """Yield id and text of a corpus's sentences, page by page in the order of position.

    Args:
        pattern: SQL LIKE pattern that texts must match (escape: backslash); empty: all.
    """
    sql = "SELECT id, text FROM sentence WHERE id >= ? AND id < ?"
    values: tuple[Any, ...] = (
        first_sentence_id(corpus_id),
        first_sentence_id(corpus_id + 1),
    )
    if pattern:
        sql += r" AND text LIKE ? ESCAPE '\'"
        values += (pattern,)
    with store.connect() as connection:
        cursor = _driver_connection(connection).execute(sql + " ORDER BY id", values)
        while page := cursor.fetchmany(PAGE):
            yield page


def read_languages(store: Engine, corpus_id: int) -> NDArray[Any] | None:
    """Read the language of each sentence; None if all have the same.

    Returns:
        str (n,) in the order of position.
    """
    bounds = (first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1))
    place = "FROM sentence WHERE id >= ? AND id < ?"
    with store.connect() as connection:
        raw = _driver_connection(connection)
        sql = f"SELECT min(language), max(language) {place}"
        lowest, highest = raw.execute(sql, bounds).fetchone()
        if lowest == highest:
            return None
        cursor = raw.execute(f"SELECT language {place} ORDER BY id", bounds)
        return np.array([language for (language,) in cursor])


def _driver_connection(connection: Any) -> Any:
    """Return the sqlite3 connection under SQLAlchemy's."""
    return connection.connection.driver_connection


def read_other_languages(
    store: Engine, low: int, high: int, usual: str
) -> list[tuple[int, str]]:
    """Read id and language of the sentences in other than the usual language.

    Args:
        low: first id.
        high: last id + 1.
        usual: language of the corpus.
    """
    return read_raw_rows(store, _LANGUAGES_SQL, low, high, usual)


def read_lengths(store: Engine, low: int, high: int) -> IdRows:
    """Read id and length (code points) of each sentence: int64 (n, 2)."""
    return np.array(read_raw_rows(store, _LENGTHS_SQL, low, high), np.int64).reshape(
        -1, 2
    )


def read_range_links(store: Engine, low: int, high: int) -> IdRows:
    """Read the links whose source is in a range: source and target, int64 (n, 2)."""
    return np.array(read_raw_rows(store, _LINKS_SQL, low, high), np.int64).reshape(
        -1, 2
    )


def read_raw_rows(store: Engine, sql: str, *values: object) -> list[Any]:
    """Read rows as the driver returns them, which is faster for many rows."""
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows: list[Any] = raw.execute(sql, values).fetchall()
    return rows
