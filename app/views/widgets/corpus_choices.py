"""Corpora and sub-corpora as choices of forms and commands."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QLocale

from app.engine.store.corpora import CorpusRow
from app.engine.store.pairs.sets import aligned_corpora
from app.engine.store.sentences import (
    has_links,
    list_linked_corpora,
    read_sentences,
    sample_ids,
)
from app.engine.store.subcorpora import SubcorpusRow
from app.languages import (
    language_name,
    language_script,
    parse_language,
    primary_language,
)
from app.params.mining import MinePairs
from app.protocol.queries.pairs import MAX_COMPARED, SimilarTextsQuery
from app.views.client.project_reader import ProjectReader
from app.views.widgets.number_format import format_count

PREFERRED_LANGUAGES = ("en", "de", "fr", "es", "zh")  # languages proposed before others
SUBCORPUS_ID_PREFIX = "sub-corpus:"  # before the id of a sub-corpus in the name of one
MIN_SIZE_RATIO = 0.05  # of two corpora that are proposed for mining
MANY_LANGUAGES = 12  # of a training; its directions still fit into a matrix
SIMILAR_SIZE_RATIO = 0.5  # the same, where one is linked to others


def suggest_sides(
    project: ProjectReader, *, is_new: bool = False
) -> tuple[CorpusRow, CorpusRow] | None:
    """Propose two corpora of different languages.

    Those with vectors come first, then those of similar size, then those that are not
    linked or aligned. Of several targets, one with as many sentences as the source
    comes first. The words of a learned dictionary are not proposed.

    Args:
        is_new: only two that are not linked or aligned, and of similar size.
    """
    encoded = _encoded_corpora(project)
    corpora, aligned = _list_texts(project), aligned_corpora(project.minings)
    links: dict[int, set[int]] = {}
    found: list[tuple[CorpusRow, CorpusRow]] = []
    ranks: list[tuple[bool, bool, bool]] = []  # the lowest is proposed
    for source in corpora:
        targets = [row for row in corpora if _primary(row) != _primary(source)]
        alike = [row for row in targets if row.n_sentences == source.n_sentences]
        targets.sort(key=lambda row: (row.id not in encoded, row not in alike))
        for target in targets:
            for side in (source, target):
                if side.id not in links:
                    links[side.id] = list_linked_corpora(project.store, side)
            sizes = sorted((source.n_sentences, target.n_sentences))
            # A text that has its translations is hardly one of a text of another size.
            has_links = bool(links[source.id] or links[target.id])
            least = SIMILAR_SIZE_RATIO if has_links else MIN_SIZE_RATIO
            rank = (
                bool(encoded) and not {source.id, target.id} <= encoded,
                sizes[0] < least * sizes[1],
                target.id in links[source.id] or {source.id, target.id} in aligned,
            )
            if not any(rank):
                return source, target
            if not is_new or not any(rank[1:]):
                found.append((source, target))
                ranks.append(rank)
    return found[ranks.index(min(ranks))] if found else None


def similar_texts_query(project: ProjectReader) -> SimilarTextsQuery | None:
    """Return the query for the most similar texts; None: no encoder is known yet."""
    if not project.fingerprint:
        return None
    ids = tuple(corpus.id for corpus in _list_texts(project)[:MAX_COMPARED])
    return SimilarTextsQuery(corpora=ids, fingerprint=project.fingerprint)


def _list_texts(project: ProjectReader) -> list[CorpusRow]:
    """List corpora without the words of dictionaries, the best source first."""
    encoded = _encoded_corpora(project)
    corpora = [corpus for corpus in project.texts if corpus.n_sentences]
    return sorted(corpora, key=lambda row: (row.id not in encoded, _rank(row), row.id))


def _encoded_corpora(project: ProjectReader) -> set[int]:
    return {row.corpus_id for row in project.searchable if row.n_done == row.n_rows}


def linked_language(project: ProjectReader, source: str = "") -> str:
    """Return the language that texts are linked with; empty without links.

    Args:
        source: language of the texts; empty: of the first corpus with links.
    """
    return next(iter_linked_languages(project, source), "")


def iter_linked_languages(project: ProjectReader, source: str = "") -> Iterator[str]:
    """Yield the languages that texts are linked with, perhaps repeatedly."""
    languages = {row.id: row.language for row in project.corpora}
    for corpus in project.corpora:
        if source in ("", corpus.language):
            linked = sorted(list_linked_corpora(project.store, corpus))
            others = [languages.get(id_, "") for id_ in linked]
            yield from (code for code in others if code not in ("", corpus.language))


def suggest_params(project: ProjectReader) -> MinePairs | None:
    """Propose what to mine; None where there is nothing to mine between."""
    sides = suggest_sides(project)
    if sides is not None:
        names = [name_corpus(project.corpora, side) for side in sides]
        return MinePairs(source=names[0], target=names[1])
    for corpus in project.texts:
        languages = read_languages(project, corpus)
        if len(languages) > 1:
            return MinePairs(
                source=name_corpus(project.corpora, corpus),
                source_language=languages[0],
                target_language=languages[1],
            )
    return None


def read_languages(project: ProjectReader, corpus: CorpusRow) -> list[str]:
    """Return the languages of a sample of a corpus, the most frequent first."""
    rows = read_sentences(project.store, sample_ids(corpus))
    found = [row.language for row in rows if row]
    return sorted(dict.fromkeys(found), key=lambda code: -found.count(code))


def linked_pairs(project: ProjectReader) -> list[CorpusRow]:
    """Return the corpora whose sentences have known translations."""
    return [row for row in project.corpora if has_links(project.store, row.id)]


def suggest_linked(project: ProjectReader) -> list[CorpusRow]:
    """Propose the corpora to train on: the linked texts.

    Of more than MANY_LANGUAGES languages, only the English ones are proposed: their
    links lead to the others, and every pair of languages would be too many.
    """
    linked = [row for row in linked_pairs(project) if not row.is_word_list]
    pivots = [row for row in linked if _primary(row) == PREFERRED_LANGUAGES[0]]
    has_many = len({_primary(row) for row in linked}) > MANY_LANGUAGES
    return pivots if has_many and pivots else linked


def missing_vectors(
    project: ProjectReader, names: Sequence[str], fingerprint: str
) -> list[CorpusRow]:
    """Return the corpora (by id or name) that have no vectors by an encoder yet."""
    done = {
        row.corpus_id
        for row in project.embeddings
        if row.n_done == row.n_rows and row.fingerprint == fingerprint
    }
    found = [row for name in names for row in find_chosen(project, name)]
    return list({row.id: row for row in found if row.id not in done}.values())


def find_corpus(corpora: Sequence[CorpusRow], name: str) -> CorpusRow | None:
    """Find a corpus by its id or its name."""
    return next((row for row in corpora if name in (str(row.id), row.name)), None)


def find_chosen(project: ProjectReader | None, name: str) -> list[CorpusRow]:
    """Find the corpora that a name means, those of a sub-corpus as parts."""
    if project is None:
        return []
    corpus = find_corpus(project.corpora, name)
    if corpus is not None:
        return [corpus]
    for row in project.subcorpora:
        if name in (row.name, f"{SUBCORPUS_ID_PREFIX}{row.id}"):
            return list_parts(project, row)
    return []


def list_parts(project: ProjectReader, row: SubcorpusRow) -> list[CorpusRow]:
    """Return the corpora that a sub-corpus has sentences of, as its parts."""
    return [
        corpus._replace(subcorpus=row.id)
        for corpus in project.corpora
        if corpus.id in row.counts
    ]


def name_corpus(corpora: Sequence[CorpusRow], corpus: CorpusRow) -> str:
    """Name a corpus for a command: by its id where another has its name."""
    is_one = [row.name for row in corpora].count(corpus.name) == 1
    return corpus.name if is_one and not corpus.name.isdigit() else str(corpus.id)


def describe_corpus(corpus: CorpusRow) -> str:
    """Name a corpus for a choice: Hafenbriefe · German · 240."""
    language = language_name(corpus.language)
    parts = [corpus.name, *([language] if language != corpus.name else [])]
    return " · ".join([*parts, format_count(corpus.n_sentences)])


def _primary(corpus: CorpusRow) -> str:
    return primary_language(corpus.language)


def _rank(corpus: CorpusRow) -> int:
    language = _primary(corpus)
    return (
        PREFERRED_LANGUAGES.index(language)
        if language in PREFERRED_LANGUAGES
        else len(PREFERRED_LANGUAGES)
    )


SUBCORPUS_KEY_PREFIX = "s"  # before the id of a sub-corpus in the keys of chips


class ChosenIds(NamedTuple):
    """Ids of corpora and of sub-corpora."""

    corpora: tuple[int, ...]
    subcorpora: tuple[int, ...]


def corpus_choices(
    project: ProjectReader | None, corpora: Iterable[CorpusRow] | None = None
) -> list[tuple[str, str]]:
    """Return name and title of what a dialog offers: corpora, then sub-corpora.

    Args:
        corpora: those that can be chosen, with their sub-corpora; None: all.
    """
    if project is None:
        return []
    wanted, parts = _with_parts(project, corpora)
    known = project.corpora
    choices = [(name_corpus(known, row), describe_corpus(row)) for row in wanted]
    return choices + [
        (name_subcorpus(project, row), describe_subcorpus(row)) for row in parts
    ]


def names_by_id(project: ProjectReader | None) -> dict[str, str]:
    """Return the names of `corpus_choices` by the ids that also mean them."""
    if project is None:
        return {}
    names = {str(row.id): name_corpus(project.corpora, row) for row in project.corpora}
    return names | {
        f"{SUBCORPUS_ID_PREFIX}{row.id}": name_subcorpus(project, row)
        for row in project.subcorpora
    }


def swap_titles(choices: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Turn choices round, as a form takes them: title and name."""
    return [(title, name) for name, title in choices]


