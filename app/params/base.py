"""Base structs of task params, and declaration of options."""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Protocol, runtime_checkable

import msgspec
from msgspec import Meta

ReferenceKind = Literal[
    "corpus", "pair set", "hit list", "classifier", "encoder", "translation model"
]


def option(
    description: str,
    *,
    name: str = "",
    window: str = "",
    refers_to: ReferenceKind | None = None,
    **constraints: Any,
) -> Meta:
    """Return the annotation of a field of params.

    Args:
        description: help of the command line and of the window.
        name: name of the option on the command line; empty: the field's name.
        window: help in the window, if the description explains a form that is typed
            only on the command line; empty: the description.
        refers_to: kind of object that the field refers to. The window lists these
            objects of the project; the command line accepts the name or the id.
        constraints: title and limits, as in `msgspec.Meta`.
    """
    extra = {"refers_to": refers_to, "option": name, "window": window}
    return Meta(
        description=description,
        extra={key: value for key, value in extra.items() if value},
        **constraints,
    )


# Names of corpora, one --corpus option each; the field adds the description.
CorpusNames = Annotated[
    tuple[str, ...], Meta(extra={"refers_to": "corpus", "option": "corpus"})
]
SourceCorpus = Annotated[
    str, option("Source corpus.", min_length=1, refers_to="corpus")
]
Seed = Annotated[
    int,
    option(
        "Random seed. The same seed and settings produce the same result.",
        ge=0,
        le=2**32 - 1,
    ),
]
FormulaChoice = Literal["auto", "protect", "keep"]
Formulas = Annotated[
    FormulaChoice,
    option(
        "Whether to put an apostrophe before cells that a spreadsheet program "
        "would take for a formula (=, +, - or @ comes first). auto: in CSV only."
    ),
]
ReplaceFile = Annotated[bool, option("Overwrite the file if it exists.")]
FORMULA_MARKS = ("=", "+", "-", "@")  # start a formula in a spreadsheet program


class TaskParams(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="task",
):
    """Arguments of one task; the subclass's tag names its file, command and record.

    Attributes:
        needs_project: the task requires an existing project.
        writes_project: the task changes the project, so it holds its lock.
        keeps_parts: the run saves each finished part, so that the same command resumes
            an interrupted run.
        continues: a cancelled run resumes from its finished parts when it is started
            again.
        aliases: shorter names of its command.
    """

    needs_project: ClassVar[bool] = False
    writes_project: ClassVar[bool] = False
    keeps_parts: ClassVar[bool] = False
    continues: ClassVar[bool] = False
    aliases: ClassVar[tuple[str, ...]] = ()

    @property
    def holds_lock(self) -> bool:
        """Return whether the task writes the project with these params."""
        return self.writes_project


class ProjectTask(TaskParams, frozen=True, kw_only=True):
    """Base of the tasks that read a project."""

    needs_project: ClassVar[bool] = True


class WritingTask(ProjectTask, frozen=True, kw_only=True):
    """Base of the tasks that change a project."""

    writes_project: ClassVar[bool] = True


@runtime_checkable
class _WritesFile(Protocol):
    @property
    def out(self) -> Path | None: ...


def output_of(params: object) -> Path | None:
    """Return the output file or folder in params; None: there is none."""
    return params.out if isinstance(params, _WritesFile) else None
