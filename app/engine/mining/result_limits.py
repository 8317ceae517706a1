"""Truncate texts and lists so that a task result fits in one message."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

import msgspec

MAX_SHOWN = 300  # characters of a text
MAX_ITEMS, MAX_BYTES = 50, 16_000  # of a list

Item = TypeVar("Item", bound=msgspec.Struct)


def truncate_text(text: str) -> str:
    """Truncate a text to `MAX_SHOWN` characters."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def truncate_list(items: Iterable[Item]) -> list[Item]:
    """Return the first items, as many as fit."""
    return list(_within(islice(items, MAX_ITEMS), MAX_BYTES))


def _within(items: Iterable[Item], n_bytes: int) -> Iterator[Item]:
    for item in items:
        n_bytes -= len(msgspec.json.encode(item))
        if n_bytes < 0:
            return
        yield item
