"""BLEU and chrF of translations with sacreBLEU, intervals, and BLEU by length."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from app.engine.statistics import N_RESAMPLES, bootstrap_estimate
from app.languages import parse_language, primary_language

# Scripts without spaces: sacreBLEU's tokenisation, or single characters.
TOKENISERS = {"zh": "zh", "ja": "char", "th": "char", "lo": "char", "km": "char",
              "my": "char", "yue": "zh", "bo": "char"}  # fmt: skip
LENGTH_BINS = (10, 20, 30, 40, 50)  # words; the last bin is open


class CorpusScore(NamedTuple):
    """A corpus score, 0…100, with its 95 % bootstrap interval.

    Attributes:
        signature: sacreBLEU's signature.
    """

    value: float
    low: float
    high: float
    signature: str


class LengthScore(NamedTuple):
    """BLEU of the sentences in a range of lengths.

    Attributes:
        longest: maximum words of the bin's source sentences; 0: no limit.
        n: number of sentences.
        bleu: 0…100.
    """

    shortest: int
    longest: int
    n: int
    bleu: float


def corpus_bleu(
    translations: Sequence[str],
    references: Sequence[str],
    language: str,
    *,
    is_lowercase: bool,
) -> float:
    """Return corpus BLEU, 0…100 (see `score_bleu`)."""
    metric = _bleu(language, is_lowercase)
    return float(metric.corpus_score(list(translations), [list(references)]).score)


def score_bleu(
    translations: Sequence[str],
    references: Sequence[str],
    language: str,
    *,
    is_lowercase: bool,
    seed: int = 1,
) -> CorpusScore:
    """Return corpus BLEU (Papineni et al. 2002) of n > 0 translations.

    Args:
        translations: n texts.
        references: one reference for each translation.
        language: language of both, which determines the tokenisation.
        is_lowercase: case is ignored.
    """
    metric = _bleu(language, is_lowercase)
    result = metric.corpus_score(list(translations), [list(references)])
    counts = _bleu_counts(metric, translations, references)

    def resampled(indices: np.ndarray) -> float:
        sums = counts[indices].sum(axis=0).tolist()
        return _bleu_of_counts(sums)

    estimate = bootstrap_estimate(resampled, len(counts), seed=seed)
    return CorpusScore(
        float(result.score), estimate.low, estimate.high, str(metric.get_signature())
    )


def score_chrf(
    translations: Sequence[str], references: Sequence[str], *, is_lowercase: bool
) -> CorpusScore:
    """Return corpus chrF2 (Popović 2015), 0…100, with sacreBLEU's bootstrap."""
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF(lowercase=is_lowercase)
    result = metric.corpus_score(
        list(translations), [list(references)], n_bootstrap=N_RESAMPLES
    )
    mean, half = result._mean, result._ci  # no public names
    return CorpusScore(
        float(result.score),
        max(0.0, float(mean - half)),
        min(100.0, float(mean + half)),
        str(metric.get_signature()),
    )


def sentence_bleu(
    translations: Sequence[str],
    references: Sequence[str],
    language: str,
    *,
    is_lowercase: bool,
) -> list[float]:
    """Return BLEU of each sentence, 0…100, over the n-gram orders that it contains."""
    metric = _bleu(language, is_lowercase, per_sentence=True)
    return [
        float(metric.sentence_score(text, [reference]).score)
        for text, reference in zip(translations, references, strict=True)
    ]


def bleu_by_length(
    sources: Sequence[str],
    translations: Sequence[str],
    references: Sequence[str],
    language: str,
    *,
    is_lowercase: bool,
) -> list[LengthScore]:
    """Return BLEU of the sentences of each bin of source words.

    Empty bins are left out. A text of a script without spaces counts as one word.
    """
    metric = _bleu(language, is_lowercase)
    n_words = np.array([len(text.split()) for text in sources])
    bins = np.searchsorted(LENGTH_BINS, n_words)  # 0…10 words: bin 0
    found = []
    for index in np.unique(bins).tolist():
        members = np.flatnonzero(bins == index).tolist()
        result = metric.corpus_score(
            [translations[i] for i in members], [[references[i] for i in members]]
        )
        shortest = LENGTH_BINS[index - 1] + 1 if index else 1
        longest = LENGTH_BINS[index] if index < len(LENGTH_BINS) else 0
        score = float(result.score)
        found.append(LengthScore(shortest, longest, len(members), score))
    return found


def _bleu(language: str, is_lowercase: bool, *, per_sentence: bool = False) -> Any:
    """Return sacreBLEU's metric with its defaults for a language."""
    from sacrebleu.metrics.bleu import BLEU

    code = primary_language(parse_language(language).code)
    return BLEU(
        lowercase=is_lowercase,
        tokenize=TOKENISERS.get(code, "13a"),
        effective_order=per_sentence,
    )


def _bleu_counts(
    metric: Any, translations: Sequence[str], references: Sequence[str]
) -> np.ndarray:
    """Return the counts that BLEU sums over sentences: int64 (n, 10).

    Right n-grams of orders 1 to 4, all n-grams of orders 1 to 4, and the lengths of
    translation and reference.
    """
    rows = []
    for text, reference in zip(translations, references, strict=True):
        one = metric.corpus_score([text], [[reference]])
        rows.append([*one.counts, *one.totals, one.sys_len, one.ref_len])
    return np.array(rows, np.int64)


def _bleu_of_counts(sums: list[int]) -> float:
    from sacrebleu.metrics.bleu import BLEU

    return float(
        BLEU.compute_bleu(
            sums[:4], sums[4:8], sums[8], sums[9], smooth_method="exp"
        ).score
    )
