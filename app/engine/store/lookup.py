"""Find corpora, sub-corpora and pair sets by name or id."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from sqlalchemy import Engine

from app.engine.store.corpora import CorpusRow, list_corpora
from app.engine.store.pairs.sets import PairSetRow, list_pair_sets
from app.engine.store.subcorpora import SubcorpusRow, list_subcorpora
from app.errors import UserError

MAX_NAMES_LISTED = 20  # rows that an error message lists


class NamedRow(Protocol):
    """A row that users name."""

    @property
    def id(self) -> int:
        """Return the id that messages show for equal names."""

    @property
    def name(self) -> str:
        """Return the name that users see."""


class EntityKind(NamedTuple):
    """The words for a kind of rows in messages.

    Attributes:
        one: singular, such as "corpus".
        many: plural, such as "corpora".
        hint: a sentence that explains how to create the first one.
    """

    one: str
    many: str
    hint: str


R = TypeVar("R", bound=NamedRow)


def find_named(known: Sequence[R], name: str, kind: EntityKind) -> R:
    """Find the one row with this name, or else with this id.

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
            f"{len(matches)} {kind.many} are named {name!r}. Use the id of one of "
            f"them ({ids})."
        )
    if not known:
        raise UserError(
            f"There is no {kind.one} {name!r}, because the project has no {kind.many} "
            f"yet. {kind.hint}"
        )
    names = ", ".join(f"{row.name} (id {row.id})" for row in known[:MAX_NAMES_LISTED])
    rest = len(known) - MAX_NAMES_LISTED
    more = f" and {rest} more" if rest > 0 else ""
    raise UserError(f"There is no {kind.one} {name!r}; the project has {names}{more}.")


CORPUS_KIND = EntityKind("corpus", "corpora", "Import one first.")
PAIR_SET_KIND = EntityKind("pair set", "pair sets", "Mine, score or align first.")
SUBCORPUS_PREFIX = "sub-corpus:"  # before an id, where a name is expected
CORPUS_PREFIX = "corpus:"  # the same for corpora whose names are digits


def find_corpora(store: Engine, names: Sequence[str]) -> list[CorpusRow]:
    """Find corpora by name or id, and the corpora of sub-corpora by sub-corpus name.

    `sub-corpus:7` names a sub-corpus by its id, `corpus:7` a corpus. Each corpus is
    returned once, in the given order. A corpus of a sub-corpus has the sub-corpus's id
    in `subcorpus`; a corpus that is also named itself is returned as a whole.

    Raises:
        UserError: no corpus or sub-corpus, or more than one, has a name; two
            sub-corpora contain sentences of one corpus; or a name is the id of another
            corpus.
    """
    known, parts = list_corpora(store), list_subcorpora(store)
    found = [row for name in names for row in _find_corpora_named(known, parts, name)]
    return unique_corpora(found, parts)


def find_whole_corpus(store: Engine, name: str, why: str) -> CorpusRow:
    """Find a corpus, not a sub-corpus; `why` is the reason in the message.

    Raises:
        UserError: as `find_corpus`, or the name is of a sub-corpus.
    """
    corpus = find_corpus(store, name)
    if corpus.subcorpus:
        raise UserError(
            f"{name} is a sub-corpus, but {why}. Choose the corpus {corpus.name}."
        )
    return corpus


def find_corpus(store: Engine, name: str) -> CorpusRow:
    """Find the one corpus with a name, or the only corpus of a sub-corpus.

    Raises:
        UserError: as `find_corpora`, or the sub-corpus is of several corpora.
    """
    found = find_corpora(store, [name])
    if len(found) > 1:
        names = ", ".join(row.name for row in found)
        raise UserError(
            f"The sub-corpus {name!r} contains sentences of {len(found)} corpora "
            f"({names}), but only one corpus is allowed here. Make a sub-corpus of "
            "one of them."
        )
    return found[0]


def with_subcorpus_name(store: Engine, corpus: CorpusRow) -> CorpusRow:
    """Name a part of a corpus after its sub-corpus, for messages."""
    if not corpus.subcorpus:
        return corpus
    part = next(row for row in list_subcorpora(store) if row.id == corpus.subcorpus)
    is_one = len(part.counts) == 1
    return corpus._replace(name=part.name if is_one else f"{part.name} ({corpus.name})")


