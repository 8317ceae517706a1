"""Find corpora, sub-corpora and sets of pairs as users name them: by name or id."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Engine

from app.engine.store.named import Kind, find_named
from app.engine.store.pair_rows import MiningRow, list_minings
from app.engine.store.rows import CorpusRow, list_corpora
from app.engine.store.subcorpus_rows import SubcorpusRow, list_subcorpora
from app.errors import UserError

CORPORA = Kind("corpus", "corpora", "Import one first.")
MININGS = Kind("set of pairs", "sets of pairs", "Mine, score or align first.")
SUBCORPUS = "sub-corpus:"  # before the id of one, where a name is expected
CORPUS = "corpus:"  # the same: for corpora whose names are digits


def find_corpora(store: Engine, names: Sequence[str]) -> list[CorpusRow]:
    """Find corpora by name or id, and the corpora of sub-corpora by their name.

    `sub-corpus:7` names a sub-corpus by its id, `corpus:7` a corpus. Each corpus is
    given once, in the order asked; one of a sub-corpus has the id of that in
    `subcorpus`. A corpus that is named itself is meant whole.

    Raises:
        UserError: no corpus and no sub-corpus, or more than one, has that name, or two
            sub-corpora hold sentences of one corpus; or it is the id of another.
    """
    known, parts = list_corpora(store), list_subcorpora(store)
    found = [row for name in names for row in _find_some(known, parts, name)]
    return each_once(found, parts)


def find_whole_corpus(store: Engine, name: str, why: str) -> CorpusRow:
    """Find a corpus where a sub-corpus will not do; `why` says why: "… are of all".

    Raises:
        UserError: as `find_corpus`, or the name is of a sub-corpus.
    """
    corpus = find_corpus(store, name)
    if corpus.subcorpus:
        raise UserError(
            f"{name} is a sub-corpus, but {why}: name the corpus {corpus.name}."
        )
    return corpus


def find_corpus(store: Engine, name: str) -> CorpusRow:
    """Find the one corpus that a name means: of a sub-corpus, its only one.

    Raises:
        UserError: as `find_corpora`, or the sub-corpus is of several corpora.
    """
    found = find_corpora(store, [name])
    if len(found) > 1:
        names = ", ".join(row.name for row in found)
        raise UserError(
            f"The sub-corpus {name!r} holds sentences of {len(found)} corpora ({names})"
            ", and one is needed here: make a sub-corpus of one of them."
        )
    return found[0]


def titled(store: Engine, corpus: CorpusRow) -> CorpusRow:
    """Call a part of a corpus as its sub-corpus is called, where that is told."""
    if not corpus.subcorpus:
        return corpus
    part = next(row for row in list_subcorpora(store) if row.id == corpus.subcorpus)
    is_one = len(part.counts) == 1
    return corpus._replace(name=part.name if is_one else f"{part.name} ({corpus.name})")


def each_once(
    found: Iterable[CorpusRow], parts: Sequence[SubcorpusRow]
) -> list[CorpusRow]:
    """Leave each corpus once; what is meant whole is not meant in part as well.

    Raises:
        UserError: two sub-corpora hold sentences of one corpus.
    """
    kept: dict[int, CorpusRow] = {}
    for row in found:
        other = kept.setdefault(row.id, row)
        if other.subcorpus == row.subcorpus:
            continue
        if other.subcorpus and row.subcorpus:
            names = {part.id: part.name for part in parts}
            raise UserError(
                f"{names[other.subcorpus]} and {names[row.subcorpus]} both hold "
                f"sentences of {row.name}: choose one of them, or make a sub-corpus of "
                "what you want."
            )
        kept[row.id] = row._replace(subcorpus=0)
    return list(kept.values())


def corpora_by_id(
    store: Engine, ids: Sequence[int] = (), subcorpora: Sequence[int] = ()
) -> list[CorpusRow]:
    """List ready corpora with these ids, and those of sub-corpora; none of both: all.

    Raises:
        UserError: a sub-corpus is gone, or two hold sentences of one corpus.
    """
    known = list_corpora(store)
    if not subcorpora:
        return [corpus for corpus in known if not ids or corpus.id in ids]
    parts = list_subcorpora(store)
    wanted = [part for part in parts if part.id in subcorpora]
    if len(wanted) < len(set(subcorpora)):
        raise UserError("The sub-corpus is not in the project any more.")
    rows = [corpus for corpus in known if corpus.id in ids]
    rows += [row for part in wanted for row in corpora_of(part, known)]
    return each_once(rows, parts)


def corpora_of(part: SubcorpusRow, known: Iterable[CorpusRow]) -> list[CorpusRow]:
    """List the corpora that a sub-corpus has sentences of, as parts.

    Raises:
        UserError: none of them is there any more.
    """
    rows = [row._replace(subcorpus=part.id) for row in known if row.id in part.counts]
    if not rows:
        raise UserError(
            f"The sub-corpus {part.name} has no sentence: its corpora were deleted."
        )
    return rows


def find_mining(store: Engine, name: str) -> MiningRow:
    """Find the ready set of pairs of this name or id.

    Raises:
        UserError: no set, or more than one, has that name.
    """
    return find_named(list_minings(store), name, MININGS)


def _find_some(
    known: Sequence[CorpusRow], parts: Sequence[SubcorpusRow], name: str
) -> list[CorpusRow]:
    """Give the corpus of a name, or those of the sub-corpus of that name."""
    named = [part for part in parts if part.name == name]
    is_corpus = any(corpus.name == name for corpus in known)
    _check_id(known, named, name)
    if named and is_corpus:
        raise UserError(
            f"A corpus and a sub-corpus are called {name!r}: name the corpus by its "
            f"id, the sub-corpus as {SUBCORPUS}{named[0].id}, or rename one."
        )
    if name.startswith(SUBCORPUS) and not is_corpus:
        id_ = name.removeprefix(SUBCORPUS)
        named = named or [part for part in parts if str(part.id) == id_]
    if len(named) > 1:
        ids = ", ".join(f"{SUBCORPUS}{part.id}" for part in named)
        raise UserError(
            f"{len(named)} sub-corpora are called {name!r}: name one by its id ({ids})."
        )
    if named:
        return corpora_of(named[0], known)
    by_id = [row for row in known if f"{CORPUS}{row.id}" == name and not is_corpus]
    return by_id or [find_named(known, name, CORPORA)]


def _check_id(
    known: Sequence[CorpusRow], named: Sequence[SubcorpusRow], name: str
) -> None:
    """Refuse a name that is the id of another corpus: files are called 1.txt, 2.txt."""
    owners = [corpus.id for corpus in known if corpus.name == name]
    meant = [corpus for corpus in known if str(corpus.id) == name]
    if not meant or meant[0].id in owners or not (owners or named):
        return
    other = f"{CORPUS}{owners[0]}" if owners else f"{SUBCORPUS}{named[0].id}"
    raise UserError(
        f"{name!r} is a name, and the id of the corpus {meant[0].name}: write {other} "
        f"or {CORPUS}{meant[0].id}, or rename one of them in the window."
    )
