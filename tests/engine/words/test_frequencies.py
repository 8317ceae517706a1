"""Frequencies and dispersion, by hand and against a slow count."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.runtime.report import Report
from app.engine.words import ngrams as stream_module
from app.engine.words.ngrams import NgramCounts, build_stream, count_ngrams, dispersion
from app.engine.words.selection import SharedParts, count_items
from app.errors import Cancelled
from tests.engine.words.made import make_index, make_shared

# 10 words; documents of 5, 4 and 1
SENTENCES = [["a", "b", "A"], ["b", "c"], ["a", "c", "c", "c"], ["d"]]
DOCUMENTS = [0, 0, 1, 2]
BY_HAND = [  # n, documents, DP = half the sum of |share of the word - share of words|
    ("a", 3, 2, (abs(2 / 3 - 0.5) + abs(1 / 3 - 0.4) + 0.1) / 2),
    ("b", 2, 1, (0.5 + 0.4 + 0.1) / 2),
    ("c", 4, 2, (0.25 + 0.35 + 0.1) / 2),
    ("d", 1, 1, (0.5 + 0.4 + 0.9) / 2),
]


def counted(shared: SharedParts, n: int = 1) -> tuple[list[str], NgramCounts]:
    stream = build_stream(shared, Report())
    found = count_ngrams(stream, n, Report())
    words = shared.lexicon.items(stream.tokens)
    return [" ".join(words[p : p + n]) for p in found.places.tolist()], found


def test_words_are_counted_as_by_hand() -> None:
    shared = make_shared(make_index(SENTENCES), documents=DOCUMENTS)
    items, found = counted(shared)
    rows = zip(items, found.counts, found.n_documents, found.dispersion, strict=True)
    assert list(rows) == [(*row[:3], pytest.approx(row[3])) for row in BY_HAND]
    assert count_items(shared, Report()).tolist() == [row[1] for row in BY_HAND]


def test_dispersion_is_that_of_the_example_of_its_author() -> None:
    """Gries 2008, section 3: five parts of the same size, 1 to 5 occurrences."""
    groups, documents = np.zeros(15, np.int64), np.repeat(range(5), range(1, 6))
    n_documents, spread = dispersion(groups, documents, np.full(5, 0.2))
    assert n_documents.tolist() == [5]
    assert spread == pytest.approx([0.2])


def test_forms_tell_capitals_apart() -> None:
    items, found = counted(make_shared(make_index(SENTENCES), layer="form"))
    assert dict(zip(items, found.counts, strict=True))["A"] == 1
    assert np.isnan(found.dispersion).all()  # one document


def test_what_the_source_does_not_say_is_not_counted() -> None:
    index = make_index([["x", "y", "z"]], lemmas=[["x", "", "z"]])
    items, _ = counted(make_shared(index, layer="lemma"))
    assert items == ["x", "z"]
    assert counted(make_shared(index, layer="lemma"), n=2)[0] == []


def test_only_sentences_that_take_part_are_counted() -> None:
    mask = [False, True, True, False]
    shared = make_shared(make_index(SENTENCES), mask=mask, documents=DOCUMENTS)
    items, found = counted(shared)
    assert dict(zip(items, found.counts.tolist(), strict=True)) == {
        "a": 1,
        "b": 1,
        "c": 4,
    }
    assert count_items(shared, Report()).tolist() == [1, 1, 4, 0]


def test_a_cancel_is_met() -> None:
    report = Report()
    stream = build_stream(make_shared(make_index(SENTENCES)), report)
    report.cancel()
    with pytest.raises(Cancelled):
        count_ngrams(stream, 2, report)


WORDS = st.sampled_from(["a", "b", "c", "B", "dd"])


@given(
    st.lists(st.tuples(st.lists(WORDS, max_size=7), st.booleans()), max_size=6),
    st.integers(1, 6),
    st.booleans(),
)
def test_ngrams_are_those_of_a_slow_count(
    rows: list[tuple[list[str], bool]], n: int, is_small: bool
) -> None:
    sentences = [words for words, _ in rows] + [["a", "b", "a", "b"]]
    mask = [is_in for _, is_in in rows] + [True]
    wanted = Counter(
        " ".join(words[index : index + n]).lower()
        for words, is_in in zip(sentences, mask, strict=True)
        for index in range(len(words) - n + 1)
        if is_in
    )
    with pytest.MonkeyPatch.context() as patch:
        if is_small:  # many blocks, and keys that do not fit beside places
            patch.setattr(stream_module, "BLOCK", 3)
            patch.setattr(stream_module, "MAX_BITS", 4)
        items, found = counted(make_shared(make_index(sentences), mask=mask), n)
    assert dict(zip(items, found.counts.tolist(), strict=True)) == wanted
    assert items == sorted(items, key=str.split)
