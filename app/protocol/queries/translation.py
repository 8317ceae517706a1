"""Queries about translations of one sentence."""

from app.protocol.answers.translation import SentenceTranslations
from app.protocol.base import BaseQuery


class SentenceTranslationsQuery(
    BaseQuery[SentenceTranslations], frozen=True, kw_only=True
):
    """The translations of a text by a model of the project.

    Attributes:
        language: of the text; empty: the likeliest one of the model.
    """

    text: str
    model: str
    language: str = ""
    requester: str = ""
