"""What a development or test set must have in common with the training set.

Cheap: it is asked before anything is encoded or trained.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.engine.classify.classifier import ClassifierConfig
from app.engine.classify.features import n_texts
from app.engine.classify.labelled import Labelled, read_scores
from app.engine.classify.labels import N_NAMED, UNSEEN, Similar, label_key, place_labels
from app.engine.classify.overlap import row_hashes
from app.errors import UserError
from app.params.classify import HeadSettings

ROW_WORDS = {1: "single texts", 2: "pairs of texts"}


class Form(NamedTuple):
    """What a classifier takes.

    Attributes:
        n_texts: of a row.
        classes: none where it gives scores.
        lowest, highest: of its scores.
        similar: what is done with labels that differ from a class by case or spaces.
    """

    n_texts: int
    classes: tuple[str, ...]
    lowest: float
    highest: float
    similar: Similar


def form_of_training(
    rows: Labelled, classes: Sequence[str], settings: HeadSettings
) -> Form:
    """Give the form of what will be trained on these rows."""
    bounds = settings.lowest, settings.highest
    return Form(len(rows.texts), tuple(classes), *bounds, settings.similar_labels)


def form_of_classifier(config: ClassifierConfig, similar: Similar) -> Form:
    """Give the form of a trained classifier."""
    bounds = config.lowest, config.highest
    return Form(n_texts(config.features), config.classes, *bounds, similar)


def check_set(rows: Labelled, form: Form) -> None:
    """Refuse rows of another form than the classifier's, and of none of its classes.

    Raises:
        UserError: they are pairs where the classifier takes single texts or the other
            way round, no label was seen in training, one would be taken for another,
            or a score is outside the bounds.
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
            f"{rows.source}: none of its labels was seen in training; the classifier "
            f"knows {', '.join(form.classes[:N_NAMED])}."
        )
    place_labels(rows.labels, form.classes, rows.source, form.similar)


def doubts_of_development(
    development: Labelled, form: Form, train: Labelled, tests: Mapping[str, Labelled]
) -> Iterator[str]:
    """Tell rows of a development set that cannot be used, or are in another set too."""
    n_rows = len(development.labels)
    if form.classes:
        at = (development.source, form.similar)
        is_unseen = place_labels(development.labels, form.classes, *at) == UNSEEN
        labels = [development.labels[row] for row in np.flatnonzero(is_unseen).tolist()]
        if labels:
            named = ", ".join(map(repr, list(dict.fromkeys(labels))[:N_NAMED]))
            yield (
                f"{development.source}: {len(labels):,} of {n_rows:,} rows of the "
                f"development set are left out: training never saw the label {named}."
            )
    own = row_hashes(development)
    others = {"the training set": train}
    others |= {f"the test {name}": rows for name, rows in tests.items()}
    for name, rows in others.items():
        n = int(np.isin(own, row_hashes(rows)).sum())
        if n:
            yield (
                f"{development.source}: {n:,} of {len(own):,} rows of the development "
                f"set are in {name} too: what it chooses is not to be trusted."
            )
