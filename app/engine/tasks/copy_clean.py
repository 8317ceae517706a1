"""Task: copy the data of a damaged or rejected project into a new project."""

from app.engine.project.clean_copy import copy_project
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.params.projects import CopyClean
from app.plurals import count_text
from app.results.task import TaskResult


class CopyCleanResult(TaskResult, frozen=True):
    """The copied data.

    Attributes:
        n_rows: copied rows of the database.
        n_files: copied arrays and files of encoders and classifiers.
        left_out: a sentence on each item that was not copied.
    """

    project: str
    n_rows: int
    n_files: int
    left_out: list[str]


def copy_clean(
    project: Project | None, params: CopyClean, report: Report
) -> CopyCleanResult:
    """Copy the valid data of a project into a new one without changing the source.

    Raises:
        UserError: the source has no readable database, or `out` exists.
    """
    copy = copy_project(params.source, params.out, report)
    left_out = len(copy.left_out)
    rows, files = count_text(copy.n_rows, "row"), count_text(copy.n_files, "file")
    message = f"Copied {rows} and {files}."
    if left_out:
        message += " Not copied: " + "; ".join(copy.left_out[:5])
        message += f"; and {left_out - 5} more." if left_out > 5 else "."
    return CopyCleanResult(
        str(params.out), copy.n_rows, copy.n_files, copy.left_out, message=message
    )
