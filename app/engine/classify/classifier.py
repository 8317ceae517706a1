"""A classifier: a head with its classes, its encoder and its calibration, on disk."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from app.engine.classify.damage import (
    find_array_damage,
    find_config_damage,
    find_id_damage,
)
from app.engine.classify.features import FeatureName, make_features
from app.engine.classify.heads.centroid import Centroids
from app.engine.classify.heads.head import Head, IntArray, softmax
from app.engine.classify.heads.layers import Layers
from app.engine.classify.heads.neighbours import Neighbours
from app.engine.classify.heads.relatedness import ScoreScale, expected_scores
from app.engine.store.arrays import FloatArray
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

FORMAT = 1
FOLDER = "classifiers"  # in a project
CONFIG_FILE, WEIGHTS_FILE = "classifier.json", "weights.safetensors"
BLOCK = 8_192
TRAINING_IDS = "training_ids"
HEADS: dict[str, type[Layers] | type[Centroids] | type[Neighbours]] = {
    "layers": Layers,
    "centroid": Centroids,
    "knn": Neighbours,
}


class ClassifierConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What classifier.json holds.

    Attributes:
        head: as it was asked for: logistic, mlp, nli, relatedness, centroid, knn.
        kind: which class reads the arrays.
        classes: names in the order of the outputs; none for scores.
        encoder: its name when the classifier was trained.
        fingerprint: of that encoder: no other one's vectors are taken.
        temperature: that the logits are divided by.
        language: of the training rows.
        development: accuracy on the development set (Pearson's r of scores), 0…1.
        lowest, highest: of the scores of a relatedness head.
        notes: what training chose.
        settings: params it was trained with, as the record of a run has them.
        corpora: names of the corpora it was trained on.
    """

    name: str
    head: str
    kind: str
    features: FeatureName
    classes: tuple[str, ...]
    encoder: str
    fingerprint: str
    dim: int
    temperature: float
    language: str
    n_train: int
    n_development: int
    development: float
    lowest: float = 0.0
    highest: float = 5.0
    notes: dict[str, float] = {}
    settings: dict[str, Any] = {}
    corpora: tuple[str, ...] = ()
    format: int = FORMAT


class Classifier(NamedTuple):
    """A classifier in memory.

    Attributes:
        training_ids: int64 (n, t), ids of the sentences it was trained on; empty where
            they came from a file.
    """

    config: ClassifierConfig
    head: Head
    training_ids: IntArray

    @property
    def gives_scores(self) -> bool:
        """Tell whether it gives scores instead of classes."""
        return self.config.head == "relatedness"

    @property
    def is_of_documents(self) -> bool:
        """Tell whether its texts are documents: the mean of their sentences."""
        return bool(self.config.settings.get("documents"))

    def probabilities(self, vectors: tuple[FloatArray, ...]) -> FloatArray:
        """Classify texts or pairs: unit vectors float32 (n, d) -> float32 (n, c)."""
        blocks = [
            softmax(logits / self.config.temperature)
            for logits in self._logits(vectors)
        ]
        return np.concatenate(blocks) if blocks else np.empty((0, 0), np.float32)

    def scores(self, vectors: tuple[FloatArray, ...]) -> FloatArray:
        """Score pairs by a relatedness head: float32 (n,), lowest…highest."""
        scale = ScoreScale(self.config.lowest, self.config.highest)
        blocks = [expected_scores(logits) for logits in self._logits(vectors)]
        return scale.from_bins(np.concatenate(blocks or [np.empty(0, np.float32)]))

    def _logits(self, vectors: tuple[FloatArray, ...]) -> Iterator[FloatArray]:
        for start in range(0, max(1, len(vectors[0])), BLOCK):
            part = tuple(side[start : start + BLOCK] for side in vectors)
            yield self.head.logits(make_features(part, self.config.features))


def save_classifier(folder: Path, classifier: Classifier) -> None:
    """Write a classifier's folder under a temporary name and rename it.

    Raises:
        UserError: the folder exists.
    """
    from safetensors.numpy import save_file

    if folder.exists():
        raise UserError(
            f"There is a classifier called {folder.name!r} already: choose another "
            "name."
        )
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        arrays: dict[str, Any] = {**classifier.head.arrays()}
        if len(classifier.training_ids):
            arrays[TRAINING_IDS] = classifier.training_ids
        whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        save_file(whole, part / WEIGHTS_FILE)
        text = msgspec.json.format(msgspec.json.encode(classifier.config), indent=2)
        (part / CONFIG_FILE).write_bytes(text + b"\n")
        part.replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def load_classifier(folder: Path) -> Classifier:
    """Read a classifier's folder.

    Raises:
        UserError: it is missing, damaged, or made by a newer Isogloss.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    config = read_config(folder)
    try:
        arrays: dict[str, Any] = load_file(folder / WEIGHTS_FILE)
    except (OSError, SafetensorError) as error:
        raise UserError(
            f"{folder / WEIGHTS_FILE} is missing or damaged: train the classifier "
            f"{folder.name} again."
        ) from error
    training_ids = arrays.pop(TRAINING_IDS, np.empty((0, 1), np.int64))
    damage = find_array_damage(config, arrays) or find_id_damage(training_ids)
    if damage:
        raise UserError(
            f"{folder / WEIGHTS_FILE} is damaged ({damage}): train the classifier "
            f"{config.name} again."
        )
    return Classifier(config, HEADS[config.kind].from_arrays(arrays), training_ids)


def read_config(folder: Path) -> ClassifierConfig:
    """Read classifier.json.

    Raises:
        UserError: it is missing, damaged, or made by a newer Isogloss.
    """
    file = folder / CONFIG_FILE
    try:
        config = msgspec.json.decode(file.read_bytes(), type=ClassifierConfig)
    except OSError as error:
        raise UserError(f"There is no classifier in {folder}.") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(
            f"{file} is damaged ({error}): train the classifier again."
        ) from error
    if config.format > FORMAT:
        raise UserError(
            f"{folder} has format {config.format}, but this Isogloss reads up to "
            f"{FORMAT}: take a newer Isogloss."
        )
    if config.kind not in HEADS:
        raise UserError(
            f"{file} has a head of kind {config.kind!r}, which this Isogloss does not "
            "know: take a newer one."
        )
    if damage := find_config_damage(config):
        raise UserError(f"{file} is damaged ({damage}): train the classifier again.")
    return config


def check_encoder(config: ClassifierConfig, encoder: "Encoder") -> None:
    """Refuse vectors of another encoder than the classifier was trained on.

    Raises:
        UserError: both are named.
    """
    if config.fingerprint == encoder.fingerprint:
        return
    if config.dim != encoder.dim:
        raise UserError(
            f"The classifier {config.name} was trained on vectors of {config.dim} "
            f"dimensions by {config.encoder}, but those of {encoder.name} have "
            f"{encoder.dim}: choose {config.encoder}, or train it again."
        )
    raise UserError(
        f"The classifier {config.name} was trained on vectors by {config.encoder}, not "
        f"by {encoder.name}: choose {config.encoder}, or train it again."
    )
