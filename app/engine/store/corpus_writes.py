"""Create corpora, fill them shard by shard, and delete removed corpora.

A corpus is `importing` until its report is written, then `ready`.

The id of a removed corpus is not reused before its rows are deleted.
"""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import Any, NamedTuple, cast

from sqlalchemy import Connection, Engine, delete, insert, or_, select, update

from app.engine.store.corpora import first_sentence_id
from app.engine.store.documents import DocumentRow, append_documents
from app.engine.store.runs import GOING_RUNS, purge_removed
from app.engine.store.schema import (
    analysis,
    coded_segment,
    corpus,
    document,
    label,
    link,
    note,
    sentence,
    text_change,
    word_index,
)
from app.engine.store.words.indexes import WordAnnotation, write_analyses
from app.engine.store.words.keyword_index import keyword_text
from app.languages import Language

# Pages in the write-ahead log before a checkpoint: 32 MB instead of SQLite's 4 MB,
# since a shard exceeds 4 MB and each checkpoint waits for the disk.
LOG_PAGES = 8_000


class NewCorpus(NamedTuple):
    """Data of a corpus before its sentences are written."""

    name: str
    language: Language
    source: str


class ShardSide(NamedTuple):
    """Sentences to append to one corpus.

    Attributes:
        corpus_id: the corpus.
        languages: code of each text's language.
        texts: cleaned texts.
        hashes: signed 64-bit hash of each.
        labels: label of each text, or an empty string; empty list: no labels.
        words: words of each text, as annotated in the source; empty list: no
            annotation.
        coded: format and XML of each segment with inline codes; empty list: no codes.
    """

    corpus_id: int
    languages: Iterable[str]
    texts: list[str]
    hashes: list[int]
    labels: list[str]
    words: Sequence[Sequence[WordAnnotation] | None] = ()
    coded: Sequence[tuple[str, str] | None] = ()


class Shard(NamedTuple):
    """Rows of one transaction, in aligned sides; row r has the position start + r.

    Attributes:
        are_linked: the sides are translations of each other.
        documents: documents that the rows belong to.
    """

    start: int
    lines: list[int]
    sides: list[ShardSide]
    are_linked: bool = True
    documents: Sequence[DocumentRow] = ()


def create_corpora(
    store: Engine, new: Sequence[NewCorpus], run: int | None
) -> list[int]:
    """Create corpora in the state `importing`, and return their ids."""
    rows = [
        {
            "name": one.name,
            "language": one.language.code,
            "language_given": one.language.given,
            "state": "importing",
            "source": one.source,
            "run_id": run,
            "created_at": time.time(),
        }
        for one in new
    ]
    with store.begin() as connection:
        return [
            int(connection.execute(insert(corpus).values(**row)).lastrowid)
            for row in rows
        ]


def write_shard(store: Engine, shard: Shard, run: int | None) -> None:
    """Write a shard in one transaction: sentences, words, links, labels, documents.

    Raises:
        ResourceError: the disk is full; no part of the shard is saved.
    """
    with store.begin() as connection:
        raw = _driver_connection(connection)
        raw.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        for side in shard.sides:
            _write_side(raw, side, shard)
            append_documents(raw, side.corpus_id, shard.documents)
        if shard.are_linked:
            _write_links(raw, shard, run)
        end = shard.start + len(shard.lines)
        ids = [side.corpus_id for side in shard.sides]
        connection.execute(
            update(corpus).where(corpus.c.id.in_(ids)).values(n_sentences=end)
        )


def write_sentence_text(
    connection: Connection,
    sentence_id: int,
    texts: tuple[str, str],
    hashes: tuple[int, int],
) -> None:
    """Replace the text of a sentence, also in the keyword index; record the time.

    Args:
        connection: in a transaction.
        texts: the old and the new text, cleaned.
        hashes: hashes of the old and the new text.
    """
    old, new = texts
    old_hash, new_hash = hashes
    connection.execute(
        update(sentence)
        .where(sentence.c.id == sentence_id)
        .values(text=new, length=len(new), hash=new_hash)
    )
    connection.execute(
        insert(text_change).values(
            sentence_id=sentence_id, changed_at=time.time(), old_hash=old_hash
        )
    )
    raw = _driver_connection(connection)
    _remove_keywords(raw, [(sentence_id, old)])
    _add_keywords(raw, [(sentence_id, new)])


def finish_corpora(store: Engine, reports: dict[int, str]) -> None:
    """Write the reports (JSON) of corpora and mark the corpora as ready, atomically."""
    with store.begin() as connection:
        for corpus_id, report in reports.items():
            connection.execute(
                update(corpus)
                .where(corpus.c.id == corpus_id)
                .values(report=report, state="ready")
            )


@contextmanager
def hold_connection(store: Engine) -> Iterator[None]:
    """Keep a connection open while many shards are written.

    SQLite makes a checkpoint whenever the last connection closes.
    """
    with store.connect() as connection:
        connection.execute(select(corpus.c.id).limit(1)).all()
        connection.rollback()
        yield


