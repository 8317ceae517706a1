"""Params of the tasks that copy a project and report on its runs."""

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from app.params.base import TaskParams


class SaveCopy(TaskParams, frozen=True, kw_only=True, tag="save-copy"):
    """Write a project as one .zip archive, also while the window works in it."""

    needs_project: ClassVar[bool] = True

    out: Annotated[Path, Meta(description="Archive to write; one there is replaced.")]


class MakeReport(TaskParams, frozen=True, kw_only=True, tag="make-report"):
    """Write runs as one page of HTML: methods, pictures, tables, data, versions."""

    needs_project: ClassVar[bool] = True
    aliases: ClassVar[tuple[str, ...]] = ("report",)

    runs: Annotated[
        tuple[Annotated[int, Meta(ge=1)], ...],
        Meta(
            min_length=1,
            max_length=50,
            description="Number of a run, as Runs shows it; once for each: several are "
            "compared.",
            extra={"option": "run"},
        ),
    ]
    out: Annotated[Path, Meta(description="File to write: .html.")]
    title: Annotated[
        str, Meta(max_length=200, description="Title; default: made of the runs.")
    ] = ""
    replace: Annotated[
        bool, Meta(description="Replace the file if it is there already.")
    ] = False
