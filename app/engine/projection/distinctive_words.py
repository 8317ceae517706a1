"""Find the words that distinguish some sentences from others."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from app.engine.text.word_vocabulary import UNSPACED_LETTERS, split_words
from app.engine.words.tokenizer import (
    CHARACTERS,
    elides,
    tokenize_texts,
    unspaced_segmenter,
)

# Of all words, what the prior counts for: with 1,000 words a quarter of those shown in
# the demo were among the 30 most frequent of their language, with this a sixth.
PRIOR_SHARE = 0.25
MIN_WORD_SENTENCES = 2  # sentences that have a word, for it to be listed
# Words that are taken for function words: the most frequent of a language, if they are
# in 3 % of its sentences, and it has enough of these.
N_FUNCTION_WORDS, FUNCTION_WORD_SHARE, MIN_LANGUAGE_SENTENCES = 100, 0.03, 100


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


def count_word_sentences(texts: Iterable[str], language: str = "") -> Counter[str]:
    """Count in how many texts each word is; signs and numbers are no words.

    In scripts without spaces ICU finds the words; without it, two letters next to each
    other are a word. Of these scripts, one or two hiragana and any other single letter
    are left out, as they are mostly particles; a single Chinese character is a word.

    Args:
        texts: of one language.
        language: its code, which decides whether an apostrophe ends a word.
    """
    clean = [unicodedata.normalize("NFKC", text).casefold() for text in texts]
    spans = tokenize_texts(clean, np.array([elides(language)]))
    of_texts = np.searchsorted(spans.offsets, spans.begins, side="right").tolist()
    found = list(zip(of_texts, spans.words(), strict=True))
    if spans.has_unspaced and unspaced_segmenter() == CHARACTERS:
        found = [one for one in found if not _UNSPACED.fullmatch(one[1])]
        for number, text in enumerate(clean, start=1):
            found.extend((number, pair) for pair in _letter_pairs(split_words(text)))
    return Counter(
        word
        for _, word in dict.fromkeys(found)  # a set has no order
        if any(map(str.isalpha, word)) and not _PARTICLE.fullmatch(word)
    )


_UNSPACED = re.compile(f"[{UNSPACED_LETTERS}]")
_CHINESE = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_PARTICLE = re.compile(f"[\u3041-\u309f]{{1,2}}|(?![{_CHINESE}])[{UNSPACED_LETTERS}]")


def _letter_pairs(tokens: Sequence[str]) -> Iterator[str]:
    for token, following in pairwise(tokens):
        if _UNSPACED.match(token) and _UNSPACED.match(following):
            yield token + following


def find_function_words(counts: Counter[str], n_sentences: int) -> set[str]:
    """Find the words of a language that say nothing of the subject.

    Args:
        counts: of all its sentences, as `count_word_sentences` gives it.
        n_sentences: of the language.
    """
    if n_sentences < MIN_LANGUAGE_SENTENCES:
        return set()
    return {
        word
        for word, n in counts.most_common(N_FUNCTION_WORDS)
        if n >= FUNCTION_WORD_SHARE * n_sentences
    }


def find_distinctive_words(
    own: Counter[str], others: Counter[str], n_words: int
) -> list[DistinctiveWord]:
    """Find the words that mark some sentences, the most marking first.

    The rank is z · ln(1 + A / f), where f is the frequency of the word in all sentences
    and A the number of words asked about: the inverse frequency of c-TF-IDF
    (Grootendorst 2022, "BERTopic", equation 2) puts function words last. Of the two
    words that name a cluster of the demo, 12 % are among the 30 most frequent of their
    language, and 26 % by z alone.

    z is the log-odds ratio with an informative Dirichlet prior, in standard errors
    (Monroe, Colaresi and Quinn 2008, "Fightin' Words", equations 16, 20 and 22); the
    prior is the words of both, scaled to `PRIOR_SHARE` of them, which holds rare words
    back.

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
    found.sort(key=lambda one: (-one.z * _inverse_frequency(one, n_own), one.word))
    return [word for word in found[:n_words] if word.z > 0]


def _inverse_frequency(word: DistinctiveWord, n_own: int) -> float:
    return math.log(1 + n_own / (word.n + word.n_others))


def find_words_of_groups(
    groups: Sequence[Counter[str]], n_words: int
) -> list[list[DistinctiveWord]]:
    """Find the words that mark each group against all the others together."""
    whole: Counter[str] = Counter()
    for group in groups:
        whole.update(group)
    return [find_distinctive_words(group, whole - group, n_words) for group in groups]
