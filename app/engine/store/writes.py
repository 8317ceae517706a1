"""Writes of corpora: made hidden, filled shard by shard, shown when their report is.

A corpus is `importing` until its report is written, then `ready`.
"""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import Any, NamedTuple, cast

from sqlalchemy import Connection, Engine, insert, select, update

from app.engine.search.keywords import keyword_text
from app.engine.store.analysis_writes import write_analyses
from app.engine.store.document_writes import append_documents
from app.engine.store.rows import first_id
from app.engine.store.schema import corpus
from app.engine.text.analyses import FoundWord
from app.engine.text.documents import Stretch
from app.languages import Language

# Pages of the log before it is folded into the database: 32 MB instead of SQLite's 4,
# since a shard is longer than 4 MB and each fold waits for the disk.
LOG_PAGES = 8_000
_FULL = ("disk is full", "disk I/O error", "readonly database")


class NewCorpus(NamedTuple):
    """What is known of a corpus before it is read."""

    name: str
    language: Language
    source: str


class ShardSide(NamedTuple):
    """Sentences of one corpus, to be written behind those that it has.

    Attributes:
        corpus_id: the corpus.
        languages: code of each text's language.
        texts: cleaned texts.
        hashes: signed 64-bit hash of each.
        labels: label of each, empty where it has none; no list without labels.
        words: of each, as its source gives them; no list without such ones.
    """

    corpus_id: int
    languages: Iterable[str]
    texts: list[str]
    hashes: list[int]
    labels: list[str]
    words: Sequence[list[FoundWord] | None] = ()


class Shard(NamedTuple):
    """Rows of one transaction: aligned sides; row r has the position start + r.

    Attributes:
        are_linked: the sides are translations of each other.
        documents: what its rows belong to.
    """

    start: int
    lines: list[int]
    sides: list[ShardSide]
    are_linked: bool = True
    documents: Sequence[Stretch] = ()


def create_corpora(
    store: Engine, new: Sequence[NewCorpus], run: int | None
) -> list[int]:
    """Make hidden corpora; returns their ids."""
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
        ResourceError: the disk is full; nothing of the shard is kept.
    """
    with store.begin() as connection:
        raw = _raw(connection)
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


def finish_corpora(store: Engine, reports: dict[int, str]) -> None:
    """Write the reports (JSON) of corpora and show them, all at once."""
    with store.begin() as connection:
        for corpus_id, report in reports.items():
            connection.execute(
                update(corpus)
                .where(corpus.c.id == corpus_id)
                .values(report=report, state="ready")
            )


@contextmanager
def kept_open(store: Engine) -> Iterator[None]:
    """Hold a connection for a block of many shards.

    SQLite folds its log into the database whenever the last connection is closed.
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
    first = first_id(side.corpus_id) + shard.start
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
    raw.executemany(
        "INSERT INTO sentence_words (rowid, text) VALUES (?, ?)",
        zip(ids, map(keyword_text, side.texts), strict=True),
    )
    now = time.time()
    raw.executemany(
        "INSERT INTO label (sentence_id, class, who, created_at) "
        "VALUES (?, ?, 'imported', ?)",
        [(id_, name, now) for id_, name in zip(ids, side.labels, strict=False) if name],
    )
    words = zip(ids, side.words, strict=False)
    write_analyses(raw, ((id_, found) for id_, found in words if found))


def _write_links(raw: sqlite3.Connection, shard: Shard, run: int | None) -> None:
    n = len(shard.lines)
    for index, source in enumerate(shard.sides):
        for target in shard.sides[index + 1 :]:
            first_source = first_id(source.corpus_id) + shard.start
            first_target = first_id(target.corpus_id) + shard.start
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


def _raw(connection: Connection) -> sqlite3.Connection:
    """Give the driver's connection, whose `executemany` is three times as fast."""
    driver: Any = connection.connection.driver_connection
    return cast("sqlite3.Connection", driver)


__all__ = [
    "NewCorpus",
    "Shard",
    "ShardSide",
    "corpora_of_run",
    "create_corpora",
    "finish_corpora",
    "kept_open",
    "write_shard",
]
