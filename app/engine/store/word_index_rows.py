"""Reads of word indexes: their rows, and where their arrays are."""

from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine, select

from app.engine.store.schema import word_index


class WordIndexRow(NamedTuple):
    """The index of a corpus's words; its arrays are `STEM.….npy`.

    Attributes:
        segmenter: what cut it (see `app/engine/words/index.py`).
    """

    corpus_id: int
    segmenter: str
    n_tokens: int
    n_types: int
    has_lemmas: int
    array: str
    run_id: int | None
    created_at: float


def read_word_index(store: Engine, corpus_id: int) -> WordIndexRow | None:
    """Read the row of a corpus's index; None: its words are not indexed."""
    query = select(word_index).where(word_index.c.corpus_id == corpus_id)
    with store.connect() as connection:
        row = connection.execute(query).first()
    return None if row is None else WordIndexRow(*row)


def word_index_file(folder: Path, stem: str, name: str) -> Path:
    """Give the file of one array of an index."""
    return folder / "arrays" / f"{stem}.{name}.npy"


__all__ = ["WordIndexRow", "read_word_index", "word_index_file"]
