"""Find the words that distinguish some sentences from others."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from app.engine.text.word_vocabulary import split_words

# Of all words, what the prior counts for: with 1,000 words a quarter of those shown in
# the demo were among the 30 most frequent of their language, with this a sixth.
PRIOR_SHARE = 0.25
MIN_WORD_SENTENCES = 2  # sentences that have a word, for it to be listed


class DistinctiveWord(NamedTuple):
    """A word of some sentences.

    Attributes:
        word: case-folded.
        z: log-odds ratio against the others, in standard errors.
        n, n_others: sentences that have it.
    """

    word: str
    z: float
    n: int
    n_others: int


def count_word_sentences(texts: Iterable[str]) -> Counter[str]:
    """Count in how many texts each word is; signs and numbers are no words."""
    counts: Counter[str] = Counter()
    for text in texts:
        words = set(split_words(text))
        counts.update(word for word in words if any(map(str.isalpha, word)))
    return counts


def find_distinctive_words(
    own: Counter[str], others: Counter[str], n_words: int
) -> list[DistinctiveWord]:
    """Find the words that mark some sentences, the most marking first.

    The log-odds ratio with an informative Dirichlet prior, in standard errors (Monroe,
    Colaresi and Quinn 2008, "Fightin' Words", equations 16, 20 and 22); the prior is
    the words of both, scaled to `PRIOR_SHARE` of them. It holds rare words back, and
    frequent ones that are hardly more frequent here.

    Args:
        own: of the sentences that are asked about, as `count_sentences` gives it.
        others: of the others.
        n_words: at most so many; only those with z > 0.
    """
    n_own, n_others = own.total(), others.total()
    if not n_own or not n_others:
        return []
    all_priors = PRIOR_SHARE * (n_own + n_others)
    found = []
    for word, n in own.items():
        if n < MIN_WORD_SENTENCES:
            continue
        m = others[word]
        prior = (n + m) * PRIOR_SHARE
        one, other = n + prior, m + prior
        odds = math.log(one / (n_own + all_priors - one))
        odds -= math.log(other / (n_others + all_priors - other))
        found.append(DistinctiveWord(word, odds / math.sqrt(1 / one + 1 / other), n, m))
    found.sort(key=lambda word: (-word.z, word.word))
    return [word for word in found[:n_words] if word.z > 0]


def find_words_of_groups(
    groups: Sequence[Counter[str]], n_words: int
) -> list[list[DistinctiveWord]]:
    """Find the words that mark each group against all the others together."""
    whole: Counter[str] = Counter()
    for group in groups:
        whole.update(group)
    return [find_distinctive_words(group, whole - group, n_words) for group in groups]
