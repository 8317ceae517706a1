"""Frequency lists: counted once, saved with the word index, read by page.

A list is `arrays/<stem>.list-<key>.npy`, with the stem of the first corpus's index, so
that the list is deleted with this index; the key is a hash of everything that the list
depends on.
"""

import logging
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from app.arrays import IntArray
from app.engine.project.project import Project
from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.report import Report
from app.engine.store.arrays import map_array, partial_path
from app.engine.store.words.indexes import word_index_file
from app.engine.words.index_builder import write_in_parts
from app.engine.words.ngrams import (
    PLACE_BITS,
    NgramCounts,
    TokenStream,
    build_stream,
    count_ngrams,
    sorted_order,
)
from app.engine.words.patterns import (
    TokenPattern,
    WordPattern,
    matching_ids,
    parse_pattern,
)
from app.engine.words.selection import STAGE, CorpusPart, share_ids
from app.errors import ResourceError, UserError
from app.params.words import Layer

log = logging.getLogger("engine")

ROW = np.dtype(
    [
        ("origin", "<i8"),  # high bits: part; low bits: place in its corpus
        ("n", "<i4"),
        ("n_documents", "<i4"),
        ("dispersion", "<f4"),  # NaN with one document
        ("place", "<i4"),  # rank in the order of the words
    ]
)
FORMAT = 1
MAX_KEPT = 20  # lists per index; the oldest are deleted
LONG = 5_000_000  # words counted in half a second; for n-grams, a fifth of them
SORT_STAGE = "Sorting the list"


class FrequencyList(NamedTuple):
    """A frequency list, most frequent items first, then in the order of words.

    Attributes:
        rows: ROW (g,).
        parts: the parts that were counted.
        n: number of words per item.
        key: key in the file name; empty if the list is not saved.
    """

    rows: NDArray[Any]
    parts: tuple[CorpusPart, ...]
    n: int
    key: str = ""

    def items(self, rows: Sequence[int] | IntArray) -> list[str]:
        """Return the items of rows (m,), words separated by a space."""
        origins = self.rows["origin"][np.asarray(rows, np.int64)]
        return [
            item_at(self.parts, origin, self.n)
            for origin in np.asarray(origins).tolist()
        ]


def frequency_list(
    project: Project, parts: Sequence[CorpusPart], layer: Layer, n: int, report: Report
) -> FrequencyList:
    """Return the saved frequency list of parts, or count and save it.

    Raises:
        Cancelled: nothing was saved.
    """
    file = _file(project, parts, layer, n)
    key = "" if file is None else file.name
    if file is not None and file.exists():
        try:
            return FrequencyList(map_array(file, ROW), tuple(parts), n, key)
        except ResourceError:
            file.unlink(missing_ok=True)
    shared = run_in_thread(lambda: share_ids(parts), report, STAGE)
    stream = build_stream(shared, report)
    found = count_ngrams(stream, n, report)
    rows = run_in_thread(lambda: _sorted_rows(stream, found), report, SORT_STAGE)
    if file is not None and not project.is_read_only:
        _keep(file, rows, report)
    return FrequencyList(rows, tuple(parts), n, key)


def takes_long(
    project: Project, parts: Sequence[CorpusPart], layer: Layer, n: int
) -> bool:
    """Return whether a list is not saved and takes long to count."""
    n_tokens = sum(part.n_tokens for part in parts)
    if n_tokens * (1 if n == 1 else 5) <= LONG:
        return False
    file = _file(project, parts, layer, n)
    return file is None or not file.exists()


def item_at(parts: Sequence[CorpusPart], origin: int, n: int) -> str:
    """Return the n words at a place of a part (see `TokenStream.origins`)."""
    layer = parts[origin >> PLACE_BITS].layer
    index = origin & ((1 << PLACE_BITS) - 1)
    return " ".join(layer.lexicon.items(layer.tokens[index : index + n]))


def matching_rows(found: FrequencyList, find: str) -> IntArray:
    """Return the rows of a list that match: haus*, *ung, /regular expression/.

    An n-gram matches if it contains the sequence, or if an expression matches one of
    its words.

    Returns:
        int64 (m,), ascending.

    Raises:
        UserError: the filter is invalid, or takes too long.
    """
    if not find.strip():
        return np.arange(len(found.rows))
    pattern = _pattern(find.strip())
    n_slots = len(pattern.slots)
    is_found = np.zeros(len(found.rows), bool)
    origins = np.asarray(found.rows["origin"])
    of_part, indices = origins >> PLACE_BITS, origins & ((1 << PLACE_BITS) - 1)
    for number, part in enumerate(found.parts):
        tables = [_table(part, slot) for slot in pattern.slots]
        rows = np.flatnonzero(of_part == number)
        tokens = part.layer.tokens
        for first in range(found.n - n_slots + 1):
            kept = rows
            for offset, table in enumerate(tables, first):
                kept = kept[table[tokens[indices[kept] + offset]]]
            is_found[kept] = True
    return np.flatnonzero(is_found)


def _pattern(find: str) -> WordPattern:
    if len(find) > 2 and find[0] == find[-1] == "/":
        return parse_pattern(find[1:-1], "regex")
    return parse_pattern(find)


def _table(part: CorpusPart, slot: TokenPattern) -> NDArray[np.bool_]:
    """Mark the items of a part's layer that a slot allows: bool (v,)."""
    if slot.layer in ("lemma", "pos"):
        raise UserError(
            f"{slot.layer}:{slot.text} can't filter a list. Enter the item itself, and "
            "select the unit to count."
        )
    table = np.zeros(len(part.layer.lexicon), bool)
    table[matching_ids(part.layer.lexicon, slot)] = True
    return table


def _sorted_rows(stream: TokenStream, found: NgramCounts) -> NDArray[Any]:
    """Sort counts in the order of a list."""
    most = int(found.counts.max(initial=0))
    order = sorted_order(most - found.counts, most + 1)
    rows = np.empty(len(order), ROW)
    rows["origin"] = stream.origins(found.places[order])
    rows["n"] = found.counts[order]
    rows["n_documents"] = found.n_documents[order]
    rows["dispersion"] = found.dispersion[order]
    rows["place"] = order
    return rows


def _file(
    project: Project, parts: Sequence[CorpusPart], layer: Layer, n: int
) -> Path | None:
    """Return the file of a list; None if an index is not saved."""
    if not all(part.words.stem for part in parts):
        return None
    facts: list[tuple[Any, ...]] = [(FORMAT, layer, n)]
    for part in parts:
        mask = 0 if part.mask is None else crc32(np.packbits(part.mask).tobytes())
        documents = part.documents if part.mask is None else part.documents[part.mask]
        facts.append(
            (part.words.stem, part.mask is None, mask, crc32(documents.tobytes()))
        )
    key = blake2b(repr(facts).encode(), digest_size=8).hexdigest()
    return word_index_file(project.folder, parts[0].words.stem, f"list-{key}")


def _keep(file: Path, rows: NDArray[Any], report: Report) -> None:
    """Save a list, unless the disk is full."""
    try:
        write_in_parts(file, rows, report)
    except OSError as error:
        log.warning("%s was not saved: %s", file, error)
        partial_path(file).unlink(missing_ok=True)
    _remove_oldest(file)


def _remove_oldest(file: Path) -> None:
    """Delete the oldest lists of an index; on Windows, mapped ones stay."""
    stem = file.name.split(".", 1)[0]
    kept = sorted(file.parent.glob(f"{stem}.list-*"), key=lambda f: f.stat().st_mtime)
    for old in kept[:-MAX_KEPT]:
        try:
            old.unlink()
        except OSError:
            continue
