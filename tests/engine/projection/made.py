"""Vectors and corpora with a known map: distant blobs."""

import numpy as np
import pytest

from app.arrays import FloatArray
from app.engine.mining.exact_search import ExactSide
from app.engine.projection.points import Points
from app.engine.tasks import encode as encode_module
from app.engine.tasks import project_map as map_module


def make_blobs(
    n_each: int, *, n_blobs: int = 2, dim: int = 16, spread: float = 0.1, seed: int = 1
) -> FloatArray:
    """Make unit vectors around axes: blob b has the rows b, b + n_blobs, …"""
    draw = np.random.default_rng(seed)
    vectors = spread * draw.normal(size=(n_each * n_blobs, dim))
    for blob in range(n_blobs):
        vectors[blob::n_blobs, blob] += 1
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors, np.float32)


def as_points(vectors: FloatArray) -> Points:
    ids = np.arange(len(vectors), dtype=np.int64)
    return Points(ids, ExactSide(vectors), 0, "0" * 64)


def use_encoder(monkeypatch: pytest.MonkeyPatch, encoder: object) -> None:
    """Let encoding and maps use an encoder, whatever is asked for."""
    for module in (map_module, encode_module):
        monkeypatch.setattr(module, "load_encoder", lambda *_, **__: encoder)
