"""What can be chosen where corpora are: those of the project, and its sub-corpora."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from app.engine.store.rows import CorpusRow
from app.engine.store.subcorpus_rows import SubcorpusRow
from app.languages import language_name
from app.views.mining_sides import (
    BY_ID,
    describe_corpus,
    find_chosen,
    name_corpus,
)
from app.views.project_reader import ProjectReader
from app.views.words import format_count

PART = "s"  # before the id of a sub-corpus in the keys of chips


class ChosenIds(NamedTuple):
    """Ids of corpora and of sub-corpora."""

    corpora: tuple[int, ...]
    subcorpora: tuple[int, ...]


def corpus_choices(
    project: ProjectReader | None, corpora: Iterable[CorpusRow] | None = None
) -> list[tuple[str, str]]:
    """Give name and title of what a dialog offers: corpora, then sub-corpora.

    Args:
        project: that is open.
        corpora: those that can be chosen, with their sub-corpora; None: all.
    """
    if project is None:
        return []
    wanted, parts = _with_parts(project, corpora)
    known = project.corpora
    choices = [(name_corpus(known, row), describe_corpus(row)) for row in wanted]
    return choices + [(name_part(project, row), describe_part(row)) for row in parts]


def titles_first(choices: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Turn choices round, as a form takes them: title and name."""
    return [(title, name) for name, title in choices]


def single_choices(project: ProjectReader | None) -> list[tuple[str, str]]:
    """Give what can stand for one corpus: sub-corpora of one corpus as well."""
    if project is None:
        return []
    several = {
        name_part(project, row) for row in project.subcorpora if len(row.counts) > 1
    }
    return [one for one in corpus_choices(project) if one[0] not in several]


def n_chosen(project: ProjectReader | None, names: Sequence[str]) -> int:
    """Count the sentences that names mean, without those that take no part."""
    if project is None:
        return 0
    counts = {row.id: row.counts for row in project.subcorpora}
    n = 0
    for corpus in (row for name in names for row in find_chosen(project, name)):
        part = counts.get(corpus.subcorpus)
        hidden = project.hidden.get(corpus.id)
        n += corpus.n_sentences if part is None else part[corpus.id]
        n -= sum(hidden) if hidden is not None and part is None else 0
    return n


def name_part(project: ProjectReader, row: SubcorpusRow) -> str:
    """Name a sub-corpus for a command: by its id where something has its name."""
    others = [one.name for one in project.corpora]
    others += [one.name for one in project.subcorpora]
    return row.name if others.count(row.name) == 1 else f"{BY_ID}{row.id}"


def describe_part(row: SubcorpusRow) -> str:
    """Name a sub-corpus for a choice: ⊂ Harbour · 120."""
    words = QCoreApplication.translate("corpus_choices", "⊂ {name} · {n}")
    return words.format(name=row.name, n=format_count(row.n_sentences))


def language_choices(corpora: Iterable[CorpusRow]) -> list[tuple[str, str]]:
    """Give code and name of the languages of corpora."""
    codes = dict.fromkeys(corpus.language for corpus in corpora)
    return [(code, language_name(code)) for code in codes]


def chip_choices(
    project: ProjectReader | None, corpora: Iterable[CorpusRow] | None = None
) -> list[tuple[str, str]]:
    """Give key and title of chips, of what `corpus_choices` gives for a dialog."""
    if project is None:
        return []
    wanted, parts = _with_parts(project, corpora)
    chips = [(str(row.id), row.name) for row in wanted]
    return chips + [(f"{PART}{row.id}", f"⊂ {row.name}") for row in parts]


def ids_of_chips(keys: Sequence[str]) -> ChosenIds:
    """Read the keys of chips."""
    return ChosenIds(
        tuple(int(key) for key in keys if not key.startswith(PART)),
        tuple(int(key.removeprefix(PART)) for key in keys if key.startswith(PART)),
    )


def chips_of_ids(corpora: Sequence[int], subcorpora: Sequence[int]) -> list[str]:
    """Write the keys of chips."""
    return [*map(str, corpora), *(f"{PART}{id_}" for id_ in subcorpora)]


def names_of_ids(project: ProjectReader | None, ids: ChosenIds) -> tuple[str, ...]:
    """Name corpora and sub-corpora for a command."""
    if project is None:
        return ()
    corpora = [row for row in project.corpora if row.id in ids.corpora]
    parts = [row for row in project.subcorpora if row.id in ids.subcorpora]
    names = [name_corpus(project.corpora, row) for row in corpora]
    return (*names, *(name_part(project, row) for row in parts))


def _with_parts(
    project: ProjectReader, corpora: Iterable[CorpusRow] | None
) -> tuple[list[CorpusRow], list[SubcorpusRow]]:
    """Give corpora (None: all), and the sub-corpora with sentences of them."""
    wanted = list(project.corpora if corpora is None else corpora)
    ids = {row.id for row in wanted}
    return wanted, [row for row in project.subcorpora if ids & row.counts.keys()]
