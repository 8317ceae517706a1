"""What speaks against a classifier's files: they may come from anywhere."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from app.engine.classify.features import n_features
from app.engine.classify.heads.relatedness import N_BINS

if TYPE_CHECKING:
    from app.engine.classify.classifier import ClassifierConfig

Arrays = dict[str, Any]


def find_config_damage(config: "ClassifierConfig") -> str:
    """Name the first value of classifier.json that cannot be; empty: none."""
    n_classes = len(config.classes)
    if config.dim < 1:
        return f"dim is {config.dim}"
    if not 0 < config.temperature < math.inf:
        return f"temperature is {config.temperature:g}"
    if len(set(config.classes)) < n_classes:
        return "a class stands twice"
    if config.head == "relatedness":
        if not -math.inf < config.lowest < config.highest < math.inf:
            return f"scores go from {config.lowest:g} to {config.highest:g}"
        return "scores have classes" if n_classes else ""
    return "it has fewer than two classes" if n_classes < 2 else ""


def find_array_damage(config: "ClassifierConfig", arrays: Arrays) -> str:
    """Name the first array that does not fit classifier.json; empty: all do.

    Args:
        config: a sound one.
        arrays: of the head, by name.
    """
    for name, array in arrays.items():
        if array.dtype != np.float32:
            return f"{name} is of {array.dtype} instead of float32"
        if not np.isfinite(array).all():
            return f"{name} holds values that are no numbers"
    n_out = N_BINS if config.head == "relatedness" else len(config.classes)
    n_in = n_features(config.dim, config.features)
    find = {"layers": _of_layers, "centroid": _of_centroids, "knn": _of_neighbours}
    return find[config.kind](arrays, n_in, n_out)


def find_id_damage(ids: "np.ndarray[Any, Any]") -> str:
    """Tell what is wrong with the ids of training rows; empty: nothing."""
    is_sound = ids.dtype == np.int64 and ids.ndim == 2 and 1 <= ids.shape[1] <= 2
    return "" if is_sound else "the ids of training rows are no table of integers"


def _of_layers(arrays: Arrays, n_in: int, n_out: int) -> str:
    n_layers = len(arrays) // 2
    parts = ("weight", "bias")
    wanted = {f"{place}.{part}" for place in range(n_layers) for part in parts}
    if not n_layers or wanted != arrays.keys():
        return "its arrays are not the weights and biases of layers"
    width = n_in
    for place in range(n_layers):
        weight, bias = (arrays[f"{place}.{part}"] for part in parts)
        if bias.ndim != 1 or weight.shape != (len(bias), width):
            return _shapes(f"{place}.weight", weight)
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
