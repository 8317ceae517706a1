"""Base structs of edits and queries, tagged by the name of the struct."""

from functools import cache
from typing import Any, Generic, TypeVar, get_args

import msgspec

A = TypeVar("A")  # the answer to a query


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

    A newer query replaces an older one of the same type and asker.
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
