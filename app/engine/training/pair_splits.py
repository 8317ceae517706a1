"""Split pairs into training and development sets, and count pairs by file.

The selection depends only on the seed and the English side, so that files of several
languages with the same English sentences hold out the same sentences, and few pairs are
lost because their sentence is held out in another language.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.runtime.report import Report
from app.engine.text.line_files import (
    describe_pair_file,
    describe_texts,
    file_stem,
    language_names,
    read_lines,
    read_pairs,
)
from app.engine.training.held_out import (
    BLOCK_TEXTS,
    NO_LETTERS,
    HashArray,
    HeldOutSentences,
    normal_hashes,
)
from app.errors import UserError
from app.plurals import count_text

WARNED_COPIES = 0.1  # share of lines with equal columns
N_NAMED = 8  # languages named in a note


class PairCounts(msgspec.Struct, frozen=True):
    """Counts of the pairs of one file.

    Attributes:
        language: language of the second column, or the file's name if unknown.
        n_read: number of lines.
        n_trained: training pairs.
        n_development: held-out pairs.
        n_left_out: pairs with a sentence of a held-out file or corpus.
        n_repeats: further pairs with a sentence of a held-out pair.
        n_blank: lines with an empty column.
        n_copied: pairs with equal columns, which are used.
    """

    language: str
    n_read: int
    n_trained: int
    n_development: int
    n_left_out: int
    n_repeats: int
    n_blank: int
    n_copied: int


def describe_counts(counts: Sequence[PairCounts]) -> Iterator[str]:
    """Describe excluded and suspicious pairs, one sentence each."""
    for field, noun, reason in (
        ("n_left_out", "pair", "with a sentence of a development or test set"),
        ("n_repeats", "repeat", "of a held-out sentence"),
        ("n_blank", "line", "with an empty column"),
    ):
        numbers = {c.language: getattr(c, field) for c in counts if getattr(c, field)}
        if numbers:
            n_excluded = count_text(sum(numbers.values()), noun)
            verb = "Left out" if field == "n_repeats" else "Excluded"
            yield f"{verb} {n_excluded} {reason} ({_name_largest(numbers)})."
    copied = {
        c.language: c.n_copied
        for c in counts
        if c.n_copied >= WARNED_COPIES * max(1, c.n_read)
    }
    if copied:
        yield (
            f"{count_text(sum(copied.values()), 'pair')} with identical columns may "
            f"be copies of the source ({_name_largest(copied)})."
        )


def describe_unmeasured(counts: Sequence[PairCounts]) -> str:
    """Return the languages without held-out pairs; empty: there are none."""
    numbers = {c.language: c.n_trained for c in counts if not c.n_development}
    if not numbers:
        return ""
    return f"Too few distinct pairs to hold out: {_name_largest(numbers)}."


def _name_largest(numbers: dict[str, int]) -> str:
    """Return the languages with the largest numbers: German 12, French 3 and 4 more."""
    largest = sorted(numbers.items(), key=lambda item: -item[1])
    shown = largest[:N_NAMED]
    named = ", ".join(f"{describe_texts(name)} {number:,}" for name, number in shown)
    n_more = len(largest) - N_NAMED
    return f"{named} and {n_more} more" if n_more > 0 else named


FOLDER = "split"
INDEX_FILE = "split.json"
LARGEST_SHARE = 10  # at most a tenth of a language's pairs is held out
FEWEST = 2  # pairs for a meaningful retrieval error
REFUSED_COPIES = 0.9  # share of pairs with equal columns
CHECKING, WRITING = "Checking pairs", "Splitting pairs"


class PairSplit(msgspec.Struct, frozen=True):
    """Files of a training after the split.

    Attributes:
        counts: counts of each input file.
        files: TSV to train on: the input files, or copies without excluded pairs.
        development: TSV of held-out pairs, by language.
        notes: sentences for the user.
    """

    counts: tuple[PairCounts, ...]
    files: tuple[str, ...]
    development: dict[str, str]
    notes: tuple[str, ...]

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the files to train on as paths."""
        return tuple(map(Path, self.files))


class _ReadFile(NamedTuple):
    """A file of n lines during the split.

    Attributes:
        is_blank: bool (n,), whether a column is empty.
        is_copied: bool (n,), whether both columns are equal.
        hashes: uint64 (n, 2) of both sides; (0, 2) if not required.
    """

    path: Path
    language: str
    is_blank: NDArray[np.bool_]
    is_copied: NDArray[np.bool_]
    hashes: HashArray


