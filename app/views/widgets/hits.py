"""Hits of a search: read from the store, grouped by language, cited as text."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication
from sqlalchemy import Engine

from app.engine.store import document_rows, rows
from app.languages import language_name
from app.views.project_reader import ProjectReader
from app.views.words import format_count


class Hit(NamedTuple):
    """A sentence that a search found.

    Attributes:
        sentence: its row.
        corpus: name of its corpus.
        score: cosine, −1…1; None where words were looked for.
        is_translation: a link says that it translates the sentence asked about.
    """

    sentence: rows.SentenceRow
    corpus: str
    score: float | None = None
    is_translation: bool = False


def read_hits(
    store: Engine, found: Sequence[dict[str, Any]], *, asked: int | None = None
) -> list[Hit]:
    """Read the sentences that an answer names; those that are gone are left out.

    Args:
        store: the project's store.
        found: hits as an answer holds them: {"sentence", "score", …}.
        asked: the sentence that was asked about.
    """
    names = {corpus.id: corpus.name for corpus in rows.list_corpora(store)}
    linked: set[int] = set()
    if asked is not None:
        linked = {row.id for row in rows.read_translations(store, asked)}
    sentences = rows.read_sentences(store, [hit["sentence"] for hit in found])
    return [
        Hit(
            sentence,
            names.get(rows.corpus_of(sentence.id), ""),
            hit.get("score"),
            sentence.id in linked,
        )
        for hit, sentence in zip(found, sentences, strict=True)
        if sentence is not None
    ]


def group_by_language(
    hits: Sequence[Hit], languages: Sequence[str]
) -> dict[str, list[Hit]]:
    """Group hits by language, in the order given; languages without hits left out."""
    groups: dict[str, list[Hit]] = {language: [] for language in languages}
    for hit in hits:
        groups.setdefault(hit.sentence.language, []).append(hit)
    return {language: group for language, group in groups.items() if group}


def describe_place(corpus: str, line: int) -> str:
    """Say where a sentence stands: Harbour letters · line 1,204."""
    words = QCoreApplication.translate("hits", "{corpus} · line {line}")
    return words.format(corpus=corpus, line=format_count(line))


def with_language(hit: Hit) -> Hit:
    """Name the language before the corpus: for cards that stand in no column."""
    language = language_name(hit.sentence.language)
    return hit._replace(corpus=join_names(language, hit.corpus))


def join_names(language: str, corpus: str) -> str:
    """Name language and corpus; once, where the corpus is called after it."""
    return corpus if corpus == language else f"{language} · {corpus}"


def cite(project: ProjectReader, sentences: Sequence[rows.SentenceRow]) -> str:
    """Write sentences with their sources, a line each, for the clipboard.

    A source is corpus, document, language, line and project. The texts stand as they
    are, without a mark on what was looked for: they are quotations.
    """
    names = {corpus.id: corpus.name for corpus in project.corpora}
    documents = _documents_of(project.store, [sentence.id for sentence in sentences])
    words = QCoreApplication.translate("hits", "line {n}")
    cited = []
    for sentence in sentences:
        place = (
            names.get(rows.corpus_of(sentence.id), ""),
            documents.get(sentence.id, ""),
            language_name(sentence.language),
            words.format(n=format_count(sentence.line)),
            project.name,
        )
        cited.append(f"{sentence.text} ({', '.join(filter(None, place))})")
    return "\n".join(cited)


def _documents_of(store: Engine, ids: Sequence[int]) -> dict[int, str]:
    """Name the document of each sentence that is in one."""
    if len(ids) == 1:  # by the index: a corpus may have very many documents
        row = document_rows.document_of(store, ids[0])
        return {} if row is None else {ids[0]: row.name}
    names: dict[int, str] = {}
    for corpus_id in {rows.corpus_of(id_) for id_ in ids}:
        known = document_rows.list_documents(store, corpus_id)
        firsts = [row.first for row in known]
        for id_ in ids:
            position = rows.position_of(id_)
            row = known[bisect_right(firsts, position) - 1] if known else None
            if (
                row is not None
                and rows.corpus_of(id_) == corpus_id
                and row.first <= position < row.first + row.n_sentences
            ):
                names[id_] = row.name
    return names


HIT_COLUMNS = ("rank", "score", "language", "corpus", "line", "sentence", "text")


def tabulate(hits: Sequence[Hit]) -> list[tuple[str, ...]]:
    """Give the rows of a TSV of hits, header first; ranks count within a language."""
    table: list[tuple[str, ...]] = [HIT_COLUMNS]
    ranks: dict[str, int] = {}
    for hit in hits:
        sentence = hit.sentence
        rank = ranks[sentence.language] = ranks.get(sentence.language, 0) + 1
        score = "" if hit.score is None else f"{hit.score:.4f}"
        place = (sentence.language, hit.corpus, str(sentence.line), str(sentence.id))
        table.append((str(rank), score, *place, sentence.text))
    return table