def single_choices(project: ProjectReader | None) -> list[tuple[str, str]]:
    """Return the choices for one corpus, including sub-corpora of one corpus."""
    if project is None:
        return []
    several = {
        name_subcorpus(project, row)
        for row in project.subcorpora
        if len(row.counts) > 1
    }
    return [one for one in corpus_choices(project) if one[0] not in several]


def count_chosen(project: ProjectReader | None, names: Sequence[str]) -> int:
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


def name_subcorpus(project: ProjectReader, row: SubcorpusRow) -> str:
    """Name a sub-corpus for a command: by its id where something has its name."""
    others = [one.name for one in project.corpora]
    others += [one.name for one in project.subcorpora]
    return row.name if others.count(row.name) == 1 else f"{SUBCORPUS_ID_PREFIX}{row.id}"


def describe_subcorpus(row: SubcorpusRow) -> str:
    """Name a sub-corpus for a choice: ⊂ Harbour · 120."""
    words = QCoreApplication.translate("corpus_choices", "⊂ {name} · {n}")
    return words.format(name=row.name, n=format_count(row.n_sentences))


def language_choices(corpora: Iterable[CorpusRow]) -> list[tuple[str, str]]:
    """Return code and name of the languages of corpora."""
    codes = dict.fromkeys(corpus.language for corpus in corpora)
    return [(code, language_name(code)) for code in codes]


