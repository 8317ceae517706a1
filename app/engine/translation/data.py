"""Sentences in several languages, and the directions to train."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.runtime.report import Report
from app.engine.text.line_files import (
    describe_pair_file,
    language_pair,
    read_lines,
    read_pairs,
)
from app.errors import UserError
from app.languages import language_name, parse_language

STAGE = "Reading the table"
BOM = "\ufeff"
Direction = tuple[str, str]  # source and target language


class ParallelTexts(NamedTuple):
    """Sentences in several languages, and pairs of translations.

    Attributes:
        texts: sentences of each language.
        pairs: int64 (n, 2) for each two languages in alphabetical order: indices into
            the texts of the first and the second language.
    """

    texts: dict[str, list[str]]
    pairs: dict[Direction, NDArray[np.int64]]

    def rows(self, direction: Direction) -> NDArray[np.int64]:
        """Return the source and target indices, int64 (n, 2), equal for copies."""
        source, target = direction
        if source == target:
            return np.repeat(np.arange(len(self.texts[source]))[:, None], 2, axis=1)
        first, second = sorted(direction)
        found = self.pairs.get((first, second), np.empty((0, 2), np.int64))
        return found if source == first else found[:, ::-1]


class LanguageTable(NamedTuple):
    """The columns of a table.

    Attributes:
        codes: language of each column, as in the header.
        columns: cells of each language by row; empty if missing.
    """

    codes: tuple[str, ...]
    columns: dict[str, list[str]]

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return len(self.columns[self.codes[0]])


def read_table(
    file: Path, report: Report, languages: Sequence[str] = ()
) -> LanguageTable:
    """Read a TSV with a header of language codes.

    Args:
        file: UTF-8, also .gz, .xz or .zst.
        languages: columns to read, in this order; empty: all.

    Raises:
        UserError: the header has an invalid, repeated or missing code, or a row has
            more cells than the header.
        ResourceError: the file is missing or cannot be read.
    """
    lines = iter(read_lines(file))
    codes = _parse_header(file, next(lines, ""))
    chosen = [match_language(one, codes, str(file)) for one in languages] or codes
    if len(set(chosen)) < len(chosen):
        raise UserError("A language is chosen twice. Choose each language once.")
    indices = [codes.index(code) for code in chosen]
    columns: dict[str, list[str]] = {code: [] for code in chosen}
    for number, line in enumerate(lines, 2):
        report.step(STAGE, number - 1, 0)
        cells = line.rstrip("\r").split("\t")
        if len(cells) > len(codes):
            raise UserError(
                f"{file}, line {number:,}: {len(cells)} cells, but the header has "
                f"{len(codes)} languages."
            )
        cells += [""] * (len(codes) - len(cells))
        for code, index in zip(chosen, indices, strict=True):
            columns[code].append(cells[index].strip())
    if not columns[chosen[0]]:
        raise UserError(f"{file} has a header but no rows.")
    return LanguageTable(tuple(chosen), columns)


def match_language(wanted: str, codes: Iterable[str], where: str) -> str:
    """Find a language among codes; de and deu are equivalent.

    Raises:
        UserError: the language is not among the codes.
    """
    known = list(codes)
    if wanted in known:
        return wanted
    code = parse_language(wanted).code
    for one in known:
        if parse_language(one).code == code:
            return one
    missing, *others = (f"{language_name(one)} ({one})" for one in (wanted, *known))
    raise UserError(f"{where} has no {missing}. It has {', '.join(others)}.")


def pair_columns(table: LanguageTable) -> ParallelTexts:
    """Pair the cells of each row as translations, without empty cells."""
    indices: dict[str, NDArray[np.int64]] = {}
    texts: dict[str, list[str]] = {}
    for code in table.codes:
        is_filled = np.array([bool(cell) for cell in table.columns[code]])
        indices[code] = np.where(is_filled, np.cumsum(is_filled) - 1, -1)
        texts[code] = [cell for cell in table.columns[code] if cell]
    pairs = {}
    for first in table.codes:
        for second in table.codes:
            if first < second:
                both = np.stack([indices[first], indices[second]], axis=1)  # (rows, 2)
                pairs[first, second] = both[(both >= 0).all(axis=1)]
    return ParallelTexts(texts, pairs)


def read_pair_files(files: Sequence[Path], report: Report) -> ParallelTexts:
    """Read TSV files of pairs whose names contain their two languages.

    Equal texts of a language are one sentence.
    """
    places: dict[str, dict[str, int]] = {}
    found: dict[Direction, list[tuple[int, int]]] = {}
    for done, file in enumerate(files):
        report.step("Reading pairs", done, len(files), describe_pair_file(file))
        first, second = language_pair(file)
        if first == second:
            continue
        swaps = first > second
        for cells in read_pairs(file):
            sides = [
                places.setdefault(code, {}).setdefault(text, len(places[code]))
                for code, text in zip((first, second), cells, strict=True)
                if text.strip()
            ]
            if len(sides) == 2:
                pair = (sides[1], sides[0]) if swaps else (sides[0], sides[1])
                found.setdefault((min(first, second), max(first, second)), []).append(
                    pair
                )
    return ParallelTexts(
        {code: list(texts) for code, texts in places.items()},
        {key: np.array(rows, np.int64) for key, rows in found.items()},
    )


def parse_direction(text: str, languages: Sequence[str]) -> Direction:
    """Split eng-deu into its languages; codes may contain hyphens.

    Raises:
        UserError: the direction is not two different languages of the model.
    """
    for index, letter in enumerate(text):
        if letter == "-":
            try:
                source = match_language(text[:index], languages, "")
                target = match_language(text[index + 1 :], languages, "")
            except UserError:
                continue
            if source != target:
                return source, target
    raise UserError(
        f"{text} is not a direction. Write two different languages of the model, such "
        f"as {languages[0]}-{languages[-1]}."
    )


def choose_directions(
    texts: ParallelTexts,
    languages: Sequence[str],
    *,
    wanted: Sequence[str] = (),
    without: Sequence[str] = (),
    copies: bool = False,
) -> list[Direction]:
    """Choose the directions to train, in the order of their rotation.

    Args:
        texts: a direction needs at least one pair.
        wanted: directions such as eng-deu; empty: all with pairs.
        without: directions to leave out.
        copies: adds a direction from each language into itself.

    Raises:
        UserError: a direction is unknown or has no pairs, or a language is in no
            direction.
    """
    if len(languages) < 2:
        raise UserError("A translation model needs at least two languages.")
    omitted = {parse_direction(one, languages) for one in without}
    chosen = [parse_direction(one, languages) for one in dict.fromkeys(wanted)]
    for source, target in chosen:
        if not len(texts.rows((source, target))):
            raise UserError(
                f"No sentence is in both {language_name(source)} and "
                f"{language_name(target)}. Leave out this direction, or add such "
                "sentences."
            )
    if not chosen:
        every = [(s, t) for s in languages for t in languages if s != t]
        chosen = [one for one in every if len(texts.rows(one))]
    chosen = [one for one in chosen if one not in omitted]
    for language in languages:
        if not any(language in direction for direction in chosen):
            raise UserError(
                f"No direction translates from or into {language_name(language)}. "
                "Leave out the language, or train a direction of it."
            )
    if copies:
        chosen += [(language, language) for language in languages]
    return chosen


def read_header(file: Path) -> list[str]:
    """Return the languages of a table (see `read_table`)."""
    return _parse_header(file, next(iter(read_lines(file)), ""))


def _parse_header(file: Path, line: str) -> list[str]:
    header = line.removeprefix(BOM).rstrip("\r").split("\t")
    codes = [code.strip() for code in header]
    _check_header(file, codes)
    return codes


def _check_header(file: Path, codes: Sequence[str]) -> None:
    stored = [parse_language(code).code for code in codes]
    for index, code in enumerate(codes):
        if not code or not code.replace("-", "").replace("_", "").isalnum():
            raise UserError(
                f"{file}, line 1: {code!r} is not a language code. The first line must "
                "have one code per column, such as eng and deu."
            )
        if stored[index] in stored[:index]:
            raise UserError(f"{file}, line 1: the language {code} occurs twice.")
    if len(codes) < 2:
        raise UserError(
            f"{file}, line 1: there is only one column. Use a table with one column "
            "per language, separated by tabs."
        )


class HeldOut(NamedTuple):
    """Training pairs and development pairs.

    Attributes:
        training, development: int64 (n, 2) by direction (see `ParallelTexts.rows`). No
            sentence of a development pair is in a training pair. Copies have no
            development pairs.
    """

    training: dict[Direction, NDArray[np.int64]]
    development: dict[Direction, NDArray[np.int64]]


def hold_out(
    texts: ParallelTexts, directions: Sequence[Direction], n: int, seed: int
) -> HeldOut:
    """Hold out up to n pairs of each two languages, at most a tenth."""
    generator = np.random.default_rng(seed)
    is_held = {code: np.zeros(len(one), bool) for code, one in texts.texts.items()}
    for (first, second), rows in texts.pairs.items():
        n_held = is_held[first][rows[:, 0]].astype(int) + is_held[second][rows[:, 1]]
        n_more = min(n, len(rows) // 10) - int((n_held == 2).sum())
        # pairs already excluded from training by a held-out sentence come first
        order = generator.permutation(np.flatnonzero(n_held < 2))
        order = order[np.argsort(-n_held[order], kind="stable")]
        for index in order[: max(0, n_more)].tolist():
            is_held[first][rows[index, 0]] = is_held[second][rows[index, 1]] = True
    training, development = {}, {}
    for source, target in directions:
        rows = texts.rows((source, target))
        held = [is_held[code][rows[:, i]] for i, code in enumerate((source, target))]
        training[source, target] = rows[~held[0] & ~held[1]]
        if source != target:
            development[source, target] = rows[held[0] & held[1]][:n]
    return HeldOut(training, development)
