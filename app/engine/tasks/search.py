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
    """One sentence that was found.

    Attributes:
        rank: from 1.
        score: cosine, -1…1; none for words.
        corpus: its name.
        language: as it was given when the corpus was imported.
        sentence: its id.
    """

    rank: int
    score: float | None
    corpus: str
    language: str
    sentence: int
    text: str


class SearchResult(msgspec.Struct, frozen=True):
    """What was found, the best first.

    Attributes:
        n_searched: sentences that were looked at.
        not_encoded: names of corpora that have no vectors, and so were not searched.
    """

    hits: list[SearchHit]
    n_searched: int
    not_encoded: list[str]


def search(project: Project, params: Search, report: Report) -> SearchResult:
    """Find the sentences nearest in meaning to a text, in any language.

    Raises:
        UserError: an unknown corpus, or nothing that is asked for has vectors.
    """
    desk = SearchSession(project)
    corpora = find_corpora(project.store, params.corpora) or desk.corpora()
    if not corpora:
        raise UserError("The project has no corpus yet: import one first.")
    languages = [_language_code(text) for text in params.languages]
    search_so = _search_words if params.words else _search_meaning
    result = search_so(desk, params, corpora, languages)
    report.step("search", 1, 1)
    return result


def _language_code(given: str) -> str:
    language = parse_language(given)
    if not language.known:
        log.warning("%r is no language code of ISO 639 or BCP 47", given)
    return language.code


def _search_meaning(
    desk: SearchSession,
    params: Search,
    corpora: Sequence[CorpusRow],
    languages: Sequence[str],
) -> SearchResult:
    from app.engine.search.nearest import nearest_sentences

    encoder = desk.encoder(params.encoder)
    query = desk.query_of_text(params.text, encoder)
    scan = desk.scan(query, encoder, corpora, languages)
    missing = [corpus for corpus in corpora if corpus.id in scan.not_encoded]
    if missing and (params.corpora or not scan.parts):
        raise UserError(_not_encoded(desk.project, missing, params.encoder))
    if query.is_unknown:
        raise UserError(
            f"The encoder {encoder.name} knows no piece of {params.text!r}: "
            "try other words, or --words."
        )
    parts = [part for group in scan.parts.values() for part in group]
    found = nearest_sentences(parts, query.vector, params.k)
    return SearchResult(
        _hits(desk.project, corpora, found.ids.tolist(), found.scores.tolist()),
        scan.n_searched,
        [corpus.name for corpus in missing],
    )


def _search_words(
    desk: SearchSession,
    params: Search,
    corpora: Sequence[CorpusRow],
    languages: Sequence[str],
) -> SearchResult:
    found = find_by_keywords(desk.project, params.text, corpora, params.k)
    ids = sorted(
        id_
        for language, group in found.items()
        if matches_language(language, languages)
        for id_ in group
    )[: params.k]
    n_searched = sum(count_active(desk.project, corpus) for corpus in corpora)
    hits = _hits(desk.project, corpora, ids, [None] * len(ids))
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
    """Return which command gives the corpora their vectors."""
    names = ", ".join(corpus.name for corpus in missing)
    ids = tuple(str(corpus.id) for corpus in missing)
    command = command_text(Encode(corpora=ids, encoder=encoder), project.folder)
    return f"{names}: no vectors by this encoder yet. Run: {command}"
