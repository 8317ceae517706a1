"""Altered sentences: swapped words, replaced words, and inverted clauses.

BShift, SOMO and CoordInv of Conneau et al. 2018, "What you can cram into a single
vector", section 2. A sentence is in a set either unchanged (O) or altered (I, C).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from app.engine.probing.treebanks.labels import (
    VERBS,
    LabelledSentence,
    LabelledSentences,
)
from app.engine.probing.treebanks.reader import Sentence, Word, text_of

ORIGINAL, INVERTED = "O", "I"
QUOTES = frozenset({'"', "“", "”", "„", "«", "»", "``", "''"})
SUBJECTS = ("nsubj", "csubj", "expl")


def swap_words(
    sentences: Sequence[Sentence], generator: np.random.Generator
) -> LabelledSentences:
    """BShift: swap two neighbouring tokens in half of the sentences (I).

    As in SentEval, the first token, punctuation and sentences with a double quote are
    excluded, as are two equal words.
    """
    rows: list[LabelledSentence] = []
    dropped: Counter[str] = Counter()
    known = {text_of(sentence.units) for sentence in sentences}
    for sentence in shuffled(sentences, generator):
        indices = _swappable(sentence)
        if not indices:
            dropped["no two neighbouring words to swap"] += 1
        elif len(rows) % 2:
            rows.append(LabelledSentence(text_of(sentence.units), ORIGINAL))
        else:
            index = indices[int(generator.integers(len(indices)))]
            units = list(sentence.units)
            units[index : index + 2] = units[index + 1], units[index]
            keep_new(LabelledSentence(text_of(units), INVERTED), known, rows, dropped)
    return LabelledSentences(rows, dropped)


def turn_clauses(
    sentences: Sequence[Sentence], generator: np.random.Generator
) -> LabelledSentences:
    """CoordInv: swap two coordinated main clauses in half of the sentences.

    Rows are matched by the longer clause in the resulting order: the first, the second,
    or neither.
    """
    rows: list[LabelledSentence] = []
    dropped: Counter[str] = Counter()
    known = {text_of(sentence.units) for sentence in sentences}
    turns: Counter[int] = Counter()  # earlier sentences of each level
    for sentence in shuffled(sentences, generator):
        found = _two_clauses(sentence)
        if isinstance(found, str):
            dropped[found] += 1
            continue
        level = int(np.sign(len(found.first) - len(found.second)))
        turns[level] += 1
        if turns[level] % 2:
            rows.append(
                LabelledSentence(text_of(sentence.units), ORIGINAL, None, level)
            )
        else:
            text = text_of(_turned(sentence, found))
            keep_new(
                LabelledSentence(text, INVERTED, None, -level), known, rows, dropped
            )
    return LabelledSentences(rows, dropped)


def shuffled(
    sentences: Sequence[Sentence], generator: np.random.Generator
) -> Iterator[Sentence]:
    """Return the sentences in a random order."""
    return (sentences[int(i)] for i in generator.permutation(len(sentences)))


def keep_new(
    row: LabelledSentence,
    known: set[str],
    rows: list[LabelledSentence],
    dropped: Counter[str],
) -> None:
    """Return an altered sentence, unless it equals another sentence of the treebank."""
    if row.text in known:
        dropped["altered, it would equal another sentence"] += 1
    else:
        known.add(row.text)
        rows.append(row)


def has_quotes(sentence: Sentence) -> bool:
    """Return whether a sentence has double quotes."""
    return not QUOTES.isdisjoint(sentence.units)


class _Clauses(NamedTuple):
    """Two clauses, and the tokens between and after them."""

    first: tuple[str, ...]
    between: tuple[str, ...]
    second: tuple[str, ...]
    end: tuple[str, ...]


def _swappable(sentence: Sentence) -> list[int]:
    """Return the positions whose token can be swapped with the next token."""
    if has_quotes(sentence):
        return []
    signs = {word.unit for word in sentence.words if word.kind in ("PUNCT", "SYM")}
    units = sentence.units
    return [
        i
        for i in range(1, len(units) - 1)
        if signs.isdisjoint((i, i + 1)) and units[i].lower() != units[i + 1].lower()
    ]


def _two_clauses(sentence: Sentence) -> _Clauses | str:
    """Return the two clauses of a sentence, or why there are not exactly two."""
    words, root = sentence.words, sentence.root
    seconds = [i for i in sentence.children(root) if _bare(words[i]) == "conj"]
    if len(seconds) != 1 or not (
        _is_clause(sentence, root) and _is_clause(sentence, seconds[0])
    ):
        return "not exactly two coordinated clauses with a subject each"
    signs = [i for i in sentence.children(seconds[0]) if _bare(words[i]) == "cc"]
    if len(signs) != 1 or sentence.children(signs[0]) or has_quotes(sentence):
        return "no single conjunction of one word between the clauses"
    return _cut(sentence, sentence.below(seconds[0]), signs[0])


def _is_clause(sentence: Sentence, head: int) -> bool:
    """Return whether a word heads a clause with a subject and no other heads."""
    words = sentence.words
    relations = [_bare(words[i]) for i in sentence.children(head)]
    is_predicate = words[head].kind in VERBS or "cop" in relations
    n_joined = relations.count("conj")
    fits = n_joined == (1 if words[head].head < 0 else 0)
    return is_predicate and fits and any(one in SUBJECTS for one in relations)


def _cut(sentence: Sentence, below: set[int], sign: int) -> _Clauses | str:
    """Split a sentence at its conjunction.

    Args:
        below: words of the second clause, including conjunction and comma.
        sign: position of the conjunction.
    """
    words, units = sentence.words, sentence.units
    begin = sign - (sign > 0 and words[sign - 1].kind == "PUNCT")
    end = len(words)
    while words[end - 1].kind == "PUNCT":
        end -= 1
    firsts, seconds = range(begin), range(sign + 1, end)
    is_apart = below.isdisjoint(firsts) and below.issuperset(seconds)
    cuts = [words[i].unit for i in (begin, sign, sign + 1) if i < len(words)]
    cuts.append(words[end].unit if end < len(words) else len(units))
    is_whole = all(
        i == len(words) or i == 0 or words[i].unit != words[i - 1].unit
        for i in (begin, sign, sign + 1, end)
    )
    if not (is_apart and is_whole and firsts and seconds):
        return "the clauses are not adjacent"
    return _Clauses(
        units[: cuts[0]],
        units[cuts[0] : cuts[2]],
        units[cuts[2] : cuts[3]],
        units[cuts[3] :],
    )


def _turned(sentence: Sentence, clauses: _Clauses) -> list[str]:
    """Move the second clause first, with capital letters that hide the change."""
    first, second = list(clauses.first), list(clauses.second)
    opening = sentence.words[0]
    if first[0][:1].isupper():
        second[0] = second[0][:1].upper() + second[0][1:]
        is_name = opening.kind == "PROPN" or opening.lemma[:1].isupper()
        if not is_name and not (len(first[0]) > 1 and first[0].isupper()):
            first[0] = first[0][:1].lower() + first[0][1:]
    return [*second, *clauses.between, *first, *clauses.end]


def _bare(word: Word) -> str:
    """Return a word's relation without its subtype."""
    return word.relation.partition(":")[0]


