"""Find corpora and sets of pairs as the user names them: by name or by id."""

from collections.abc import Sequence

from sqlalchemy import Engine

from app.engine.store.pair_rows import MiningRow, list_minings
from app.engine.store.rows import CorpusRow, list_corpora
from app.errors import UserError

MAX_NAMED = 20  # corpora that an error message lists


def find_corpora(store: Engine, names: Sequence[str]) -> list[CorpusRow]:
    """Find the ready corpora of these names or ids, each once, in the order asked.

    Raises:
        UserError: no corpus, or more than one, has that name.
    """
    known = list_corpora(store)
    found = {}
    for name in names:
        corpus = _find_one(known, name)
        found[corpus.id] = corpus
    return list(found.values())


def find_mining(store: Engine, name: str) -> MiningRow:
    """Find the ready set of pairs of this name or id.

    Raises:
        UserError: no set, or more than one, has that name.
    """
    known = list_minings(store)
    matches = [row for row in known if row.name == name]
    matches = matches or [row for row in known if str(row.id) == name]
    if len(matches) == 1:
        return matches[0]
    if matches:
        ids = ", ".join(str(row.id) for row in matches)
        raise UserError(
            f"{len(matches)} sets of pairs are called {name!r}: name one by its id "
            f"({ids})."
        )
    if not known:
        raise UserError(
            f"There is no set of pairs {name!r}: the project has none yet. Mine, score "
            "or align first."
        )
    names = ", ".join(f"{row.name} (id {row.id})" for row in known[:MAX_NAMED])
    rest = len(known) - MAX_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    raise UserError(
        f"There is no set of pairs {name!r}; the project has {names}{more}."
    )


def _find_one(known: Sequence[CorpusRow], name: str) -> CorpusRow:
    matches = [corpus for corpus in known if corpus.name == name]
    if not matches:
        matches = [corpus for corpus in known if str(corpus.id) == name]
    if len(matches) > 1:
        ids = ", ".join(str(corpus.id) for corpus in matches)
        raise UserError(
            f"{len(matches)} corpora are called {name!r}: name one by its id ({ids})."
        )
    if matches:
        return matches[0]
    if not known:
        raise UserError(
            f"There is no corpus {name!r}: the project has none yet. Import one first."
        )
    names = ", ".join(f"{corpus.name} (id {corpus.id})" for corpus in known[:MAX_NAMED])
    rest = len(known) - MAX_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    raise UserError(f"There is no corpus {name!r}; the project has {names}{more}.")
