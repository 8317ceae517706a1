"""The arrays of a word index: sorted from what was collected, written in parts."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.engine.patience import wait_for
from app.engine.report import Report
from app.engine.store.arrays import ArrayWriter, part_of
from app.engine.words.collect import Collected
from app.engine.words.lexicon import IdArray, pack_items, sort_items
from app.engine.words.tokens import fold

SORT_STAGE, WRITE_STAGE = "sort words", "write words"
WRITE_ROWS = 5_000_000
LOW_BITS = 32
Arrays = dict[str, NDArray[Any]]


def write_in_parts(file: Path, array: NDArray[Any], report: Report) -> None:
    """Write an array (n, …) by rows, so that a cancel is met between parts.

    Raises:
        Cancelled: there is no such array.
    """
    writer = ArrayWriter(file, array.shape, array.dtype)
    try:
        for start in range(0, len(array), WRITE_ROWS):
            report.step(WRITE_STAGE, start, len(array), file.name)
            writer.append(array[start : start + WRITE_ROWS])
        writer.finish()
    finally:
        writer.close()
        part_of(file).unlink(missing_ok=True)  # of what was not finished


def layer_arrays(collected: Collected, report: Report) -> Arrays:
    """Sort what was collected: every array of an index by its name."""
    arrays: Arrays = {
        "begins": collected.begins,
        "ends": collected.ends,
        "starts": collected.starts,
    }
    for layer, items in collected.items.items():
        make = partial(_sorted_layer, items, collected.ids[layer])
        tokens, lexicon = wait_for(make, report, SORT_STAGE)
        arrays |= _named(layer, tokens, lexicon, report)
        if layer == "form":
            make_words = partial(_words_of_forms, tokens, lexicon)
            arrays |= _named("word", *wait_for(make_words, report, SORT_STAGE), report)
    return arrays


def _named(layer: str, tokens: IdArray, items: list[str], report: Report) -> Arrays:
    """Give the arrays of a layer, with its tokens in order of id."""

    def order_tokens() -> tuple[IdArray, NDArray[np.int64]]:
        # one sort of whole numbers: id above, place below
        keys = tokens.astype(np.int64) << LOW_BITS | np.arange(len(tokens))
        keys.sort()
        counts = np.bincount(tokens, minlength=len(items))
        return keys.astype(np.int32), np.append(0, np.cumsum(counts))

    order, firsts = wait_for(order_tokens, report, SORT_STAGE)
    named: Arrays = {
        "tokens": tokens,
        "order": order,
        "firsts": firsts,
        "lexicon": pack_items(items),
    }
    return {f"{layer}.{name}": array for name, array in named.items()}


def _sorted_layer(items: list[str], ids: IdArray) -> tuple[IdArray, list[str]]:
    """Number items in the order of a lexicon."""
    in_order, places = sort_items(items)
    return places[ids], in_order


def _words_of_forms(tokens: IdArray, forms: list[str]) -> tuple[IdArray, list[str]]:
    """Give the words of forms, which come in the same order."""
    folded = [fold(form) for form in forms]
    is_new = np.array([a != b for a, b in zip(folded, ["\n", *folded], strict=False)])
    words = np.cumsum(is_new, dtype=np.int32) - 1
    named = [word for word, new in zip(folded, is_new.tolist(), strict=True) if new]
    return words.astype(np.int32)[tokens], named
