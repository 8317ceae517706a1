"""Averaged word vectors as baselines of the downstream suite."""

import logging

import numpy as np

from app.arrays import FloatArray
from app.engine.evaluation.downstream import SuiteContext, measure_set
from app.engine.evaluation.downstream_sets import DownstreamSet
from app.engine.numeric import normalise_rows
from app.engine.probing.bags_of_vectors import bags_of_vectors
from app.engine.probing.bags_of_words import number_words
from app.engine.probing.word_vectors import find_word_vectors
from app.engine.runtime.report import Report
from app.errors import UserError

_log = logging.getLogger(__name__)


def measure_bags(
    one: DownstreamSet, context: SuiteContext, report: Report
) -> dict[str, dict[str, float]]:
    """Measure a task with averaged word vectors, by the protocol of the encoder.

    Vectors and weights are trained on the training texts. Without a split, these are
    all texts: the word vectors are trained on the texts of a test fold, but not on its
    labels.

    Returns:
        Scores by metric and baseline, without scores that can't be computed.

    Raises:
        UserError: the file of word vectors contains none of the words.
    """
    texts = [text for part in one.parts for column in part.texts for text in column]
    n_train = sum(map(len, one.rows.texts))
    words = number_words(texts, report)
    table = find_word_vectors(context.params.word_vectors, words, n_train, report)
    found: dict[str, dict[str, float]] = {}
    if not table.any():  # the texts are too short to train vectors
        return found
    for name, vectors in bags_of_vectors(words, table, n_train):
        if context.params.normalised:
            vectors, _ = normalise_rows(vectors)
        try:
            rows = measure_set(one, _divide(vectors, one), context, report)
        except UserError as error:  # such as a correlation with equal predictions
            _log.info("No baseline %s of %s: %s", name, one.name, error)
            continue
        for row in rows:
            found.setdefault(row.metric, {})[name] = row.score
    return found


def _divide(vectors: FloatArray, one: DownstreamSet) -> list[tuple[FloatArray, ...]]:
    """Split vectors into the columns of the parts."""
    sizes = [len(column) for part in one.parts for column in part.texts]
    columns = iter(np.split(vectors, np.cumsum(sizes)[:-1]))
    return [tuple(next(columns) for _ in part.texts) for part in one.parts]
