"""The pages of a long table that were shown last."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

P = TypeVar("P")


class Pages(Generic[P]):
    """Reads pages when they are wanted, and keeps the last ones."""

    def __init__(self, read: Callable[[int], P], most: int):
        """Take what reads the page of a number; `most`: pages that are kept."""
        self._read, self._most = read, most
        self._kept: OrderedDict[int, P] = OrderedDict()

    def __getitem__(self, number: int) -> P:
        """Give a page."""
        page = self._kept.get(number)
        if page is None:
            page = self._kept[number] = self._read(number)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        self._kept.move_to_end(number)
        return page

    def forget(self, number: int | None = None) -> None:
        """Read a page again when it is wanted; None: every page."""
        if number is None:
            self._kept.clear()
        else:
            self._kept.pop(number, None)
