"""Probing sets in SentEval's format, and the vectors of their splits."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.arrays import FloatArray, IntArray
from app.engine.text.line_files import file_stem, read_lines
from app.errors import UserError
from app.languages import parse_language
from app.results.probing_tasks import PUBLISHED_TASKS

SPLITS = {
    "train": ("tr", "train", "training"),
    "development": ("va", "val", "valid", "validation", "dev", "development"),
    "test": ("te", "test", "testing"),
}
_SPLIT_OF = {name: split for split, names in SPLITS.items() for name in names}
_HEADER = ("split", "partition", "set")
UNSEEN = -1  # class of a label that does not occur in training


class ProbingSplit(NamedTuple):
    """The rows of one split.

    Attributes:
        classes: int64 (n,), 0…c-1, or `UNSEEN`.
        lines: int64 (n,), lines of the file, from 1.
    """

    texts: list[str]
    classes: IntArray
    lines: IntArray

    def part(self, rows: IntArray) -> "ProbingSplit":
        """Return some of the rows."""
        texts = [self.texts[row] for row in rows.tolist()]
        return ProbingSplit(texts, self.classes[rows], self.lines[rows])


class ProbingSet(NamedTuple):
    """A probing task.

    Attributes:
        name: name of the file.
        task: name in the literature, or else the file's name.
        language: language code; empty if the file's name does not contain it.
        labels: sorted labels of the training rows; their indices are the classes.
    """

    name: str
    task: str
    language: str
    labels: tuple[str, ...]
    train: ProbingSplit
    development: ProbingSplit
    test: ProbingSplit

    @property
    def n_classes(self) -> int:
        """Count the classes c of the training rows."""
        return len(self.labels)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Count the rows of train, development and test."""
        return len(self.train.texts), len(self.development.texts), len(self.test.texts)

    @property
    def texts(self) -> list[str]:
        """List all texts, train first."""
        return [*self.train.texts, *self.development.texts, *self.test.texts]


def read_probing_set(file: Path) -> ProbingSet:
    """Read a probing file, compressed or not.

    Raises:
        UserError: a line is not split⇥label⇥text, a split is missing, or there is only
            one class.
        ResourceError: the file is missing or can't be read.
    """
    rows = _read_rows(file)
    for split, names in SPLITS.items():
        if not rows[split]:
            counts = ", ".join(f"{len(rows[one]):,} of {one}" for one in SPLITS)
            raise UserError(
                f"{file} has no rows of the split {names[0]} ({split}), only {counts}. "
                f"Add rows of this split, which is used to {_PURPOSES[split]}."
            )
    labels = tuple(sorted({label for _, label, _ in rows["train"]}))
    if len(labels) == 1:
        raise UserError(
            f"{file}: from line {rows['train'][0][0]:,} on, all {len(rows['train']):,} "
            f"training rows have the label {labels[0]!r}. At least two labels are "
            "needed."
        )
    language, task = _named_after(file)
    parts = [_make_part(rows[split], labels) for split in SPLITS]
    return ProbingSet(file.name, task, language, labels, *parts)


_PURPOSES = {
    "train": "train a probe",
    "development": "choose a probe",
    "test": "test a probe",
}
_Rows = dict[str, list[tuple[int, str, str]]]


def _read_rows(file: Path) -> _Rows:
    """Read line, label and text of the rows of each split."""
    rows: _Rows = {split: [] for split in SPLITS}
    for number, line in enumerate(read_lines(file), 1):
        if not line.strip():
            continue
        cells = line.split("\t")
        if number == 1 and cells[0].strip().lower() in _HEADER:
            continue
        if len(cells) != 3:
            hint = " Remove tabs from the text." if len(cells) > 3 else ""
            raise UserError(
                f"{file}, line {number:,}: the row has {len(cells)} columns. Rows need "
                f"tab-separated columns: split (tr, va or te), label and text.{hint}"
            )
        split = _SPLIT_OF.get(cells[0].strip().lower())
        if split is None:
            raise UserError(
                f"{file}, line {number:,}: {cells[0][:40]!r} is not a split. Write tr, "
                "va or te."
            )
        if not cells[1].strip() or not cells[2].strip():
            which = "text" if cells[1].strip() else "label"
            raise UserError(f"{file}, line {number:,}: the {which} is empty.")
        rows[split].append((number, cells[1], cells[2]))
    return rows


