"""Writes of word indexes."""

from typing import Any

from sqlalchemy import Engine, delete, insert

from app.engine.store.schema import word_index


def write_word_index(store: Engine, values: dict[str, Any]) -> None:
    """Record an index whose arrays are written, in place of an older one."""
    of_corpus = word_index.c.corpus_id == values["corpus_id"]
    with store.begin() as connection:
        connection.execute(delete(word_index).where(of_corpus))
        connection.execute(insert(word_index).values(**values))


__all__ = ["write_word_index"]
