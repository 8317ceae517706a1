"""The pieces of a text in a static encoder, and what each adds to the sum."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.attribution.contributions import SentenceTokens, unknown_text_error
from app.engine.encoders.static.table_rows import Romaniser

if TYPE_CHECKING:
    from app.engine.encoders.static.encoder import StaticEncoder

SPACE = "▁"  # sentencepiece's mark of a space


def read_static_tokens(encoder: "StaticEncoder", text: str) -> SentenceTokens:
    """Split the sum of a text into its pieces.

    A piece has its own row, half of each of its bigrams, and its letters' share of the
    n-grams of its word.

    Raises:
        UserError: the encoder knows no piece of the text.
    """
    names, rows, word_rows = encoder.parts(text)
    if not rows.any():
        raise unknown_text_error(text)
    if len(word_rows):
        assert encoder.romaniser is not None
        rows = rows + _shares(names, encoder.romaniser, len(word_rows)) @ word_rows
    kept = [i for i, name in enumerate(names) if name != SPACE or rows[i].any()]
    parts = rows[kept]
    vector: FloatArray = parts.sum(axis=0)  # (t, d) -> (d,)
    return SentenceTokens(
        names=[names[i] for i in kept],
        states=parts,
        vector=vector,
        pooling="sum",
        parts=parts,
        rest=np.zeros_like(vector),
    )


def _shares(names: Sequence[str], romaniser: Romaniser, n_words: int) -> FloatArray:
    """Return each piece's share of each word, float32 (t, w); a word's sum is 1.

    If the pieces don't spell the counted words (both normalise differently), each
    piece has an equal share of all.
    """
    pieces = np.repeat(np.arange(len(names)), [len(name) for name in names])
    words = _words_of("".join(names).replace(SPACE, " "), romaniser)
    shares = np.zeros((len(names), n_words), np.float32)
    is_letter = words >= 0
    if (
        words.max(initial=-1) + 1 == n_words
        and len(np.unique(words[is_letter])) == n_words
    ):
        np.add.at(shares, (pieces[is_letter], words[is_letter]), 1.0)
        shares /= shares.sum(axis=0)
        return shares
    return np.full_like(shares, 1 / len(names))


def _words_of(spelled: str, romaniser: Romaniser) -> NDArray[np.int64]:
    """Return the word of each character, int64 (c,); -1 for none."""
    alone = romaniser.split(list(spelled)).lengths > 0
    begun = romaniser.split([spelled[: i + 1] for i in range(len(spelled))]).lengths
    return np.where(alone, begun.astype(np.int64) - 1, -1)
