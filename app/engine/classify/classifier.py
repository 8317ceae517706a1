"""A classifier: a head with its classes, encoder and calibration; its files."""

import math
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from app.arrays import FloatArray, IntArray
from app.engine.classify.features import FeatureName, make_features, n_features
from app.engine.encoders.folder import new_folder
from app.engine.heads.base import Head, Layers, softmax
from app.engine.heads.nearest import Centroids, NearestNeighbours
from app.engine.heads.relatedness import N_BINS, ScoreScale, expected_scores
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

Arrays = dict[str, Any]


def find_config_damage(config: "ClassifierConfig") -> str:
    """Describe the first invalid value of classifier.json; empty: none."""
    n_classes = len(config.classes)
    if config.dim < 1:
        return f"dim is {config.dim}"
    if not 0 < config.temperature < math.inf:
        return f"temperature is {config.temperature:g}"
    if len(set(config.classes)) < n_classes:
        return "a class is listed twice"
    if config.head == "relatedness":
        if not -math.inf < config.lowest < config.highest < math.inf:
            return f"scores go from {config.lowest:g} to {config.highest:g}"
        return "scores have classes" if n_classes else ""
    return "it has fewer than two classes" if n_classes < 2 else ""


def find_array_damage(config: "ClassifierConfig", arrays: Arrays) -> str:
    """Describe the first array that does not match classifier.json; empty: all match.

    Args:
        config: valid config.
        arrays: arrays of the head, by name.
    """
    for name, array in arrays.items():
        if array.dtype != np.float32:
            return f"{name} is of {array.dtype} instead of float32"
        if not np.isfinite(array).all():
            return f"{name} contains values that are not finite"
    n_out = N_BINS if config.head == "relatedness" else len(config.classes)
    n_in = n_features(config.dim, config.features)
    find = {"layers": _of_layers, "centroid": _of_centroids, "knn": _of_neighbours}
    return find[config.kind](arrays, n_in, n_out)


def find_id_damage(ids: "np.ndarray[Any, Any]") -> str:
    """Describe an error in the ids of training rows; empty: none."""
    is_sound = ids.dtype == np.int64 and ids.ndim == 2 and 1 <= ids.shape[1] <= 2
    return "" if is_sound else "the ids of training rows are no table of integers"


def _of_layers(arrays: Arrays, n_in: int, n_out: int) -> str:
    n_layers = len(arrays) // 2
    parts = ("weight", "bias")
    wanted = {f"{index}.{part}" for index in range(n_layers) for part in parts}
    if not n_layers or wanted != arrays.keys():
        return "its arrays are not the weights and biases of layers"
    width = n_in
    for index in range(n_layers):
        weight, bias = (arrays[f"{index}.{part}"] for part in parts)
        if bias.ndim != 1 or weight.shape != (len(bias), width):
            return _shapes(f"{index}.weight", weight)
        width = len(bias)
    return "" if width == n_out else _shapes(f"{n_layers - 1}.bias", bias)


def _of_centroids(arrays: Arrays, n_in: int, n_out: int) -> str:
    if arrays.keys() != {"unit_vectors"}:
        return "its arrays are not those of centroids"
    found = arrays["unit_vectors"]
    return "" if found.shape == (n_out, n_in) else _shapes("unit_vectors", found)


def _of_neighbours(arrays: Arrays, n_in: int, n_out: int) -> str:
    if arrays.keys() != {"unit_vectors", "classes", "sizes"}:
        return "its arrays are not those of neighbours"
    vectors, classes, sizes = (
        arrays[name] for name in ("unit_vectors", "classes", "sizes")
    )
    if vectors.ndim != 2 or not len(vectors) or vectors.shape[1] != n_in:
        return _shapes("unit_vectors", vectors)
    if classes.shape != (len(vectors),):
        return _shapes("classes", classes)
    if classes.min() < 0 or classes.max() >= n_out:
        return "classes names classes that there are not"
    if sizes.shape != (2,) or sizes[0] != n_out or sizes[1] < 1:
        return "sizes does not fit"
    return ""


def _shapes(name: str, array: "np.ndarray[Any, Any]") -> str:
    return f"{name} has the shape {array.shape}, which does not fit"


FORMAT = 2  # newest supported format
RAW_FORMAT = 2  # for classifiers of vectors that are not normalised
FOLDER = "classifiers"  # in the project folder
CONFIG_FILE, WEIGHTS_FILE = "classifier.json", "weights.safetensors"
BLOCK = 8_192
TRAINING_IDS = "training_ids"
HEADS: dict[str, type[Layers] | type[Centroids] | type[NearestNeighbours]] = {
    "layers": Layers,
    "centroid": Centroids,
    "knn": NearestNeighbours,
}


class ClassifierConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The content of classifier.json.

    Attributes:
        head: head in the params: logistic, mlp, nli, relatedness, centroid, knn.
        kind: kind of the class that loads the arrays.
        classes: names in the order of the outputs; empty for a head that returns
            scores.
        encoder: name of the encoder when the classifier was trained.
        fingerprint: fingerprint of the encoder; other encoders' vectors are rejected.
        temperature: divisor of the logits.
        language: language of the training rows.
        development: accuracy on the development set (Pearson's r of scores), 0…1.
        lowest, highest: range of the scores of a relatedness head.
        normalised: the classifier's input are unit vectors; false: vectors as returned
            by the encoder, as for an encoder's own NLI head.
        notes: values selected by training.
        settings: training params, as in the record of a run.
        corpora: names of the training corpora.
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
    normalised: bool = True
    notes: dict[str, float] = {}
    settings: dict[str, Any] = {}
    corpora: tuple[str, ...] = ()
    format: int = 1


class Classifier(NamedTuple):
    """A classifier in memory.

    Attributes:
        training_ids: int64 (n, t), ids of the training sentences; empty for training on
            a file.
    """

    config: ClassifierConfig
    head: Head
    training_ids: IntArray

    @property
    def gives_scores(self) -> bool:
        """Return whether the classifier returns scores instead of classes."""
        return self.config.head == "relatedness"

    @property
    def is_of_documents(self) -> bool:
        """Return whether texts are documents, with mean vectors of their sentences."""
        return bool(self.config.settings.get("documents"))

    def probabilities(self, vectors: tuple[FloatArray, ...]) -> FloatArray:
        """Classify texts or pairs: vectors float32 (n, d) -> float32 (n, c)."""
        blocks = [
            softmax(logits / self.config.temperature)
            for logits in self._logits(vectors)
        ]
        return np.concatenate(blocks) if blocks else np.empty((0, 0), np.float32)

    def scores(self, vectors: tuple[FloatArray, ...]) -> FloatArray:
        """Score pairs with a relatedness head: float32 (n,), lowest…highest."""
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
            f"A classifier named {folder.name!r} already exists. Enter another name."
        )
    with new_folder(folder) as part:
        arrays: dict[str, Any] = {**classifier.head.arrays()}
        if len(classifier.training_ids):
            arrays[TRAINING_IDS] = classifier.training_ids
        whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        save_file(whole, part / WEIGHTS_FILE)
        text = msgspec.json.format(msgspec.json.encode(classifier.config), indent=2)
        (part / CONFIG_FILE).write_bytes(text + b"\n")


def write_archive(stream: IO[bytes], classifier: Classifier) -> None:
    """Write a classifier's files as a ZIP archive with reproducible bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "classifier"
        save_classifier(folder, classifier)
        with zipfile.ZipFile(stream, "w") as archive:
            for part in (CONFIG_FILE, WEIGHTS_FILE):
                info = zipfile.ZipInfo(part)  # without a modification time
                archive.writestr(info, (folder / part).read_bytes())


def load_classifier(folder: Path) -> Classifier:
    """Read a classifier's folder.

    Raises:
        UserError: the folder is missing, damaged, or from a newer Isogloss.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    config = read_config(folder)
    try:
        arrays: dict[str, Any] = load_file(folder / WEIGHTS_FILE)
    except (OSError, SafetensorError) as error:
        raise UserError(
            f"{folder / WEIGHTS_FILE} is missing or damaged. Train the classifier "
            f"{folder.name} again."
        ) from error
    training_ids = arrays.pop(TRAINING_IDS, np.empty((0, 1), np.int64))
    damage = find_array_damage(config, arrays) or find_id_damage(training_ids)
    if damage:
        raise UserError(
            f"{folder / WEIGHTS_FILE} is damaged ({damage}). Train the classifier "
            f"{config.name} again."
        )
    return Classifier(config, HEADS[config.kind].from_arrays(arrays), training_ids)


def read_config(folder: Path) -> ClassifierConfig:
    """Read classifier.json.

    Raises:
        UserError: the file is missing, damaged, or from a newer Isogloss.
    """
    file = folder / CONFIG_FILE
    try:
        config = msgspec.json.decode(file.read_bytes(), type=ClassifierConfig)
    except OSError as error:
        raise UserError(f"There is no classifier in {folder}.") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(
            f"{file} is damaged ({error}). Train the classifier again."
        ) from error
    if config.format > FORMAT:
        raise UserError(
            f"{folder} has format {config.format}, but this Isogloss reads up to "
            f"{FORMAT}. Use a newer Isogloss."
        )
    if config.kind not in HEADS:
        raise UserError(
            f"{file} has a head of kind {config.kind!r}, which this Isogloss does not "
            "know. Use a newer one."
        )
    if damage := find_config_damage(config):
        raise UserError(f"{file} is damaged ({damage}). Train the classifier again.")
    return config


def check_encoder(config: ClassifierConfig, encoder: "Encoder") -> None:
    """Raise a UserError if the classifier was trained on another encoder's vectors."""
    if config.fingerprint == encoder.fingerprint:
        return
    if config.dim != encoder.dim:
        raise UserError(
            f"The classifier {config.name} was trained on vectors of {config.dim:,} "
            f"dimensions by {config.encoder}, but those of {encoder.name} have "
            f"{encoder.dim:,}. Select {config.encoder}, or train it again."
        )
    raise UserError(
        f"The classifier {config.name} was trained on vectors by {config.encoder}, not "
        f"by {encoder.name}. Select {config.encoder}, or train it again."
    )
