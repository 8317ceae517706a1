"""Pairs whose two texts are in different languages: every language with every other."""

from collections.abc import Mapping

import numpy as np

from app.engine.classify.classifier import Classifier
from app.engine.classify.labelled import Labelled
from app.engine.classify.labels import place_labels
from app.engine.classify.training import Data
from app.errors import UserError
from app.params.classify import HeadSettings


def check_matrix(tests: Mapping[str, Labelled], *, gives_scores: bool) -> None:
    """Refuse tests of which no matrix can be made, before any work.

    Raises:
        UserError: the rows are no pairs with a class, or the tests are not aligned.
    """
    first, *others = tests.values()
    if len(first.texts) != 2 or gives_scores:
        raise UserError(
            "The matrix of languages is for classes of pairs: label, text, text."
        )
    for other in others:
        if other.labels != first.labels:
            raise UserError(
                f"{other.source} is not aligned with {first.source}: the matrix of "
                "languages needs the same pairs, row by row."
            )


def measure_matrix(
    classifier: Classifier, tests: Mapping[str, Data], settings: HeadSettings
) -> dict[str, dict[str, float]]:
    """Measure accuracy with the first text in one language, the second in another.

    As LASER's table of XNLI (Artetxe and Schwenk 2019, appendix).

    Args:
        classifier: of pairs.
        tests: by language, as `check_matrix` wants them.
        settings: says what is done with labels that differ by case or spaces only.

    Returns:
        Accuracy 0…1 by the language of the first text (outer) and of the second.
    """
    first = next(iter(tests.values()))
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
