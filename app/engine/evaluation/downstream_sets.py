"""Read the labelled files of a downstream suite."""

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from app.arrays import IntArray
from app.engine.classify.classes import UNSEEN, index_labels, list_classes
from app.engine.classify.labelled_rows import (
    COUNTED,
    LabelledRows,
    read_file,
    read_scores,
)
from app.engine.evaluation.batch import FaultTolerantBatch, NamedFile, parse_named_files
from app.errors import UserError
from app.params.evaluation import EvaluateDownstream
from app.plurals import count_text

FORM = "NAME=FILE"
Bounds = tuple[float, float]  # lowest and highest score


class DownstreamSet(NamedTuple):
    """Data of one task.

    Attributes:
        gives_scores: the labels are scores of pairs, not classes.
        rows: training rows; without `test`, rows to cross-validate.
        bounds: lowest and highest possible score, as set or derived from all rows.
    """

    name: str
    gives_scores: bool
    rows: LabelledRows
    test: LabelledRows | None
    development: LabelledRows | None
    bounds: Bounds = (0.0, 0.0)

    @property
    def parts(self) -> list[LabelledRows]:
        """Return the existing parts."""
        return [one for one in (self.rows, self.test, self.development) if one]


class _Files(NamedTuple):
    """Files of one task."""

    gives_scores: bool
    rows: NamedFile
    test: NamedFile | None
    development: NamedFile | None


def read_sets(
    params: EvaluateDownstream, batch: FaultTolerantBatch
) -> list[DownstreamSet]:
    """Read every task with valid files; report other tasks.

    Raises:
        UserError: no data are specified, or a test or development set has no training
            data.
    """
    found = []
    for files in list_files(params):
        name = files.rows.name
        one = batch.try_one(name, partial(_read, files, params))
        if one is not None:
            found.append(one)
    return found


def list_files(params: EvaluateDownstream) -> list[_Files]:
    """Group files by task name.

    Raises:
        UserError: no data are specified, or a test or development set has no training
            data.
    """
    if not (params.data or params.scores):
        raise UserError("Choose at least one file of labelled texts or scored pairs.")
    classes, scores, tests, developments = (
        {one.name: one for one in parse_named_files(named, form=FORM)}
        for named in (params.data, params.scores, params.tests, params.developments)
    )
    for name in classes.keys() & scores.keys():
        raise UserError(f"{name} is listed both as labels and as scores. List it once.")
    known = classes.keys() | scores.keys()
    for kind, others in (("test", tests), ("development", developments)):
        for name in others.keys() - known:
            raise UserError(
                f"The {kind} rows {others[name].file} have the name {name}, but no "
                f"data have this name. Name the data with {FORM}."
            )
    for name in developments.keys() - tests.keys():
        raise UserError(
            f"{name} has development rows but no test rows. Add test rows, or remove "
            "the development rows to cross-validate."
        )
    return [
        _Files(name in scores, one, tests.get(name), developments.get(name))
        for name, one in (classes | scores).items()
    ]


def classes_of(one: DownstreamSet) -> tuple[list[str], list[IntArray]]:
    """Return the classes, and the class indices of each part's labels.

    Raises:
        UserError: there is only one class, a class has a single row, two labels differ
            only in case or spaces, or a part has a label that does not occur in
            training.
    """
    source = one.rows.source
    classes = list_classes(one.rows.labels, source, "refuse")
    places = []
    for part in one.parts:
        found = index_labels(part.labels, classes, part.source, "refuse")
        unseen = (found == UNSEEN).nonzero()[0]
        if len(unseen):
            row = int(unseen[0])
            raise UserError(
                f"{part.source}, line {int(part.places[row, 0]):,}: the label "
                f"{part.labels[row]!r} doesn't occur in {source}."
            )
        places.append(found)
    return classes, places


def _read(files: _Files, params: EvaluateDownstream) -> DownstreamSet:
    """Read the parts of one task, and check that they are consistent."""
    rows = read_file(files.rows.file)
    test, development = (
        read_file(one.file) if one else None for one in (files.test, files.development)
    )
    name = files.rows.name
    found = DownstreamSet(name, files.gives_scores, rows, test, development)
    _check_texts(found.parts, gives_scores=files.gives_scores)
    n, n_folds = len(rows.labels), max(params.n_folds, params.n_inner_folds)
    if n <= n_folds:
        raise UserError(
            f"{rows.source} has {count_text(n, 'labelled row')}, too few for {n_folds} "
            "folds. Use fewer folds or more rows."
        )
    if not files.gives_scores:
        classes_of(found)
        return found
    found = found._replace(bounds=_find_bounds(found.parts, params))
    for part in found.parts:
        scores = read_scores(part, *found.bounds)
        if scores.min() == scores.max():
            raise UserError(
                f"{part.source}: all {len(scores):,} scores are {scores[0]:g}. A "
                "correlation needs different scores."
            )
    return found


def _find_bounds(parts: Sequence[LabelledRows], params: EvaluateDownstream) -> Bounds:
    """Return the bounds in the settings, or the integers that enclose all scores."""
    scores = [read_scores(part, -math.inf, math.inf) for part in parts]
    lowest, highest = params.lowest, params.highest
    if lowest is None:
        lowest = float(min(math.floor(some.min()) for some in scores))
    if highest is None:
        highest = float(max(math.ceil(some.max()) for some in scores))
    return lowest, highest


def _check_texts(parts: Sequence[LabelledRows], *, gives_scores: bool) -> None:
    first = parts[0]
    if gives_scores and len(first.texts) != 2:
        raise UserError(
            f"{first.source} has one text per row, but scores need pairs of texts."
        )
    for part in parts[1:]:
        if len(part.texts) != len(first.texts):
            raise UserError(
                f"{part.source} has {COUNTED[len(part.texts)]} per row, but "
                f"{first.source} has {COUNTED[len(first.texts)]}."
            )
