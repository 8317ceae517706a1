"""WC: which of some words a sentence holds, and how many words to ask for."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from app.engine.probing.treebank import text_of
from app.engine.probing.treebank_labels import Row, Rows
from app.engine.probing.trees import Sentence

MIN_LETTERS = 4  # of a target, as in SentEval
N_TARGETS = 1_000  # at most, as in SentEval
FEWEST_TARGETS = 2
RAREST_TARGET = 20  # sentences
MOST_SHARE = 0.01  # of the sentences that a target is in: it is no function word
NO_CONTENT = ("PUNCT", "SYM", "NUM", "X", "_")


def label_words(sentences: Sequence[Sentence]) -> Rows:
    """WC: which of up to 1,000 words of middling frequency is in the sentence.

    SentEval takes the ranks 2,000 to 3,000 of a corpus of 100 million words; in a
    treebank these are too rare, so the targets are the most frequent words that are in
    at most 1 % of the sentences. A sentence holds one of them, once: the more targets,
    the fewer such sentences, so there are as many as let the labels say the most.
    """
    targets = _choose_targets(sentences)
    ranks = {word: rank for rank, word in enumerate(targets)}
    held = [
        [ranks[unit.lower()] for unit in sentence.units if unit.lower() in ranks]
        for sentence in sentences
    ]
    n_targets = max(_numbers(len(targets)), key=partial(_bits_of_targets, held))
    rows: list[Row] = []
    dropped: Counter[str] = Counter()
    for sentence, found in zip(sentences, held, strict=True):
        own = [rank for rank in found if rank < n_targets]
        if len(own) == 1:
            rows.append(Row(text_of(sentence.units), targets[own[0]]))
        else:
            dropped["several target words" if own else "no target word"] += 1
    return Rows(rows, dropped)


def bits_of(k: int, n: int) -> float:
    """Tell how much labels of k classes of n rows each say: k n log2(k) bits."""
    return k * n * math.log2(k)


def _numbers(most: int) -> Iterator[int]:
    """Give numbers of targets to try: the most, each time fewer by the root of 2."""
    yield most
    while most > FEWEST_TARGETS:
        most = max(FEWEST_TARGETS, round(most / math.sqrt(2)))
        yield most


def _bits_of_targets(held: Sequence[Sequence[int]], n_targets: int) -> float:
    """Tell how much labels say when so many targets are taken, the first in order."""
    counts: Counter[int] = Counter()
    for found in held:
        own = [rank for rank in found if rank < n_targets]
        if len(own) == 1:
            counts[own[0]] += 1
    ordered = sorted(counts.values(), reverse=True)
    return max((bits_of(k, n) for k, n in enumerate(ordered, 1)), default=0.0)


def _choose_targets(sentences: Sequence[Sentence]) -> list[str]:
    """Choose the target words of WC, lower-cased, the most frequent first."""
    counts: Counter[str] = Counter()
    content: set[str] = set()
    for sentence in sentences:
        counts.update({unit.lower() for unit in sentence.units})
        for word in sentence.words:
            is_whole = word.form == sentence.units[word.unit]
            if is_whole and word.form.isalpha() and word.kind not in NO_CONTENT:
                content.add(word.form.lower())
    # words are shorter in scripts that write syllables or ideas
    fewest = min(MIN_LETTERS, _median([len(word) for word in content]))
    most = max(RAREST_TARGET, MOST_SHARE * len(sentences))
    fitting = [
        word
        for word in content
        if RAREST_TARGET <= counts[word] <= most and len(word) >= fewest
    ]
    ranked = sorted(fitting, key=lambda word: (-counts[word], word))
    return ranked[:N_TARGETS]


def _median(values: Sequence[int]) -> int:
    return sorted(values)[len(values) // 2] if values else 0
