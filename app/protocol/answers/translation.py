"""Answers about translation models and their data."""

import msgspec


class TranslatedSentence(msgspec.Struct, frozen=True):
    """A sentence in one language.

    Attributes:
        zero_shot: whether the model was not trained in this direction.
    """

    language: str
    text: str
    zero_shot: bool


class SentenceTranslations(msgspec.Struct, frozen=True):
    """The translations of a sentence by a translation model.

    Attributes:
        source: language of the sentence, as named by the model.
        translations: translations into all other target languages of the model.
    """

    model: str
    source: str
    translations: list[TranslatedSentence]
    elapsed_s: float


class LanguageColumns(msgspec.Struct, frozen=True):
    """The languages in the header of a table, as spelled there."""

    languages: tuple[str, ...]
