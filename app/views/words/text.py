"""Describe word lists in words: sizes, progress, and reasons for an empty list."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

from app.views.widgets.indexing_text import describe_run_progress
from app.views.widgets.number_format import NO_BREAK, format_count, pluralize
from app.views.words.session import LoadedWordList
from app.views.words.settings import WordListSettings

if TYPE_CHECKING:
    from app.views.client.runs import RunState

MAX_NAMED = 8  # missing translations that are named
DOT = " · "


def describe_list(listed: LoadedWordList) -> str:
    """Return what a list is of: 12,345 words of 1,234,567 in 40 documents."""
    facts = listed.facts
    match listed.question.page:
        case "collocates":
            n, n_hits = len(listed.rows), facts.get("n_hits", 0)
            words = _tr("{collocates} of {hits}")
            collocates = pluralize(n, _tr("1 collocate"), _tr("{n} collocates"))
            hits = pluralize(n_hits, _tr("1 hit"), _tr("{n} hits"))
            parts = [words.format(collocates=collocates, hits=hits), _tokens(facts)]
        case "keyness":
            n = facts.get("n_tokens_against", 0)
            parts = [
                pluralize(len(listed.rows), _tr("1 key word"), _tr("{n} key words")),
                _tokens(facts),
                _tr("against {n}").format(n=format_count(n)),
            ]
        case "equivalents":
            n = sum(row["score"] > 0 for row in listed.rows)
            words = _tr("{strong} of {rows} candidates stand out")
            words = words if n != 1 else _tr("1 of {rows} candidates stands out")
            n_rows = format_count(len(listed.rows))
            parts = [words.format(strong=format_count(n), rows=n_rows)]
            n, of = facts.get("n_word", 0), facts.get("n_pairs", 0)
            pairs = pluralize(of, _tr("1 pair"), _tr("{n} pairs"))
            words = _tr("the word is in {n} of {pairs}")
            parts.append(words.format(n=format_count(n), pairs=pairs))
        case _:
            rows = pluralize(listed.n_items, _tr("1 row"), _tr("{n} rows"))
            parts = [rows, _tokens(facts)]
            n_documents = facts.get("n_documents") or 0
            if n_documents > 1:
                words = _tr("{n} documents")
                parts.append(words.format(n=format_count(n_documents)))
    return DOT.join(part for part in parts if part)


def describe_counting(run: "RunState") -> str:
    """Return that a long list is being counted, and how far that is."""
    return describe_run_progress(_tr("The list is being counted, once"), run)


def explain_empty_list(listed: LoadedWordList) -> str:
    """Return why a list is empty, and what to do."""
    question, facts = listed.question, listed.facts
    match question.page:
        case "collocates" if not facts.get("n_hits"):
            words = _tr("“{text}” is not in these texts: look for haus*, or elsewhere.")
            return words.format(text=question.text.strip())
        case "collocates":
            return _tr("Nothing stands near it twice: look at more texts.")
        case "keyness":
            return _tr("No word is frequent enough in both together: take more texts.")
        case "equivalents" if not facts.get("n_pairs"):
            return _tr(
                "There are no translations between these languages here: link, align "
                "or mine some, or choose a set of pairs."
            )
        case "equivalents" if not facts.get("n_word"):
            words = _tr("“{text}” is in none of the {n} pairs: look for haus*.")
            if facts.get("n_pairs") == 1:
                words = _tr("“{text}” is not in the only pair: look for haus*.")
            n = format_count(facts.get("n_pairs", 0))
            return words.format(text=question.text.strip(), n=n)
        case "equivalents":
            return _tr("No translation stands out from what chance would give.")
    if listed.is_left:
        return _tr(
            "So many words take a while to count, once: then the list is kept. "
            "Meanwhile all else can be asked."
        )
    if question.find.strip():
        return _tr("No word is like that: look for haus*, *ung or /regex/.")
    return _tr("There are no words here.")


def describe_page(question: WordListSettings) -> tuple[str, str]:
    """Return what a page is for, before anything is asked: heading and text."""
    match question.page:
        case "collocates":
            return _tr("What stands near a word?"), _tr(
                "Type a word, a phrase or a beginning like haus*. The words around it "
                "are ranked by log-likelihood, log-Dice, t-score or frequency."
            )
        case "keyness":
            return _tr("What marks these texts?"), _tr(
                "Choose the texts above, and those to compare them with. Each word "
                "comes with its effect size and an interval."
            )
        case "equivalents":
            return _tr("How is it translated?"), _tr(
                "Type a word and choose the language of its equivalents. They are "
                "ranked from sentences that are linked, aligned or mined, with "
                "examples; a dictionary can confirm them."
            )
    return _tr("No words yet"), _tr(
        "Import a corpus first: its words are counted here."
    )


def describe_missing(listed: LoadedWordList, dictionary: str) -> str:
    """Name translations that the dictionary has and the pairs have not."""
    missing: Sequence[str] = listed.facts.get("missing") or ()
    if not missing:
        return ""
    names = ", ".join(missing[:MAX_NAMED]) + (" …" if len(missing) > MAX_NAMED else "")
    words = _tr("Only the dictionary {name} has: {words}")
    return words.format(name=dictionary, words=names)


def _tokens(facts: dict[str, Any]) -> str:
    n = facts.get("n_tokens") or 0
    words = pluralize(n, _tr("1 word read"), _tr("{n} words read"))
    return words.replace(" ", NO_BREAK) if n else ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("words_words", text)