def split_pairs(
    files: Sequence[Path],
    kept_out: HeldOutSentences,
    folder: Path,
    report: Report,
    *,
    n_development: int = 0,
    seed: int = 1,
) -> PairSplit:
    """Split the pairs of all files, or read the split of an earlier run.

    Args:
        files: TSV of english⇥foreign, one per language, or none.
        kept_out: sentences to exclude, in either language.
        n_development: pairs of each language to hold out.

    Raises:
        UserError: lines lack a column, the columns are equal, or no pairs remain.
    """
    if not files:
        return PairSplit((), (), {}, ())
    done = folder / FOLDER / INDEX_FILE
    if done.exists():
        return msgspec.json.decode(done.read_bytes(), type=PairSplit)
    needs_hashes = bool(len(kept_out)) or n_development > 0
    languages = language_names(files)
    read = [
        _read_file(path, language, report, wants_hashes=needs_hashes)
        for path, language in zip(files, languages, strict=True)
    ]
    held = [_choose_held(one, kept_out, n_development, seed) for one in read]
    measured = [one.hashes[rows] for one, rows in zip(read, held, strict=True)]
    unseen = kept_out, HeldOutSentences(np.concatenate(measured).ravel())
    part = folder / f"{FOLDER}.part"
    shutil.rmtree(part, ignore_errors=True)
    (part / "development").mkdir(parents=True)
    written = [
        _write_file(one, rows, unseen, part, report)
        for one, rows in zip(read, held, strict=True)
    ]
    split = _describe(read, written, folder / FOLDER)
    (part / INDEX_FILE).write_bytes(msgspec.json.encode(split))
    shutil.rmtree(folder / FOLDER, ignore_errors=True)
    part.replace(folder / FOLDER)
    return split


def measured_on(split: PairSplit) -> HeldOutSentences:
    """Return the sentences of held-out pairs, which must be excluded from training."""
    hashes = [np.empty(0, np.uint64)]
    for file in split.development.values():
        texts = [text for pair in read_pairs(Path(file)) for text in pair]
        hashes.append(normal_hashes(texts))
    return HeldOutSentences(np.concatenate(hashes))


def _read_file(
    path: Path, language: str, report: Report, *, wants_hashes: bool
) -> _ReadFile:
    """Read one file.

    Raises:
        UserError: lines have no second column, or all columns are equal.
    """
    blank, copied, hashed = [], [], [np.empty((0, 2), np.uint64)]
    for block in _blocks(path, report):
        blank += [not (source and target) for source, target in block]
        copied += [source == target != "" for source, target in block]
        if wants_hashes:
            hashed.append(_hash_block(block))
    is_blank, is_copied = np.array(blank, np.bool_), np.array(copied, np.bool_)
    n_pairs, n_copied = int((~is_blank).sum()), int(is_copied.sum())
    if n_copied >= max(1, REFUSED_COPIES * n_pairs):
        raise UserError(
            f"{describe_pair_file(path)}: both columns are identical in {n_copied:,} "
            f"of {n_pairs:,} pairs. The source was probably copied. Check the file."
        )
    return _ReadFile(path, language, is_blank, is_copied, np.concatenate(hashed))


def _blocks(path: Path, report: Report) -> Iterator[list[tuple[str, str]]]:
    """Yield the pairs of a file in blocks, stripped of spaces.

    Raises:
        UserError: lines have no second column.
    """
    block: list[tuple[str, str]] = []
    n_lines, missing = 0, []
    for n_lines, line in enumerate(read_lines(path), 1):
        source, tab, rest = line.partition("\t")
        if not tab:
            missing.append(n_lines)
        block.append((source.strip(), rest.partition("\t")[0].strip()))
        if len(block) == BLOCK_TEXTS:
            report.step(CHECKING, n_lines, 0, describe_pair_file(path))
            yield block
            block = []
    if missing:
        raise UserError(
            f"{path.name}, line {missing[0]:,}: no tab in this line and in "
            f"{len(missing) - 1:,} others of {n_lines:,}. Each line needs two columns."
        )
    if block:
        report.step(CHECKING, n_lines, 0, describe_pair_file(path))
        yield block


def _hash_block(block: list[tuple[str, str]]) -> HashArray:
    """Hash both sides of pairs: uint64 (n, 2)."""
    sides = [normal_hashes(side) for side in zip(*block, strict=True)]
    return np.stack(sides, axis=1)  # 2 x (n,) -> (n, 2)


