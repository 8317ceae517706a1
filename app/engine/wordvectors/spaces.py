"""Two languages in one space: the mapped words, and the folder they are saved in."""

import time
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from app.arrays import FloatArray, IdArray
from app.engine.runtime.report import Report
from app.engine.store.arrays import map_array, write_array
from app.engine.store.words.indexes import MAP_FILE, SOURCE_FOLDER, TARGET_FOLDER
from app.engine.wordvectors.retrieval import (
    Neighbourhoods,
    Ranking,
    measure_neighbourhoods,
    rank_targets,
    target_penalties,
)
from app.engine.wordvectors.table import WordVectors, load_table, save_table
from app.errors import ResourceError, UserError
from app.params.word_vectors import RetrievalName

MAPPING_FILE = "mapping.npy"


class MapDetails(msgspec.Struct, frozen=True, kw_only=True):
    """How a map was learned.

    Attributes:
        method: "dictionary", "encoder", "adversarial" or "distributions": where it
            began.
        n_seeds: pairs of the seed dictionary; 0 without one.
        n_pairs: mutual neighbours that the map has.
        criterion: mean cosine of frequent words with their CSLS translations.
        chance_criterion: the best criterion of refined random rotations; None if the
            map was learned from a seed dictionary.
        consistency: share of the pairs that the other pairs lead to; None if the map
            was learned from a seed dictionary or in the space of an encoder.
        has_converged: the criterion is clearly above that of chance and the pairs are
            consistent, or there was a seed dictionary.
    """

    method: str
    n_seeds: int
    n_pairs: int
    criterion: float
    chance_criterion: float | None
    has_converged: bool
    consistency: float | None = None
    created_at: float = 0.0


class WordSpace(NamedTuple):
    """Two languages in the space of the target.

    Attributes:
        source: the source words; its vectors are not mapped.
        target: the target words.
        mapped: float32 (n, d), the source vectors in the space of the target.
        near: the neighbourhoods of all words.
        details: how the map was learned.
    """

    source: WordVectors
    target: WordVectors
    mapped: FloatArray
    near: Neighbourhoods
    details: MapDetails

    def rank(self, row: int, k: int, method: RetrievalName) -> Ranking:
        """Rank the translations of a source word; CSLS has all its terms here."""
        found = self.rank_rows(np.array([row]), k, method)
        if method == "csls":
            scores = found.scores - self.near.source_means[row]
            return found._replace(scores=scores)
        return found

    def rank_rows(self, rows: IdArray, k: int, method: RetrievalName) -> Ranking:
        """Rank the translations of several source words, as `rank_targets`."""
        penalties = target_penalties(self.near, method)
        return rank_targets(
            self.mapped[rows], self.target.vectors, penalties, k, method
        )


def join_spaces(
    source: WordVectors,
    target: WordVectors,
    mapping: FloatArray,
    details: MapDetails,
    report: Report,
) -> WordSpace:
    """Map the source words and measure the neighbourhoods of all words."""
    mapped = np.ascontiguousarray(source.vectors @ mapping.T)
    near = measure_neighbourhoods(mapped, target.vectors, report)
    return WordSpace(source, target, mapped, near, details)


def check_map_folder(folder: Path) -> None:
    """Check a new folder before the work.

    Raises:
        UserError: it contains something that is no map, or its parent is missing.
    """
    if folder.is_file():
        raise UserError(f"{folder} is a file. Choose a folder.")
    if folder.is_dir() and any(folder.iterdir()):
        if not (folder / MAP_FILE).is_file():
            raise UserError(
                f"{folder} is not empty and contains no bilingual vectors. Choose "
                "another folder."
            )
    elif not folder.resolve().parent.is_dir():
        raise UserError(f"{folder.parent} is not a folder. Choose an existing folder.")


def save_space(folder: Path, space: WordSpace, mapping: FloatArray) -> None:
    """Save a map with its words; the details are written last."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MAP_FILE).unlink(missing_ok=True)
    save_table(folder / SOURCE_FOLDER, space.source)
    save_table(folder / TARGET_FOLDER, space.target)
    write_array(folder / MAPPING_FILE, mapping)
    for name, array in space.near._asdict().items():
        write_array(folder / f"{name}.npy", array)
    details = msgspec.structs.replace(space.details, created_at=time.time())
    (folder / MAP_FILE).write_bytes(msgspec.json.encode(details))


def read_details(folder: Path) -> MapDetails:
    """Read how a saved map was learned.

    Raises:
        UserError: the folder contains no map.
        ResourceError: the map is damaged.
    """
    file = folder / MAP_FILE
    if not file.is_file():
        raise UserError(
            f"{folder} contains no bilingual vectors. Choose a folder that "
            "map-languages wrote."
        )
    try:
        return msgspec.json.decode(file.read_bytes(), type=MapDetails)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ResourceError(
            f"{file} is damaged. Make the bilingual vectors again."
        ) from error


def load_space(folder: Path) -> WordSpace:
    """Load a saved map; its arrays are mapped.

    Raises:
        UserError: the folder contains no map.
        ResourceError: the map is damaged.
    """
    details = read_details(folder)
    source, target = (
        load_table(folder / name) for name in (SOURCE_FOLDER, TARGET_FOLDER)
    )
    mapping = map_array(folder / MAPPING_FILE)
    near = Neighbourhoods(
        *(map_array(folder / f"{name}.npy") for name in Neighbourhoods._fields)
    )
    expected = [len(source.words), *[len(target.words)] * 3]
    sizes = [len(array) for array in near]
    if mapping.shape != (target.dim, source.dim) or sizes != expected:
        raise ResourceError(f"{folder} is damaged. Make the bilingual vectors again.")
    mapped = np.ascontiguousarray(source.vectors @ mapping.T)
    return WordSpace(source, target, mapped, near, details)