def rank_language(code: str) -> int:
    """Return how easily the user reads a language; the lowest number is the easiest.

    The languages of the system come first, then English, then others in their scripts.
    """
    own = [parse_language(one) for one in QLocale.system().uiLanguages()]
    known = [one.code.split("-")[0] for one in own if one.known]
    known = list(dict.fromkeys([*known, "en"]))
    if primary_language(code) in known:
        return known.index(primary_language(code))
    scripts = {language_script(one) for one in known}
    return len(known) + (language_script(code) not in scripts)


def chip_choices(
    project: ProjectReader | None, corpora: Iterable[CorpusRow] | None = None
) -> list[tuple[str, str]]:
    """Return key and title of chips, of what `corpus_choices` gives for a dialog."""
    if project is None:
        return []
    wanted, parts = _with_parts(project, corpora)
    chips = [(str(row.id), row.name) for row in wanted]
    return chips + [
        (f"{SUBCORPUS_KEY_PREFIX}{row.id}", f"⊂ {row.name}") for row in parts
    ]


def ids_of_chips(keys: Sequence[str]) -> ChosenIds:
    """Read the keys of chips."""
    return ChosenIds(
        tuple(int(key) for key in keys if not key.startswith(SUBCORPUS_KEY_PREFIX)),
        tuple(
            int(key.removeprefix(SUBCORPUS_KEY_PREFIX))
            for key in keys
            if key.startswith(SUBCORPUS_KEY_PREFIX)
        ),
    )


def chips_of_ids(corpora: Sequence[int], subcorpora: Sequence[int]) -> list[str]:
    """Write the keys of chips."""
    return [*map(str, corpora), *(f"{SUBCORPUS_KEY_PREFIX}{id_}" for id_ in subcorpora)]


def ids_of_names(project: ProjectReader | None, names: Iterable[str]) -> ChosenIds:
    """Return the ids of corpora and sub-corpora that names of a command mean."""
    found = [row for name in names for row in find_chosen(project, name)]
    whole = dict.fromkeys(row.id for row in found if not row.subcorpus)
    parts = dict.fromkeys(row.subcorpus for row in found if row.subcorpus)
    return ChosenIds(tuple(whole), tuple(parts))


def names_of_ids(project: ProjectReader | None, ids: ChosenIds) -> tuple[str, ...]:
    """Name corpora and sub-corpora for a command."""
    if project is None:
        return ()
    corpora = [row for row in project.corpora if row.id in ids.corpora]
    parts = [row for row in project.subcorpora if row.id in ids.subcorpora]
    names = [name_corpus(project.corpora, row) for row in corpora]
    return (*names, *(name_subcorpus(project, row) for row in parts))


def _with_parts(
    project: ProjectReader, corpora: Iterable[CorpusRow] | None
) -> tuple[list[CorpusRow], list[SubcorpusRow]]:
    """Return corpora (None: all), and the sub-corpora with sentences of them."""
    wanted = list(project.corpora if corpora is None else corpora)
    ids = {row.id for row in wanted}
    return wanted, [row for row in project.subcorpora if ids & row.counts.keys()]
