"""Params of the tasks that copy a project and report on its runs."""

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from app.params.base import ProjectTask, ReplaceFile, TaskParams, option


class SaveCopy(ProjectTask, frozen=True, kw_only=True, tag="save-copy"):
    """Write a project as one .zip archive, also while it is open in the window."""

    out: Annotated[Path, option("Archive to write. An existing file is overwritten.")]


class CopyClean(TaskParams, frozen=True, kw_only=True, tag="copy-clean"):
    """Copy the data of a damaged or rejected project into a new project."""

    source: Annotated[Path, option("Project folder to copy from. It is not changed.")]
    out: Annotated[Path, option("Folder of the new project.")]


class MakeReport(ProjectTask, frozen=True, kw_only=True, tag="make-report"):
    """Write a report of runs as one HTML page: methods, charts, tables, versions."""

    aliases: ClassVar[tuple[str, ...]] = ("report",)

    runs: Annotated[
        tuple[Annotated[int, Meta(ge=1)], ...],
        option(
            "Number of a run, as shown in Runs. Several runs are compared.",
            min_length=1,
            max_length=50,
            name="run",
        ),
    ]
    out: Annotated[Path, option("HTML file to write.")]
    title: Annotated[
        str,
        option("Title of the report. Default: derived from the runs.", max_length=200),
    ] = ""
    replace: ReplaceFile = False
