"""Word lists as training data: random groups of entries, as long as sentences.

A static encoder sums the vectors of words, so a group of words and the group of their
translations are translations of each other. Single words would be too easy to tell
apart, and each step would contain few of them.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from app.engine.runtime.report import Report
from app.engine.text.line_files import file_stem, read_lines
from app.errors import UserError

STAGE = "Grouping words"
FEWEST, MOST = 2, 7  # entries per group
N_TURNS = 3  # groups per entry
_CODE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]+)*")

Entry = tuple[str, str]


def write_word_groups(
    files: Sequence[Path], folder: Path, report: Report, *, seed: int
) -> tuple[Path, ...]:
    """Write word lists as pairs of groups, one TSV per list and language.

    Each entry is in three groups of two to seven random entries of its language; both
    sides of a group list them in the same order.

    Args:
        files: TSV of language⇥english⇥foreign; further columns are ignored.
        folder: folder for the groups.

    Returns:
        The files, named by list and language: eng-tel.names.tsv for names.tsv.xz.

    Raises:
        UserError: a line has no third column or no language code, a list has no
            entries, or two lists have the same name.
    """
    written: list[Path] = []
    for done, file in enumerate(files):
        report.step(STAGE, done, len(files), file.name)
        folder.mkdir(parents=True, exist_ok=True)
        for number, (code, entries) in enumerate(sorted(_read(file).items())):
            out = folder / f"eng-{code}.{file_stem(file)}.tsv"
            if out in written:
                raise UserError(
                    f"Two word lists are named {file_stem(file)}. Rename one."
                )
            written.append(out)
            generator = np.random.default_rng([seed, done, number, 3])
            with out.open("w", encoding="utf-8", newline="\n") as stream:
                for group in _group(entries, generator):
                    english, foreign = (
                        " ".join(side) for side in zip(*group, strict=True)
                    )
                    stream.write(f"{english}\t{foreign}\n")
    return tuple(written)


def _read(file: Path) -> dict[str, list[Entry]]:
    """Return the entries of each language, without copies of the English word."""
    entries: dict[str, list[Entry]] = defaultdict(list)
    for number, line in enumerate(read_lines(file), 1):
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) < 3 or not _CODE.fullmatch(columns[0]):
            raise UserError(
                f"{file.name}, line {number:,}: write a language code, an English word "
                "and its translation, separated by tabs."
            )
        code, english, foreign = columns[:3]
        if english and foreign and english.casefold() != foreign.casefold():
            entries[code].append((english, foreign))
    if not entries:
        raise UserError(f"{file.name} has no word with a translation.")
    return entries


def _group(
    entries: Sequence[Entry], generator: np.random.Generator
) -> Iterator[list[Entry]]:
    """Yield random groups; each entry occurs in three groups."""
    for _ in range(N_TURNS):
        order = generator.permutation(len(entries)).tolist()
        while order:
            n = int(generator.integers(FEWEST, MOST + 1))
            yield [entries[i] for i in order[:n]]
            order = order[n:]
