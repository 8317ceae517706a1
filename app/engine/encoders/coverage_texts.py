"""The sentences that coverage is measured on: of a project's corpora, and of files."""

import logging
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.store.bulk import read_languages
from app.engine.store.members import members
from app.engine.store.rows import CorpusRow, first_id, read_sentences
from app.engine.text.opening import strip_compression
from app.engine.training.files import read_lines
from app.errors import UserError
from app.languages import parse_language

if TYPE_CHECKING:
    from app.engine.project import Project

log = logging.getLogger("engine")

MAX_SENTENCES = 1_000  # of a language
MAX_LINES = 100_000  # of a file that the sample is taken from


class LanguageTexts(NamedTuple):
    """A sample of one language.

    Attributes:
        texts: different texts, none of them empty.
        ids: of the sentences in the project; 0 for a line of a file.
    """

    texts: list[str]
    ids: list[int]


def sample_corpora(
    project: "Project", corpora: Sequence[CorpusRow]
) -> dict[str, LanguageTexts]:
    """Sample each language of some corpora, evenly over all its sentences."""
    places: dict[str, list[NDArray[np.int64]]] = {}
    for corpus in corpora:
        for language, positions in _positions(project, corpus).items():
            places.setdefault(language, []).append(first_id(corpus.id) + positions)
    samples = {}
    for language, groups in places.items():
        ids = _evenly(np.concatenate(groups)).tolist()
        rows = [row for row in read_sentences(project.store, ids) if row is not None]
        samples[language] = _without_doubles([(row.text, row.id) for row in rows])
    return samples


def sample_file(file: Path) -> tuple[str, LanguageTexts]:
    """Sample a file NAME.LANGUAGE or LANGUAGE.txt (.xz, .gz, .zst too).

    Returns:
        The language's stored code, and its texts.

    Raises:
        UserError: no language in the name, or the file is empty or damaged.
    """
    plain = strip_compression(file)
    name = plain.stem if plain.suffix == ".txt" else plain.name
    language = parse_language(name.rpartition(".")[2])
    if not plain.suffix or not language.code:
        raise UserError(
            f"{file} says no language in its name: call it NAME.CODE or CODE.txt."
        )
    if not language.known:
        log.warning("%r is no language code of ISO 639 or BCP 47", language.given)
    lines = [line for line in islice(read_lines(file), MAX_LINES) if line.strip()]
    if not lines:
        raise UserError(f"{file} holds no text: give a file with a sentence a line.")
    chosen = _evenly(np.arange(len(lines)))
    return language.code, _without_doubles([(lines[i], 0) for i in chosen])


def _positions(project: "Project", corpus: CorpusRow) -> dict[str, NDArray[np.int64]]:
    """Name the positions of each language in a corpus."""
    codes = read_languages(project.store, corpus.id)
    rows = members(project, corpus)
    chosen = np.arange(corpus.n_sentences) if rows is None else rows
    if codes is None:
        return {corpus.language: chosen} if len(chosen) else {}
    codes = codes[chosen]
    return {str(code): chosen[codes == code] for code in np.unique(codes)}


def _evenly(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Choose at most `MAX_SENTENCES` values, evenly over all."""
    if len(values) <= MAX_SENTENCES:
        return values
    return values[np.linspace(0, len(values) - 1, MAX_SENTENCES).astype(np.int64)]


def _without_doubles(rows: Sequence[tuple[str, int]]) -> LanguageTexts:
    """Keep one of equal texts: doubles are each other's neighbours, not hubs."""
    ids = {text: id_ for text, id_ in reversed(rows) if text.strip()}
    texts = list(reversed(ids))
    return LanguageTexts(texts, [ids[text] for text in texts])
