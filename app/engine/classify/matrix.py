"""Pairs whose two texts are in different languages: every language with every other."""

from collections.abc import Mapping

import numpy as np

from app.engine.classify.classifier import Classifier
from app.engine.classify.labels import place_labels
from app.engine.classify.training import Data
from app.errors import UserError
from app.params.classify import HeadSettings


def measure_matrix(
    classifier: Classifier, tests: Mapping[str, Data], settings: HeadSettings
) -> dict[str, dict[str, float]]:
    """Measure accuracy with the first text in one language, the second in another.

    As LASER's table of XNLI (Artetxe and Schwenk 2019, appendix).

    Args:
        classifier: of pairs.
        tests: by language, aligned row by row.
        settings: says what is done with labels that differ by case or spaces only.

    Returns:
        Accuracy 0…1 by the language of the first text (outer) and of the second.

    Raises:
        UserError: the rows are no pairs, or the tests are not aligned.
    """
    first, *others = tests.values()
    if len(first.vectors) != 2 or classifier.gives_scores:
        raise UserError(
            "The matrix of languages is for classes of pairs: label, text, text."
        )
    for other in others:
        if other.rows.labels != first.rows.labels:
            raise UserError(
                f"{other.rows.source} is not aligned with {first.rows.source}: the "
                "matrix of languages needs the same pairs, row by row."
            )
    gold = place_labels(
        first.rows.labels,
        classifier.config.classes,
        first.rows.source,
        settings.similar_labels,
    )
    return {
        one: {
            two: _accuracy(classifier, (left.vectors[0], right.vectors[1]), gold)
            for two, right in tests.items()
        }
        for one, left in tests.items()
    }


def _accuracy(
    classifier: Classifier,
    vectors: "tuple[np.ndarray[tuple[int, int], np.dtype[np.float32]], ...]",
    gold: "np.ndarray[tuple[int], np.dtype[np.int64]]",
) -> float:
    said = classifier.probabilities(vectors).argmax(axis=1)
    return float(np.mean(said == gold))
