"""Base structs of everything that crosses the channel, and the format of a line."""

from functools import cache
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args

import msgspec
from msgspec import Meta

from app.params import encode_hook

PROTOCOL = 4
# Bytes: fits a text of 20,000 characters in any script, also escaped in JSON. Rows and
# matrices are passed through the store.
MAX_LINE = 256 * 1024
# The engine's end of the channel: the number of an inherited descriptor, or on Windows
# the name of a pipe that only this user can open.
CHANNEL_VARIABLE = "ISOGLOSS_ENGINE_CHANNEL"
OPENING = 0  # the run in Progress and Cancel while a project is being opened

A = TypeVar("A")  # the answer to a query
Name = Annotated[str, Meta(min_length=1, max_length=200)]
RowIds = Annotated[tuple[int, ...], Meta(min_length=1, max_length=1_000)]
RowState = Literal["ready", "deleted"]
WordText = Annotated[str, Meta(min_length=1, max_length=1_000)]


class Message(
    msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True
):
    """Base of every command and event."""


class BaseChange(
    msgspec.Struct, frozen=True, tag_field="change", forbid_unknown_fields=True
):
    """Base of every change."""


class BaseQuery(
    msgspec.Struct,
    Generic[A],
    frozen=True,
    tag_field="query",
    forbid_unknown_fields=True,
):
    """Base of every query, parametrised by the type of its answer.

    A newer query replaces an older one of the same type and requester.
    """


@cache
def answer_type(query: type) -> Any:
    """Return the type that answers a query: the argument of its generic base."""
    (base,) = query.__orig_bases__  # type: ignore[attr-defined]
    (found,) = get_args(base)
    return found


def reply(query: BaseQuery[A], answer: A) -> A:
    """Return the answer; mypy checks that it is of the type that the query declares."""
    return answer


_encoder = msgspec.json.Encoder(enc_hook=encode_hook)


def encode_line(message: Message) -> bytes:
    """Write a message as one line.

    Raises:
        ValueError: the line is over 256 KB, or a text contains lone surrogates.
    """
    line = _encoder.encode(message) + b"\n"
    if len(line) > MAX_LINE:
        raise ValueError(f"{len(line):,} bytes, at most {MAX_LINE:,}")
    return line
