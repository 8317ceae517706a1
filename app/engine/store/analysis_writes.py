"""Writes of the words of sentences, as their source gives them."""

import sqlite3
from collections.abc import Iterable

import msgspec

from app.engine.text.analyses import FoundWord


def write_analyses(
    raw: sqlite3.Connection, analyses: Iterable[tuple[int, list[FoundWord]]]
) -> None:
    """Write the words of sentences: id, and words in the order of the text."""
    encode = msgspec.json.Encoder().encode
    raw.executemany(
        "INSERT INTO analysis (sentence_id, words) VALUES (?, ?)",
        ((id_, encode(words).decode()) for id_, words in analyses),
    )


__all__ = ["write_analyses"]
