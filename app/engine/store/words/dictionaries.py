"""Read and write bilingual dictionaries."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Engine, insert, select

from app.engine.store.lookup import EntityKind, find_named
from app.engine.store.rows import read_rows, select_fields
from app.engine.store.schema import dictionary, entry

DICTIONARY_KIND = EntityKind("dictionary", "dictionaries", "Import one first.")


class DictionaryRow(NamedTuple):
    """A bilingual dictionary."""

    id: int
    name: str
    state: str
    source_language: str
    target_language: str
    n_entries: int
    source: str
    run_id: int | None
    created_at: float


def list_dictionaries(store: Engine) -> list[DictionaryRow]:
    """List dictionaries in the order they were imported."""
    query = select_fields(dictionary, DictionaryRow)
    query = query.where(dictionary.c.state == "ready").order_by(dictionary.c.id)
    return read_rows(store, query, DictionaryRow)


def find_dictionary(store: Engine, name: str) -> DictionaryRow:
    """Find a ready dictionary by name or id.

    Raises:
        UserError: no dictionary, or more than one, has that name.
    """
    return find_named(list_dictionaries(store), name, DICTIONARY_KIND)


def read_entries(
    store: Engine, dictionary_id: int, word: str, *, is_turned: bool = False
) -> list[str]:
    """Read the distinct translations of a word, in the order of the dictionary.

    Args:
        word: normalised like the entries; a `*` at the end makes it a prefix.
        is_turned: whether the word is in the dictionary's second language.
    """
    here, there = entry.c.source, entry.c.target
    if is_turned:
        here, there = there, here
    if word.endswith("*"):
        is_it = here.startswith(word[:-1], autoescape=True)
    else:
        is_it = here == word
    query = select(there).where(entry.c.dictionary_id == dictionary_id, is_it)
    with store.connect() as connection:
        return list(dict.fromkeys(connection.scalars(query.order_by(entry.c.place))))


def read_all_entries(store: Engine, dictionary_id: int) -> list[tuple[str, str]]:
    """Read all normalised entries of a dictionary, in its order."""
    query = select(entry.c.source, entry.c.target)
    query = query.where(entry.c.dictionary_id == dictionary_id)
    with store.connect() as connection:
        rows = connection.execute(query.order_by(entry.c.place))
        return [(row.source, row.target) for row in rows]


PAGE = 10_000  # entries written at once


def add_dictionary(
    store: Engine, values: dict[str, Any], entries: Sequence[tuple[str, str]]
) -> int:
    """Write a dictionary with normalised entries, and return its id."""
    row = {"state": "ready", "created_at": time.time(), "n_entries": len(entries)}
    with store.begin() as connection:
        result = connection.execute(insert(dictionary).values(**row, **values))
        id_ = int(result.lastrowid)
        for start in range(0, len(entries), PAGE):
            rows = [
                {"dictionary_id": id_, "place": index, "source": one, "target": other}
                for index, (one, other) in enumerate(
                    entries[start : start + PAGE], start
                )
            ]
            connection.execute(insert(entry), rows)
    return id_
