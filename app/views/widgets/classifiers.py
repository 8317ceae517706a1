"""Classifiers of the project with their settings and figures."""

import json
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication
from sqlalchemy import Engine

from app.engine.store.classifiers import (
    NO_VECTOR,
    ClassifierRow,
    PredictionRow,
    find_edited,
    list_classifiers,
    list_predictions,
    read_predictions,
)
from app.engine.store.corpora import corpus_of, list_corpora
from app.engine.store.runs import read_run
from app.errors import ResourceError
from app.languages import language_name
from app.params.classify import PAIR_SIGN, ImportClassifier, TrainClassifier
from app.views.client.runs import read_params
from app.views.widgets.number_format import format_age, format_duration
from app.views.widgets.statistics_format import (
    SEPARATOR,
    correlation_interval,
    count_labelled,
    describe_unreliable,
    format_coefficient,
    format_correlation,
    format_rate,
    format_rate_with_interval,
    head_name,
    is_unreliable,
    wilson_interval,
)

_tr = partial(QCoreApplication.translate, "classify")


class TrainedClassifier(NamedTuple):
    """A classifier with the results of its training.

    Attributes:
        params: its training settings; None: another version trained it.
        n_development: rows held out; 0: it is not known.
        majority: accuracy of always predicting the most frequent class, 0…1.
        seconds: that the training took; 0: it is not known.
        predictions: what it was used on, complete.
        is_of_pairs: it takes pairs of texts.
    """

    row: ClassifierRow
    params: TrainClassifier | None
    n_development: int
    majority: float | None
    seconds: float
    predictions: list[PredictionRow]
    is_of_pairs: bool = False

    @property
    def corpora(self) -> tuple[int, ...]:
        """The corpora that it has classified."""
        return tuple(row.corpus_id for row in self.predictions)

    @property
    def gives_scores(self) -> bool:
        """Return whether it predicts scores of pairs, not classes."""
        return self.row.head == "relatedness"

    @property
    def warning(self) -> tuple[str, str]:
        """Warn of an accuracy measured on too little, with advice; or nothing."""
        share, n = self.row.development, self.n_development
        if share is None or not n or self.gives_scores or not is_unreliable(share, n):
            return "", ""
        return describe_unreliable(self.row.n_train, n, is_of_pairs=self.is_of_pairs)


def classified_key(row: PredictionRow) -> str:
    """Return the corpus of predictions as a task names it, or the two of pairs."""
    return PAIR_SIGN.join(str(id_) for id_ in (row.corpus_id, row.other_id) if id_)


def read_classifiers(store: Engine) -> list[TrainedClassifier]:
    """Read the classifiers, the newest first."""
    predictions = list_predictions(store)
    return [
        _read(
            store,
            row,
            [
                one
                for one in predictions
                if one.classifier_id == row.id and one.n_done == one.n_rows
            ],
        )
        for row in list_classifiers(store)
    ]


def _read(
    store: Engine, row: ClassifierRow, predictions: list[PredictionRow]
) -> TrainedClassifier:
    run = read_run(store, row.run_id) if row.run_id else None
    if run is None:
        is_of_pairs = _takes_pairs(store, row, None, predictions)
        return TrainedClassifier(row, None, 0, None, 0.0, predictions, is_of_pairs)
    params = read_params(run.params)
    trained = params if isinstance(params, TrainClassifier) else None
    result = json.loads(run.result or "{}")
    result = result.get("training", result)  # a transfer test trained it
    is_imported = isinstance(params, ImportClassifier)
    ended = run.started_at if is_imported else run.ended_at or run.started_at
    return TrainedClassifier(
        row,
        trained,
        int(result.get("n_development", 0)),
        result.get("majority"),
        max(ended - run.started_at, 0.0),
        predictions,
        _takes_pairs(store, row, trained, predictions),
    )


