"""What the comparisons share: their subject and their outcome."""

from pathlib import Path
from typing import Literal, NamedTuple

from app.engine.project.project import Project


class NotInstalledError(Exception):
    """What a comparison needs is not there."""


class Agreement(NamedTuple):
    """The outcome of a comparison."""

    verdict: Literal["agrees", "differs", "skipped"]
    figures: str


class Peers(NamedTuple):
    """What is compared.

    Attributes:
        project: with encoded samples, named by their language.
        folder: for files of the comparisons.
        schemas: a folder of schemas, if there is one.
        model: a folder of sentence-transformers, if there is one.
    """

    project: Project
    folder: Path
    schemas: Path | None
    model: Path | None


def agree(is_same: bool, figures: str) -> Agreement:
    """Return the outcome of a comparison that was made."""
    return Agreement("agrees" if is_same else "differs", figures)
