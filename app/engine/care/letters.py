"""How alike the letters of two texts are: normalised edit similarity."""

from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from app.engine.report import Report
from app.engine.store.arrays import FloatArray

STAGE = "compare letters"
BLOCK = 10_000  # pairs at a time


def letter_similarity(
    ones: Sequence[str], others: Sequence[str], report: Report
) -> FloatArray:
    """Compare texts pair by pair, whatever their case: float32 (p,), 0…1.

    1 less the edit distance (Levenshtein 1966) over the length of the longer text.
    """
    parts = [np.empty(0, np.float32)]
    for start in range(0, len(ones), BLOCK):
        report.step(STAGE, start, len(ones))
        sides = [
            [text.casefold() for text in side[start : start + BLOCK]]
            for side in (ones, others)
        ]
        parts.append(
            cpdist(*sides, scorer=Levenshtein.normalized_similarity, dtype=np.float32)
        )
    similarity: FloatArray = np.concatenate(parts)
    return similarity
