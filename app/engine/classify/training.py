"""Train a classifier from labelled rows: collect data, split, fit, calibrate."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray, IntArray
from app.engine.classify.classes import index_labels, list_classes
from app.engine.classify.classifier import Classifier, ClassifierConfig
from app.engine.classify.features import make_features, vectors_of
from app.engine.classify.labelled_rows import LabelledRows, read_scores
from app.engine.classify.overlap import group_rows
from app.engine.encoders.encoder import Encoder
from app.engine.heads.base import Examples
from app.engine.heads.fitting import (
    FittedHead,
    choose_features,
    fit_head,
    fit_held_out,
    fit_scores,
    fits_all_rows,
)
from app.engine.heads.folds import hold_out
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.errors import UserError
from app.params.classify import HeadSettings

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

MANY_CLASSES = 1_000  # more classes are probably scores or sentences
FEWEST_SCORES = 4


class EncodedRows(NamedTuple):
    """Labelled rows and the unit vectors of their texts, float32 (n, d) each.

    Attributes:
        groups: int64 (n,), a number shared by rows with the same meaning; None: all
            differ.
    """

    rows: LabelledRows
    vectors: tuple[FloatArray, ...]
    groups: IntArray | None = None


def train_classifier_on(
    train: EncodedRows,
    development: EncodedRows | None,
    encoder: "Encoder",
    settings: HeadSettings,
    report: Report,
) -> Classifier:
    """Train a head on rows of one language.

    Args:
        development: development rows in the same language; None: hold out a share of
            the rows.
        encoder: encoder of the vectors.
        settings: settings of the head, with the seed.

    Raises:
        UserError: the labels do not suit the head.
    """
    classes = check_training(train.rows, settings)
    kind = choose_features(settings, len(train.vectors))
    features = make_features(train.vectors, kind)
    fit = _fit_scores if settings.head == "relatedness" else _fit_classes
    fitted, n_held = fit(train, development, features, settings, report)
    is_split = development is None and not fits_all_rows(settings)
    n_train = len(features) - (n_held if is_split else 0)
    config = ClassifierConfig(
        name="",
        head=settings.head,
        kind=fitted.head.kind,
        features=kind,
        classes=tuple(classes),
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        dim=encoder.dim,
        temperature=fitted.temperature,
        language="",
        n_train=n_train,
        n_development=n_held,
        development=fitted.development,
        lowest=settings.lowest,
        highest=settings.highest,
        notes=fitted.notes,
    )
    ids = train.rows.places if train.rows.corpora else np.empty((0, 1), np.int64)
    return Classifier(config, fitted.head, ids)


def _places(
    rows: LabelledRows, classes: Sequence[str], settings: HeadSettings
) -> IntArray:
    """Return the class index of each row's label."""
    return index_labels(rows.labels, classes, rows.source, settings.similar_labels)


def _fit_classes(
    train: EncodedRows,
    development: EncodedRows | None,
    features: FloatArray,
    settings: HeadSettings,
    report: Report,
) -> tuple[FittedHead, int]:
    classes = check_training(train.rows, settings)
    places = _places(train.rows, classes, settings)
    whole = Examples(features, places, len(classes), train.groups)
    if development is None:
        share, seed = settings.development_share, settings.seed
        held = hold_out(places, share, seed=seed, groups=train.groups)
        if not len(held):
            raise UserError(
                f"{train.rows.source}: all rows of each class are translations or "
                "duplicates, so none can be held out. Label more rows, or name a "
                "development set."
            )
        is_held = _marks(held, len(places))
        return fit_held_out(whole, is_held, settings, report), len(held)
    kind = choose_features(settings, len(development.vectors))
    known = _places(development.rows, classes, settings)
    other = Examples(make_features(development.vectors, kind), known, len(classes))
    parts = whole, other.part(known >= 0)
    return fit_head(*parts, settings, report), len(parts[1].classes)


def _fit_scores(
    train: EncodedRows,
    development: EncodedRows | None,
    features: FloatArray,
    settings: HeadSettings,
    report: Report,
) -> tuple[FittedHead, int]:
    scores = read_scores(train.rows, settings.lowest, settings.highest)
    if development is None:
        is_held = _hold_out_scores(train, settings)
        rest = (features[~is_held], scores[~is_held])
        other = (features[is_held], scores[is_held])
    else:
        kind = choose_features(settings, len(development.vectors))
        rest = (features, scores)
        other = (
            make_features(development.vectors, kind),
            read_scores(development.rows, settings.lowest, settings.highest),
        )
    return fit_scores(rest, other, settings, report), len(other[1])


