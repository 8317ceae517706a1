"""Translation equivalents of a word: ranked, with intervals, a check and examples."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.engine.project import Project
from app.engine.statistics import wilson_interval
from app.engine.store.dictionary_rows import DictionaryRow, read_entries
from app.engine.words.association import dice
from app.engine.words.bitext import Bitext, BitextShelf, Opener, Wanted
from app.engine.words.entries import entry_key
from app.engine.words.match import Pattern, parse, places
from app.engine.words.pair_words import IntArray
from app.engine.words.tokens import cut
from app.engine.words.translations import (
    Candidates,
    are_own,
    find_translations,
    thin_out,
)
from app.engine.words.usual_form import usual_form
from app.errors import UserError
from app.languages import primary_language
from app.word_questions import EquivalentsQuery

MAX_CANDIDATES = 1_000
FEW_PAIRS = 5  # below, each word of the other side is as likely as the next
N_BEST = 200  # examples, the shortest, of which different ones are chosen


def find_equivalents(
    project: Project,
    wanted: Wanted,
    query: EquivalentsQuery,
    *,
    shelf: BitextShelf,
    open_index: Opener,
    dictionary: DictionaryRow | None = None,
) -> dict[str, Any]:
    """Find how a word is translated: the answer of `EquivalentsQuery`.

    Args:
        project: open for reading or writing.
        wanted: which pairs are looked at.
        query: the word, and how the list is made; what `wanted` says is not read.
        shelf: keeps what is common to all words.
        open_index: opens the words of a corpus; None where they are not indexed.
        dictionary: what the list is checked against.

    Raises:
        UserError: the text is no word, or the dictionary is of other languages.
    """
    pattern = parse(query.text)
    known = _translations(project, wanted, query.text, dictionary)
    if not wanted.source_language:
        wanted = _with_word(wanted, pattern, open_index)
    bitext, not_indexed = shelf.open(project, wanted, open_index)
    pairs, matched = bitext.find(pattern)
    n = min(max(query.top, 1), MAX_CANDIDATES)
    found = find_translations(
        bitext.source.words, bitext.target.words, pairs, matched, n=n
    )
    order = _order(found, query, len(pairs))[: query.top]
    rows = [_row(bitext, found, place, len(pairs), known) for place in order]
    for row, place in zip(rows, order, strict=True):
        word = int(found.words[place])
        row["examples"] = _examples(bitext, (pairs, matched), word, query.n_examples)
    return {
        "rows": rows,
        "n_word": len(pairs),
        "n_pairs": bitext.pairs.n,
        "not_indexed": not_indexed,
        "missing": [] if known is None else _missing(bitext, pairs, known),
        "notes": _notes(bitext, len(pairs)),
    }


def _notes(bitext: Bitext, n_word: int) -> list[str]:
    """Say what to mind: how words were cut, and how few pairs there are."""
    indexes = (*bitext.source.indexes, *bitext.target.indexes)
    notes = list(dict.fromkeys(note for one in indexes for note in one.notes))
    if 0 < n_word < FEW_PAIRS:
        few = "1 pair has" if n_word == 1 else f"{n_word} pairs have"
        notes.append(
            f"Only {few} the word: the order is hardly better than chance. Link or "
            "mine more translations."
        )
    return notes


def _with_word(wanted: Wanted, pattern: Pattern, open_index: Opener) -> Wanted:
    """Leave the corpora that have the word: pairs of others tell nothing of it."""
    kept = []
    for corpus in wanted.corpora:
        index = open_index(corpus)
        if index is None or len(places(index, pattern)[0]):
            kept.append(corpus)
    return wanted._replace(corpora=kept) if kept else wanted


def _order(found: Candidates, query: EquivalentsQuery, n_word: int) -> list[int]:
    """Give the places of the candidates in the order that is asked for.

    One that is found with the word less than chance would have it is left out.
    """
    kept = np.flatnonzero(
        (found.log_likelihoods >= 0) & (found.n_both >= query.min_count)
    )
    if query.order_by == "frequency":
        kept = kept[np.argsort(-found.n_both[kept], kind="stable")]
    elif query.order_by == "dice":
        keys = dice(found.n_both, n_word, found.n_targets)
        kept = kept[np.argsort(-keys[kept], kind="stable")]
    return [int(place) for place in kept]


def _row(
    bitext: Bitext, found: Candidates, place: int, n_word: int, known: list[str] | None
) -> dict[str, Any]:
    item = bitext.target.lexicon.item(int(found.words[place]))
    n, n_target = int(found.n_both[place]), int(found.n_targets[place])
    share, is_word = wilson_interval(n, n_word), bitext.layer == "word"
    return {
        "item": item,
        "form": usual_form(bitext.target.indexes, item) if is_word else item,
        "n": n,
        "n_own": int(found.n_own[place]),
        "n_target": n_target,
        "share": share.value,
        "low": share.low,
        "high": share.high,
        "score": float(found.scores[place]),
        "log_likelihood": float(found.log_likelihoods[place]),
        "dice": float(dice(n, n_word, n_target)),
        "in_dictionary": entry_key(item) in known if known else None,
        "examples": [],
    }


def _examples(
    bitext: Bitext, wanted: tuple[IntArray, IntArray], word: int, n: int
) -> list[list[int]]:
    """Give pairs with both: those that speak for it first, short ones first."""
    if not n:
        return []
    source, target = bitext.source.words, bitext.target.words
    few = thin_out(wanted[0]), wanted[1]
    both, is_own = are_own(source, target, few, word)
    lengths = source.lengths[both] + target.lengths[both]
    best = both[np.lexsort((both, lengths, ~is_own))][:N_BEST]
    chosen: dict[bytes, list[int]] = {}  # by their words: equal ones are one
    for pair in best.tolist():
        words, _ = source.words_of(np.array([pair]))
        ends = int(bitext.pairs.sources[pair]), int(bitext.pairs.targets[pair])
        chosen.setdefault(words.tobytes(), list(ends))
        if len(chosen) == n:
            break
    return list(chosen.values())


def _translations(
    project: Project, wanted: Wanted, text: str, dictionary: DictionaryRow | None
) -> list[str] | None:
    """Read what a dictionary says; None without one.

    Raises:
        UserError: it is of other languages.
    """
    if dictionary is None:
        return None
    languages = [
        primary_language(code)
        for code in (dictionary.source_language, dictionary.target_language)
    ]
    target = primary_language(wanted.target_language)
    source = primary_language(wanted.source_language) if wanted.source_language else ""
    if target not in languages or (source and source not in languages):
        raise UserError(
            f"The dictionary {dictionary.name} is of {' and '.join(languages)}: it "
            f"says nothing of {wanted.target_language}."
        )
    return read_entries(
        project.store,
        dictionary.id,
        entry_key(text),
        is_turned=target == languages[0],
    )


def _missing(bitext: Bitext, pairs: IntArray, known: Sequence[str]) -> list[str]:
    """Name translations that are in no pair with the word: one word or several."""
    return [one for one in known if not _is_found(bitext, pairs, one)]


def _is_found(bitext: Bitext, pairs: IntArray, text: str) -> bool:
    left = pairs
    for begin, end in cut(text):
        low, high = bitext.target.lexicon.range_of(text[begin:end])
        with_it = [bitext.target.words.pairs_of(word) for word in range(low, high)]
        left = np.intersect1d(left, np.concatenate([*with_it, left[:0]]))
    return len(left) > 0


__all__ = ["find_equivalents"]
