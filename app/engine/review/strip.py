"""The strip: which words of one side have a counterpart on the other."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.engine.encoders.encoder import Encoder, normalise_rows
from app.engine.encoders.pooling import FloatArray
from app.engine.encoders.static import StaticEncoder
from app.engine.text.words import word_spans

MAX_WORDS = 400  # of a side; an answer is at most 64 KB
STATIC_TEXT = (
    "Each word is the sum of the vectors of its pieces, as in the sentence; its "
    "similarity is the cosine with the most alike word of the other side."
)
ALONE_TEXT = (
    "Each word was encoded alone, without the words around it; its similarity is the "
    "cosine with the most alike word of the other side."
)


def compare_words(
    encoder: Encoder, source: str, target: str
) -> tuple[dict[str, Any], str]:
    """Find the most alike word of the other side for each word.

    The cosines are matched greedily, as by Zhang et al. 2020, "BERTScore", section 3.
    Scripts without spaces are compared character by character.

    Returns:
        strip: lists "source" and "target" (see `ExplainQuery`); how it was made.
    """
    spans = [word_spans(text)[:MAX_WORDS] for text in (source, target)]
    words = [
        [text[start:end] for start, end in one]
        for text, one in zip((source, target), spans, strict=True)
    ]
    vectors = _encode(encoder, [*words[0], *words[1]])
    n = len(words[0])
    cosines = vectors[:n] @ vectors[n:].T  # (s, d) x (d, t) -> (s, t)
    strip = {
        "source": _matched(spans[0], cosines, vectors[:n]),
        "target": _matched(spans[1], cosines.T, vectors[n:]),
    }
    is_static = isinstance(encoder, StaticEncoder)
    return strip, STATIC_TEXT if is_static else ALONE_TEXT


def _encode(encoder: Encoder, words: Sequence[str]) -> FloatArray:
    """Encode each distinct word once: float32 (w, d), rows of length 1 or zero."""
    distinct = list(dict.fromkeys(words))
    if not distinct:
        return np.zeros((0, encoder.dim), np.float32)
    places = {word: i for i, word in enumerate(distinct)}
    vectors, _ = normalise_rows(encoder.encode(distinct))
    unit_vectors: FloatArray = vectors[[places[word] for word in words]]
    return unit_vectors


def _matched(
    spans: Sequence[tuple[int, int]], cosines: FloatArray, vectors: FloatArray
) -> list[dict[str, Any]]:
    """Give each word its best match: cosines (w, other words)."""
    found = []
    for place, (start, end) in enumerate(spans):
        is_known = cosines.shape[1] > 0 and bool(vectors[place].any())
        match = int(cosines[place].argmax()) if is_known else None
        similarity = None if match is None else round(float(cosines[place, match]), 4)
        found.append(
            {"start": start, "end": end, "similarity": similarity, "match": match}
        )
    return found
