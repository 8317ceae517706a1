"""Aligned sentences of all files as one store, and their translation directions."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.runtime.report import Report
from app.engine.text.line_files import file_stem, read_pairs
from app.engine.training.data.row_store import (
    Row,
    RowGroup,
    RowStore,
    StoreFiller,
    make_store,
    open_store,
)
from app.engine.training.data.tokens import RowRange
from app.engine.training.held_out import HeldOutSentences
from app.engine.training.objective import ObjectiveContext
from app.errors import UserError
from app.languages import language_name

FOLDER = "aligned"
WITH_TEXTS = ("distillation", "translation")  # objectives that read the original text


def open_aligned(context: ObjectiveContext, report: Report) -> RowStore:
    """Tokenise the aligned files, or open an existing store.

    Sentence 2p is the source (English) side of pair p, sentence 2p + 1 the other. The
    files were checked when they were split; only pairs without a known token are left
    out here.

    Raises:
        UserError: a line has no tab, or fewer than two pairs remain.
        ResourceError: a file is missing.
    """
    folder = context.folder / FOLDER
    return open_store(folder) or _cut(context, folder, report)


def _cut(context: ObjectiveContext, folder: Path, report: Report) -> RowStore:
    """Tokenise the files."""
    if not context.files:
        raise UserError("Choose at least one file or corpus of aligned sentences.")
    nothing = HeldOutSentences(np.empty(0, np.uint64))
    filler = StoreFiller(context.tokeniser, nothing, 2, "pair")
    params = context.params
    filler.keeps_texts = bool(params.n_hard_negatives) or any(
        text.startswith(WITH_TEXTS) for text in params.objectives
    )
    groups = [
        RowGroup(file_stem(file), map(Row, read_pairs(file))) for file in context.files
    ]
    store = make_store(folder, groups, filler, report)
    if store.n_rows < 2:
        raise UserError(
            f"The aligned files contain {store.n_rows} usable pairs, but "
            "training needs at least "
            f"two.{''.join(' ' + note for note in store.notes)}"
        )
    return store


SentenceIds = NDArray[np.int64]

_CODES = re.compile(r"([a-z]{2,3})-([a-z]{2,3}(?:[-_][A-Za-z0-9]+)*)(?:\.|$)")


class AlignedSide(NamedTuple):
    """One side of a file of pairs.

    Attributes:
        language: language code.
        sentence_ids: int64 (p,), sentence of each pair.
    """

    language: str
    sentence_ids: SentenceIds


class Direction(NamedTuple):
    """Sentences of one language and their translations into another.

    Attributes:
        source, target: codes of the languages.
        source_ids, target_ids: int64 (n,), sentences of the store.
        is_joined: the pairs are not in a file, but share a sentence of a third
            language.
    """

    source: str
    target: str
    source_ids: SentenceIds
    target_ids: SentenceIds
    is_joined: bool = False


class TargetRows(NamedTuple):
    """All translations into one language.

    Attributes:
        target: code of the language.
        source_ids, target_ids: int64 (n,).
        groups: ranges of rows, one for each direction.
    """

    target: str
    source_ids: SentenceIds
    target_ids: SentenceIds
    groups: tuple[RowRange, ...]


def find_directions(store: RowStore, targets: Sequence[str]) -> list[Direction]:
    """Find all translation directions into some languages.

    A file eng-deu yields eng→deu and deu→eng. Files eng-deu and eng-spa also yield
    deu→spa and spa→deu, by joining on equal English sentences. If an English sentence
    has several translations in the other file, the first is used.

    Raises:
        UserError: a file's name does not contain its languages.
    """
    files = [_sides(group) for group in store.groups]
    directions = [
        direction
        for target in targets
        for file in files
        for direction in (*_direct(file, target), *_joined(store, file, files, target))
    ]
    return [direction for direction in directions if len(direction.source_ids)]


def gather_targets(
    directions: Sequence[Direction], targets: Sequence[str]
) -> list[TargetRows]:
    """Group directions by target language; languages without directions are omitted."""
    gathered = []
    for target in targets:
        into = [one for one in directions if one.target == target]
        if not into:
            continue
        ends = np.cumsum([len(one.source_ids) for one in into])
        gathered.append(
            TargetRows(
                target,
                np.concatenate([one.source_ids for one in into]),
                np.concatenate([one.target_ids for one in into]),
                tuple(
                    RowRange(
                        f"{one.source}-{one.target}",
                        int(end) - len(one.source_ids),
                        len(one.source_ids),
                    )
                    for one, end in zip(into, ends, strict=True)
                ),
            )
        )
    return gathered


def describe_directions(directions: Sequence[Direction]) -> tuple[str, ...]:
    """Describe the directions into each language."""
    notes = []
    for target in dict.fromkeys(one.target for one in directions):
        into = [one for one in directions if one.target == target]
        n_pairs = sum(len(one.source_ids) for one in into)
        n_joined = sum(len(one.source_ids) for one in into if one.is_joined)
        languages = ", ".join(sorted({language_name(one.source) for one in into}))
        note = (
            f"{n_pairs:,} sentences are translated into {language_name(target)} "
            f"(from {languages})"
        )
        if n_joined:
            note += (
                f"; {n_joined:,} of them through a shared sentence in a third language"
            )
        notes.append(note + ".")
    return tuple(notes)


def _sides(group: RowRange) -> tuple[AlignedSide, AlignedSide]:
    """Return the languages in the name of a file of pairs: eng-deu."""
    found = _CODES.match(group.name)
    if not found:
        raise UserError(
            f"The file name {group.name} doesn't contain two languages. "
            "Rename it like eng-deu.tsv to train translation on it."
        )
    pair_ids = np.arange(group.first, group.first + group.n_pairs)
    return AlignedSide(found[1], 2 * pair_ids), AlignedSide(found[2], 2 * pair_ids + 1)


def _direct(file: tuple[AlignedSide, AlignedSide], target: str) -> list[Direction]:
    """Return the directions of one file into a language."""
    first, second = file
    return [
        Direction(source.language, target, source.sentence_ids, other.sentence_ids)
        for source, other in ((first, second), (second, first))
        if other.language == target
    ]


def _joined(
    store: RowStore,
    file: tuple[AlignedSide, AlignedSide],
    files: Sequence[tuple[AlignedSide, AlignedSide]],
    target: str,
) -> list[Direction]:
    """Return directions from a file into a language, joined by equal first sides."""
    pivot, source = file
    if target in (pivot.language, source.language):
        return []
    return [
        _join(store, file, other)
        for other in files
        if other[1].language == target and other[0].language == pivot.language
    ]


def _join(
    store: RowStore,
    file: tuple[AlignedSide, AlignedSide],
    other: tuple[AlignedSide, AlignedSide],
) -> Direction:
    """Join the second sides of two files with equal first sides."""
    hashes = store.hashes[file[0].sentence_ids]
    known, firsts = np.unique(store.hashes[other[0].sentence_ids], return_index=True)
    indices = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    is_shared = known[indices] == hashes
    return Direction(
        file[1].language,
        other[1].language,
        file[1].sentence_ids[is_shared],
        other[1].sentence_ids[firsts[indices[is_shared]]],
        is_joined=True,
    )
