"""Reads of the words of sentences as their source gives them (CoNLL-U)."""

from typing import NamedTuple

import msgspec
from sqlalchemy import Engine, select

from app.engine.store.rows import first_id, position_of
from app.engine.store.schema import analysis


class AnalysedWord(NamedTuple):
    """A word: where it stands (code points of the text), and what is known of it.

    Attributes:
        lemma, pos: empty where the source gives none.
    """

    start: int
    end: int
    form: str
    lemma: str
    pos: str


_DECODER = msgspec.json.Decoder(list[AnalysedWord])


def has_analyses(store: Engine, corpus_id: int) -> bool:
    """Tell whether any sentence of a corpus has words from its source."""
    column = analysis.c.sentence_id
    bounds = (column >= first_id(corpus_id), column < first_id(corpus_id + 1))
    with store.connect() as connection:
        found = connection.scalar(select(column).where(*bounds).limit(1))
    return found is not None


def read_analyses(
    store: Engine, corpus_id: int, start: int, end: int
) -> dict[int, list[AnalysedWord]]:
    """Read the words of the sentences at the positions start … end - 1 that have some.

    Returns:
        By position.
    """
    base = first_id(corpus_id)
    column = analysis.c.sentence_id
    query = select(column, analysis.c.words).where(
        column >= base + start, column < base + end
    )
    with store.connect() as connection:
        rows = connection.execute(query)
        return {position_of(id_): _DECODER.decode(words) for id_, words in rows}


__all__ = ["AnalysedWord", "has_analyses", "read_analyses"]
