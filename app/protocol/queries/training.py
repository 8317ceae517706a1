"""Queries about training data."""

from pathlib import Path

from app.protocol.answers.training import PairLanguages
from app.protocol.base import BaseQuery


class PairLanguagesQuery(BaseQuery[PairLanguages], frozen=True, kw_only=True):
    """Check whether the texts of files are in the languages of the file names.

    Attributes:
        files: TSV files of pairs, such as eng-deu.tsv.
    """

    files: tuple[Path, ...]
    requester: str = ""
