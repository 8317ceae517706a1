"""Synthetic labelled vectors: a direction for each class, and noise."""

import numpy as np

from app.engine.heads.base import Examples


def make_blobs(
    n: int, dim: int = 16, n_classes: int = 3, *, signal: float = 0.6, seed: int = 1
) -> Examples:
    """Draw unit rows about the directions of their classes."""
    generator = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(n_classes, dim))
    classes = generator.integers(0, n_classes, n)
    rows = signal * centres[classes] + generator.normal(size=(n, dim))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Examples(rows.astype(np.float32), classes, n_classes)
