"""Params of the tasks that copy a project and report on its runs."""

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from app.params.base import TaskParams


class SaveCopy(TaskParams, frozen=True, kw_only=True, tag="save-copy"):
    """Write a project as one .zip archive, also while the window works in it."""

    needs_project: ClassVar[bool] = True

    out: Annotated[
        Path, Meta(description="Archive to write. An existing file is overwritten.")
    ]


class CopyClean(TaskParams, frozen=True, kw_only=True, tag="copy-clean"):
    """Copy the data of a project that is refused or damaged into a new project."""

    source: Annotated[
        Path,
        Meta(description="Project folder to copy from. It is not changed."),
    ]
    out: Annotated[Path, Meta(description="Folder of the new project.")]


class MakeReport(TaskParams, frozen=True, kw_only=True, tag="make-report"):
    """Write a report of runs as one HTML page: methods, charts, tables, versions."""

    needs_project: ClassVar[bool] = True
    aliases: ClassVar[tuple[str, ...]] = ("report",)

    runs: Annotated[
        tuple[Annotated[int, Meta(ge=1)], ...],
        Meta(
            min_length=1,
            max_length=50,
            description="Number of a run, as shown in Runs. Several runs are compared.",
            extra={"option": "run"},
        ),
    ]
    out: Annotated[Path, Meta(description="HTML file to write.")]
    title: Annotated[
        str, Meta(max_length=200, description="Title. Default: derived from the runs.")
    ] = ""
    replace: Annotated[bool, Meta(description="Overwrite the file if it exists.")] = (
        False
    )
