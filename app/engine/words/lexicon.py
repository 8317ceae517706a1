"""The sorted items of a word index: look up by word, prefix or pattern."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from app.engine.words.tokenizer import fold_word

LAST = "\U0010ffff"
IdArray = NDArray[np.int32]


class Lexicon:
    """Items with the ids 0 … n-1, sorted by case-folded form, then by original form.

    The order of ids is therefore the order of words, and a prefix is a range of ids.
    """

    def __init__(self, text: NDArray[np.uint8]):
        """Open a lexicon.

        Args:
            text: uint8 (c,), UTF-8, each item followed by a line break.
        """
        self._text = text
        self._ends = np.flatnonzero(text == 10)

    def __len__(self) -> int:
        return len(self._ends)

    def item(self, id_: int) -> str:
        """Return one item."""
        begin = int(self._ends[id_ - 1]) + 1 if id_ else 0
        return self._text[begin : int(self._ends[id_])].tobytes().decode()

    def items(self, ids: Iterable[int] | NDArray[np.integer]) -> list[str]:
        """Return the items of ids (m,), in the given order."""
        return [self.item(int(id_)) for id_ in ids]

    def all_items(self) -> list[str]:
        """Return all items, in order of id."""
        return self._text.tobytes().decode().split("\n")[:-1]

    def range_of(self, word: str) -> tuple[int, int]:
        """Return the ids low … high - 1 of items equal to a word, ignoring case."""
        key = fold_word(word)
        low = self._place(key)
        high = low
        while high < len(self) and fold_word(self.item(high)) == key:
            high += 1
        return low, high

    def range_of_prefix(self, prefix: str) -> tuple[int, int]:
        """Return the ids low … high - 1 of items with a prefix, ignoring case."""
        key = fold_word(prefix)
        return self._place(key), self._place(key + LAST)

    def ids_where(self, test: Callable[[str], object]) -> IdArray:
        """Return the ids of the items that pass a test: int32 (m,), ascending."""
        found = (id_ for id_, item in enumerate(self.all_items()) if test(item))
        return np.fromiter(found, np.int32)

    def _place(self, key: str) -> int:
        indices = range(len(self))
        return bisect_left(indices, key, key=lambda id_: fold_word(self.item(id_)))


def sort_items(items: Sequence[str]) -> tuple[list[str], IdArray]:
    """Sort distinct items in the order of a lexicon.

    Returns:
        The sorted items, and int32 (n,): the new id of each old index.
    """
    keys = [(fold_word(item), item) for item in items]
    order = sorted(range(len(items)), key=keys.__getitem__)
    ids = np.empty(len(items), np.int32)
    ids[order] = np.arange(len(items), dtype=np.int32)
    return [items[index] for index in order], ids


def pack_items(items: Iterable[str]) -> NDArray[np.uint8]:
    """Encode items for `Lexicon`: uint8 (c,)."""
    text = "".join(f"{item}\n" for item in items)
    return np.frombuffer(text.encode(), np.uint8)
