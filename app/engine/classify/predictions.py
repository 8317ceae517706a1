"""Stored predictions of corpora: read, filter, sort, compare, delete incomplete."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import IdArray
from app.engine.project.active_sentences import is_active
from app.engine.project.project import Project
from app.engine.store.classifiers import (
    ClassifierRow,
    PredictionRow,
    delete_prediction,
    is_prediction_complete,
    list_classifiers,
    list_predictions,
    map_predictions,
    remove_prediction_files,
)
from app.engine.store.corpora import CorpusRow, first_sentence_id, list_corpora
from app.engine.store.labels import read_corpus_labels
from app.engine.store.lookup import corpora_by_id
from app.engine.store.sentences import read_languages
from app.errors import UserError
from app.protocol.answers.classify import ClassChange
from app.protocol.queries.classify import PredictionChangesQuery, PredictionsQuery

N_MOVES = 100  # kinds of change listed in an answer


class OrderedPredictions(NamedTuple):
    """Selected sentences in order.

    Attributes:
        ids: int64 (n,).
        n_by_class: sentences of each class, before filtering by class and label.
        without: names of corpora without predictions of the classifier.
    """

    ids: IdArray
    n_by_class: dict[str, int]
    without: tuple[str, ...]


class ChangedPredictions(NamedTuple):
    """Sentences that two classifiers assign to different classes.

    Attributes:
        ids: int64 (n,).
        n_compared: sentences that both classified.
        moves: changes, most frequent first.
    """

    ids: IdArray
    n_compared: int
    moves: tuple[ClassChange, ...]


class PredictedSentences(NamedTuple):
    """Predictions of the sentences of one corpus that have a vector.

    Attributes:
        corpus: corpus of the (first) texts.
        other: corpus of the second texts of pairs; None: single texts.
        ids: int64 (n,), ascending.
        classes: int64 (n,), indices of the classifier's classes.
        probabilities: float32 (n,).
    """

    corpus: CorpusRow
    other: CorpusRow | None
    ids: IdArray
    classes: IdArray
    probabilities: NDArray[np.float32]

    def take(self, kept: NDArray[np.bool_]) -> "PredictedSentences":
        """Return some of the predictions."""
        return self._replace(
            ids=self.ids[kept],
            classes=self.classes[kept],
            probabilities=self.probabilities[kept],
        )


def find_classifier_by_id(project: Project, id_: int) -> ClassifierRow:
    """Find a classifier of the project, including deleted classifiers.

    Raises:
        UserError: the classifier does not exist.
    """
    for row in list_classifiers(project.store, states=("ready", "deleted")):
        if row.id == id_:
            return row
    raise UserError("The classifier no longer exists. Select another one.")


def read_predictions(
    project: Project,
    classifier_id: int,
    corpora: Sequence[int] = (),
    subcorpora: Sequence[int] = (),
    others: Sequence[int] = (),
) -> list[PredictedSentences]:
    """Read the predictions of a classifier for active sentences, corpus by corpus.

    Args:
        corpora: ids.
        subcorpora: ids; both empty: all corpora.
        others: ids of corpora of second texts; empty: for each corpus, the corpora that
            it was last classified with.

    Raises:
        UserError: a sub-corpus no longer exists.
    """
    known = {row.id: row for row in list_corpora(project.store)}
    chosen = corpora_by_id(project.store, corpora, subcorpora)
    wanted = {row.id: row for row in chosen}
    found = {}
    for row in list_predictions(project.store, classifier_id=classifier_id):
        is_known = row.corpus_id in known and (row.other_id or row.corpus_id) in known
        is_wanted = row.corpus_id in wanted and (not others or row.other_id in others)
        if is_known and is_wanted and is_prediction_complete(project.folder, row):
            found[row.corpus_id] = row
    return [
        _read_part(project, wanted[row.corpus_id], known.get(row.other_id), row)
        for row in found.values()
    ]


def order_predictions(project: Project, query: PredictionsQuery) -> OrderedPredictions:
    """Select and order classified sentences.

    Raises:
        UserError: the classifier does not exist, or has not classified these sentences.
    """
    row = find_classifier_by_id(project, query.classifier)
    parts = read_predictions(
        project, row.id, query.corpora, query.subcorpora, query.others
    )
    if not parts:
        raise UserError(
            f"{row.name} has not classified these corpora. Classify them first."
        )
    counts: Counter[str] = Counter()
    kept: list[PredictedSentences] = []
    for part in parts:
        part = part.take(_bounds(project, part, query))
        if row.classes:  # empty for a head that returns scores
            counts.update(row.classes[index] for index in part.classes.tolist())
        kept.append(part.take(_choice(project, part, row, query)))
    ids = np.concatenate([part.ids for part in kept])
    sure = np.concatenate([part.probabilities for part in kept])
    if query.order == "sure":
        ids = ids[np.argsort(-sure, kind="stable")]
    elif query.order == "unsure":
        ids = ids[np.argsort(sure, kind="stable")]
    done = {part.corpus.id for part in parts}
    asked = corpora_by_id(project.store, query.corpora, query.subcorpora)
    without = tuple(corpus.name for corpus in asked if corpus.id not in done)
    return OrderedPredictions(ids, dict(counts), without)


def compare_predictions(
    project: Project, query: PredictionChangesQuery
) -> ChangedPredictions:
    """Find sentences that two classifiers assign to different classes.

    Raises:
        UserError: a classifier does not exist, or they have no classified corpus in
            common.
    """
    one, other = (
        find_classifier_by_id(project, id_) for id_ in (query.before, query.after)
    )
    before, after = (
        {
            part.corpus.id: part
            for part in read_predictions(
                project, row.id, query.corpora, query.subcorpora
            )
        }
        for row in (one, other)
    )
    shared = sorted(before.keys() & after.keys())
    if not shared:
        raise UserError(
            f"{one.name} and {other.name} have no classified corpus in common. "
            "Classify a corpus with both first."
        )
    moves: Counter[tuple[str, str]] = Counter()
    changed: list[IdArray] = []
    n_compared = 0
    for id_ in shared:
        ids, ones, others = np.intersect1d(
            before[id_].ids, after[id_].ids, assume_unique=True, return_indices=True
        )
        names = (
            np.array(one.classes or ("",), object)[before[id_].classes[ones]],
            np.array(other.classes or ("",), object)[after[id_].classes[others]],
        )
        is_other = names[0] != names[1]
        moves.update(zip(names[0][is_other], names[1][is_other], strict=True))
        changed.append(ids[is_other])
        n_compared += len(ids)
    most = tuple(ClassChange(*move, n) for move, n in moves.most_common(N_MOVES))
    return ChangedPredictions(np.concatenate(changed), n_compared, most)


def _read_part(
    project: Project, corpus: CorpusRow, other: CorpusRow | None, row: PredictionRow
) -> PredictedSentences:
    said = map_predictions(project.folder, row)
    positions = np.nonzero(np.asarray(said.classes) >= 0)[0]
    positions = positions[is_active(project, corpus, positions)]
    if other is not None:
        positions = positions[is_active(project, other, positions)]
    return PredictedSentences(
        corpus,
        other,
        positions + first_sentence_id(corpus.id),
        said.classes[positions].astype(np.int64),
        np.asarray(said.probabilities[positions]),
    )


def _bounds(
    project: Project, part: PredictedSentences, query: PredictionsQuery
) -> NDArray[np.bool_]:
    """Mark sentences in the selected languages and range of probabilities."""
    kept = np.ones(len(part.ids), np.bool_)
    if query.lowest is not None:
        kept &= part.probabilities >= query.lowest
    if query.highest is not None:
        kept &= part.probabilities <= query.highest
    if query.languages:
        languages = read_languages(project.store, part.corpus.id)
        if languages is None:
            kept &= part.corpus.language in query.languages
        else:
            positions = part.ids - first_sentence_id(part.corpus.id)
            kept &= np.isin(languages[positions], query.languages)
    return kept


def _choice(
    project: Project,
    part: PredictedSentences,
    row: ClassifierRow,
    query: PredictionsQuery,
) -> NDArray[np.bool_]:
    """Mark sentences with the selected classes and labels."""
    kept = np.ones(len(part.ids), np.bool_)
    if query.classes:
        indices = [row.classes.index(c) for c in query.classes if c in row.classes]
        kept &= np.isin(part.classes, indices)
    if query.which == "all":
        return kept
    labels = read_corpus_labels(project.store, part.corpus.id)
    first = first_sentence_id(part.corpus.id)
    labelled = np.fromiter(labels, np.int64, len(labels)) + first
    has_label = np.isin(part.ids, labelled)
    if query.which == "unlabelled":
        return kept & ~has_label
    kept &= has_label
    if query.which == "contradicted":
        if not row.classes:  # a score is not a class
            return np.zeros(len(kept), np.bool_)
        for index in np.nonzero(kept)[0].tolist():
            said = row.classes[part.classes[index]]
            kept[index] = labels[int(part.ids[index]) - first] != said
    return kept


def drop_incomplete_predictions(project: Project, run: int) -> list[int]:
    """Remove the incomplete predictions of a run, and return their ids."""
    dropped = []
    for row in list_predictions(project.store):
        if row.run_id == run and row.n_done < row.n_rows:
            delete_prediction(project.store, row.id)
            remove_prediction_files(project.folder, row.array)
            dropped.append(row.id)
    return dropped
