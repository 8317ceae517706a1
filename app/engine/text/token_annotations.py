"""Lemmas and parts of speech from a source, aligned with the cleaned text."""

from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import is_normalized

from app.engine.text.normalisation import clean_text


class SourceWord(NamedTuple):
    """A syntactic word: form, lemma and part of speech; empty if missing."""

    form: str
    lemma: str
    pos: str


class SourceToken(NamedTuple):
    """A written token: one word, or several (zum: zu, dem)."""

    surface: str
    words: tuple[SourceWord, ...]


LocatedWord = tuple[int, int, str, str, str]  # start, end, form, lemma, pos


def locate_words(text: str, tokens: Sequence[SourceToken]) -> list[LocatedWord] | None:
    """Find the tokens in a cleaned text, with only spaces between them.

    Returns:
        The words with their spans in code points; words of one token share its span.
        None if text and tokens differ.
    """
    if not _are_clean(tokens):
        tokens = [_clean(token) for token in tokens]
    found: list[LocatedWord] = []
    index = 0
    for surface, words in tokens:
        while index < len(text) and text[index].isspace():
            index += 1
        if not surface or not text.startswith(surface, index):
            return None
        end = index + len(surface)
        found += [(index, end, *word) for word in words]
        index = end
    return found if found and not text[index:].strip() else None


def _are_clean(tokens: Sequence[SourceToken]) -> bool:
    """Return whether cleaning would change nothing; a single test of all is fastest."""
    parts = [part for _, words in tokens for word in words for part in word]
    parts += [token.surface for token in tokens]
    joined = "\n".join(parts)
    is_plain = joined.replace("\n", "").isprintable() and " " not in joined
    return is_plain and (joined.isascii() or is_normalized("NFC", joined))


def _clean(token: SourceToken) -> SourceToken:
    words = (
        SourceWord(*(clean_text(part)[0] for part in word)) for word in token.words
    )
    return SourceToken(clean_text(token.surface)[0], tuple(words))