def _takes_pairs(
    store: Engine,
    row: ClassifierRow,
    params: TrainClassifier | None,
    predictions: list[PredictionRow],
) -> bool:
    """Return whether a classifier is of pairs: by its head, its rows, what it said."""
    if row.head in ("nli", "relatedness") or any(one.other_id for one in predictions):
        return True
    names = {corpus.name for corpus in list_corpora(store)}
    keys = params.train if params is not None else ()
    return any(PAIR_SIGN in key and key not in names for key in keys)


def describe_predictions(store: Engine, folder: Path, sentence: int) -> list[str]:
    """Return what each classifier predicted for a sentence: Topics: wind (91 %)."""
    corpus = corpus_of(sentence)
    rows = {
        row.classifier_id: row
        for row in list_predictions(store)
        if row.corpus_id == corpus and row.n_done == row.n_rows
    }
    edited = find_edited(store, list(rows.values()))
    texts = []
    for one in list_classifiers(store) if rows else ():
        if one.id not in rows or not one.classes:
            continue
        try:
            found = read_predictions(folder, [rows[one.id]], [sentence])
        except ResourceError:  # the prediction is being replaced
            continue
        index, probability = found.get(sentence, (NO_VECTOR, 0.0))
        if index != NO_VECTOR:
            words = _tr("{name}: {class_name} ({probability})")
            if sentence in edited.get(rows[one.id], ()):
                words = _tr("{name}: {class_name} ({probability}), before the edit")
            texts.append(
                words.format(
                    name=one.name,
                    class_name=one.classes[index],
                    probability=format_rate(probability),
                )
            )
    return texts


def describe_classifier(one: TrainedClassifier) -> str:
    """Return a short description: MLP · 81.2 % · English · 6 classes."""
    row = one.row
    write = format_coefficient if one.gives_scores else format_rate
    parts = [] if row.development is None else [write(row.development)]
    if any(one.warning):
        n = count_labelled(one.n_development, one.is_of_pairs)
        parts[0] = _tr("{rate} of only {n}").format(rate=parts[0], n=n)
    parts = [head_name(row.head), *parts, language_name(row.language)]
    if row.classes:
        parts.append(_tr("{n} classes").format(n=len(row.classes)))
    return SEPARATOR.join(parts)


def describe_classifier_settings(one: TrainedClassifier) -> str:
    """Return how it was trained."""
    row = one.row
    words = _tr("trained on {n} in {language}")
    language = language_name(row.language)
    parts = [
        head_name(row.head),
        row.encoder,
        words.format(n=count_labelled(row.n_train, one.is_of_pairs), language=language),
        _tr("took {time}").format(time=format_duration(one.seconds))
        if one.seconds
        else "",
        format_age(row.created_at),
    ]
    return SEPARATOR.join(part for part in parts if part)


def classifier_figures(one: TrainedClassifier) -> list[tuple[str, str]]:
    """Return the figures of its head, each with its n and interval."""
    row, figures = one.row, []
    measure = _tr("Pearson’s r") if one.gives_scores else _tr("accuracy")
    if row.development is not None:
        words = _tr("{measure}, held out").format(measure=measure)
        figures.append((words, _format_development(one, row.development)))
    if one.majority is not None and not one.gives_scores:
        figures.append((_tr("majority class"), format_rate(one.majority)))
    if row.classes:
        figures.append((_tr("classes"), f"{len(row.classes):,}"))
    unit = _tr("training pairs") if one.is_of_pairs else _tr("training sentences")
    figures.append((unit, f"{row.n_train:,}"))
    return figures


def _format_development(one: TrainedClassifier, value: float) -> str:
    """Write the development score, with n and interval if n is known."""
    n = one.n_development
    if one.gives_scores:
        if not n:
            return format_coefficient(value)
        return format_correlation(value, *correlation_interval(value, n), n)
    if not n:
        return format_rate(value)
    return format_rate_with_interval(value, *wilson_interval(max(value, 0.0), n), n)
