"""Answer queries about translations in mapped word vectors."""

from pathlib import Path

from app.engine.project.project import Project
from app.engine.search.session import SearchSession
from app.engine.store.words.indexes import MAP_FILE, MAPS, TABLE_FILE, TABLES
from app.engine.words.cache import word_cache
from app.engine.words.equivalents.bitext import BitextOptions
from app.engine.words.equivalents.ranking import find_equivalents
from app.engine.words.tokenizer import fold_word
from app.engine.wordvectors.learning import describe_convergence
from app.engine.wordvectors.neighbours import (
    UnitVectors,
    list_neighbours,
    make_units,
)
from app.engine.wordvectors.plane import place_words
from app.engine.wordvectors.spaces import WordSpace, load_space
from app.engine.wordvectors.table import load_table
from app.engine.wordvectors.translations import list_translations
from app.errors import UserError
from app.protocol.answers.words import (
    EquivalentsAnswer,
    NeighboursAnswer,
    TranslationsAnswer,
    WordMapAnswer,
)
from app.protocol.base import reply
from app.protocol.queries.words import (
    EquivalentsQuery,
    NeighboursQuery,
    TranslationsQuery,
    VectorQuery,
    WordMapQuery,
)

MAX_LINKED, MAX_MISSING = 100, 8  # equivalents from linked sentences


def answer_word_vector_query(session: SearchSession, query: VectorQuery) -> object:
    """Return the answer to a query about word vectors.

    Raises:
        UserError: the vectors or the map do not exist, or a word has no vector.
    """
    match query:
        case TranslationsQuery():
            return reply(query, _answer_translations(session, query))
        case NeighboursQuery():
            return reply(query, _answer_neighbours(session, query))
        case WordMapQuery():
            return reply(query, _answer_word_map(session, query))


class _VectorCache:
    """The mapping and the word vectors that were used last."""

    def __init__(self, project: Project):
        self._project = project
        self._spaces: dict[tuple[Path, int], WordSpace] = {}
        self._units: dict[tuple[Path, int], UnitVectors] = {}

    def space(self, name: str) -> WordSpace:
        """Return a mapping of the project; it stays loaded until another is used."""
        file = self._project.folder / MAPS / name / MAP_FILE
        if Path(name).name != name or not file.is_file():
            raise UserError(
                f"The project has no bilingual vectors {name}. Select others."
            )
        key = file, file.stat().st_mtime_ns
        if key not in self._spaces:
            self._spaces = {key: load_space(file.parent)}
        return self._spaces[key]

    def units(self, name: str) -> UnitVectors:
        """Return word vectors of the project; the last ones stay loaded."""
        file = self._project.folder / TABLES / name / TABLE_FILE
        if Path(name).name != name or not file.is_file():
            raise UserError(f"The word vectors {name} do not exist. Select others.")
        key = file, file.stat().st_mtime_ns
        if key not in self._units:
            self._units = {key: make_units(load_table(file.parent))}
        return self._units[key]


def _cache(session: SearchSession) -> _VectorCache:
    return session.cache(_VectorCache, lambda: _VectorCache(session.project))


def _answer_translations(
    session: SearchSession, query: TranslationsQuery
) -> TranslationsAnswer:
    """List translations of a word, and mark those that linked sentences confirm.

    Raises:
        UserError: the map does not exist, or the word has no vector.
    """
    space = _cache(session).space(query.map)
    found = _find_linked(session, query, space)
    rows_linked = found.rows if found is not None else []
    linked = {fold_word(row.item): row.n for row in rows_linked if row.score > 0}
    rows = list_translations(space, query.text, query.top, linked)
    listed = {fold_word(row.item) for row in rows}
    problem = describe_convergence(space.details)
    return TranslationsAnswer(
        rows=rows,
        source_language=space.source.language,
        target_language=space.target.language,
        n_pairs=found.n_pairs if found is not None else 0,
        missing=tuple(word for word in linked if word not in listed)[:MAX_MISSING],
        not_indexed=found.not_indexed if found is not None else (),
        notes=(problem,) if problem else (),
    )


def _answer_neighbours(
    session: SearchSession, query: NeighboursQuery
) -> NeighboursAnswer:
    """List the nearest words in one language, or the answers to an analogy.

    Raises:
        UserError: the vectors do not exist, or a word has none.
    """
    units = _cache(session).units(query.vectors)
    return NeighboursAnswer(
        rows=list_neighbours(units, query.text, query.top),
        language=units.table.language,
        n_words=len(units.table.words),
    )


def _answer_word_map(session: SearchSession, query: WordMapQuery) -> WordMapAnswer:
    """Place the most frequent words of a map on a plane.

    Raises:
        UserError: the map does not exist.
    """
    return place_words(_cache(session).space(query.map), query.n)


def _find_linked(
    session: SearchSession, query: TranslationsQuery, space: WordSpace
) -> EquivalentsAnswer | None:
    """Rank equivalents from linked sentences; None if a language is unknown."""
    languages = space.source.language, space.target.language
    if not all(languages):
        return None
    options = BitextOptions(
        session.searched_corpora(query.corpora, query.subcorpora),
        *languages,
        [],
        False,
        "word",
    )
    wanted = EquivalentsQuery(
        text=query.text,
        source_language=languages[0],
        target_language=languages[1],
        top=MAX_LINKED,
        n_examples=0,
    )
    cache = word_cache(session)
    return find_equivalents(
        session.project,
        options,
        wanted,
        cache=cache.bitexts,
        open_index=cache.index,
        dictionary=None,
    )