def unique_corpora(
    found: Iterable[CorpusRow], parts: Sequence[SubcorpusRow]
) -> list[CorpusRow]:
    """Remove duplicate corpora; a whole corpus replaces its parts.

    Raises:
        UserError: two sub-corpora contain sentences of one corpus.
    """
    kept: dict[int, CorpusRow] = {}
    for row in found:
        other = kept.setdefault(row.id, row)
        if other.subcorpus == row.subcorpus:
            continue
        if other.subcorpus and row.subcorpus:
            names = {part.id: part.name for part in parts}
            raise UserError(
                f"{names[other.subcorpus]} and {names[row.subcorpus]} both contain "
                f"sentences of {row.name}. Choose one of them, or make a sub-corpus "
                "that combines them."
            )
        kept[row.id] = row._replace(subcorpus=0)
    return list(kept.values())


def corpora_by_id(
    store: Engine, ids: Sequence[int] = (), subcorpora: Sequence[int] = ()
) -> list[CorpusRow]:
    """List ready corpora with these ids, and those of sub-corpora; without ids, all.

    Raises:
        UserError: a sub-corpus was deleted, or two contain sentences of one corpus.
    """
    known = list_corpora(store)
    if not subcorpora:
        return [corpus for corpus in known if not ids or corpus.id in ids]
    parts = list_subcorpora(store)
    wanted = [part for part in parts if part.id in subcorpora]
    if len(wanted) < len(set(subcorpora)):
        raise UserError("The sub-corpus is not in the project any more.")
    rows = [corpus for corpus in known if corpus.id in ids]
    rows += [row for part in wanted for row in corpora_of_subcorpus(part, known)]
    return unique_corpora(rows, parts)


def corpora_of_subcorpus(
    part: SubcorpusRow, known: Iterable[CorpusRow]
) -> list[CorpusRow]:
    """List the corpora that a sub-corpus takes sentences from, as parts.

    Raises:
        UserError: all of them were deleted.
    """
    rows = [row._replace(subcorpus=part.id) for row in known if row.id in part.counts]
    if not rows:
        raise UserError(
            f"The sub-corpus {part.name} has no sentences, because its corpora were "
            "deleted."
        )
    return rows


def find_pair_set(store: Engine, name: str) -> PairSetRow:
    """Find a ready pair set by name or id.

    Raises:
        UserError: no set, or more than one, has that name.
    """
    return find_named(list_pair_sets(store), name, PAIR_SET_KIND)


def _find_corpora_named(
    known: Sequence[CorpusRow], parts: Sequence[SubcorpusRow], name: str
) -> list[CorpusRow]:
    """Return the corpus, or the corpora of the sub-corpus, with a name."""
    named = [part for part in parts if part.name == name]
    is_corpus = any(corpus.name == name for corpus in known)
    _check_unambiguous(known, named, name)
    if named and is_corpus:
        raise UserError(
            f"A corpus and a sub-corpus are both named {name!r}. Write the id of the "
            f"corpus, or {SUBCORPUS_PREFIX}{named[0].id} for the sub-corpus, or "
            "rename one of them."
        )
    if name.startswith(SUBCORPUS_PREFIX) and not is_corpus:
        id_ = name.removeprefix(SUBCORPUS_PREFIX)
        named = named or [part for part in parts if str(part.id) == id_]
    if len(named) > 1:
        ids = ", ".join(f"{SUBCORPUS_PREFIX}{part.id}" for part in named)
        raise UserError(
            f"{len(named)} sub-corpora are named {name!r}. Use the id of one of them "
            f"({ids})."
        )
    if named:
        return corpora_of_subcorpus(named[0], known)
    by_id = [
        row for row in known if f"{CORPUS_PREFIX}{row.id}" == name and not is_corpus
    ]
    return by_id or [find_named(known, name, CORPUS_KIND)]


def _check_unambiguous(
    known: Sequence[CorpusRow], named: Sequence[SubcorpusRow], name: str
) -> None:
    """Refuse a name that is the id of another corpus: files are called 1.txt, 2.txt."""
    owners = [corpus.id for corpus in known if corpus.name == name]
    meant = [corpus for corpus in known if str(corpus.id) == name]
    if not meant or meant[0].id in owners or not (owners or named):
        return
    other = (
        f"{CORPUS_PREFIX}{owners[0]}" if owners else f"{SUBCORPUS_PREFIX}{named[0].id}"
    )
    raise UserError(
        f"{name!r} is a name and also the id of the corpus {meant[0].name}. Write "
        f"{other} or {CORPUS_PREFIX}{meant[0].id}, or rename one of them in the "
        "window."
    )
