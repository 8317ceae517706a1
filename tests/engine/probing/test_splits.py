"""Splits: balanced, matched, and no target word or sentence in two of them."""

from collections import Counter
from itertools import combinations

import numpy as np

from app.engine.probing.treebanks.labels import LabelledSentence, LabelledSentences
from app.engine.probing.treebanks.reader import Word
from app.engine.probing.treebanks.splits import (
    SplitRows,
    choose_classes,
    matched_sets,
    names_of,
    split_rows,
)

SHARES = (60, 20, 20)


def generator(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def target(form: str, lemma: str) -> Word:
    return Word(form, lemma, "NOUN", {}, -1, "root", 0)


def rows_of(counts: dict[str, int], level: int = 0) -> list[LabelledSentence]:
    return [
        LabelledSentence(f"{label} {level} {i}", label, None, level)
        for label, n in counts.items()
        for i in range(n)
    ]


def split(rows: list[LabelledSentence], seed: int = 1) -> SplitRows:
    return split_rows(LabelledSentences(rows, Counter()), SHARES, generator(seed))


def test_classes_are_chosen_that_say_the_most() -> None:
    # bits: two classes 2*50*1 = 100; three 3*40*1.58 = 190; four 4*5*2 = 40
    rows = LabelledSentences(rows_of({"a": 60, "b": 50, "c": 40, "d": 5}), Counter())
    assert choose_classes(rows) == ["a", "b", "c"]


def test_ordered_classes_that_are_chosen_are_neighbours_of_matching_levels() -> None:
    # 1 and 2 share no length, 2 and 3 do
    rows = [
        *rows_of({"1": 50}, level=5),
        *rows_of({"2": 20, "3": 20}, level=9),
    ]
    assert choose_classes(LabelledSentences(rows, Counter(), ("1", "2", "3"))) == [
        "2",
        "3",
    ]


def test_every_split_is_balanced_and_the_rest_is_told() -> None:
    found = split(rows_of({"a": 60, "b": 45, "rare": 1}))
    assert [Counter(row.label for row in part) for part in found.splits] == [
        {"a": 27, "b": 27},
        {"a": 9, "b": 9},
        {"a": 9, "b": 9},
    ]
    assert found.dropped == {
        "of a class that is too rare to balance": 1,
        "dropped to balance classes and splits": 15,
    }


def test_at_each_level_there_are_as_many_of_each_class() -> None:
    rows = rows_of({"yes": 40, "no": 10}, level=5) + rows_of(
        {"yes": 5, "no": 60}, level=9
    )
    for part in split(rows).splits:
        counts = Counter((row.level, row.label) for row in part)
        for level in (5, 9):
            assert counts[level, "yes"] == counts[level, "no"]
    sets = matched_sets(rows, ["yes", "no"], generator())
    assert len(sets) == 15
    assert all(first.level == second.level for first, second in sets)


def test_no_row_is_in_two_splits_and_none_is_twice_in_one() -> None:
    texts = [
        row.text for part in split(rows_of({"a": 60, "b": 45})).splits for row in part
    ]
    assert len(texts) == len(set(texts))


def test_no_target_is_in_two_splits_by_its_form_or_its_lemma() -> None:
    # saw is a form of see and a noun of its own: they belong together
    words = [target(f"form{i % 40}", f"lemma{i % 25}") for i in range(50)]
    words += [target("saw", "see"), target("seen", "see"), target("Saw", "saw")]
    rows = [
        LabelledSentence(f"{i} {k}", label, word)
        for i, word in enumerate(words)
        for k, label in enumerate(["Sing", "Plur"])
    ]
    found = split(rows)
    assert all(found.splits)
    names = [
        {name for row in part if row.target for name in names_of(row.target)}
        for part in found.splits
    ]
    assert all(first.isdisjoint(second) for first, second in combinations(names, 2))
    for part in found.splits:
        counts = Counter(row.label for row in part)
        assert counts["Sing"] == counts["Plur"]


def test_splits_with_targets_keep_their_shares() -> None:
    rows = [
        LabelledSentence(f"{i} {label}", label, target(f"w{i % 50}", f"w{i % 50}"))
        for i in range(500)
        for label in ("a", "b")
    ]
    found = split_rows(LabelledSentences(rows, Counter()), (600, 200, 200), generator())
    assert [len(part) for part in found.splits] == [600, 200, 200]
    assert found.n_targets == (30, 10, 10)


def test_numbers_of_rows_are_not_exceeded() -> None:
    found = split_rows(
        LabelledSentences(rows_of({"a": 90, "b": 90}), Counter()),
        (10, 4, 6),
        generator(),
    )
    assert [len(part) for part in found.splits] == [10, 4, 6]


def test_too_few_rows_give_no_development_and_no_test_rows() -> None:
    found = split(rows_of({"a": 2, "b": 2}))
    assert [len(part) for part in found.splits] == [4, 0, 0]


def test_the_same_seed_gives_the_same_rows() -> None:
    rows = rows_of({"a": 60, "b": 45})
    assert split(rows, 1) == split(rows, 1)
    assert split(rows, 1) != split(rows, 2)
