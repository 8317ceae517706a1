"""Place the words of two languages on a plane, before and after mapping."""

import numpy as np

from app.arrays import FloatArray
from app.engine.wordvectors.spaces import WordSpace
from app.protocol.answers.words import MovedWord, PlacedWord, WordMapAnswer

DIGITS = 3  # of places; the plane is about 2 wide


def place_words(space: WordSpace, n: int) -> WordMapAnswer:
    """Place the n most frequent words of each language.

    The plane shows the first two principal components of the union of the target words
    and the mapped source words, about its mean. Source words before mapping are
    projected on the same plane.
    """
    target = np.asarray(space.target.vectors[:n], np.float32)
    after = np.asarray(space.mapped[:n], np.float32)
    before = np.asarray(space.source.vectors[:n], np.float32)
    mean, axes, share = _principal_plane(np.concatenate([after, target]))
    moved = zip(
        space.source.words[:n],
        _places(before, mean, axes),
        _places(after, mean, axes),
        strict=True,
    )
    placed = zip(space.target.words[:n], _places(target, mean, axes), strict=True)
    return WordMapAnswer(
        sources=[MovedWord(*one) for one in moved],
        targets=[PlacedWord(*one) for one in placed],
        source_language=space.source.language,
        target_language=space.target.language,
        share=share,
    )


def _principal_plane(vectors: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return mean float32 (d,), axes float32 (d, 2), and their share of variance.

    The largest value of each axis is positive, so that the same map looks the same.
    """
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    values, found = np.linalg.eigh(centred.T @ centred)  # ascending
    axes = found[:, :-3:-1]  # (d, d) -> (d, 2)
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.sign(axes[largest, [0, 1]])
    return mean, axes, float(values[-2:].sum() / max(values.sum(), 1e-12))


def _places(
    vectors: FloatArray, mean: FloatArray, axes: FloatArray
) -> list[tuple[float, float]]:
    found = ((vectors - mean) @ axes).astype(np.float64).round(DIGITS)
    return [(x, y) for x, y in found.tolist()]
