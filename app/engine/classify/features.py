"""Features of a text or of a pair of texts, from frozen vectors."""

from typing import Literal

import numpy as np

from app.engine.store.arrays import FloatArray

FeatureName = Literal["single", "pair", "difference"]


def make_features(vectors: tuple[FloatArray, ...], kind: FeatureName) -> FloatArray:
    """Make the features of texts or pairs.

    A single text's are its vector; a pair's are u, v, u∗v and |u−v| (Conneau et al.
    2017, InferSent, section 3.1; in LASER's order), or only |u−v| and u∗v, which do
    not depend on the order of the two (Tai et al. 2015, equation 15).

    Args:
        vectors: float32 (n, d), rows of length 1 or 0; two for pairs.
        kind: single, pair or difference.

    Returns:
        float32 (n, d), (n, 4d) or (n, 2d).
    """
    if kind == "single":
        return vectors[0]
    first, second = vectors
    product, difference = first * second, np.abs(first - second)
    if kind == "difference":
        return np.concatenate([difference, product], axis=1)  # -> (n, 2d)
    return np.concatenate([first, second, product, difference], axis=1)  # -> (n, 4d)


def n_texts(kind: FeatureName) -> int:
    """Tell how many texts a row has."""
    return 1 if kind == "single" else 2


def n_features(dim: int, kind: FeatureName) -> int:
    """Tell how many features vectors of `dim` dimensions give."""
    return {"single": 1, "pair": 4, "difference": 2}[kind] * dim
