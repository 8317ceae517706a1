"""Corpora that are given up: `removing` until the last of their rows is gone.

The number of one is not used again before.
"""

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Engine, delete, or_, select, update

from app.engine.search.keywords import keyword_text
from app.engine.store.rows import first_id
from app.engine.store.schema import (
    analysis,
    corpus,
    document,
    label,
    link,
    note,
    run,
    sentence,
    word_index,
)

PURGE_ROWS = 10_000  # of one transaction


def mark_removing(store: Engine, corpus_ids: Sequence[int]) -> None:
    """Give corpora up: from now on their rows are waste."""
    with store.begin() as connection:
        connection.execute(
            update(corpus).where(corpus.c.id.in_(corpus_ids)).values(state="removing")
        )


def mark_abandoned(store: Engine) -> None:
    """Give up what no run will go on with: a run that ended left it importing."""
    going = select(run.c.id).where(
        run.c.state.in_(("queued", "running", "interrupted"))
    )
    with store.begin() as connection:
        connection.execute(
            update(corpus)
            .where(corpus.c.state == "importing")
            .where(or_(corpus.c.run_id.is_(None), corpus.c.run_id.not_in(going)))
            .values(state="removing")
        )


def purge_removing(store: Engine, *, seconds: float = float("inf")) -> bool:
    """Take away the rows of corpora that were given up, for so many seconds at most.

    Returns:
        Whether nothing is left of them.
    """
    end = time.monotonic() + seconds
    query = select(corpus.c.id).where(corpus.c.state == "removing")
    with store.connect() as connection:
        ids = list(connection.scalars(query))
    for corpus_id in ids:
        while _purge_some(store, corpus_id):
            if time.monotonic() > end:
                return False
    return True


def _purge_some(store: Engine, corpus_id: int) -> bool:
    """Take some sentences and all that hangs on them away; False when all is gone."""
    low, high = first_id(corpus_id), first_id(corpus_id + 1)
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
        # Without its own copy of the texts, the index must be told what to take out.
        raw.executemany(
            "INSERT INTO sentence_words (sentence_words, rowid, text) "
            "VALUES ('delete', ?, ?)",
            [(row.id, keyword_text(row.text)) for row in rows],
        )
        for column in (
            label.c.sentence_id,
            note.c.sentence_id,
            link.c.source_id,
            link.c.target_id,
            analysis.c.sentence_id,
            sentence.c.id,
        ):
            connection.execute(
                delete(column.table).where(column.between(rows[0].id, rows[-1].id))
            )
    return True


__all__ = ["mark_abandoned", "mark_removing", "purge_removing"]
