"""Answer queries about labels, predictions, suggestions and transfer results."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from app.engine.classify.active_learning import suggest_sentences
from app.engine.classify.predictions import compare_predictions, order_predictions
from app.engine.classify.typed_text import classify_text
from app.engine.project.active_sentences import active_positions, is_active
from app.engine.project.project import Project
from app.engine.search.session import SearchSession
from app.engine.statistics import mcnemar_test, paired_bootstrap
from app.engine.store.classifiers import TransferRow, read_transfer_predictions
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.labels import ClassCount, count_classes, read_corpus_labels
from app.engine.store.lookup import corpora_by_id
from app.errors import UserError
from app.languages import language_name
from app.protocol.answers.classify import (
    CorpusLabelCounts,
    LabelCountsAnswer,
    LanguageComparison,
    PredictionChangesAnswer,
    PredictionsAnswer,
    SuggestionsAnswer,
    TransferComparison,
)
from app.protocol.answers.search import OrderAnswer
from app.protocol.base import reply
from app.protocol.queries.classify import (
    ClassifyQuery,
    ClassifyTextQuery,
    CompareTransfersQuery,
    LabelCountsQuery,
    LabelOrderQuery,
    PredictionChangesQuery,
    PredictionsQuery,
    SuggestQuery,
)

N_CLASSES = 100  # classes per corpus in an answer


def count_labels(project: Project, query: LabelCountsQuery) -> LabelCountsAnswer:
    """Count the labelled sentences of corpora and sub-corpora, class by class.

    Raises:
        UserError: a sub-corpus no longer exists.
    """
    found = []
    for corpus in corpora_by_id(project.store, query.corpora, query.subcorpora):
        counts = _count(project, corpus)
        if not counts:
            continue
        found.append(
            CorpusLabelCounts(
                id=corpus.id,
                n_labelled=sum(one.n for one in counts),
                n_classes=len(counts),
                classes=tuple((one.name, one.n) for one in counts[:N_CLASSES]),
            )
        )
    return LabelCountsAnswer(tuple(found))


def order_labels(project: Project, query: LabelOrderQuery) -> NDArray[np.int64]:
    """Select sentences by label, in the order of corpora: int64 (n,)."""
    parts = [np.empty(0, np.int64)]
    for corpus in corpora_by_id(project.store, query.corpora, query.subcorpora):
        labels = read_corpus_labels(project.store, corpus.id)
        rows = active_positions(project, corpus)
        indices = np.arange(corpus.n_sentences) if rows is None else rows
        names = set(query.classes)
        is_wanted = np.zeros(corpus.n_sentences, bool)
        is_wanted[
            [index for index, name in labels.items() if not names or name in names]
        ] = True
        if query.which == "unlabelled":
            is_wanted[:] = True
            is_wanted[list(labels)] = False
        parts.append(indices[is_wanted[indices]] + first_sentence_id(corpus.id))
    return np.concatenate(parts)


def _count(project: Project, corpus: CorpusRow) -> list[ClassCount]:
    """Count the labels of a corpus or its sub-corpus, most frequent first."""
    if not corpus.subcorpus:
        return count_classes(project.store, [corpus.id])
    labels = read_corpus_labels(project.store, corpus.id)
    indices = np.fromiter(labels, np.int64, len(labels))
    taken = indices[is_active(project, corpus, indices)].tolist()
    counts = Counter(labels[index] for index in taken)
    rows = [ClassCount(name, n) for name, n in counts.items()]
    return sorted(rows, key=lambda row: (-row.n, row.name))


def answer_classify_query(session: SearchSession, query: ClassifyQuery) -> object:
    """Answer a query about classifiers or labels.

    Raises:
        UserError: an object in the query does not exist.
    """
    project = session.project
    match query:
        case PredictionsQuery():
            found = order_predictions(project, query)
            file, n = session.share_array(found.ids), len(found.ids)
            answer = PredictionsAnswer(file, n, found.n_by_class, found.without)
            return reply(query, answer)
        case PredictionChangesQuery():
            changed = compare_predictions(project, query)
            file, n = session.share_array(changed.ids), len(changed.ids)
            return reply(
                query,
                PredictionChangesAnswer(file, n, changed.n_compared, changed.moves),
            )
        case SuggestQuery():
            return reply(query, SuggestionsAnswer(suggest_sentences(project, query)))
        case ClassifyTextQuery():
            return reply(query, classify_text(session, query))
        case LabelCountsQuery():
            return reply(query, count_labels(project, query))
        case LabelOrderQuery():
            ids = order_labels(project, query)
            return reply(query, OrderAnswer(session.share_array(ids), len(ids)))
        case CompareTransfersQuery():
            ones, others = (
                read_transfer_predictions(project.store, run)
                for run in (query.one, query.other)
            )
            return reply(query, compare_transfers(ones, others))


def compare_transfers(
    ones: dict[str, TransferRow], others: dict[str, TransferRow]
) -> TransferComparison:
    """Compare two tests for each language with the same rows.

    Raises:
        UserError: no language has the same rows in both tests.
    """
    compared, skipped = [], []
    for language in sorted(ones.keys() | others.keys()):
        one, other = ones.get(language), others.get(language)
        name = language_name(language)
        if one is None or other is None:
            skipped.append(f"{name} is in only one of the two tests.")
        elif not np.array_equal(one.rows, other.rows):
            skipped.append(f"{name} was not tested on the same rows.")
        else:
            compared.append(_compare_language(language, one, other))
    if not compared:
        raise UserError(
            "The two tests have no language in common that was tested on the same "
            "rows. Select another test."
        )
    return TransferComparison(tuple(compared), tuple(skipped))


def _compare_language(
    language: str, one: TransferRow, other: TransferRow
) -> LanguageComparison:
    is_right = [row.predicted == row.gold for row in (one, other)]
    found = mcnemar_test(*is_right)
    values = [right.astype(np.float64) for right in is_right]
    difference = paired_bootstrap(*values)
    return LanguageComparison(
        language=language,
        n=len(is_right[0]),
        one=float(values[0].mean()),
        other=float(values[1].mean()),
        difference=difference.value,
        low=difference.low,
        high=difference.high,
        only_one=found.only_one,
        only_other=found.only_other,
        p=found.p,
    )
