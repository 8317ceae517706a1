"""Task: find the sentences nearest to a text, or that contain its words."""

import logging
from collections.abc import Sequence

import msgspec

from app.engine.project.active_sentences import count_active
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.keyword_search import find_by_keywords
from app.engine.search.languages import matches_language
from app.engine.search.session import SearchSession
from app.engine.store.corpora import CorpusRow, corpus_of
from app.engine.store.lookup import find_corpora
from app.engine.store.sentences import SentenceRow, read_sentences
from app.errors import UserError
from app.languages import parse_language
from app.params.flags import command_text
from app.params.vectors import Encode, Search

log = logging.getLogger("search")


class SearchHit(msgspec.Struct, frozen=True):
    """A search hit.

    Attributes:
        rank: rank from 1.
        score: cosine, -1…1; None for a word search.
        corpus: name of the corpus.
        language: language as entered when the corpus was imported.
        sentence: id of the sentence.
    """

    rank: int
    score: float | None
    corpus: str
    language: str
    sentence: int
    text: str


class SearchResult(msgspec.Struct, frozen=True):
    """The hits, best first.

    Attributes:
        n_searched: number of sentences searched.
        not_encoded: names of corpora that were not searched, since they have no
            vectors.
    """

    hits: list[SearchHit]
    n_searched: int
    not_encoded: list[str]


def search(project: Project, params: Search, report: Report) -> SearchResult:
    """Find the sentences nearest in meaning to a text, in any language.

    Raises:
        UserError: unknown corpus, or no corpus to search has vectors.
    """
    session = SearchSession(project)
    corpora = find_corpora(project.store, params.corpora) or session.searched_corpora()
    if not corpora:
        raise UserError("The project has no corpus yet. Import one first.")
    languages = [_language_code(text) for text in params.languages]
    search_by = _search_words if params.words else _search_meaning
    result = search_by(session, params, corpora, languages)
    report.step("Searching", 1, 1)
    return result


def _language_code(given: str) -> str:
    language = parse_language(given)
    if not language.known:
        log.warning("%r is not a language code of ISO 639 or BCP 47", given)
    return language.code


def _search_meaning(
    session: SearchSession,
    params: Search,
    corpora: Sequence[CorpusRow],
    languages: Sequence[str],
) -> SearchResult:
    from app.engine.search.nearest import nearest_sentences

    encoder = session.encoder(params.encoder)
    query = session.query_of_text(params.text, encoder)
    scan = session.scan(query, encoder, corpora, languages)
    missing = [corpus for corpus in corpora if corpus.id in scan.not_encoded]
    if missing and (params.corpora or not scan.parts):
        raise UserError(_not_encoded(session.project, missing, params.encoder))
    if query.is_unknown:
        raise UserError(
            f"The encoder {encoder.name} knows no part of {params.text!r}. "
            "Try another text, or --words."
        )
    parts = [part for group in scan.parts.values() for part in group]
    found = nearest_sentences(parts, query.vector, params.k)
    return SearchResult(
        _hits(session.project, corpora, found.ids.tolist(), found.scores.tolist()),
        scan.n_searched,
        [corpus.name for corpus in missing],
    )


def _search_words(
    session: SearchSession,
    params: Search,
    corpora: Sequence[CorpusRow],
    languages: Sequence[str],
) -> SearchResult:
    found = find_by_keywords(session.project, params.text, corpora, params.k)
    ids = sorted(
        id_
        for language, group in found.items()
        if matches_language(language, languages)
        for id_ in group
    )[: params.k]
    n_searched = sum(count_active(session.project, corpus) for corpus in corpora)
    hits = _hits(session.project, corpora, ids, [None] * len(ids))
    return SearchResult(hits, n_searched, [])


def _hits(
    project: Project,
    corpora: Sequence[CorpusRow],
    ids: Sequence[int],
    scores: Sequence[float | None],
) -> list[SearchHit]:
    by_id = {corpus.id: corpus for corpus in corpora}
    found = zip(read_sentences(project.store, ids), scores, strict=True)
    return [
        _hit(rank, score, row, by_id[corpus_of(row.id)])
        for rank, (row, score) in enumerate(found, start=1)
        if row is not None
    ]


def _hit(
    rank: int, score: float | None, row: SentenceRow, corpus: CorpusRow
) -> SearchHit:
    is_same = row.language == corpus.language
    language = corpus.language_given if is_same else row.language
    return SearchHit(rank, score, corpus.name, language, row.id, row.text)


def _not_encoded(project: Project, missing: Sequence[CorpusRow], encoder: str) -> str:
    """Return the error that names the command to encode the corpora."""
    names = ", ".join(corpus.name for corpus in missing)
    ids = tuple(str(corpus.id) for corpus in missing)
    command = command_text(Encode(corpora=ids, encoder=encoder), project.folder)
    return f"No vectors by this encoder yet: {names}. Run: {command}"
