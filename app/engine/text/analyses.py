"""The words of a sentence as its source gives them, found again in its text."""

from collections.abc import Sequence
from typing import NamedTuple

from app.engine.text.normalise import clean_text


class SourceWord(NamedTuple):
    """A syntactic word: form, lemma and part of speech; empty where not given."""

    form: str
    lemma: str
    pos: str


class SourceToken(NamedTuple):
    """What is written in one piece: a word, or several (zum: zu, dem)."""

    surface: str
    words: tuple[SourceWord, ...]


class FoundWord(NamedTuple):
    """A word and where it stands: code points of the text, the end not included."""

    start: int
    end: int
    form: str
    lemma: str
    pos: str


def find_words(text: str, tokens: Sequence[SourceToken]) -> list[FoundWord] | None:
    """Find tokens in a cleaned text, one after the other, only spaces between them.

    Returns:
        The words; those of one token share its span. None: text and words do not fit.
    """
    found: list[FoundWord] = []
    place = 0
    for token in tokens:
        surface = clean_text(token.surface)[0]
        while place < len(text) and text[place].isspace():
            place += 1
        if not surface or not text.startswith(surface, place):
            return None
        end = place + len(surface)
        for word in token.words:
            form, lemma, pos = (clean_text(part)[0] for part in word)
            found.append(FoundWord(place, end, form, lemma, pos))
        place = end
    return found if found and not text[place:].strip() else None


__all__ = ["FoundWord", "SourceToken", "SourceWord", "find_words"]