CHANGED = "C"
REPLACED = ("NOUN", "VERB")
# Occurrences of target and replacement. SentEval: 40 to 400 in a corpus of 100 million
# words; in a treebank the lower bound would exclude all words.
MIN_COUNT, MAX_COUNT = 3, 400

Category = tuple[str, str]  # part of speech and features, so that agreement holds


class _Counts(NamedTuple):
    """Counts in a treebank, with lower-cased tokens.

    Attributes:
        bigrams: two tokens → count.
        after: a token and a category → words of the category that follow the token, as
            written within a sentence, without too rare or too frequent words.
    """

    units: Counter[str]
    bigrams: Counter[tuple[str, str]]
    after: dict[tuple[str, Category], list[Word]]


def replace_words(
    sentences: Sequence[Sentence], generator: np.random.Generator
) -> LabelledSentences:
    """SOMO: replace a noun or verb in half of the suitable sentences (C).

    The replacement's bigrams with both neighbours are about as frequent as the original
    word's (equal integer part of log2 of the counts), so that only the meaning of the
    sentence distinguishes them. The replacement has the same part of speech and the
    same features. The first and last tokens are not replaced, and sentences with quotes
    are left out.
    """
    counts = _count(sentences)
    rows: list[LabelledSentence] = []
    dropped: Counter[str] = Counter()
    known = {text_of(sentence.units) for sentence in sentences}
    for sentence in shuffled(sentences, generator):
        found = _find_replacement(sentence, counts, generator)
        if found is None:
            dropped[
                "no noun or verb with a replacement of similar bigram frequency"
            ] += 1
        elif len(rows) % 2:
            rows.append(LabelledSentence(text_of(sentence.units), ORIGINAL))
        else:
            index, replacement = found
            units = list(sentence.units)
            units[index] = replacement.form
            keep_new(
                LabelledSentence(text_of(units), CHANGED, replacement),
                known,
                rows,
                dropped,
            )
    return LabelledSentences(rows, dropped)


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
    """Return the position of a token and its replacement; None: there is none."""
    if has_quotes(sentence):
        return None
    indices = [
        word
        for word in sentence.words
        if 0 < word.unit < len(sentence.units) - 1
        and _is_replaced(sentence, word)
        and _is_middling(word.form.lower(), counts)
    ]
    for i in generator.permutation(len(indices)):
        target = indices[int(i)]
        found = _replacements(sentence, target, counts)
        if found:
            return target.unit, found[int(generator.integers(len(found)))]
    return None


def _replacements(sentence: Sentence, target: Word, counts: _Counts) -> list[Word]:
    """List the words that could replace a word."""
    left = sentence.units[target.unit - 1].lower()
    right = sentence.units[target.unit + 1].lower()
    own, category = target.form.lower(), _category(target)
    before = counts.bigrams[left, own].bit_length()  # integer part of log2, plus 1
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
    """Return whether a lower-cased token is neither too rare nor too frequent."""
    return MIN_COUNT <= counts.units[form] <= MAX_COUNT


def _is_replaced(sentence: Sentence, word: Word) -> bool:
    """Return whether a word is a noun or verb and a complete token."""
    return word.kind in REPLACED and sentence.units[word.unit] == word.form


def _category(word: Word) -> Category:
    return word.kind, "|".join(f"{key}={word.feats[key]}" for key in sorted(word.feats))