def _make_part(
    rows: list[tuple[int, str, str]], labels: tuple[str, ...]
) -> ProbingSplit:
    indices = {label: index for index, label in enumerate(labels)}
    classes = [indices.get(label, UNSEEN) for _, label, _ in rows]
    return ProbingSplit(
        [text for _, _, text in rows],
        np.array(classes, np.int64),
        np.array([number for number, _, _ in rows], np.int64),
    )


def _named_after(file: Path) -> tuple[str, str]:
    """Return language and task of a file: `fi.tree_depth.tsv` -> fi, TreeDepth.

    The part after the task is the source: `en.top_constituents_gum.tsv` -> TopConst.
    """
    first, _, rest = file_stem(file).partition(".")
    language = parse_language(first)
    if rest and language.known:
        return language.code, _task_named(rest)
    return "", _task_named(file_stem(file))


def _task_named(name: str) -> str:
    for task, published in PUBLISHED_TASKS.items():
        if f"{name}_".startswith(f"{published.stem}_"):
            return task
    return name


def count_rows(classes: IntArray, n_classes: int) -> IntArray:
    """Count the rows of each class, int64 (c,), without unseen classes."""
    return np.bincount(classes[classes != UNSEEN], minlength=n_classes)


def cut_training(probing_set: ProbingSet, n_train: int) -> ProbingSet:
    """Reduce the training rows to at most `n_train`, stratified by class.

    Classes without remaining rows are removed; their development and test rows become
    unseen.
    """
    classes = probing_set.train.classes
    if len(classes) <= n_train:
        return probing_set
    shuffled = np.random.default_rng(1).permutation(len(classes))
    order = shuffled[np.argsort(classes[shuffled], kind="stable")]
    sizes = count_rows(classes, probing_set.n_classes)
    ranks = np.arange(len(classes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    shares = (ranks + 0.5) / np.repeat(sizes, sizes)
    rows = np.sort(order[np.argsort(shares, kind="stable")[:n_train]])
    kept = np.unique(classes[rows])
    numbers = np.full(probing_set.n_classes + 1, UNSEEN)  # the last: UNSEEN
    numbers[kept] = np.arange(len(kept))
    train, development, test = (
        part._replace(classes=numbers[part.classes])
        for part in (
            probing_set.train.part(rows),
            probing_set.development,
            probing_set.test,
        )
    )
    labels = tuple(probing_set.labels[one] for one in kept.tolist())
    return probing_set._replace(
        labels=labels, train=train, development=development, test=test
    )


def repeated_texts(probing_set: ProbingSet) -> int:
    """Count the test rows whose text also occurs in the training rows."""
    known = set(probing_set.train.texts)
    return sum(text in known for text in probing_set.test.texts)


class SplitVectors(NamedTuple):
    """Vectors of the splits, float32 (n, d) each, and the classes of their rows."""

    train: FloatArray
    development: FloatArray
    test: FloatArray
    train_classes: IntArray
    development_classes: IntArray
    test_classes: IntArray

    @property
    def dim(self) -> int:
        """Return the dimensions d."""
        return int(self.train.shape[1])


def split_vectors(
    vectors: FloatArray, probing_set: ProbingSet, name: str
) -> SplitVectors:
    """Split vectors, and scale them to a mean squared length of 1.

    The scale is a single factor, computed from the centred training rows: it preserves
    angles and proportions, and makes one grid of penalties suit every encoder.

    Args:
        vectors: float32 (n, d), in the order of the set's `texts`.
        name: name of the encoder, for the error.

    Raises:
        UserError: some values are not finite.
    """
    parts = (probing_set.train, probing_set.development, probing_set.test)
    is_finite = np.isfinite(vectors).all(axis=1)  # (n, d) -> (n,)
    if not is_finite.all():
        lines = np.concatenate([part.lines for part in parts])[~is_finite]
        raise UserError(
            f"{probing_set.name}, line {int(lines[0]):,}: {name} returns a vector with "
            f"values that are not finite ({len(lines):,} rows in total), so it can't "
            "be probed."
        )
    ends = np.cumsum(probing_set.sizes)
    train, development, test = np.split(np.asarray(vectors, np.float32), ends[:-1])
    spread = float(np.sqrt(train.var(axis=0, dtype=np.float64).sum()))
    scale = np.float32(1 / spread if spread > 0 else 1)
    return SplitVectors(
        train * scale,
        development * scale,
        test * scale,
        *(part.classes for part in parts),
    )
