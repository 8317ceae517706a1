"""Queries about translation models and their data."""

from pathlib import Path

from app.protocol.answers.translation import LanguageColumns, SentenceTranslations
from app.protocol.base import BaseQuery


class SentenceTranslationsQuery(
    BaseQuery[SentenceTranslations], frozen=True, kw_only=True
):
    """Request the translations of a text by a model of the project.

    Attributes:
        language: language of the text; empty: the likeliest language of the model.
    """

    text: str
    model: str
    language: str = ""
    requester: str = ""


class LanguageColumnsQuery(BaseQuery[LanguageColumns], frozen=True, kw_only=True):
    """Request the languages in the header of a table.

    Attributes:
        file: TSV with one column per language.
    """

    file: Path
