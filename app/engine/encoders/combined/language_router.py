"""Selection of a combined encoder's part for a text, by its letters."""

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray

N_BUCKETS = 1 << 15
LONGEST = 3  # characters of an n-gram
MAX_CHARACTERS = 400  # per text, enough for the decision
MAX_TEXTS = 40_000  # texts per profile
SMOOTHING = 0.5  # added to each count
WORST_FIT = -6.0  # standard deviations below the mean fit of a language's own texts
BASE = "base"
CHUNK_TEXTS = 8_192

_FACTORS = np.array([0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D], np.uint32)


class LanguageProfile(NamedTuple):
    """Frequency of hashed letter n-grams in a language.

    Attributes:
        log_shares: float32 (N_BUCKETS,), natural logarithms of smoothed shares.
        mean_fit: mean fit (see `fits`) of texts that are not counted in the profile.
        spread: standard deviation of a fit times the square root of the text's n-grams.
    """

    log_shares: FloatArray
    mean_fit: float
    spread: float


def make_profile(texts: Sequence[str]) -> LanguageProfile:
    """Count the n-grams of every other text, and measure the fit of the rest.

    If there is only one text, it is both counted and measured.
    """
    step = max(1, len(texts) // MAX_TEXTS)
    sample = list(texts[::step])
    made_of, measured = sample[0::2], sample[1::2] or sample
    counts = np.zeros(N_BUCKETS)
    for grams in map(_hash_ngrams, _chunks(made_of)):
        counts += np.bincount(grams.buckets, minlength=N_BUCKETS)
    shares = (counts + SMOOTHING) / (counts.sum() + SMOOTHING * N_BUCKETS)
    log_shares = np.log(shares).astype(np.float32)
    sums, lengths = _score(measured, [log_shares])
    is_read = lengths > 0
    found = sums[is_read, 0] / lengths[is_read]
    mean = float(found.mean()) if len(found) else 0.0
    squares = np.square(found - mean) * lengths[is_read]
    spread = float(np.sqrt(squares.mean())) if len(found) else 0.0
    return LanguageProfile(log_shares, mean, max(spread, 1e-3))


class LanguageRouter:
    """Finds the added language of each text; other texts go to the base encoder.

    A text is assigned to the language under which its n-grams are most likely (naive
    Bayes with equal priors). The base has only the profile of English but may support a
    hundred languages: then a text that fits its most likely language worse than nearly
    all of that language's own texts is also assigned to the base.

    Attributes:
        languages: codes of the added languages, in order.
        base, added: language profiles.
    """

    def __init__(
        self,
        base: LanguageProfile,
        added: Mapping[str, LanguageProfile],
        *,
        is_base_multilingual: bool,
    ):
        """Make a router.

        Args:
            base: profile of English.
            added: profiles of the added languages by code.
            is_base_multilingual: the base supports languages other than English.
        """
        self.languages = tuple(added)
        self.base, self.added = base, dict(added)
        self._worst_fit = WORST_FIT if is_base_multilingual else -np.inf

    def route(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Return the index of each text's language, or -1 for the base: int64 (n,)."""
        profiles = [self.base, *self.added.values()]
        log_shares = [one.log_shares for one in profiles]
        means = np.array([one.mean_fit for one in profiles])
        spreads = np.array([one.spread for one in profiles])
        routes = [np.empty(0, np.int64)]
        for chunk in _chunks(texts):
            sums, lengths = _score(chunk, log_shares)
            best = sums.argmax(axis=1)  # (n, l) -> (n,); the base is first
            n_grams = np.maximum(lengths, 1)
            fits = sums[np.arange(len(chunk)), best] / n_grams
            places = (fits - means[best]) * np.sqrt(n_grams) / spreads[best]
            is_added = (best > 0) & (lengths > 0) & (places > self._worst_fit)
            routes.append(np.where(is_added, best - 1, -1))
        return np.concatenate(routes)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays to save, by name."""
        profiles = {BASE: self.base, **self.added}
        shares = {name: one.log_shares for name, one in profiles.items()}
        fits = {
            f"{name}.fit": np.array([one.mean_fit, one.spread])
            for name, one in profiles.items()
        }
        return {**shares, **fits}

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        languages: Sequence[str],
        *,
        is_base_multilingual: bool,
    ) -> "LanguageRouter":
        """Make a router from the arrays of `arrays`.

        Raises:
            KeyError, ValueError: an array is missing or has another shape.
        """
        profiles = {}
        for name in (BASE, *languages):
            mean_fit, spread = (float(value) for value in arrays[f"{name}.fit"])
            log_shares = arrays[name].astype(np.float32)
            if log_shares.shape != (N_BUCKETS,):
                raise ValueError(name)
            profiles[name] = LanguageProfile(log_shares, mean_fit, spread)
        base = profiles.pop(BASE)
        return cls(base, profiles, is_base_multilingual=is_base_multilingual)


class _Ngrams(NamedTuple):
    """N-grams of texts.

    Attributes:
        buckets: int64 (g,), hash of each n-gram.
        text_ids: int64 (g,), text of each n-gram.
    """

    buckets: NDArray[np.int64]
    text_ids: NDArray[np.int64]


def _score(
    texts: Sequence[str], log_shares: Sequence[FloatArray]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Sum the log shares of each text's n-grams.

    Args:
        texts: n texts.
        log_shares: float32 (N_BUCKETS,) of each of l languages.

    Returns:
        float64 (n, l), and the number of n-grams of each text, int64 (n,).
    """
    grams = _hash_ngrams(texts)
    n = len(texts)
    columns = [
        np.bincount(grams.text_ids, shares[grams.buckets], minlength=n)
        for shares in log_shares
    ]
    return np.stack(columns, axis=1), np.bincount(grams.text_ids, minlength=n)


def _hash_ngrams(texts: Sequence[str]) -> _Ngrams:
    """Hash the n-grams of one to three letters, with a space around each word.

    N-grams without a letter are excluded, so that digits and signs have no effect.
    """
    prepared = [f" {text[:MAX_CHARACTERS].lower()} " for text in texts]
    joined = "".join(prepared)
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    lengths = np.fromiter(map(len, prepared), np.int64, len(prepared))
    owners = np.repeat(np.arange(len(texts)), lengths)
    letters = _is_letter()[codes]
    buckets, text_ids = [], []
    for n in range(1, LONGEST + 1):
        n_grams = max(len(codes) - n + 1, 0)
        hashes = np.full(n_grams, n, np.uint32)
        has_letter = np.zeros(n_grams, np.bool_)
        for i in range(n):
            window = slice(i, i + n_grams)
            hashes = (hashes ^ codes[window]) * _FACTORS[i]
            hashes ^= hashes >> np.uint32(15)
            has_letter |= letters[window]
        kept = has_letter & (owners[:n_grams] == owners[n - 1 : n - 1 + n_grams])
        buckets.append((hashes[kept] % N_BUCKETS).astype(np.int64))
        text_ids.append(owners[:n_grams][kept])
    return _Ngrams(np.concatenate(buckets), np.concatenate(text_ids))


@cache
def _is_letter() -> NDArray[np.bool_]:
    """Mark the code points that are letters: bool (1114112,)."""
    points = range(sys.maxunicode + 1)
    return np.fromiter(map(str.isalpha, map(chr, points)), np.bool_, len(points))


def _chunks(texts: Sequence[str]) -> list[Sequence[str]]:
    """Split texts into lists that fit in memory."""
    return [texts[i : i + CHUNK_TEXTS] for i in range(0, len(texts), CHUNK_TEXTS)]
