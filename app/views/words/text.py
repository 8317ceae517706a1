"""Describe word lists: sizes, progress, and reasons for an empty list."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

from app.languages import language_name
from app.number_format import NO_BREAK
from app.protocol.answers.words import (
    CollocatesAnswer,
    EquivalentRow,
    EquivalentsAnswer,
    KeynessAnswer,
    NeighboursAnswer,
    TranslationsAnswer,
)
from app.views.client.runs import RunState
from app.views.widgets.indexing_text import describe_run_progress
from app.views.widgets.number_format import format_count, pluralize
from app.views.words.session import LoadedWordList
from app.views.words.settings import MAX_ROWS, PageName, WordListSettings

_tr = partial(QCoreApplication.translate, "words")

MAX_NAMED = 8  # maximum of missing translations listed


def describe_list(listed: LoadedWordList) -> str:
    """Describe the size of a list: 450 rows · 9,000 words · 40 documents."""
    n_rows = len(listed.rows)
    match listed.answer:
        case CollocatesAnswer() as answer:
            collocates = pluralize(n_rows, _tr("1 collocate"), _tr("{n} collocates"))
            if n_rows == MAX_ROWS:
                collocates = _tr("First {n} collocates").format(n=format_count(n_rows))
            hits = pluralize(answer.n_hits, _tr("1 hit"), _tr("{n} hits"))
            words = _tr("{collocates} of {hits}")
            parts = [
                words.format(collocates=collocates, hits=hits),
                _count_words(answer.n_tokens),
            ]
        case KeynessAnswer() as answer:
            reference = _count_words(answer.n_tokens_against)
            keywords = pluralize(n_rows, _tr("1 keyword"), _tr("{n} keywords"))
            if n_rows < answer.n_items:
                words = _tr("First {n} of {total} words by log-likelihood")
                total = format_count(answer.n_items)
                keywords = words.format(n=format_count(n_rows), total=total)
            parts = [
                keywords,
                _count_words(answer.n_tokens),
                _tr("reference: {n}").format(n=reference),
            ]
        case EquivalentsAnswer() as answer:
            rows = [row for row in listed.rows if isinstance(row, EquivalentRow)]
            n = sum(row.is_significant for row in rows)
            words = _tr("{n} of {rows} significant")
            pairs = pluralize(answer.n_pairs, _tr("1 pair"), _tr("{n} pairs"))
            found = _tr("word in {n} of {pairs}")
            parts = [
                words.format(n=format_count(n), rows=format_count(n_rows)),
                found.format(n=format_count(answer.n_word), pairs=pairs),
            ]
        case TranslationsAnswer() as answer:
            n = sum(getattr(row, "agrees", False) for row in listed.rows)
            words = _tr("{n} confirmed by links")
            parts = [
                pluralize(n_rows, _tr("1 candidate"), _tr("{n} candidates")),
                words.format(n=format_count(n)),
                pluralize(
                    answer.n_pairs, _tr("1 linked pair"), _tr("{n} linked pairs")
                ),
            ]
        case NeighboursAnswer() as answer:
            parts = [
                pluralize(n_rows, _tr("1 nearest word"), _tr("{n} nearest words")),
                _count_words(answer.n_words),
            ]
        case answer:
            n, many = answer.n_documents, _tr("{n} documents")
            parts = [
                pluralize(listed.n_items, _tr("1 row"), _tr("{n} rows")),
                _count_words(answer.n_tokens),
                many.format(n=format_count(n)) if n > 1 else "",
            ]
    return " · ".join(part for part in parts if part)


def describe_counting(run: RunState) -> str:
    """Return the progress of counting a long list."""
    return describe_run_progress(_tr("Counting the list (only once)"), run)


def explain_empty_list(listed: LoadedWordList) -> str:
    """Return why a list is empty and what to do."""
    text = listed.settings.text.strip()
    match listed.answer:
        case CollocatesAnswer(n_hits=0):
            words = _tr("No hits for “{text}”. Try haus*, or select other texts.")
            return words.format(text=text)
        case CollocatesAnswer():
            words = _tr("No word occurs twice near “{text}”. Select more texts.")
            return words.format(text=text)
        case KeynessAnswer():
            return _tr(
                "No word occurs at least 5 times in both texts together. Select more "
                "texts."
            )
        case EquivalentsAnswer(n_pairs=0) if listed.settings.is_one_language:
            language = language_name(listed.settings.target_language)
            words = _tr(
                "“From” and “To” are both {language}. Choose another language of the "
                "translations in “To”, or another language of the word in “From”."
            )
            return words.format(language=language)
        case EquivalentsAnswer(n_pairs=0) if not listed.settings.source_language:
            language = language_name(listed.settings.target_language)
            words = _tr(
                "No text with “{text}” has translations into {language}. If the word "
                "itself is {language}, choose another language in “To”; otherwise "
                "link, align or mine some, or choose a pair set."
            )
            return words.format(text=text, language=language)
        case EquivalentsAnswer(n_pairs=0):
            return _tr(
                "No translations between these languages. Link, align or mine some, or "
                "choose a pair set."
            )
        case EquivalentsAnswer(n_word=0, n_pairs=n):
            words = _tr("“{text}” occurs in none of the {n} pairs. Try haus*.")
            if n == 1:
                words = _tr("“{text}” does not occur in the only pair. Try haus*.")
            return words.format(text=text, n=format_count(n))
        case EquivalentsAnswer():
            return _tr("No translation is more frequent than expected by chance.")
    if listed.is_deferred:
        return _tr(
            "Counting this many words takes a while, but only once: the list is saved. "
            "You can use other lists in the meantime."
        )
    if listed.settings.find.strip():
        return _tr("No words match. Try haus*, *ung or /regex/.")
    return _tr("These texts contain no words.")


def describe_start(settings: WordListSettings) -> tuple[str, str]:
    """Return the heading and text of a page with incomplete settings."""
    if settings.is_same_texts:
        return _tr("Both texts are the same"), _tr(
            "Texts compared with themselves have no keywords. Select reference texts "
            "that differ from these texts."
        )
    if settings.page == "keyness" and (settings.against or settings.against_parts):
        return _tr("Select the texts to compare"), _tr(
            "“All corpora” contains the reference texts, too. Select “These texts” so "
            "that they differ from the reference texts."
        )
    if settings.page == "equivalents" and settings.text.strip():
        return _tr("Choose a target language"), _tr(
            "Choose the language of the translations in the list “To”."
        )
    return _describe_page(settings.page)


def explain_no_comparison() -> str:
    """Return why keyness has nothing to compare and what to do."""
    return _tr(
        "Keyness compares two texts of one language. Here, each language has one "
        "text. Make sub-corpora of it, or import reference texts."
    )


def explain_failure(page: PageName) -> tuple[str, str]:
    """Return advice after an error, and the text of the retry button."""
    match page:
        case "keyness":
            return _tr("Select other texts, or compare them again."), _tr(
                "Compare again"
            )
        case "frequencies":
            return _tr("Change the filter or the texts, or count again."), _tr(
                "Count again"
            )
    return _tr("Change the query, or send it again."), _tr("Search again")


def explain_no_mapping(ready: Sequence[str]) -> tuple[str, str]:
    """Return why a word has no nearest words in another language and what to do."""
    if len(ready) > 1:
        return _tr("Bilingual vectors are needed"), _tr(
            "Word vectors are ready: {names}. To list the nearest words of another "
            "language, make bilingual vectors from two of them. To list words of the "
            "same language, select word vectors in “Nearest words from”."
        ).format(names=", ".join(ready))
    if ready:
        return _tr("Word vectors of a second language are needed"), _tr(
            "{name}: ready. Train or import word vectors of a second language, then "
            "make bilingual vectors."
        ).format(name=ready[0])
    return _tr("Word vectors of two languages are needed"), _tr(
        "Train or import word vectors of two languages, then make bilingual vectors."
    )


def _describe_page(page: PageName) -> tuple[str, str]:
    """Return the heading and text of a page before the first query."""
    match page:
        case "collocates":
            return _tr("Which words occur near a word?"), _tr(
                "Enter a word, a phrase or a prefix like haus*. The words around it "
                "are ranked by log-likelihood, log-Dice, t-score or frequency."
            )
        case "keyness":
            return _tr("Which words are typical of these texts?"), _tr(
                "Select texts above, and reference texts to compare them with. Each "
                "keyword has an effect size with a confidence interval."
            )
        case "equivalents":
            return _tr("How is a word translated?"), _tr(
                "Enter a word and choose a target language. Translations from linked, "
                "aligned or mined sentences are ranked and shown with examples; a "
                "dictionary can confirm them."
            )
        case "translations":
            return _tr("Which words of another language are nearest?"), _tr(
                "Train or import word vectors of two languages, and map the languages. "
                "Then enter a word: its nearest words in the other language are ranked "
                "by similarity, next to translations from linked sentences. "
                "With word vectors in “Nearest words from”, the list shows the nearest "
                "words of their language, and the answers to analogies: "
                "Paris : France = Rome."
            )
    return _tr("No words yet"), _tr("Import a corpus to count its words.")


def describe_missing(listed: LoadedWordList, dictionary: str) -> str:
    """Describe the translations in the dictionary that no pair contains."""
    answer = listed.answer
    missing: tuple[str, ...] = ()
    if isinstance(answer, EquivalentsAnswer | TranslationsAnswer):
        missing = answer.missing
    if not missing:
        return ""
    names = ", ".join(missing[:MAX_NAMED]) + (" …" if len(missing) > MAX_NAMED else "")
    words = _tr("Only in the dictionary {name}: {words}")
    if isinstance(answer, TranslationsAnswer):
        words = _tr("Only in linked sentences: {words}")
    return words.format(name=dictionary, words=names)


def _count_words(n: int) -> str:
    words = pluralize(n, _tr("1 word"), _tr("{n} words"))
    return words.replace(" ", NO_BREAK) if n else ""
