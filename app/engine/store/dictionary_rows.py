"""Reads of bilingual dictionaries."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Engine, select

from app.engine.store.named import Kind, find_named
from app.engine.store.schema import dictionary, entry

DICTIONARIES = Kind("dictionary", "dictionaries", "Import one first.")


class DictionaryRow(NamedTuple):
    """One bilingual dictionary."""

    id: int
    name: str
    state: str
    source_language: str
    target_language: str
    n_entries: int
    source: str
    run_id: int | None
    created_at: float


def list_dictionaries(
    store: Engine, *, states: Sequence[str] = ("ready",)
) -> list[DictionaryRow]:
    """List dictionaries in the order they were imported."""
    columns = [dictionary.c[name] for name in DictionaryRow._fields]
    query = select(*columns).where(dictionary.c.state.in_(states))
    with store.connect() as connection:
        rows = connection.execute(query.order_by(dictionary.c.id))
        return [DictionaryRow(*row) for row in rows]


def find_dictionary(store: Engine, name: str) -> DictionaryRow:
    """Find the ready dictionary of this name or id.

    Raises:
        UserError: none, or more than one, has that name.
    """
    return find_named(list_dictionaries(store), name, DICTIONARIES)


def read_entries(
    store: Engine, dictionary_id: int, word: str, *, is_turned: bool = False
) -> list[str]:
    """Read the translations of a word, in the order of the dictionary, each once.

    Args:
        store: the project's database.
        dictionary_id: the dictionary.
        word: as entries are compared; with a `*` at its end every word that begins so.
        is_turned: the word is of the dictionary's second language.
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
