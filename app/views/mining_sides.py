"""Which corpora can be mined between: pairs of them, their languages, their vectors."""

from collections.abc import Sequence

import numpy as np

from app.engine.store.rows import CorpusRow, first_id, has_links, read_sentences
from app.engine.store.subcorpus_rows import SubcorpusRow
from app.languages import language_name, primary_language
from app.params.mining import MinePairs
from app.views.project_reader import ProjectReader
from app.views.words import format_count

FIRST = ("en", "de", "fr", "es", "zh")  # languages proposed before others
BY_ID = "sub-corpus:"  # before the id of a sub-corpus in the name of one
N_LOOKED_AT = 200  # sentences of a corpus, to see its languages


def suggest_sides(project: ProjectReader) -> tuple[CorpusRow, CorpusRow] | None:
    """Propose two corpora of different languages, those with vectors first."""
    encoded = {row.corpus_id for row in project.searchable if row.n_done == row.n_rows}
    corpora = [corpus for corpus in project.corpora if corpus.n_sentences]
    corpora.sort(key=lambda row: (row.id not in encoded, _rank(row), row.id))
    for source in corpora:
        for target in corpora:
            if _primary(target) != _primary(source):
                return source, target
    return None


def suggest_values(project: ProjectReader) -> MinePairs | None:
    """Propose what to mine; None where there is nothing to mine between."""
    sides = suggest_sides(project)
    if sides is not None:
        names = [name_corpus(project.corpora, side) for side in sides]
        return MinePairs(source=names[0], target=names[1])
    for corpus in project.corpora:
        languages = languages_of(project, corpus)
        if len(languages) > 1:
            return MinePairs(
                source=name_corpus(project.corpora, corpus),
                source_language=languages[0],
                target_language=languages[1],
            )
    return None


def languages_of(project: ProjectReader, corpus: CorpusRow) -> list[str]:
    """Give the languages of a sample of a corpus, the most frequent first."""
    n = min(corpus.n_sentences, N_LOOKED_AT)
    places = np.unique(np.linspace(0, max(corpus.n_sentences - 1, 0), n).astype(int))
    ids = [first_id(corpus.id) + place for place in places.tolist()]
    found = [row.language for row in read_sentences(project.store, ids) if row]
    return sorted(dict.fromkeys(found), key=lambda code: -found.count(code))


def linked_pairs(project: ProjectReader) -> list[CorpusRow]:
    """Give the corpora whose sentences have known translations."""
    return [row for row in project.corpora if has_links(project.store, row.id)]


def missing_vectors(
    project: ProjectReader, names: Sequence[str], fingerprint: str
) -> list[CorpusRow]:
    """Give the corpora (by id or name) that have no vectors by an encoder yet."""
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
        if name in (row.name, f"{BY_ID}{row.id}"):
            return parts_of(project, row)
    return []


def parts_of(project: ProjectReader, row: SubcorpusRow) -> list[CorpusRow]:
    """Give the corpora that a sub-corpus has sentences of, as its parts."""
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
    return FIRST.index(language) if language in FIRST else len(FIRST)
