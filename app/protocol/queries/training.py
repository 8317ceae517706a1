"""Queries about the data of trainings."""

from pathlib import Path

from app.protocol.answers.training import PairLanguages
from app.protocol.base import BaseQuery


class PairLanguagesQuery(BaseQuery[PairLanguages], frozen=True, kw_only=True):
    """Whether the texts of files are in the languages that the files are named by.

    Attributes:
        files: TSV of pairs, such as eng-deu.tsv.
    """

    files: tuple[Path, ...]
    requester: str = ""
