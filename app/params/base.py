"""The base struct of the params of every task."""

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

Seed = Annotated[
    int,
    Meta(ge=0, le=2**32 - 1, description="Seed: the same one gives the same result."),
]

ReferenceKind = Literal[
    "corpus", "pair set", "hit list", "classifier", "encoder", "translation model"
]


def refers_to(kind: ReferenceKind, option: str = "") -> dict[str, str]:
    """Return the `extra` of a field that names objects of the project.

    The window shows the objects to select from; the command line accepts the name or
    the id.

    Args:
        kind: what the field names.
        option: name of the option on the command line; empty: that of the field.
    """
    return {"refers_to": kind} | ({"option": option} if option else {})


FormulaChoice = Literal["auto", "protect", "keep"]
FORMULA_MARKS = ("=", "+", "-", "@")  # begin a formula in a spreadsheet program


class TaskParams(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="task",
):
    """Arguments of one task; the subclass's tag names its file, command and record.

    Attributes:
        needs_project: the task works in a project that exists.
        writes_project: the task changes the project, so it holds its lock.
        keeps_parts: the run keeps each part as it is finished, so that the same
            command, given again after it was ended, goes on with that run.
        aliases: shorter names of its command.
    """

    needs_project: ClassVar[bool] = False
    writes_project: ClassVar[bool] = False
    keeps_parts: ClassVar[bool] = False
    aliases: ClassVar[tuple[str, ...]] = ()

    @property
    def holds_lock(self) -> bool:
        """Return whether these very params write, where the task need not."""
        return self.writes_project
