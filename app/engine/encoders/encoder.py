"""The protocol that every encoder implements, and runs of texts of bounded size."""

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from app.arrays import FloatArray
from app.errors import UserError

CHUNK_TEXTS = 32_768
CHUNK_CHARACTERS = 2_000_000


class Encoder(Protocol):
    """Text in, vectors out.

    Attributes:
        name: shown to the user.
        dim: dimension d of the vectors.
        fingerprint: SHA-256 in hex over weights and vocabulary; the key of caches.
    """

    name: str
    dim: int
    fingerprint: str

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector for each text.

        Returns:
            float32 (n, d), not normalised, never NaN; the row of a text without a known
            piece is zero.
        """


@runtime_checkable
class MultiEncoder(Protocol):
    """An encoder that has one encoder per language, such as a translation model."""

    def in_language(self, language: str) -> Encoder:
        """Return the encoder of a language, with the same fingerprint.

        Raises:
            UserError: the language is not supported.
        """

    def for_text(self, text: str) -> Encoder:
        """Return the encoder of a text's most likely language."""


def encoder_of_language(encoder: Encoder, language: str) -> Encoder:
    """Return the encoder for texts of a known language.

    Raises:
        UserError: the encoder has one encoder per language, but none for this language.
    """
    if isinstance(encoder, MultiEncoder):
        return encoder.in_language(language)
    return encoder


def has_language(encoder: Encoder, language: str) -> bool:
    """Return whether an encoder supports a language."""
    try:
        encoder_of_language(encoder, language)
    except UserError:
        return False
    return True


def split_texts(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Split texts into runs [start, end) of limited numbers of texts and characters."""
    start, n_characters = 0, 0
    for i, text in enumerate(texts):
        n_characters += len(text)
        if i + 1 - start >= CHUNK_TEXTS or n_characters >= CHUNK_CHARACTERS:
            yield start, i + 1
            start, n_characters = i + 1, 0
    if start < len(texts):
        yield start, len(texts)
