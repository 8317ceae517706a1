"""Writes of the words of sentences, as their source gives them."""

import sqlite3
from collections.abc import Iterable

import msgspec

from app.engine.text.analyses import FoundWord


def write_analyses(
    raw: sqlite3.Connection, analyses: Iterable[tuple[int, list[FoundWord]]]
) -> None:
    """Write the words of sentences: id, and words in the order of the text."""
    raw.executemany(
        "INSERT INTO analysis (sentence_id, words) VALUES (?, ?)",
        (
            (id_, msgspec.json.encode([tuple(word) for word in words]).decode())
            for id_, words in analyses
        ),
    )


__all__ = ["write_analyses"]