def _hold_out_scores(train: EncodedRows, settings: HeadSettings) -> NDArray[np.bool_]:
    """Mark pairs to hold out, keeping pairs with the same meaning together: (n,)."""
    n = len(train.rows.labels)
    groups = np.arange(n) if train.groups is None else train.groups
    units = np.unique(groups)
    if len(units) < FEWEST_SCORES:
        raise UserError(
            f"{train.rows.source} has {len(units)} distinct scored pairs. At least "
            f"{FEWEST_SCORES} are needed."
        )
    n_held = max(2, round(settings.development_share * len(units)))
    generator = np.random.default_rng(settings.seed)
    return np.isin(groups, generator.choice(units, n_held, replace=False))


def check_training(rows: LabelledRows, settings: HeadSettings) -> list[str]:
    """List the classes of training rows; empty for a head that returns scores.

    Fast, so that the task can call it before encoding.

    Raises:
        UserError: the labels or the number of texts do not suit the head.
    """
    _check_texts(rows, settings)
    if settings.head != "relatedness":
        classes = list_classes(rows.labels, rows.source, settings.similar_labels)
        if len(classes) > MANY_CLASSES:
            raise UserError(
                f"{rows.source} has {len(classes):,} different labels, more than "
                f"{MANY_CLASSES:,}. For scores choose the head relatedness."
            )
        return classes
    if settings.lowest >= settings.highest:
        raise UserError(
            f"The lowest score, {settings.lowest:g}, is not below the highest, "
            f"{settings.highest:g}. Correct one of them."
        )
    scores = read_scores(rows, settings.lowest, settings.highest)
    if len(scores) < FEWEST_SCORES:
        raise UserError(
            f"{rows.source} has {len(scores)} scored pairs. At least "
            f"{FEWEST_SCORES} are needed."
        )
    return []


def _check_texts(rows: LabelledRows, settings: HeadSettings) -> None:
    """Reject single texts for a head or features of pairs."""
    for_pairs = settings.head in ("nli", "relatedness") or settings.features in (
        "pair",
        "difference",
    )
    if for_pairs and len(rows.texts) == 1:
        raise UserError(
            f"{rows.source} has one text per row, but the head {settings.head} with "
            f"the features {settings.features} takes pairs: label, text, text."
        )
    if settings.features == "single" and len(rows.texts) == 2:
        raise UserError(
            f"{rows.source} has two texts per row, but the features single need one."
        )


def _marks(rows: IntArray, n: int) -> NDArray[np.bool_]:
    found = np.zeros(n, np.bool_)
    found[rows] = True
    return found


def join_labelled(parts: Sequence[LabelledRows]) -> LabelledRows:
    """Concatenate rows of several files or corpora, without vectors.

    Places are sentence ids only if all parts are from corpora.

    Raises:
        UserError: some rows are single texts, and others pairs.
    """
    first = parts[0]
    for part in parts[1:]:
        if len(part.texts) != len(first.texts):
            raise UserError(
                f"{first.source} and {part.source} can't be combined: one has single "
                "texts and the other pairs."
            )
    are_sentences = all(part.corpora for part in parts)
    columns = range(len(first.texts))
    places = [part.places if are_sentences else part.places[:, :1] for part in parts]
    return LabelledRows(
        source=", ".join(part.source for part in parts),
        texts=tuple([t for part in parts for t in part.texts[c]] for c in columns),
        labels=[label for part in parts for label in part.labels],
        places=np.concatenate(places),
        corpora=first.corpora if are_sentences else (),
        n_unlabelled=sum(part.n_unlabelled for part in parts),
        n_empty=sum(part.n_empty for part in parts),
        note=" ".join(part.note for part in parts if part.note),
    )


def gather_data(
    project: Project | None,
    encoder: Encoder,
    parts: Sequence[LabelledRows],
    report: Report,
    *,
    document_language: str = "",
) -> EncodedRows:
    """Concatenate rows and their vectors, using stored vectors of corpora.

    Rows with the same meaning are grouped, so that they are held out together.
    """
    sides = [
        vectors_of(project, encoder, part, report, document_language=document_language)
        for part in parts
    ]
    vectors = tuple(np.concatenate(column) for column in zip(*sides, strict=True))
    groups = group_rows(parts, project.store if project else None)
    return EncodedRows(join_labelled(parts), vectors, groups)
