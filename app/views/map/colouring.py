"""Columns that points can be coloured by, read in short steps."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from app.engine.store.classifiers import map_predictions
from app.engine.store.corpora import corpus_of, first_sentence_id, position_of
from app.engine.store.documents import (
    list_documents,
    parse_field_number,
    read_field_names,
)
from app.engine.store.labels import read_range_labels
from app.engine.store.sentences import read_lengths, read_other_languages
from app.languages import language_name
from app.views.client.project_reader import ProjectReader
from app.views.map.drawing.palettes import N_SHADES
from app.views.map.drawing.points import MapPoints, id_ranges
from app.views.map.number_steps import NumberSteps, find_steps
from app.views.widgets.classifiers import TrainedClassifier

_tr = partial(QCoreApplication.translate, "map")

MAX_CLASSES = 250  # the rest share one class, because codes are bytes
MAX_STEPS = 10  # of a number legend
DENSITY, LANGUAGE, CORPUS, CLUSTER = "density", "language", "corpus", "cluster"
LABEL, LENGTH, POSITION = "label", "length", "position"
FIELD = "field"  # prefix of document fields: "field:author"
PREDICTION, CONFIDENCE = "said", "sure"  # prefixes for a classifier: "said:3"
SIMILARITY = "similarity"  # to the chosen sentence
MOVEMENT = "moved"  # share of changed neighbours


class Colouring(NamedTuple):
    """The class or shade of each point, independent of a palette.

    Attributes:
        key: key of the column.
        title: title of the column, as shown to the user.
        codes: uint8 (n,), in the order of the map's ids: a class, or a shade 0 …
            N_SHADES − 1; N_SHADES: no value.
        names: class names; empty for numbers.
        counts: number of points in each class.
        has_none: whether the last class contains the points without a value.
        low, high: bounds of the shades; only outliers are below or above.
        is_whole: whether all numbers are integers.
        steps: intervals with round bounds, each with its own shades; None: points
            have classes, or all numbers are equal.
        numbers: float32 (n,), NaN: no value; None: points have classes.
    """

    key: str
    title: str
    codes: NDArray[np.uint8]
    names: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    low: float = 0.0
    high: float = 0.0
    has_none: bool = False
    is_whole: bool = False
    numbers: NDArray[np.float32] | None = None
    steps: NumberSteps | None = None

    @property
    def is_number(self) -> bool:
        """Return whether points have numbers rather than classes."""
        return not self.names

    @property
    def short_title(self) -> str:
        """Return the title; for a document field, only the name, such as year."""
        kind, _, name = self.key.partition(":")
        return name if kind == FIELD else self.title

    def describe_value(self, index: int) -> str:
        """Return the class or number of a point; empty if it has none."""
        if self.names:
            return self.names[int(self.codes[index])]
        if self.numbers is None or np.isnan(self.numbers[index]):
            return ""
        return f"{self.numbers[index]:.7g}"


class ColourColumn(NamedTuple):
    """Key and title of a column for colouring points."""

    key: str
    title: str


def list_columns(
    project: ProjectReader, points: MapPoints, classifiers: Sequence[TrainedClassifier]
) -> list[ColourColumn]:
    """Return the columns that can colour the points of a map."""
    columns = [
        ColourColumn(LANGUAGE, _tr("Language")),
        ColourColumn(CORPUS, _tr("Corpus")),
        ColourColumn(CLUSTER, _tr("Cluster")),
        ColourColumn(LABEL, _tr("Label")),
    ]
    corpora = set(np.unique(corpus_of(points.ids)).tolist())
    for one in classifiers:
        if not corpora & set(one.corpora):
            continue
        words = _tr("Class predicted by {name}")
        if not one.gives_scores:
            columns.append(
                ColourColumn(
                    f"{PREDICTION}:{one.row.id}", words.format(name=one.row.name)
                )
            )
        words = (
            _tr("Score by {name}") if one.gives_scores else _tr("Confidence of {name}")
        )
        columns.append(
            ColourColumn(f"{CONFIDENCE}:{one.row.id}", words.format(name=one.row.name))
        )
    columns += [
        ColourColumn(
            f"{FIELD}:{name}", _tr("Document field {field}").format(field=name)
        )
        for name in read_field_names(project.store, sorted(corpora))
    ]
    columns += [
        ColourColumn(LENGTH, _tr("Length in characters")),
        ColourColumn(POSITION, _tr("Position in the corpus")),
        ColourColumn(DENSITY, _tr("Density only")),
    ]
    return columns


def read_colouring(
    project: ProjectReader,
    points: MapPoints,
    column: ColourColumn,
    classifiers: Sequence[TrainedClassifier] = (),
) -> Iterator[Colouring | None]:
    """Read a column in steps of a few milliseconds; the last item is the result."""
    kind, _, number = column.key.partition(":")
    one = next((c for c in classifiers if str(c.row.id) == number), None)
    match kind:
        case "language":
            yield from _languages(project, points, column)
        case "corpus":
            names = {row.id: row.name for row in project.corpora}
            which, classes = np.unique(corpus_of(points.ids), return_inverse=True)
            titles = [names.get(id_, _tr("(deleted)")) for id_ in which.tolist()]
            yield colour_by_class(column, classes, titles)
        case "cluster":
            n = max(len(points.found), int(points.clusters.max(initial=-1)) + 1)
            titles = [_tr("Cluster {n}").format(n=k + 1) for k in range(n)]
            none = _tr("No cluster")
            yield colour_by_class(
                column, points.clusters, titles, none=none, is_sorted=True
            )
        case "label":
            yield from _labels(project, points, column)
        case "said" | "sure" if one is not None:
            yield from _predictions(project, points, column, one)
        case "field":
            yield from _fields(project, points, column)
        case "length":
            yield from _lengths(project, points, column)
        case "position":
            positions = position_of(points.ids).astype(np.float32)
            yield colour_by_number(column, positions)
        case _:
            codes = np.zeros(len(points), np.uint8)
            yield Colouring(column.key, column.title, codes)


def colour_by_class(
    column: ColourColumn,
    classes: NDArray[np.integer],
    titles: Sequence[str],
    *,
    none: str = "",
    is_sorted: bool = False,
) -> Colouring:
    """Return a colouring by class, the most frequent first.

    Args:
        classes: (n,) index into the titles; −1: no class, which sorts last.
        titles: names of the classes; classes without points are omitted.
        none: name of the class for points without one.
        is_sorted: whether to keep the order of the titles.
    """
    is_none = classes < 0
    counts = np.bincount(classes[~is_none], minlength=len(titles))
    order = np.arange(len(titles))
    if not is_sorted:
        order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    ranks = np.full(len(titles) + 1, min(len(order), MAX_CLASSES), np.int64)
    ranks[order] = np.minimum(np.arange(len(order)), MAX_CLASSES)
    names = [titles[index] for index in order[:MAX_CLASSES].tolist()]
    if len(order) > MAX_CLASSES:
        names.append(_tr("{n} others").format(n=len(order) - MAX_CLASSES))
    has_none = bool(is_none.any())
    if has_none:
        ranks[-1] = len(names)
        names.append(none or _tr("Unknown"))
    codes = ranks[classes].astype(np.uint8)
    sizes = np.bincount(codes, minlength=len(names)).tolist()
    return Colouring(
        column.key, column.title, codes, tuple(names), tuple(sizes), has_none=has_none
    )


def colour_by_number(column: ColourColumn, values: NDArray[np.float32]) -> Colouring:
    """Return a colouring by number; outliers get the lowest or highest shade.

    Args:
        values: (n,); NaN: no value.
    """
    known = values[np.isfinite(values)]
    low, high = (0.0, 0.0)
    if len(known):
        low, high = (float(v) for v in np.quantile(known, (0.01, 0.99)))
    is_whole = bool((known == np.round(known)).all())
    if is_whole:
        low, high = float(np.floor(low)), float(np.ceil(high))
    shades = np.full(len(values), N_SHADES, np.uint8)
    steps = None
    if low < high:
        steps = find_steps(low, high, MAX_STEPS, is_whole=is_whole)
    is_known = np.isfinite(values)
    shades[is_known] = _shade(known.astype(np.float64), steps, is_whole=is_whole)
    return Colouring(
        column.key,
        column.title,
        shades,
        low=low,
        high=high,
        is_whole=is_whole,
        numbers=values,
        steps=steps,
    )


def step_shades(steps: NumberSteps, index: int) -> range:
    """Return the range of shades for a step."""
    return range(index * N_SHADES // steps.n, (index + 1) * N_SHADES // steps.n)


def _shade(
    values: NDArray[np.float64], steps: NumberSteps | None, *, is_whole: bool
) -> NDArray[np.uint8]:
    """Return the shade of each number from its step and position in the step."""
    if steps is None:
        return np.zeros(len(values), np.uint8)
    indices = steps.places_of(values)
    starts = np.arange(steps.n + 1) * N_SHADES // steps.n
    sizes = np.diff(starts)[indices]
    middles = values + is_whole / 2  # of the interval of an integer
    inside = np.clip(middles / steps.width - steps.first - indices, 0, 1) * sizes
    within = np.minimum(inside.astype(np.int64), sizes - 1)
    shades: NDArray[np.uint8] = (starts[indices] + within).astype(np.uint8)
    return shades


def _languages(
    project: ProjectReader, points: MapPoints, column: ColourColumn
) -> Iterator[Colouring | None]:
    usual = {row.id: row.language for row in project.corpora}
    codes = list(dict.fromkeys(usual.values()))
    which, corpora = np.unique(corpus_of(points.ids), return_inverse=True)
    indices = [codes.index(usual[c]) if c in usual else -1 for c in which.tolist()]
    values = np.array(indices, np.int64)[corpora]
    yield None
    for corpus, low, high in id_ranges(points):
        others = read_other_languages(project.store, low, high, usual.get(corpus, ""))
        codes += sorted({code for _, code in others} - set(codes))
        _put(points, values, others, codes)
        yield None
    yield colour_by_class(column, values, [language_name(code) for code in codes])


def _labels(
    project: ProjectReader, points: MapPoints, column: ColourColumn
) -> Iterator[Colouring | None]:
    names: list[str] = []
    values = np.full(len(points), -1, np.int64)
    for _, low, high in id_ranges(points):
        found = read_range_labels(project.store, low, high)
        names += sorted({name for _, name in found} - set(names))
        _put(points, values, found, names)
        yield None
    yield colour_by_class(column, values, names, none=_tr("No label"))


def _fields(
    project: ProjectReader, points: MapPoints, column: ColourColumn
) -> Iterator[Colouring | None]:
    """Read a document field; use shades if all values are numbers or dates.

    Dates are reduced to years if the years differ.
    """
    name = column.key.partition(":")[2]
    values = np.full(len(points), -1, np.int64)
    titles: dict[str, int] = {}
    for corpus in np.unique(corpus_of(points.ids)).tolist():
        part = _corpus_slice(points, corpus)
        rows = list_documents(project.store, corpus)
        firsts = np.array([row.first for row in rows], np.int64)
        fields = (row.fields.get(name, "") for row in rows)
        codes = [titles.setdefault(one, len(titles)) if one else -1 for one in fields]
        at = np.searchsorted(firsts, position_of(points.ids[part]), side="right") - 1
        values[part] = np.array([*codes, -1], np.int64)[at]  # before the first: -1
        yield None
    numbers = [parse_field_number(title) for title in titles]
    if None in numbers:
        years = [_parse_year(title) for title in titles]
        numbers = years if len(set(years)) > 1 else numbers
    if titles and None not in numbers:
        yield colour_by_number(column, np.array([*numbers, np.nan], np.float32)[values])
    else:
        none = _tr("No {field}").format(field=name)
        yield colour_by_class(column, values, list(titles), none=none)


def _parse_year(value: str) -> float | None:
    """Return the year of a date such as 1848-03 or 1848-03-18, or None."""
    found = re.fullmatch(r"(\d{4})(-\d{2}){0,2}", value.strip())
    return float(found[1]) if found is not None else None


def _lengths(
    project: ProjectReader, points: MapPoints, column: ColourColumn
) -> Iterator[Colouring | None]:
    values = np.full(len(points), np.nan, np.float32)
    for _, low, high in id_ranges(points):
        found = read_lengths(project.store, low, high)
        at = np.searchsorted(points.ids, found[:, 0])
        at = np.minimum(at, len(points) - 1)
        is_here = points.ids[at] == found[:, 0]
        values[at[is_here]] = found[is_here, 1]
        yield None
    yield colour_by_number(column, values)


def _predictions(
    project: ProjectReader,
    points: MapPoints,
    column: ColourColumn,
    one: TrainedClassifier,
) -> Iterator[Colouring | None]:
    is_class = column.key.startswith(PREDICTION)
    values = np.full(len(points), np.nan, np.float32)
    for row in one.predictions:
        part = _corpus_slice(points, row.corpus_id)
        predictions = map_predictions(project.folder, row)
        array = predictions.classes if is_class else predictions.probabilities
        positions = position_of(points.ids[part])
        is_in = positions < len(array)
        values[part][is_in] = array[positions[is_in]]
        yield None
    if is_class:
        classes = np.where(np.isnan(values), -1, values).astype(np.int64)
        yield colour_by_class(
            column, classes, one.row.classes, none=_tr("Not classified")
        )
    else:
        yield colour_by_number(column, values)


def _put(
    points: MapPoints,
    values: NDArray[np.int64],
    found: Sequence[tuple[int, str]],
    names: Sequence[str],
) -> None:
    """Assign the classes of sentences that are on the map."""
    if not found:
        return
    numbers = {name: index for index, name in enumerate(names)}
    ids = np.array([id_ for id_, _ in found], np.int64)
    at = np.minimum(np.searchsorted(points.ids, ids), len(points) - 1)
    is_here = points.ids[at] == ids
    classes = np.array([numbers[name] for _, name in found], np.int64)
    values[at[is_here]] = classes[is_here]


def _corpus_slice(points: MapPoints, corpus_id: int) -> slice:
    """Return the slice of the points of a corpus."""
    bounds = [first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1)]
    return slice(*np.searchsorted(points.ids, bounds).tolist())
