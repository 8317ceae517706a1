"""What a classifier said of a corpus: arrays of classes and probabilities.

A prediction with stem `s` has two files in `arrays/`:
    s.class.npy  int32 (n,)    place among the classifier's classes; -1: no vector
    s.sure.npy   float32 (n,)  probability of that class, calibrated; of a head that
                               gives scores: the score
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.store.arrays import ArrayWriter, map_array, part_of
from app.engine.store.classifier_rows import PredictionRow
from app.engine.store.rows import corpus_of, position_of

NO_VECTOR = -1


class Predictions(NamedTuple):
    """What was said of each sentence of a corpus, in the order of position.

    Attributes:
        classes: int32 (n,), -1 for a text without a vector.
        probabilities: float32 (n,), 0…1; scores of a head that gives scores.
    """

    classes: NDArray[np.int32]
    probabilities: NDArray[np.float32]


def prediction_files(folder: Path, stem: str) -> tuple[Path, Path]:
    """Name the class and probability files of a prediction."""
    base = folder / "arrays"
    return base / f"{stem}.class.npy", base / f"{stem}.sure.npy"


def map_predictions(folder: Path, row: PredictionRow) -> Predictions:
    """Open the arrays of a complete prediction.

    Raises:
        ResourceError: one is missing or damaged.
    """
    return Predictions(*map(map_array, prediction_files(folder, row.array)))


def predictions_of(
    folder: Path, rows: Sequence[PredictionRow], ids: Sequence[int]
) -> dict[int, tuple[int, float]]:
    """Read what was said of some sentences: place of the class, and probability.

    Args:
        folder: of the project.
        rows: complete predictions of one classifier.
        ids: of sentences; those of other corpora are missing in the answer.

    Raises:
        ResourceError: an array is missing or damaged.
    """
    by_corpus = {row.corpus_id: row for row in rows if row.n_done == row.n_rows}
    mapped: dict[int, Predictions] = {}
    found = {}
    for id_ in ids:
        corpus_id, position = corpus_of(id_), position_of(id_)
        if corpus_id not in by_corpus:
            continue
        if corpus_id not in mapped:
            mapped[corpus_id] = map_predictions(folder, by_corpus[corpus_id])
        said = mapped[corpus_id]
        if position < len(said.classes):
            place, sure = said.classes[position], said.probabilities[position]
            found[id_] = int(place), float(sure)
    return found


def are_whole(folder: Path, row: PredictionRow) -> bool:
    """Tell whether a prediction is complete, in the record and on the disk."""
    return row.n_done == row.n_rows and all(
        file.is_file() for file in prediction_files(folder, row.array)
    )


def remove_prediction_files(folder: Path, stem: str) -> None:
    """Remove a prediction's files; mapped ones go at the next opening on Windows."""
    for file in prediction_files(folder, stem):
        for path in (file, part_of(file)):
            try:
                path.unlink(missing_ok=True)
            except OSError:
                continue


class PredictionWriter:
    """Writes the two arrays together, row by row."""

    def __init__(self, folder: Path, stem: str, n_rows: int, n_done: int):
        """Begin them, or go on after `n_done` rows.

        Raises:
            FileNotFoundError: not all that was recorded is there.
        """
        self._writers: list[ArrayWriter] = []
        try:
            for file, dtype in zip(
                prediction_files(folder, stem), ("<i4", "<f4"), strict=True
            ):
                writer = ArrayWriter(file, (n_rows,), dtype, n_done=n_done)
                self._writers.append(writer)
        except OSError:
            self.close()
            raise

    def append(self, predictions: Predictions) -> None:
        """Write the next rows and bring them to the disk."""
        for writer, rows in zip(self._writers, predictions, strict=True):
            writer.append(rows)
            writer.flush()

    def finish(self) -> None:
        """Give the complete arrays their final names."""
        for writer in self._writers:
            writer.finish()

    def close(self) -> None:
        """Leave the arrays under their temporary names."""
        for writer in self._writers:
            writer.close()
