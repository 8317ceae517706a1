"""The development metric: retrieval error on pairs that no step has seen."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.engine.encoders.pooling import FloatArray
from app.engine.report import Report
from app.engine.training.files import read_pairs
from app.engine.training.retrieval import retrieval_error

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

METRIC = "dev.error"
BLOCK_TEXTS = 1_024  # encoded between two looks at the report


class Development:
    """Held-out pairs by language.

    Attributes:
        n_pairs: of each language.
    """

    def __init__(self, files: Mapping[str, Path]):
        """Read the pairs, one file a language."""
        self._sides = {
            language: _Sides(*zip(*read_pairs(file), strict=True))
            for language, file in files.items()
        }
        self.n_pairs = {name: len(side.sources) for name, side in self._sides.items()}

    def measure(
        self, encoder: "Encoder", tick: Callable[[str], None]
    ) -> dict[str, float]:
        """Measure an encoder.

        Args:
            encoder: gives the vectors.
            tick: is called with what is being done, often enough to meet a cancel.

        Returns:
            The retrieval error (0…1, mean of both directions) of each language as
            `dev.error.LANGUAGE`, and the mean over the languages as `dev.error`.
        """
        errors = {}
        for language, side in self._sides.items():
            note = f"measuring {language}"
            sources = _encode(encoder, side.sources, tick, note)
            targets = _encode(encoder, side.targets, tick, note)
            # a report of its own: its progress would hide that of the training
            errors[language] = retrieval_error(sources, targets, Report()).mean
        values = {f"{METRIC}.{name}": error for name, error in errors.items()}
        return {METRIC: float(np.mean(list(errors.values()))), **values}


class _Sides(NamedTuple):
    """The sentences of n pairs."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]


def _encode(
    encoder: "Encoder", texts: tuple[str, ...], tick: Callable[[str], None], note: str
) -> FloatArray:
    """Encode in blocks, so that a cancel is met between two of them."""
    blocks = []
    for start in range(0, len(texts), BLOCK_TEXTS):
        tick(note)
        blocks.append(encoder.encode(texts[start : start + BLOCK_TEXTS]))
    return np.concatenate(blocks)
