"""SOMO: a noun or verb replaced by one that its neighbours go with as often.

Conneau et al. 2018, "What you can cram into a single vector", section 2: the bigrams
of the replacement with its neighbours are about as frequent (on a log scale) as those
of the word that was there, so that only the sense of the whole tells them apart.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from app.engine.probing.treebank import text_of
from app.engine.probing.treebank_alterations import (
    ORIGINAL,
    has_quotes,
    keep_new,
    shuffled,
)
from app.engine.probing.treebank_labels import Row, Rows
from app.engine.probing.trees import Sentence, Word

CHANGED = "C"
REPLACED = ("NOUN", "VERB")
# Occurrences of target and replacement. SentEval: 40 to 400 in a corpus of 100 million
# words; in a treebank the lower bound would leave nothing.
RAREST, MOST_FREQUENT = 3, 400

Category = tuple[str, str]  # part of speech and features, so that agreement holds


class _Counts(NamedTuple):
    """What was counted in a treebank; all tokens lower-cased.

    Attributes:
        bigrams: two tokens → how often.
        after: a token and a category → the words of it that follow, as they stand
            within a sentence; those that are too rare or too frequent aside.
    """

    units: Counter[str]
    bigrams: Counter[tuple[str, str]]
    after: dict[tuple[str, Category], list[Word]]


def replace_words(
    sentences: Sequence[Sentence], generator: np.random.Generator
) -> Rows:
    """Replace a noun or verb in half of the sentences that have one to replace (C).

    "About as frequent" is: equal whole parts of log2 of the bigrams' counts, for both
    neighbours. The replacement has the same part of speech and the same features. The
    first token and the sentence's last one stay, and sentences with quotes are left
    out.
    """
    counts = _count(sentences)
    rows: list[Row] = []
    dropped: Counter[str] = Counter()
    known = {text_of(sentence.units) for sentence in sentences}
    for sentence in shuffled(sentences, generator):
        found = _find_replacement(sentence, counts, generator)
        if found is None:
            dropped["no noun or verb with a replacement of like bigrams"] += 1
        elif len(rows) % 2:
            rows.append(Row(text_of(sentence.units), ORIGINAL))
        else:
            place, replacement = found
            units = list(sentence.units)
            units[place] = replacement.form
            keep_new(Row(text_of(units), CHANGED, replacement), known, rows, dropped)
    return Rows(rows, dropped)


def _count(sentences: Sequence[Sentence]) -> _Counts:
    counts = _Counts(Counter(), Counter(), defaultdict(list))
    known: dict[str, dict[Category, Word]] = defaultdict(dict)
    for sentence in sentences:
        units = [unit.lower() for unit in sentence.units]
        counts.units.update(units)
        counts.bigrams.update(pairwise(units))
        for word in sentence.words:
            if word.unit and _is_replaced(sentence, word):
                known[word.form.lower()].setdefault(_category(word), word)
    for left, right in counts.bigrams:
        if right in known and _is_middling(right, counts):
            for category, word in known[right].items():
                counts.after[left, category].append(word)
    return counts


def _find_replacement(
    sentence: Sentence, counts: _Counts, generator: np.random.Generator
) -> tuple[int, Word] | None:
    """Find a token's place and another word for it; None: there is none."""
    if has_quotes(sentence):
        return None
    places = [
        word
        for word in sentence.words
        if 0 < word.unit < len(sentence.units) - 1
        and _is_replaced(sentence, word)
        and _is_middling(word.form.lower(), counts)
    ]
    for i in generator.permutation(len(places)):
        target = places[int(i)]
        found = _replacements(sentence, target, counts)
        if found:
            return target.unit, found[int(generator.integers(len(found)))]
    return None


def _replacements(sentence: Sentence, target: Word, counts: _Counts) -> list[Word]:
    """List the words that could stand in place of one."""
    left = sentence.units[target.unit - 1].lower()
    right = sentence.units[target.unit + 1].lower()
    own, category = target.form.lower(), _category(target)
    before = counts.bigrams[left, own].bit_length()  # whole part of log2, and 1
    behind = counts.bigrams[own, right].bit_length()
    found = []
    for word in counts.after[left, category]:
        other = word.form.lower()
        is_same = other == own or word.lemma == target.lemma != "_"
        if is_same or counts.bigrams[left, other].bit_length() != before:
            continue
        if counts.bigrams[other, right].bit_length() == behind:
            found.append(word)
    return found


def _is_middling(form: str, counts: _Counts) -> bool:
    """Tell whether a token, lower-cased, is neither too rare nor too frequent."""
    return RAREST <= counts.units[form] <= MOST_FREQUENT


def _is_replaced(sentence: Sentence, word: Word) -> bool:
    """Tell whether a word is a noun or verb that is a token of its own."""
    return word.kind in REPLACED and sentence.units[word.unit] == word.form


def _category(word: Word) -> Category:
    return word.kind, "|".join(f"{key}={word.feats[key]}" for key in sorted(word.feats))
