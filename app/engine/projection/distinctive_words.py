"""Find the words that distinguish some sentences from others."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from app.engine.text.word_vocabulary import UNSPACED_LETTERS, split_words
from app.engine.words.tokenizer import (
    CHARACTERS,
    tokenize_texts,
    unspaced_segmenter,
)
from app.languages import elides, primary_language

# Prior as a share of all words: with a prior of 1,000 words, a quarter of the words
# shown in the demo were among the 30 most frequent of their language; with this, a
# sixth.
PRIOR_SHARE = 0.25
MIN_WORD_SENTENCES = 2  # minimum sentences with a word, for the word to be listed
# If a language's list of function words is shorter than `MIN_LISTED` (Hindi's, with
# 225, lacks "what" and "every") or missing, the most frequent words that occur in 3 %
# of its sentences also count as function words, if there are enough sentences.
N_FUNCTION_WORDS, FUNCTION_WORD_SHARE, MIN_LANGUAGE_SENTENCES = 100, 0.03, 100
MIN_LISTED = 250
_LISTED_AS = {"fil": "tl", "nb": "no", "nn": "no"}  # codes used by the lists


class DistinctiveWord(NamedTuple):
    """A distinctive word.

    Attributes:
        word: case-folded word.
        z: log-odds ratio against the other sentences, in standard errors.
        n, n_others: number of own and other sentences with the word.
    """

    word: str
    z: float
    n: int
    n_others: int


def count_word_sentences(texts: Iterable[str], language: str = "") -> Counter[str]:
    """Count the texts that contain each word, without punctuation and numbers.

    In scripts without spaces, ICU finds the words; without ICU, each pair of adjacent
    letters is a word. In these scripts, one or two hiragana and other single letters,
    which are mostly particles, are left out; a single Chinese character is a word.

    Args:
        language: language code, which determines whether an apostrophe ends a word.
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
        for _, word in dict.fromkeys(found)  # ordered, unlike a set
        if any(map(str.isalpha, word)) and not _PARTICLE.fullmatch(word)
    )


def count_words_by_language(
    texts: Iterable[str], languages: Iterable[str]
) -> dict[str, Counter[str]]:
    """Count the words of each language with `count_word_sentences`.

    Args:
        languages: language code of each text.
    """
    by_language: dict[str, list[str]] = {}
    for text, language in zip(texts, languages, strict=True):
        by_language.setdefault(language, []).append(text)
    return {
        language: count_word_sentences(own, language)
        for language, own in by_language.items()
    }


_UNSPACED = re.compile(f"[{UNSPACED_LETTERS}]")
_CHINESE = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_PARTICLE = re.compile(f"[\u3041-\u309f]{{1,2}}|(?![{_CHINESE}])[{UNSPACED_LETTERS}]")


def _letter_pairs(tokens: Sequence[str]) -> Iterator[str]:
    for token, following in pairwise(tokens):
        if _UNSPACED.match(token) and _UNSPACED.match(following):
            yield token + following


def find_function_words(
    counts: Counter[str], n_sentences: int, language: str
) -> set[str]:
    """Find the function words of a language.

    These are the words of a list and, without a long list, the most frequent words.

    Args:
        counts: counts of all its sentences by `count_word_sentences`.
        language: language code.
    """
    listed = find_listed_words(counts, language)
    is_enough = len(_function_words(primary_language(language))) >= MIN_LISTED
    if is_enough or n_sentences < MIN_LANGUAGE_SENTENCES:
        return listed
    return listed | {
        word
        for word, n in counts.most_common(N_FUNCTION_WORDS)
        if n >= FUNCTION_WORD_SHARE * n_sentences
    }


def find_listed_words(words: Iterable[str], language: str) -> set[str]:
    """Return the case-folded words that are in a list of function words.

    A word with hyphens or apostrophes is included if each part is (*avez-vous*, *l’*).
    """
    code = primary_language(language)
    listed = _function_words(code)
    if not listed:
        return set()
    plain = {word: _plain(word, code) for word in words}
    return {
        word
        for word, form in plain.items()
        if form in listed or listed.issuperset(filter(None, re.split("[-']", form)))
    }


@cache
def _function_words(code: str) -> frozenset[str]:
    """Return the list of Stopwords ISO for a language; empty if it has none."""
    import stopwordsiso  # slow import, 60 ms

    words = stopwordsiso.stopwords(_LISTED_AS.get(code, code))
    return frozenset(_plain(word, code) for word in words)


def _plain(word: str, code: str) -> str:
    """Return a word's form in the lists, in which Greek has no accents."""
    word = unicodedata.normalize("NFKC", word).casefold().replace("’", "'")
    if code != "el":
        return word
    letters = unicodedata.normalize("NFD", word.replace("∆", "δ"))
    return "".join(one for one in letters if not unicodedata.combining(one))


def leave_out(counts: Counter[str], words: Set[str]) -> Counter[str]:
    """Return counts without some words."""
    return Counter({word: n for word, n in counts.items() if word not in words})


def find_distinctive_words(
    own: Counter[str],
    others: Counter[str],
    n_words: int,
    *,
    least: int = MIN_WORD_SENTENCES,
) -> list[DistinctiveWord]:
    """Find the words that distinguish some sentences, most distinctive first.

    The rank is z · ln(1 + A / f), where f is the frequency of the word in all sentences
    and A the number of words in the selected sentences: the inverse frequency of
    c-TF-IDF (Grootendorst 2022, "BERTopic", equation 2) puts function words last. Of
    the two words that name a cluster of the demo, 12 % are among the 30 most frequent
    of their language, and 26 % by z alone.

    z is the log-odds ratio with an informative Dirichlet prior, in standard errors
    (Monroe, Colaresi and Quinn 2008, "Fightin' Words", equations 16, 20 and 22); the
    prior is the words of both sides, scaled to `PRIOR_SHARE`, which penalises rare
    words.

    Args:
        own: counts of the selected sentences by `count_word_sentences`.
        n_words: maximum number of words; only words with z > 0.
        least: minimum number of own sentences with a word.
    """
    n_own, n_others = own.total(), others.total()
    if not n_own or not n_others or len(own.keys() | others.keys()) == 1:
        return []
    all_priors = PRIOR_SHARE * (n_own + n_others)
    found = []
    for word, n in own.items():
        if n < least:
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
    """Find the words that distinguish each group from all other groups."""
    whole: Counter[str] = Counter()
    for group in groups:
        whole.update(group)
    return [find_distinctive_words(group, whole - group, n_words) for group in groups]
