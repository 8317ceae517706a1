"""Task: index the words of corpora."""

import msgspec

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_corpora
from app.engine.store.lookup import find_corpora
from app.engine.words.cache import WordCache
from app.engine.words.frequency_lists import frequency_list
from app.engine.words.selection import CountOptions, index_opener, select_parts
from app.errors import UserError
from app.params.words import IndexWords
from app.plurals import count_text
from app.results.task import TaskResult


class IndexedCorpus(msgspec.Struct, frozen=True):
    """A corpus with a word index.

    Attributes:
        n_tokens: words in the text.
        n_types: distinct words, ignoring case.
        has_lemmas: the source file contains lemmas.
    """

    corpus: int
    name: str
    n_tokens: int
    n_types: int
    has_lemmas: bool


class IndexWordsResult(TaskResult, frozen=True):
    """The indexed corpora.

    Attributes:
        notes: sentences about how words were segmented.
    """

    corpora: list[IndexedCorpus]
    notes: list[str]


def index_words(
    project: Project, params: IndexWords, report: Report
) -> IndexWordsResult:
    """Index and count the words of corpora that are not indexed yet.

    Raises:
        UserError: unknown corpus.
        Cancelled: finished indexes are kept.
    """
    corpora = find_corpora(project.store, params.corpora)
    corpora = corpora or list_corpora(project.store)
    if not corpora:
        raise UserError("The project has no corpus yet. Import one first.")
    opened, cache = index_opener(project, report), WordCache(project)
    rows, notes = [], dict[str, None]()
    for corpus in corpora:
        whole = corpus._replace(subcorpus=0)
        chosen = select_parts(cache, [whole], CountOptions("word"), opened)
        if chosen.parts:  # not all sentences are hidden
            frequency_list(project, chosen.parts, "word", 1, report)
        index = opened(whole)
        assert index is not None
        rows.append(
            IndexedCorpus(
                corpus.id,
                corpus.name,
                index.n_tokens,
                len(index.layer("word").lexicon),
                index.has("lemma"),
            )
        )
        notes |= dict.fromkeys(index.notes)
    n_tokens = sum(corpus.n_tokens for corpus in rows)
    count = "1 corpus" if len(rows) == 1 else f"{len(rows):,} corpora"
    message = f"Indexed {count_text(n_tokens, 'word')} of {count}."
    return IndexWordsResult(rows, list(notes), message=" ".join([message, *notes]))
