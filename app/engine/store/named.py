"""Find a row as users name it: by its name, else by its id."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar

from app.errors import UserError

MAX_NAMED = 20  # rows that an error message lists


class Named(Protocol):
    """A row that users name."""

    @property
    def id(self) -> int:
        """Give the number that is told where names are equal."""

    @property
    def name(self) -> str:
        """Give what users call it."""


class Kind(NamedTuple):
    """How messages speak of rows of a kind.

    Attributes:
        one: "corpus".
        many: "corpora".
        hint: a sentence: how to come by the first one.
    """

    one: str
    many: str
    hint: str


R = TypeVar("R", bound=Named)


def find_named(known: Sequence[R], name: str, kind: Kind) -> R:
    """Find the one row of this name, or, where none has it, of this id.

    Raises:
        UserError: no row, or more than one, has that name.
    """
    matches = [row for row in known if row.name == name]
    matches = matches or [row for row in known if str(row.id) == name]
    if len(matches) == 1:
        return matches[0]
    if matches:
        ids = ", ".join(str(row.id) for row in matches)
        raise UserError(
            f"{len(matches)} {kind.many} are called {name!r}: name one by its id "
            f"({ids})."
        )
    if not known:
        raise UserError(
            f"There is no {kind.one} {name!r}: the project has none yet. {kind.hint}"
        )
    names = ", ".join(f"{row.name} (id {row.id})" for row in known[:MAX_NAMED])
    rest = len(known) - MAX_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    raise UserError(f"There is no {kind.one} {name!r}; the project has {names}{more}.")