def corpora_of_run(store: Engine, run: int | None) -> list[tuple[int, str, int]]:
    """List id, state and number of sentences of the corpora that a run made."""
    if run is None:
        return []
    query = (
        select(corpus.c.id, corpus.c.state, corpus.c.n_sentences)
        .where(corpus.c.run_id == run, corpus.c.state.in_(("importing", "ready")))
        .order_by(corpus.c.id)
    )
    with store.connect() as connection:
        return [tuple(row) for row in connection.execute(query)]


def _write_side(raw: sqlite3.Connection, side: ShardSide, shard: Shard) -> None:
    first = first_sentence_id(side.corpus_id) + shard.start
    ids = range(first, first + len(side.texts))
    raw.executemany(
        "INSERT INTO sentence (id, text, language, line, length, hash) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        zip(
            ids,
            side.texts,
            side.languages,
            shard.lines,
            map(len, side.texts),
            side.hashes,
            strict=False,
        ),
    )
    _add_keywords(raw, zip(ids, side.texts, strict=True))
    now = time.time()
    raw.executemany(
        "INSERT INTO label (sentence_id, class, who, created_at) "
        "VALUES (?, ?, 'imported', ?)",
        [(id_, name, now) for id_, name in zip(ids, side.labels, strict=False) if name],
    )
    raw.executemany(
        "INSERT INTO coded_segment (sentence_id, format, xml) VALUES (?, ?, ?)",
        [(id_, *one) for id_, one in zip(ids, side.coded, strict=False) if one],
    )
    words = zip(ids, side.words, strict=False)
    write_analyses(raw, ((id_, found) for id_, found in words if found))


def _add_keywords(raw: sqlite3.Connection, texts: Iterable[tuple[int, str]]) -> None:
    """Add (id, text) rows to the keyword index."""
    raw.executemany(
        "INSERT INTO sentence_words (rowid, text) VALUES (?, ?)",
        ((id_, keyword_text(text)) for id_, text in texts),
    )


def _remove_keywords(raw: sqlite3.Connection, texts: Iterable[tuple[int, str]]) -> None:
    """Remove texts from the keyword index, which stores no copy of them."""
    raw.executemany(
        "INSERT INTO sentence_words (sentence_words, rowid, text) "
        "VALUES ('delete', ?, ?)",
        ((id_, keyword_text(text)) for id_, text in texts),
    )


def _write_links(raw: sqlite3.Connection, shard: Shard, run: int | None) -> None:
    n = len(shard.lines)
    for index, source in enumerate(shard.sides):
        for target in shard.sides[index + 1 :]:
            first_source = first_sentence_id(source.corpus_id) + shard.start
            first_target = first_sentence_id(target.corpus_id) + shard.start
            raw.executemany(
                "INSERT INTO link (source_id, target_id, kind, run_id) "
                "VALUES (?, ?, 'imported', ?)",
                zip(
                    range(first_source, first_source + n),
                    range(first_target, first_target + n),
                    repeat(run),
                    strict=False,
                ),
            )


def _driver_connection(connection: Connection) -> sqlite3.Connection:
    """Return the driver's connection, whose `executemany` is three times as fast."""
    driver: Any = connection.connection.driver_connection
    return cast("sqlite3.Connection", driver)


PURGE_ROWS = 10_000  # in one transaction


def mark_corpora_removed(store: Engine, corpus_ids: Sequence[int]) -> None:
    """Mark corpora as removed; their rows can be purged from now on."""
    with store.begin() as connection:
        connection.execute(
            update(corpus).where(corpus.c.id.in_(corpus_ids)).values(state="removing")
        )


def mark_abandoned_corpora(store: Engine) -> None:
    """Mark the incomplete corpora of ended runs as removed."""
    with store.begin() as connection:
        connection.execute(
            update(corpus)
            .where(corpus.c.state == "importing")
            .where(or_(corpus.c.run_id.is_(None), corpus.c.run_id.not_in(GOING_RUNS)))
            .values(state="removing")
        )


def purge_removed_corpora(store: Engine, *, seconds: float = float("inf")) -> bool:
    """Delete rows of removed corpora, for at most the given number of seconds.

    Returns:
        Whether all their rows are deleted.
    """
    return purge_removed(store, corpus, _purge_sentences, seconds)


def _purge_sentences(store: Engine, corpus_id: int) -> bool:
    """Delete some sentences and their dependent rows; False when none is left."""
    low, high = first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1)
    query = (
        select(sentence.c.id, sentence.c.text)
        .where(sentence.c.id >= low, sentence.c.id < high)
        .order_by(sentence.c.id)
        .limit(PURGE_ROWS)
    )
    with store.begin() as connection:
        rows = connection.execute(query).all()
        if not rows:
            for table in (document, word_index):
                connection.execute(delete(table).where(table.c.corpus_id == corpus_id))
            connection.execute(delete(corpus).where(corpus.c.id == corpus_id))
            return False
        raw: Any = connection.connection.driver_connection
        _remove_keywords(raw, [(row.id, row.text) for row in rows])
        for column in (
            label.c.sentence_id,
            note.c.sentence_id,
            link.c.source_id,
            link.c.target_id,
            analysis.c.sentence_id,
            coded_segment.c.sentence_id,
            text_change.c.sentence_id,
            sentence.c.id,
        ):
            connection.execute(
                delete(column.table).where(column.between(rows[0].id, rows[-1].id))
            )
    return True
