"""Checks of labelled data, development and test sets before training.

The checks are fast: they run before any encoding or training.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from sqlalchemy import Engine

from app.engine.classify.classes import (
    N_NAMED,
    UNSEEN,
    SimilarNames,
    index_labels,
    label_key,
)
from app.engine.classify.classifier import ClassifierConfig
from app.engine.classify.features import n_texts
from app.engine.classify.labelled_rows import LabelledRows, read_scores
from app.engine.classify.overlap import find_overlap, row_hashes
from app.engine.classify.training import EncodedRows
from app.errors import UserError
from app.params.classify import HeadSettings
from app.plurals import count_text
from app.results.labels import CheckedSet, ClassSize, DataReport

N_CLASSES = 100  # classes listed in a report
WARNED_RATIO = 10  # ratio of the largest class to the smallest
N_SHOWN = 5
DEVELOPMENT = "development"  # name of the development set
LEFT_OUT = "; they are excluded"


def report_data(
    train: EncodedRows,
    tests: Mapping[str, EncodedRows],
    *,
    is_scored: bool = False,
    store: Engine | None = None,
) -> DataReport:
    """Check the balance of classes, and find test rows that occur in the training set.

    Args:
        train: labelled rows.
        tests: test sets by name.
        is_scored: the labels are scores, whose balance is not checked.
        store: store with links between translations; None: files only.
    """
    sets = [_report_set("train", train.rows)]
    for name, test in tests.items():
        overlap = find_overlap(
            train.rows, test.rows, train.vectors, test.vectors, store=store
        )
        places = test.rows.places[:, 0]
        own = msgspec.structs.replace(
            _report_set(name, test.rows),
            n_duplicates=int(overlap.duplicates.sum()),
            n_translations=int(overlap.translations.sum()),
            duplicates=tuple(places[overlap.duplicates][:N_SHOWN].tolist()),
            translations=tuple(places[overlap.translations][:N_SHOWN].tolist()),
        )
        sets.append(own)
    warnings = [] if is_scored else _warn_of_classes(train.rows.labels, sets)
    for rows in (train.rows, *(test.rows for test in tests.values())):
        warnings += [rows.note] if rows.note else []
    for one in sets:
        warnings += _warn_of_set(one)
    return DataReport(tuple(sets), tuple(warnings))


def _report_set(name: str, rows: LabelledRows) -> CheckedSet:
    counts = Counter(rows.labels).most_common()
    hashes = row_hashes(rows)
    _, indices, repeats = np.unique(hashes, return_inverse=True, return_counts=True)
    labels: dict[int, set[str]] = {}
    for place, label in zip(indices.tolist(), rows.labels, strict=True):
        labels.setdefault(place, set()).add(label)
    torn = [place for place, found in labels.items() if len(found) > 1]
    return CheckedSet(
        name=name,
        n=len(rows.labels),
        classes=tuple(ClassSize(*one) for one in counts[:N_CLASSES]),
        n_classes=len(counts),
        n_unlabelled=rows.n_unlabelled,
        n_empty=rows.n_empty,
        n_repeated=int((repeats - 1).sum()),
        n_contradicting=int(repeats[torn].sum()) if torn else 0,
    )


def _warn_of_classes(labels: Sequence[str], sets: Sequence[CheckedSet]) -> list[str]:
    """Warn about a single class, and small, unbalanced or test-only classes."""
    counts = Counter(labels)
    found = []
    if len(counts) == 1:
        found.append(f"The training rows have only one class: {next(iter(counts))!r}.")
    forms: dict[str, list[str]] = {}
    for name in sorted(counts):
        forms.setdefault(label_key(name), []).append(name)
    for names in forms.values():
        if len(names) > 1:
            named = " and ".join(map(repr, names))
            found.append(f"The labels {named} differ only by case or spaces.")
    single = [name for name, n in counts.items() if n == 1]
    if single:
        named = ", ".join(map(repr, single[:N_SHOWN]))
        have = "1 class has" if len(single) == 1 else f"{len(single)} classes have"
        found.append(f"{have} a single training row: {named}.")
    (most, n_most), (least, n_least) = (
        counts.most_common()[0],
        min(counts.items(), key=lambda item: item[1]),
    )
    if n_most >= WARNED_RATIO * n_least:
        found.append(
            f"{most!r} has {count_text(n_most, 'training row')}, {least!r} "
            f"{n_least:,}. Balance the class weights, or label more."
        )
    for one in sets[1:]:
        unseen = [c.name for c in one.classes if c.name not in counts]
        if unseen:
            named = ", ".join(map(repr, unseen[:N_SHOWN]))
            n = sum(c.n for c in one.classes if c.name not in counts)
            found.append(
                f"{one.name}: training has no row of {named}, the label of {n:,} of "
                f"{one.n:,} rows{LEFT_OUT * (one.name == DEVELOPMENT)}."
            )
    return found


def _warn_of_set(one: CheckedSet) -> list[str]:
    n_read = one.n + one.n_unlabelled + one.n_empty
    counts = (
        (one.n_contradicting, one.n, "rows of equal text have different labels"),
        (one.n_duplicates, one.n, "rows are also in the training set"),
        (one.n_translations, one.n, "rows look like translations of training rows"),
        (one.n_unlabelled, n_read, "rows are excluded: they have no label"),
        (one.n_empty, n_read, "rows are excluded: they have no text"),
    )
    return [f"{one.name}: {n:,} of {all_:,} {what}." for n, all_, what in counts if n]


ROW_WORDS = {1: "single texts", 2: "pairs of texts"}


class InputForm(NamedTuple):
    """The input of a classifier.

    Attributes:
        n_texts: number of texts per row.
        classes: empty for a head that returns scores.
        lowest, highest: range of the scores.
        similar: treatment of labels that differ from a class only in case or spaces.
    """

    n_texts: int
    classes: tuple[str, ...]
    lowest: float
    highest: float
    similar: SimilarNames


def form_of_training(
    rows: LabelledRows, classes: Sequence[str], settings: HeadSettings
) -> InputForm:
    """Return the input form of a classifier to be trained on these rows."""
    bounds = settings.lowest, settings.highest
    return InputForm(len(rows.texts), tuple(classes), *bounds, settings.similar_labels)


def form_of_classifier(config: ClassifierConfig, similar: SimilarNames) -> InputForm:
    """Return the input form of a trained classifier."""
    bounds = config.lowest, config.highest
    return InputForm(n_texts(config.features), config.classes, *bounds, similar)


def check_set(rows: LabelledRows, form: InputForm) -> None:
    """Reject rows that do not match the classifier's input form or classes.

    Raises:
        UserError: the number of texts per row is wrong, no label occurs in training,
            labels would be confused, or a score is out of range.
    """
    if len(rows.texts) != form.n_texts:
        raise UserError(
            f"{rows.source} has {ROW_WORDS[len(rows.texts)]}, but the classifier is "
            f"trained on {ROW_WORDS[form.n_texts]}."
        )
    if not form.classes:
        read_scores(rows, form.lowest, form.highest)
        return
    keys = set(map(label_key, form.classes))
    if keys.isdisjoint(map(label_key, set(rows.labels))):
        raise UserError(
            f"{rows.source}: none of its labels occurs in training. The classifier "
            f"knows {', '.join(form.classes[:N_NAMED])}."
        )
    index_labels(rows.labels, form.classes, rows.source, form.similar)


def check_development(
    development: LabelledRows,
    form: InputForm,
    train: LabelledRows,
    tests: Mapping[str, LabelledRows],
) -> Iterator[str]:
    """Describe rows of a development set that are unusable or occur in other sets."""
    n_rows = len(development.labels)
    if form.classes:
        at = (development.source, form.similar)
        is_unseen = index_labels(development.labels, form.classes, *at) == UNSEEN
        labels = [development.labels[row] for row in np.flatnonzero(is_unseen).tolist()]
        if labels:
            named = ", ".join(map(repr, list(dict.fromkeys(labels))[:N_NAMED]))
            yield (
                f"{development.source}: {len(labels):,} of {n_rows:,} rows of the "
                f"development set are excluded: no training row has the label {named}."
            )
    own = row_hashes(development)
    others = {"the training set": train}
    others |= {f"the test {name}": rows for name, rows in tests.items()}
    for name, rows in others.items():
        n = int(np.isin(own, row_hashes(rows)).sum())
        if n:
            yield (
                f"{development.source}: {n:,} of {len(own):,} rows of the development "
                f"set are also in {name}, so the chosen settings are unreliable."
            )
