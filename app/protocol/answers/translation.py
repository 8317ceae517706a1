"""Answers about translation models and their data."""

import msgspec


class TranslatedSentence(msgspec.Struct, frozen=True):
    """A sentence in one language.

    Attributes:
        zero_shot: the model was not trained in this direction.
    """

    language: str
    text: str
    zero_shot: bool


class SentenceTranslations(msgspec.Struct, frozen=True):
    """What a translation model makes of a sentence.

    Attributes:
        source: language that it was read in, as the model writes it.
        translations: into every other language that the model can write.
    """

    model: str
    source: str
    translations: list[TranslatedSentence]
    elapsed_s: float


class LanguageColumns(msgspec.Struct, frozen=True):
    """The languages in the header of a table, as the header writes them."""

    languages: tuple[str, ...]
