"""Test rows that look like translations of training rows: more than false ones."""

import numpy as np
import pytest

from app.engine.classify.labelled_rows import LabelledRows
from app.engine.classify.overlap import exceeds_chance, find_overlap
from app.engine.numeric import normalise_rows

RNG = np.random.default_rng(3)


@pytest.mark.parametrize(
    ("n_found", "n", "is_more"),
    [
        (0, 6, False),
        (1, 6, True),
        (2, 126, False),
        (3, 126, True),
        (4_200, 10**6, True),
    ],
)
def test_a_few_of_many_may_all_be_false(n_found: int, n: int, is_more: bool) -> None:
    """Worked out: P(X ≥ 1 of 6) = 2.4 %, P(X ≥ 2 of 126) = 9.0 %, P(X ≥ 3) = 1.4 %."""
    assert exceeds_chance(n_found, n) is is_more


@pytest.mark.parametrize(("n_translated", "n_told"), [(1, 0), (5, 5)])
def test_one_row_that_looks_like_a_translation_is_no_leak(
    n_translated: int, n_told: int
) -> None:
    drawn = [RNG.normal(size=(n, 256)).astype(np.float32) for n in (200, 150)]
    train, test = (normalise_rows(vectors)[0] for vectors in drawn)
    test[:n_translated] = train[:n_translated]
    train_rows, test_rows = (
        LabelledRows(
            "", ([f"{name}{i}" for i in range(n)],), ["a"] * n, np.arange(n)[:, None]
        )
        for name, n in (("a", 200), ("b", 150))
    )
    found = find_overlap(train_rows, test_rows, (train,), (test,))
    assert int(found.translations.sum()) == n_told
    assert not found.duplicates.any()
