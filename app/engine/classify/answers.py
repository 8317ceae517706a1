"""Answers to what is asked about classifiers, as plain JSON values."""

from typing import Any

import numpy as np

from app.classify_questions import (
    ClassifyQuery,
    CompareTransfersQuery,
    LabelCountsQuery,
    LabelOrderQuery,
    PredictionChangesQuery,
    PredictionsQuery,
    SuggestQuery,
)
from app.engine.classify.label_orders import count_labels, order_labels
from app.engine.classify.predicted import compare_predictions, order_predictions
from app.engine.classify.suggestions import suggest_sentences
from app.engine.search.desk import SearchDesk
from app.engine.statistics import mcnemar_test, paired_bootstrap
from app.engine.store.transfer_rows import TransferRow, read_said
from app.errors import UserError


def answer_classify_query(desk: SearchDesk, query: ClassifyQuery) -> dict[str, Any]:
    """Answer a short read about classifiers.

    Raises:
        UserError: what the query names is not there.
    """
    match query:
        case PredictionsQuery():
            ids, facts = order_predictions(desk.project, query)
            return {"file": desk.write_view(ids), "n": len(ids), **facts}
        case PredictionChangesQuery():
            ids, facts = compare_predictions(desk.project, query)
            return {"file": desk.write_view(ids), "n": len(ids), **facts}
        case SuggestQuery():
            return {"sentences": suggest_sentences(desk.project, query)}
        case LabelCountsQuery():
            return count_labels(desk.project, query)
        case LabelOrderQuery():
            ids = order_labels(desk.project, query)
            return {"file": desk.write_view(ids), "n": len(ids)}
        case CompareTransfersQuery():
            ones, others = (
                read_said(desk.project.store, run) for run in (query.one, query.other)
            )
            return compare_transfers(ones, others)


def compare_transfers(
    ones: dict[str, TransferRow], others: dict[str, TransferRow]
) -> dict[str, Any]:
    """Compare two tests language by language, where the rows are the same.

    Raises:
        UserError: no language was tested on the same rows by both.
    """
    told, skipped = [], []
    for language in sorted(ones.keys() | others.keys()):
        one, other = ones.get(language), others.get(language)
        if one is None or other is None:
            skipped.append(f"{language} is in one of the two tests only.")
        elif not np.array_equal(one.rows, other.rows):
            skipped.append(f"{language} was not tested on the same rows.")
        else:
            told.append(_compared(language, one, other))
    if not told:
        raise UserError(
            "The two tests have no language in common that was tested on the same rows."
        )
    return {"languages": told, "skipped": skipped}


def _compared(language: str, one: TransferRow, other: TransferRow) -> dict[str, Any]:
    rights = [row.predicted == row.gold for row in (one, other)]
    found = mcnemar_test(*rights)
    values = [right.astype(np.float64) for right in rights]
    difference = paired_bootstrap(*values)
    return {
        "language": language,
        "n": len(rights[0]),
        "one": float(values[0].mean()),
        "other": float(values[1].mean()),
        "difference": difference.value,
        "low": difference.low,
        "high": difference.high,
        "only_one": found.only_one,
        "only_other": found.only_other,
        "p": found.p,
    }
