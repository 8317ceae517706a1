"""Params of the tasks that concern a project as a whole."""

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from app.params.base import TaskParams


class SaveCopy(TaskParams, frozen=True, kw_only=True, tag="save-copy"):
    """Write a project as one .zip archive, also while the window works in it."""

    needs_project: ClassVar[bool] = True

    out: Annotated[Path, Meta(description="Archive to write; one there is replaced.")]
