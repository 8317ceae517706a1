"""Choose words of a project as examples for queries."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import regex

from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project
from app.engine.projection.distinctive_words import (
    count_word_sentences,
    find_function_words,
    leave_out,
)
from app.engine.search.languages import matches_language
from app.engine.search.session import SearchSession
from app.engine.store.corpora import (
    CorpusRow,
    corpus_of,
    first_sentence_id,
    list_corpora,
)
from app.engine.store.sentences import list_translations, read_sentences
from app.engine.store.words.indexes import AnalysedWord, has_analyses, read_analyses
from app.engine.words.tokenizer import fold_word, tokenize
from app.protocol.answers.reading import ExampleWords
from app.protocol.queries.reading import ExampleWordsQuery

N_EXAMINED = 400  # sentences of the language of the words
N_MATCHED = 40  # sentences of each other corpus that patterns are tried on
N_ANALYSED = 200  # sentences of the corpus of the lemma
N_WORDS = 6


def find_example_words(
    session: SearchSession, query: ExampleWordsQuery
) -> ExampleWords:
    """Return frequent words of a language whose sentences have known translations.

    It is the first language that has such sentences, otherwise the first one. Function
    words are left out.
    """
    project, corpora = session.project, session.searched_corpora()
    chosen: tuple[str, list[str], Counter[str]] | None = None
    for language in query.languages:
        own = [row for row in corpora if matches_language(row.language, [language])]
        texts, targets = _read_linked(project, own, language)
        if texts and (targets or chosen is None):
            chosen = language, texts, targets
        if targets:
            break
    if chosen is None:
        return ExampleWords()
    language, texts, targets = chosen
    counts = count_word_sentences(texts, language)
    left = leave_out(counts, find_function_words(counts, len(texts), language))
    ranked = sorted(left.items(), key=lambda item: (-item[1], item[0]))
    words = tuple(word for word, _ in ranked[:N_WORDS])
    others = [
        text for row in corpora for text in _read_texts(project, _sample(project, row))
    ]
    patterns = [
        one
        for one in query.patterns
        if any(regex.search(one, text) for text in (*texts, *others))
    ]
    lemma, tag, sequence = _find_annotations(project, corpora)
    return ExampleWords(
        language=language,
        target=_most_frequent(targets, query.languages),
        words=words,
        phrase=_find_phrase(texts, words[0]) if words else "",
        lemma=lemma,
        tag=tag,
        sequence=sequence,
        patterns=tuple(patterns),
    )


def _sample(project: Project, corpus: CorpusRow, n: int = N_MATCHED) -> list[int]:
    """Return the ids of visible sentences at equal distances."""
    rows = active_positions(project, corpus)
    rows = np.arange(corpus.n_sentences) if rows is None else rows
    indices = np.unique(np.linspace(0, max(len(rows) - 1, 0), n).astype(int))
    first = first_sentence_id(corpus.id)
    return [first + int(rows[index]) for index in indices if index < len(rows)]


def _read_texts(project: Project, ids: Sequence[int]) -> list[str]:
    return [row.text for row in read_sentences(project.store, ids) if row is not None]


def _read_linked(
    project: Project, corpora: Sequence[CorpusRow], language: str
) -> tuple[list[str], Counter[str]]:
    """Return sentences with known translations, or any, and count their languages."""
    ids = [
        id_
        for corpus in corpora
        for id_ in _sample(project, corpus, N_EXAMINED // len(corpora) + 1)
    ]
    known = list_translations(project.store, ids)
    names = {row.id: row.language for row in list_corpora(project.store)}
    targets = Counter(
        code
        for others in known.values()
        for code in {names.get(corpus_of(other), "") for other in others}
        if code and not matches_language(code, [language])
    )
    linked = [id_ for id_ in ids if id_ in known] if targets else ids
    return _read_texts(project, linked), targets


def _find_phrase(texts: Iterable[str], word: str) -> str:
    """Return the most frequent two words that end with a word; empty: none."""
    phrases: Counter[str] = Counter()
    for text in texts:
        spans = tokenize(text)
        for before, own in pairwise(spans):
            is_apart = text[before[1] : own[0]] == " "
            if is_apart and fold_word(text[own[0] : own[1]]) == word:
                phrases[fold_word(text[before[0] : own[1]])] += 1
    return _most_frequent(phrases)


def _find_annotations(
    project: Project, corpora: Sequence[CorpusRow]
) -> tuple[str, str, str]:
    """Return a lemma, a part of speech, and a query for both in a row, or nothing."""
    row = next((row for row in corpora if has_analyses(project.store, row.id)), None)
    if row is None:
        return "", "", ""
    sentences = read_analyses(project.store, row.id, 0, N_ANALYSED).values()
    words = [word for sentence in sentences for word in sentence]
    tags = Counter(word.pos for word in words if word.pos)
    lemmas = Counter(
        word.lemma
        for word in words
        if word.lemma and " " not in word.lemma and word.lemma != fold_word(word.form)
    )
    lemma, tag = (
        _most_frequent(lemmas),
        "VERB" if tags["VERB"] else _most_frequent(tags),
    )
    following = Counter(
        after.pos
        for sentence in sentences
        for before, after in pairwise(sentence)
        if lemma and before.lemma == lemma and after.pos and _is_word(after)
    )
    after = _most_frequent(following)
    return lemma, tag, f"lemma:{lemma} pos:{after}" if after else ""


def _most_frequent(counts: Counter[str], first: Sequence[str] = ()) -> str:
    """Return the most frequent one; of several, that which is named first."""
    rank = {one: index for index, one in enumerate(first)}
    return min(
        counts,
        key=lambda one: (-counts[one], rank.get(one, len(rank)), one),
        default="",
    )


def _is_word(word: AnalysedWord) -> bool:
    return any(map(str.isalnum, word.form))
