"""Variants of English sentences: one fact is changed in each."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.engine.text.changed_facts import N_EACH, change_facts, make_variants


def test_negations_are_added_and_removed() -> None:
    assert make_variants(["The ferry was on time."], ["causality"]) == [
        "The ferry was not on time."
    ]
    assert make_variants(["It is not far."], ["causality"]) == ["It is far."]
    assert make_variants(["We can't sail."], ["causality"]) == ["We can sail."]
    assert make_variants(["They won’t sail."], ["causality"]) == ["They will sail."]


def test_words_are_replaced_by_their_antonyms_one_at_a_time() -> None:
    assert make_variants(["High waves rose early."], ["causality"]) == [
        "Low waves rose early.",
        "High waves fell early.",
        "High waves rose late.",
    ]


def test_entities_are_replaced_by_others_of_the_texts() -> None:
    texts = ["On Monday Maria left Porto.", "In May it rained."]
    variants = make_variants(texts, ["entities"])
    # the second text has one entity, and the first one two, of which one has two words
    assert len(variants) == 2 * 2 + 2
    assert "On Porto left Porto." in variants
    assert "On Monday Maria left May." in variants
    assert "In Monday Maria it rained." in variants
    assert all(variant not in texts for variant in variants)


def test_numbers_keep_their_number_of_digits() -> None:
    variants = make_variants(["In 1987 he paid 3.50 for two."], ["numbers"], seed=3)
    assert len(variants) >= 2 * N_EACH
    shape = r"In (\d{4}) he paid (\d\.\d\d) for (\w+)\."
    for variant in variants:
        found = re.fullmatch(shape, variant)
        assert found is not None
        before = "1987", "3.50", "two"
        assert sum(a != b for a, b in zip(found.groups(), before, strict=True)) == 1
        assert found[1][0] != "0"


def test_the_same_seed_gives_the_same_variants() -> None:
    texts = ["In 1987 he paid 3.50 for two."]
    assert make_variants(texts, ["numbers"]) == make_variants(texts, ["numbers"])


@given(st.lists(st.text(), max_size=4))
def test_any_text_is_changed_without_an_error(texts: list[str]) -> None:
    variants = make_variants(texts, ["causality", "entities", "numbers"])
    assert len(set(variants)) == len(variants)
    assert not set(variants) & set(texts)


def test_one_fact_of_each_sentence_is_changed_or_two_names_are_exchanged() -> None:
    texts = ["In June, Anna met Ben.", "It is far.", "He paid 12 coins.", "Rain!"]
    generator = np.random.default_rng(1)
    drawn = [change_facts(texts, generator) for _ in range(60)]
    names, negations, numbers, nothing = map(set, zip(*drawn, strict=True))
    assert "In Anna, June met Ben." in names  # exchanged: the first two names
    assert "In Ben, Anna met Ben." in names  # replaced by one of the others
    assert negations == {"It is not far."}
    assert all(re.fullmatch(r"He paid \d\d coins\.", text) for text in numbers)
    assert texts[2] not in numbers
    assert nothing == {""}
