"""Params as command-line flags: option names, plain types, whole commands."""

import shlex
import types
import typing
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec

from app.params import command_name
from app.params.base import TaskParams

P = TypeVar("P", bound=TaskParams)

_REFERENCES = {  # names of project objects on the command line
    "corpus": "Name or id.",
    "pair set": "Name or id.",
    "hit list": "Name or id.",
    "classifier": "Name or id.",
    "encoder": "Name, or a folder.",
    "translation model": "Name, or a folder.",
}


def command_text(params: TaskParams, project: Path | None) -> str:
    """Return the shell command that runs these params, for *Copy as command*."""
    params_type = type(params)
    words = ["python", "-m", "app", command_name(params_type)]
    if project is not None:
        words += (
            [str(project)] if params_type.needs_project else ["--project", str(project)]
        )
    for field in msgspec.structs.fields(params_type):
        value = getattr(params, field.name)
        if not field.required and value == field.default:
            continue
        for item in value if isinstance(value, tuple) else (value,):
            no = "no-" if item is False else ""
            option = f"--{no}{option_name(field)}"
            if isinstance(item, bool):
                words.append(option)
            elif str(item).startswith("-"):  # else it is parsed as an option
                words.append(f"{option}={item}")
            else:
                words += [option, str(item)]
    return shlex.join(words)


def name_encoders(params: P, used: Sequence[str]) -> P:
    """Set the encoders that a run used, if its params leave them empty.

    Args:
        used: names of the encoders in the result.
    """
    if getattr(params, "encoder", None) == "" and len(used) == 1:
        return msgspec.structs.replace(params, encoder=used[0])
    named = getattr(params, "encoders", None)
    if not isinstance(named, tuple) or not used:
        return params
    if not named:
        return msgspec.structs.replace(params, encoders=tuple(used))
    rest = [name for name in used if name not in named]
    if "" in named and len(rest) == 1:
        encoders = tuple(name or rest[0] for name in named)
        return msgspec.structs.replace(params, encoders=encoders)
    return params


def option_name(field: msgspec.structs.FieldInfo) -> str:
    """Return a field's option name: its `extra` option, or the field's name."""
    for item in getattr(field.type, "__metadata__", ()):
        if isinstance(item, msgspec.Meta) and item.extra and "option" in item.extra:
            return str(item.extra["option"])
    return field.name.replace("_", "-")


def plain_type(annotation: Any) -> tuple[Any, str]:
    """Return a type without Annotated and `| None`, and its description."""
    help_text = ""
    if get_origin(annotation) is Annotated:
        metas = [m for m in annotation.__metadata__ if isinstance(m, msgspec.Meta)]
        words = [m.description for m in metas if m.description]
        words += [
            _REFERENCES[m.extra["refers_to"]]
            for m in metas
            if m.extra and "refers_to" in m.extra
        ]
        help_text = " ".join(words)
        annotation = annotation.__origin__
    if get_origin(annotation) in (typing.Union, types.UnionType):
        annotation = next(t for t in get_args(annotation) if t is not type(None))
    if get_origin(annotation) is Annotated:
        annotation = annotation.__origin__
    return annotation, help_text.replace("%", "%%")