def _choose_held(
    one: _ReadFile, kept_out: HeldOutSentences, n_development: int, seed: int
) -> NDArray[np.int64]:
    """Select the rows to hold out: distinct sentences, in the order of the file."""
    if not n_development:
        return np.empty(0, np.int64)
    sources, targets = one.hashes.T
    is_usable = (sources != NO_LETTERS) & (targets != NO_LETTERS) & ~one.is_copied
    is_usable &= ~_holds(one, kept_out)
    rows = np.flatnonzero(is_usable)
    n_wanted = min(n_development, len(rows) // LARGEST_SHARE)
    if n_wanted < FEWEST:
        return rows[:0]
    factor = np.random.default_rng([seed, 2]).integers(1, 2**63, dtype=np.uint64)
    ranks = sources[rows] * (factor | np.uint64(1))  # a bijection of 64 bits
    rows = rows[np.argsort(ranks, kind="stable")]
    for side in (sources, targets):
        _, firsts = np.unique(side[rows], return_index=True)
        rows = rows[np.sort(firsts)]
    return np.sort(rows[:n_wanted]) if len(rows) >= FEWEST else rows[:0]


def _write_file(
    one: _ReadFile,
    held: NDArray[np.int64],
    unseen: tuple[HeldOutSentences, HeldOutSentences],
    part: Path,
    report: Report,
) -> tuple[PairCounts, bool]:
    """Write the held-out pairs, and the training pairs if they differ from the file.

    Returns:
        The counts, and whether a training file was written.
    """
    n = len(one.is_blank)
    is_held = np.zeros(n, np.bool_)
    is_held[held] = True
    is_leak = _holds(one, unseen[0]) & ~one.is_blank
    is_repeat = _holds(one, unseen[1]) & ~(one.is_blank | is_leak | is_held)
    is_trained = ~(one.is_blank | is_leak | is_repeat | is_held)
    if not is_trained.all():
        _copy_rows(one, is_trained, part / f"{file_stem(one.path)}.tsv", report)
    if len(held):
        file = part / "development" / f"{one.language}.tsv"
        _copy_rows(one, is_held, file, report)
    counts = PairCounts(
        language=one.language,
        n_read=n,
        n_trained=int(is_trained.sum()),
        n_development=len(held),
        n_left_out=int(is_leak.sum()),
        n_repeats=int(is_repeat.sum()),
        n_blank=int(one.is_blank.sum()),
        n_copied=int(one.is_copied.sum()),
    )
    return counts, not is_trained.all()


def _holds(one: _ReadFile, unseen: HeldOutSentences) -> NDArray[np.bool_]:
    """Return whether each pair contains one of the sentences: bool (n,)."""
    if not len(one.hashes):
        return np.zeros(len(one.is_blank), np.bool_)
    held: NDArray[np.bool_] = np.logical_or(*unseen.marks(one.hashes).T)
    return held


def _copy_rows(
    one: _ReadFile, is_copied: NDArray[np.bool_], file: Path, report: Report
) -> None:
    """Copy some lines of a file."""
    wanted = iter(is_copied.tolist())
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        for number, line in enumerate(read_lines(one.path), 1):
            if next(wanted):
                stream.write(line + "\n")
            if number % BLOCK_TEXTS == 0:
                report.step(
                    WRITING, number, len(is_copied), describe_pair_file(one.path)
                )
        stream.flush()
        os.fsync(stream.fileno())


def _describe(
    read: Sequence[_ReadFile], written: Sequence[tuple[PairCounts, bool]], folder: Path
) -> PairSplit:
    """Return the files and the notes."""
    counts = tuple(count for count, _ in written)
    if sum(count.n_trained for count in counts) < FEWEST:
        raise UserError(
            f"Fewer than two of {sum(c.n_read for c in counts):,} pairs "
            f"remain for training. {' '.join(describe_counts(counts))}".strip()
        )
    return PairSplit(
        counts=counts,
        files=tuple(
            str(folder / f"{file_stem(one.path)}.tsv" if is_copy else one.path)
            for one, (count, is_copy) in zip(read, written, strict=True)
            if count.n_trained
        ),
        development={
            count.language: str(folder / "development" / f"{count.language}.tsv")
            for count in counts
            if count.n_development
        },
        notes=tuple(describe_counts(counts)),
    )
