"""Search hits: read, group by language, describe and cite them."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QFontMetricsF
from sqlalchemy import Engine

from app.engine.store import corpora
from app.engine.store.documents import read_document_names
from app.engine.store.sentences import SentenceRow, list_translations, read_sentences
from app.languages import language_name, primary_language
from app.protocol.answers.search import FoundSentence
from app.views.client.project_reader import ProjectReader
from app.views.widgets.document_columns import DocumentColumns
from app.views.widgets.number_format import format_count


class Hit(NamedTuple):
    """A sentence that a search found.

    Attributes:
        sentence: its row.
        corpus: name of its corpus.
        score: cosine, −1…1; None for a word search.
        is_translation: whether the sentence is linked to the query sentence.
        document: name of its document; empty without a document.
        language: name of its language, before the corpus; empty if shown elsewhere.
    """

    sentence: SentenceRow
    corpus: str
    score: float | None = None
    is_translation: bool = False
    document: str = ""
    language: str = ""

    @property
    def source(self) -> str:
        """Corpus and document."""
        return name_source(self.corpus, self.document)


def read_hits(
    store: Engine, found: Sequence[FoundSentence], *, asked: Sequence[int] = ()
) -> list[Hit]:
    """Read the sentences of an answer; deleted sentences are left out.

    Args:
        found: sentences with their scores.
        asked: the sentences whose neighbours were searched for.
    """
    names = {corpus.id: corpus.name for corpus in corpora.list_corpora(store)}
    known = list_translations(store, asked) if asked else {}
    linked = {id_ for ids in known.values() for id_ in ids}
    ids = [hit.sentence for hit in found]
    sentences, documents = (read_sentences(store, ids), read_document_names(store, ids))
    return [
        Hit(
            sentence,
            names.get(corpora.corpus_of(sentence.id), ""),
            hit.score,
            sentence.id in linked,
            documents.get(sentence.id, ""),
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


def describe_place(source: str, line: int) -> str:
    """Return the location of a sentence: Harbour letters · May · line 1,204.

    Args:
        source: its corpus, or corpus and document: see `name_source`.
        line: line number in its file, from 1.
    """
    words = QCoreApplication.translate("hits", "{corpus} · line {line}")
    return words.format(corpus=source, line=format_count(line))


def name_source(corpus: str, document: str) -> str:
    """Return corpus and document, or only one if their names are the same."""
    names = [corpus, document if document != corpus else ""]
    return " · ".join(name for name in names if name)


def without_language_code(corpus: str, language: str) -> str:
    """Return a corpus's name without its language suffix: news for news.en.

    For locations next to the name of the language.
    """
    name, _, ending = corpus.rpartition(".")
    is_code = ending.lower() in (language.lower(), primary_language(language))
    return name if name and is_code else corpus


def elide_source(
    corpus: str, document: str, width: float, metrics: QFontMetricsF
) -> str:
    """Return corpus and document in a width; only the document if room is short.

    Names are elided in the middle, since their ends distinguish them.
    """
    whole = name_source(corpus, document)
    fits = metrics.horizontalAdvance(whole) <= width
    shown = whole if fits or not document else document
    return metrics.elidedText(shown, Qt.TextElideMode.ElideMiddle, width)


def with_language(hit: Hit) -> Hit:
    """Add the language before the corpus: for cards outside columns."""
    language = language_name(hit.sentence.language)
    corpus = hit.corpus if hit.corpus != language else ""
    return hit._replace(language=language, corpus=corpus)


def join_names(language: str, corpus: str) -> str:
    """Return language and corpus, or only one if their names are the same."""
    return corpus if corpus == language else f"{language} · {corpus}"


def cite(project: ProjectReader, sentences: Sequence[SentenceRow]) -> str:
    """Return sentences with their sources, one per line, for the clipboard.

    A source is corpus, document, language, line and project. Texts are quoted
    unchanged, without marked words.
    """
    names = {corpus.id: corpus.name for corpus in project.corpora}
    documents = read_document_names(
        project.store, [sentence.id for sentence in sentences]
    )
    words = QCoreApplication.translate("hits", "line {n}")
    cited = []
    for sentence in sentences:
        place = (
            names.get(corpora.corpus_of(sentence.id), ""),
            documents.get(sentence.id, ""),
            language_name(sentence.language),
            words.format(n=format_count(sentence.line)),
            project.name,
        )
        cited.append(f"{sentence.text} ({', '.join(filter(None, place))})")
    return "\n".join(cited)


HIT_COLUMNS = (
    *("rank", "score", "language", "corpus", "line", "text"),
    *("query", "searched_languages", "sentence_id", "searched_corpora"),
)


def tabulate(
    hits: Sequence[Hit],
    query: str,
    languages: Sequence[str],
    searched: Sequence[str],
    documents: DocumentColumns,
) -> list[tuple[str, ...]]:
    """Return the rows of a table of hits, header first; ranks count within a language.

    Args:
        languages: codes of the searched languages; empty for all.
        searched: names of the searched corpora and sub-corpora; empty for all.
    """
    table: list[tuple[str, ...]] = [(*HIT_COLUMNS, *documents.header)]
    ranks: dict[str, int] = {}
    codes, names = " ".join(languages) or "all", ", ".join(searched) or "all"
    for hit in hits:
        sentence = hit.sentence
        rank = ranks[sentence.language] = ranks.get(sentence.language, 0) + 1
        score = "" if hit.score is None else f"{hit.score:.4f}"
        place = (sentence.language, hit.corpus, str(sentence.line), sentence.text)
        asked = (query, codes, str(sentence.id), names)
        cells = documents.cells(sentence.id)
        table.append((str(rank), score, *place, *asked, *cells))
    return table
