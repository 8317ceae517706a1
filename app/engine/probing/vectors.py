"""Vectors of a probing set's splits: checked, and brought to one scale."""

from typing import NamedTuple

import numpy as np

from app.engine.classify.heads.head import IntArray
from app.engine.probing.tasks import ProbingSet
from app.engine.store.arrays import FloatArray
from app.errors import UserError


class Parts(NamedTuple):
    """Vectors of the splits, float32 (n, d) each, and the classes of their rows."""

    train: FloatArray
    development: FloatArray
    test: FloatArray
    train_classes: IntArray
    development_classes: IntArray
    test_classes: IntArray

    @property
    def dim(self) -> int:
        """Give the dimensions d."""
        return int(self.train.shape[1])


def split_vectors(vectors: FloatArray, probing_set: ProbingSet, name: str) -> Parts:
    """Divide vectors among the splits, and scale them to a mean squared length of 1.

    The scale is one number, of the centred training rows: it changes no angle and no
    proportion, but makes one grid of penalties fit every encoder.

    Args:
        vectors: float32 (n, d), in the order of the set's `texts`.
        probing_set: whose they are.
        name: of the encoder, for the refusal.

    Raises:
        UserError: some are not finite.
    """
    parts = (probing_set.train, probing_set.development, probing_set.test)
    is_finite = np.isfinite(vectors).all(axis=1)  # (n, d) -> (n,)
    if not is_finite.all():
        lines = np.concatenate([part.lines for part in parts])[~is_finite]
        raise UserError(
            f"{probing_set.name}, line {int(lines[0])}: {name} gives a vector that has "
            f"no finite numbers (so do {len(lines):,} rows in all): it cannot be "
            "probed here."
        )
    ends = np.cumsum(probing_set.sizes)
    train, development, test = np.split(np.asarray(vectors, np.float32), ends[:-1])
    spread = float(np.sqrt(train.var(axis=0, dtype=np.float64).sum()))
    scale = np.float32(1 / spread if spread > 0 else 1)
    return Parts(
        train * scale,
        development * scale,
        test * scale,
        *(part.classes for part in parts),
    )
