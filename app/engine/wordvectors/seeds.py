"""Seed dictionaries: pairs of words to start a map from."""

import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.arrays import IdArray
from app.engine.store.lookup import find_pair_set
from app.engine.store.pairs.judgements import VERDICTS, read_current_verdicts
from app.engine.store.pairs.sets import read_pair_integers
from app.engine.store.pairs.texts import read_pair_texts
from app.engine.store.words.dictionaries import find_dictionary, read_all_entries
from app.engine.text.readers.dictionary import read_dictionary
from app.engine.wordvectors.table import WordLookup, WordVectors
from app.errors import UserError
from app.params.word_vectors import MapLanguages, SeedSource

if TYPE_CHECKING:
    from app.engine.project.project import Project

MIN_SEEDS = 10  # pairs, below which a map is arbitrary
MIN_LETTERS = 4  # of words that are spelled alike; shorter ones are often different


class SeedPairs(NamedTuple):
    """Rows of the pairs of a seed dictionary: int64 (p,) each."""

    sources: IdArray
    targets: IdArray


def collect_seeds(
    project: "Project | None",
    params: MapLanguages,
    source: WordVectors,
    target: WordVectors,
) -> SeedPairs | None:
    """Collect the pairs of all sources of seeds; None if none is selected.

    Raises:
        UserError: fewer than ten pairs have vectors of both words.
    """
    if params.dictionary is None and not params.pairs and not params.seeds:
        return None
    pairs: list[tuple[str, str]] = []
    if params.dictionary is not None:
        pairs += read_pairs(project, params.dictionary, source, target)
    if params.pairs:
        pairs += _accepted_pairs(project, params.pairs)
    for name in params.seeds:
        pairs += _words_alike(source.words, target.words, name)
    rows = find_rows(pairs, source, target)
    if len(rows.sources) < MIN_SEEDS:
        raise UserError(
            f"Only {len(rows.sources)} of the {len(pairs):,} pairs of the seed have a "
            f"vector for both words, and {MIN_SEEDS} are needed. Check that the source "
            "words are in the first column, or choose another dictionary."
        )
    return rows


def read_pairs(
    project: "Project | None",
    dictionary: Path,
    source: WordVectors,
    target: WordVectors,
) -> list[tuple[str, str]]:
    """Read a dictionary: a file, or one of the project by name.

    Raises:
        UserError: the file is not a dictionary, or has no entries.
    """
    if project is not None and not dictionary.exists():
        row = find_dictionary(project.store, str(dictionary))
        return read_all_entries(project.store, row.id)
    read = read_dictionary(dictionary, source.language, target.language)
    if not read.entries:
        raise UserError(
            f"{dictionary} has no word with a translation. Write a word and its "
            "translation on each line, separated by a tab."
        )
    return [(entry.source, entry.target) for entry in read.entries]


def find_rows(
    pairs: Iterable[tuple[str, str]], source: WordVectors, target: WordVectors
) -> SeedPairs:
    """Find the rows of distinct pairs whose words both have a vector."""
    lookups = WordLookup(source.words), WordLookup(target.words)
    found: dict[tuple[int, int], None] = {}
    for one, other in pairs:
        rows = lookups[0].find(one), lookups[1].find(other)
        if rows[0] is not None and rows[1] is not None:
            found[rows[0], rows[1]] = None
    table = np.array(list(found), np.int64).reshape(-1, 2)
    return SeedPairs(table[:, 0], table[:, 1])


def _accepted_pairs(project: "Project | None", name: str) -> list[tuple[str, str]]:
    """Return the accepted pairs of a pair set, as they were edited."""
    if project is None:
        raise UserError("--pairs needs a project. Name it with --project.")
    mining = find_pair_set(project.store, name)
    ids = read_pair_integers(project.store, mining.id, "id")
    verdicts = read_current_verdicts(project.store, mining.id).of(ids)
    accepted = ids[verdicts == VERDICTS.index("accept")].tolist()
    found: list[tuple[str, str]] = []
    for start in range(0, len(accepted), 1_000):
        texts = read_pair_texts(project.store, accepted[start : start + 1_000])
        found += [(one.source.text, one.target.text) for one in texts if one]
    return found


def _words_alike(
    sources: Sequence[str], targets: Sequence[str], name: SeedSource
) -> list[tuple[str, str]]:
    """Pair words that are spelled alike, or numbers, with themselves."""
    known = set(targets)
    is_wanted = _is_number if name == "numerals" else _is_long
    return [(word, word) for word in sources if word in known and is_wanted(word)]


def _is_number(word: str) -> bool:
    return any(unicodedata.category(one) == "Nd" for one in word) and not any(
        one.isalpha() for one in word
    )


def _is_long(word: str) -> bool:
    return len(word) >= MIN_LETTERS and word.isalpha()
