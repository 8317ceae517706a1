"""Class names: listing, indexing of labels, and variant spellings of a class."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from app.arrays import IntArray
from app.errors import UserError

SimilarNames = Literal["refuse", "merge", "keep"]
UNSEEN = -1  # index of a label that does not occur in training
N_NAMED = 5  # labels listed in a message


def label_key(label: str) -> str:
    """Return a key that is equal for labels that differ only in case or spaces."""
    return " ".join(label.split()).casefold()


def list_classes(
    labels: Sequence[str], source: str, similar: SimilarNames
) -> list[str]:
    """List the classes of training rows in alphabetical order.

    Raises:
        UserError: there is only one class, a class has a single row, or two labels
            differ only in case or spaces.
    """
    counts = Counter(labels)
    if similar != "keep":
        forms = _forms(counts)
        if similar == "refuse":
            _refuse_similar(forms, source)
        counts = Counter({names[0]: sum(counts[n] for n in names) for names in forms})
    classes = sorted(counts)
    if len(classes) == 1:
        raise UserError(
            f"{source} has only the class {classes[0]!r}. A classifier needs two "
            "or more."
        )
    single = [name for name in classes if counts[name] == 1]
    if single:
        named = ", ".join(map(repr, single[:N_NAMED]))
        one = "the class" if len(single) == 1 else f"{len(single)} classes"
        raise UserError(
            f"{source}: {one} {named} {'has' if len(single) == 1 else 'have'} a single "
            "row. Label a second one, or remove it."
        )
    return classes


def index_labels(
    labels: Sequence[str], classes: Sequence[str], source: str, similar: SimilarNames
) -> IntArray:
    """Return the index of each label's class, or `UNSEEN`.

    Raises:
        UserError: a label differs from a class only in case or spaces, and such labels
            are to be rejected.
    """
    exact = {name: index for index, name in enumerate(classes)}
    by_key = {label_key(name): index for index, name in enumerate(classes)}
    places: dict[str, int] = {}
    for label in dict.fromkeys(labels):
        near = by_key.get(label_key(label), UNSEEN)
        index = exact.get(label, near if similar == "merge" else UNSEEN)
        if index == UNSEEN and near != UNSEEN and similar == "refuse":
            _refuse_pair(classes[near], label, source)
        places[label] = index
    return np.array([places[label] for label in labels], np.int64)


def _forms(counts: Mapping[str, int]) -> list[list[str]]:
    """List the spellings of each class, most frequent first."""
    forms: dict[str, list[str]] = {}
    for name in sorted(counts, key=lambda name: (-counts[name], name)):
        forms.setdefault(label_key(name), []).append(name)
    return list(forms.values())


def _refuse_similar(forms: list[list[str]], source: str) -> None:
    for names in forms:
        if len(names) > 1:
            _refuse_pair(names[0], names[1], source)


def _refuse_pair(one: str, other: str, source: str) -> None:
    raise UserError(
        f"{source}: the labels {one!r} and {other!r} differ only by case or spaces. "
        "Merge them (similar labels: merge) or keep them as two classes (keep)."
    )
