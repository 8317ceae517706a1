"""Answers about counts: frequencies, collocates, key words."""

from typing import Any

from app.engine.report import Report
from app.engine.search.desk import SearchDesk
from app.engine.words.collocates import Window
from app.engine.words.counts import Wanted, choose_parts
from app.engine.words.lists import FrequencyList, IntArray, takes_long
from app.engine.words.match import parse
from app.engine.words.pages import Wish, chosen_rows, fitting
from app.engine.words.summaries import (
    CollocateWish,
    FrequencyPage,
    KeyWish,
    PageWish,
    page_of_collocates,
    page_of_frequencies,
    page_of_keys,
)
from app.word_questions import CollocatesQuery, FrequenciesQuery, KeynessQuery


def answer_frequencies(
    desk: SearchDesk, query: FrequenciesQuery, report: Report
) -> dict[str, Any]:
    """Give a page of a list of frequencies.

    Raises:
        UserError: no corpus has what is counted, or what is looked for can't be read.
        Cancelled: a newer question came.
    """
    corpora = desk.corpora(query.corpora, query.subcorpora)
    wanted = Wanted(query.layer, query.languages)
    chosen = choose_parts(desk.words, corpora, wanted, desk.words.index)
    rows = Wish(query.find, query.min_count, query.order_by, query.descending)
    some = slice(query.offset, query.offset + query.limit)
    wish = PageWish(query.layer, query.n, rows, some)

    def ordered(found: FrequencyList, rows: Wish) -> IntArray:
        """Remember the order: pages of one list are asked for one after the other."""
        key = (found.key, rows)
        return desk.words.remember(key, lambda: chosen_rows(found, rows))

    parts = chosen.parts
    is_left = not query.waits and takes_long(desk.project, parts, query.layer, query.n)
    page = FrequencyPage([], 0, 0, 0, chosen.notes)
    if not is_left:
        page = page_of_frequencies(desk.project, chosen, wish, report, ordered)
    return {
        "rows": fitting(page.rows),
        "n_items": page.n_items,
        "n_tokens": page.n_tokens,
        "n_documents": page.n_documents,
        "not_indexed": list(chosen.not_indexed),
        "not_counted": is_left,
        "notes": list(page.notes),
    }


def answer_collocates(
    desk: SearchDesk, query: CollocatesQuery, report: Report
) -> dict[str, Any]:
    """Give the words that stand near a word.

    Raises:
        UserError: no corpus has what is counted, or what is typed can't be read.
        Cancelled: a newer question came.
    """
    pattern = parse(query.text)
    corpora = desk.corpora(query.corpora, query.subcorpora)
    wanted = Wanted(query.layer, query.languages, pattern.layers)
    chosen = choose_parts(desk.words, corpora, wanted, desk.words.index)
    wish = CollocateWish(
        pattern,
        Window(query.left, query.right),
        query.order_by,
        query.min_count,
        query.top,
    )
    page = page_of_collocates(chosen.parts, wish, report)
    return {
        "rows": fitting(page.rows),
        "n_hits": page.n_hits,
        "n_tokens": page.n_tokens,
        "not_indexed": list(chosen.not_indexed),
        "notes": list(chosen.notes),
    }


def answer_keyness(
    desk: SearchDesk, query: KeynessQuery, report: Report
) -> dict[str, Any]:
    """Give the words that mark corpora against others.

    Raises:
        UserError: no corpus has what is counted.
        Cancelled: a newer question came.
    """
    wanted = Wanted(query.layer, query.languages)
    sides = [
        choose_parts(
            desk.words, desk.corpora(corpora, subcorpora), wanted, desk.words.index
        )
        for corpora, subcorpora in (
            (query.corpora, query.subcorpora),
            (query.against_corpora, query.against_subcorpora),
        )
    ]
    wish = KeyWish(query.n, query.min_count, query.top)
    page = page_of_keys(sides[0].parts, sides[1].parts, wish, report)
    missing = dict.fromkeys(id_ for side in sides for id_ in side.not_indexed)
    return {
        "rows": fitting(page.rows),
        "n_items": page.n_items,
        "n_tokens": page.n_tokens,
        "n_tokens_against": page.n_tokens_against,
        "not_indexed": list(missing),
        "notes": list(dict.fromkeys(note for side in sides for note in side.notes)),
    }


__all__ = ["answer_collocates", "answer_frequencies", "answer_keyness"]
