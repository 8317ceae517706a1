"""Nearest words in one language, analogies, and word similarity."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.arrays import DoubleArray, FloatArray
from app.engine.numeric import normalise_rows
from app.engine.text.line_files import read_lines
from app.engine.wordvectors.table import WordLookup, WordVectors
from app.errors import UserError
from app.protocol.answers.words import NeighbourRow

ANALOGY_FORM = "Write an analogy as a : b = c, such as Paris : France = Rome."


class UnitVectors(NamedTuple):
    """Words with vectors of length 1.

    Attributes:
        table: the words; its vectors are not used.
        lookup: finds their rows.
        vectors: float32 (n, d), unit rows; zero vectors stay zero.
    """

    table: WordVectors
    lookup: WordLookup
    vectors: FloatArray


def make_units(table: WordVectors) -> UnitVectors:
    """Scale the vectors of words to length 1."""
    vectors, _ = normalise_rows(np.asarray(table.vectors, np.float32))
    return UnitVectors(table, WordLookup(table.words), vectors)


def list_neighbours(units: UnitVectors, text: str, top: int) -> list[NeighbourRow]:
    """List the nearest words of a word, or the answers to an analogy, best first.

    An analogy a : b = c asks for the word nearest to b - a + c, of unit vectors,
    without the three words (Mikolov et al. 2013, "Linguistic Regularities in Continuous
    Space Word Representations", section 4).

    Raises:
        UserError: a word has no vector, or the analogy is incomplete.
    """
    rows = [units.lookup.row(word) for word in _parse(text)]
    vectors = units.vectors[rows]
    query = vectors[0] if len(rows) == 1 else vectors[1] - vectors[0] + vectors[2]
    cosines = units.vectors @ (query / max(float(np.linalg.norm(query)), 1e-12))
    cosines[rows] = -np.inf
    n = min(top, len(cosines) - len(set(rows)))
    best = np.argsort(-cosines, kind="stable")[:n]
    return [
        NeighbourRow(
            item=units.table.words[row], cosine=float(cosines[row]), rank=row + 1
        )
        for row in best.tolist()
    ]


def _parse(text: str) -> list[str]:
    """Return the word, or the three words of an analogy a : b = c."""
    if not any(sign in text for sign in ":="):
        return [text]
    first, _, third = text.partition("=")
    words = [*first.split(":"), *third.rstrip(" :?").split(":")]
    words = [word.strip() for word in words]
    if len(words) != 3 or not all(words):
        raise UserError(f"“{text}” is not an analogy. {ANALOGY_FORM}")
    return words


class SimilarityRows(NamedTuple):
    """Pairs of words with scores that people gave.

    Attributes:
        pairs: n pairs of words.
        scores: float64 (n,).
    """

    pairs: tuple[tuple[str, str], ...]
    scores: DoubleArray


def read_similarities(file: Path) -> SimilarityRows:
    """Read word⇥word⇥score; a first line without a number is a header.

    Raises:
        UserError: a line has another form, or there are fewer than three pairs.
        ResourceError: the file is missing.
    """
    found = [*_parse_lines(file)]
    if len(found) < 3:
        raise UserError(f"{file.name} has fewer than three pairs. Add more.")
    pairs = tuple((one, other) for one, other, _ in found)
    return SimilarityRows(pairs, np.array([score for *_, score in found]))


def _parse_lines(file: Path) -> Iterator[tuple[str, str, float]]:
    for number, line in enumerate(read_lines(file), 1):
        columns = [column.strip() for column in line.split("\t")]
        try:
            score = float(columns[2])
        except (IndexError, ValueError) as error:
            if number == 1 and len(columns) > 2:
                continue
            raise UserError(
                f"{file.name}, line {number:,}: the line is not a word, a word and a "
                "number, separated by tabs."
            ) from error
        if not np.isfinite(score) or not columns[0] or not columns[1]:
            raise UserError(
                f"{file.name}, line {number:,}: a word is empty, or the score is not a "
                "number."
            )
        yield columns[0], columns[1], score


def pair_cosines(
    first: UnitVectors, second: UnitVectors, pairs: Sequence[tuple[str, str]]
) -> DoubleArray:
    """Return the cosine of each pair: float64 (n,); NaN if a word has no vector."""
    found = np.full(len(pairs), np.nan)
    for index, (one, other) in enumerate(pairs):
        rows = first.lookup.find(one), second.lookup.find(other)
        if rows[0] is not None and rows[1] is not None:
            found[index] = first.vectors[rows[0]] @ second.vectors[rows[1]]
    return found
