"""Altered sentences: alterations, unchanged parts, and no revealing traces."""

from collections import Counter

import numpy as np
import pytest

from app.engine.probing.treebanks.alterations import (
    replace_words,
    swap_words,
    turn_clauses,
)
from app.engine.probing.treebanks.reader import Sentence
from tests.engine.probing.treebanks import tree

DOGS = (
    "Dogs/dog/NOUN/2/nsubj bark/bark/VERB/0/root ,/,/PUNCT/6/punct and/and/CCONJ/6/cc "
    "cats/cat/NOUN/6/nsubj sleep/sleep/VERB/2/conj now/now/ADV/6/advmod "
    "././PUNCT/2/punct"
)


def generator(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def numbered(text: str, n: int) -> list[Sentence]:
    """Make n different sentences of one, whose word # is numbered."""
    return [tree(text.replace("#", str(i))) for i in range(n)]


def test_neighbours_inside_the_sentence_are_swapped_in_half_of_the_sentences() -> None:
    text = "The/the/DET/2/det dog#/d/NOUN/3/nsubj ran/run/VERB/0/root ././PUNCT/3/punct"
    rows = swap_words(numbered(text, 10), generator()).rows
    assert Counter(row.label for row in rows) == {"O": 5, "I": 5}
    for row in rows:
        words = row.text.split()
        # not the first token and not the full stop: there is one swap alone
        assert words[0] == "The"
        assert words[3] == "."
        assert (words[1] == "ran") == (row.label == "I")


def test_no_swap_is_possible_with_quotes_equal_words_or_signs_only() -> None:
    quoted = 'A/a/X/2/dep b/b/X/0/root c/c/X/2/dep "/"/PUNCT/2/punct'
    equal = "A/a/X/2/dep b/b/X/0/root B/b/X/2/dep"
    short = "A/a/X/2/dep b/b/X/0/root ././PUNCT/2/punct"
    rows = swap_words([tree(quoted), tree(equal), tree(short)], generator())
    assert rows.rows == []
    assert rows.dropped == {"no two neighbouring words to swap": 3}


def test_a_swap_that_is_another_sentence_is_left_out() -> None:
    pair = [
        tree("A/a/X/2/dep b/b/X/0/root c/c/X/2/dep"),
        tree("A/a/X/2/dep c/c/X/0/root b/b/X/2/dep"),
    ]
    rows = swap_words(pair, generator())
    assert rows.rows == []
    assert rows.dropped == {"altered, it would equal another sentence": 2}


def test_a_swap_takes_a_multiword_token_as_one() -> None:
    text = "Ve#/ir/VERB/0/root al*2=>a/a/ADP/4/case el/el/DET/4/det mar/mar/NOUN/1/obl"
    texts = {row.text for row in swap_words(numbered(text, 2), generator()).rows}
    assert any(text.endswith("mar al") for text in texts)


def test_clauses_change_places_and_no_capital_letter_tells() -> None:
    rows = turn_clauses(numbered(DOGS.replace("now", "now#"), 40), generator()).rows
    original, turned = rows[0], rows[1]
    assert original.label == "O"
    assert original.text.startswith("Dogs bark , and cats sleep now")
    assert turned.label == "I"
    assert turned.text.startswith("Cats sleep now")
    assert turned.text.endswith(", and dogs bark .")


def test_levels_tell_which_clause_is_longer_as_it_stands() -> None:
    rows = turn_clauses(numbered(DOGS.replace("now", "now#"), 10), generator()).rows
    assert Counter((row.label, row.level) for row in rows) == {
        ("O", -1): 5,
        ("I", 1): 5,
    }


def test_names_and_german_nouns_keep_their_capital_letter() -> None:
    ann = "Ann/Ann/PROPN/2/nsubj sang/sing/VERB/0/root and/and/CCONJ/5/cc "
    ann += "she#/she/PRON/5/nsubj left/leave/VERB/2/conj ././PUNCT/2/punct"
    rows = turn_clauses(numbered(ann, 2), generator()).rows
    turned = next(row.text for row in rows if row.label == "I")
    assert turned.startswith("She")
    assert turned.endswith("left and Ann sang .")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("6/nsubj", "6/obl", "not exactly two coordinated clauses with a subject each"),
        ("2/conj", "2/advcl", "not exactly two coordinated clauses"),
        ("6/cc", "6/mark", "no single conjunction"),
        ("now/now/ADV/6", "now/now/ADV/2", "the clauses are not adjacent"),
    ],
)
def test_what_is_no_coordination_of_two_clauses_is_told(
    old: str, new: str, reason: str
) -> None:
    (told,) = turn_clauses([tree(DOGS.replace(old, new))], generator()).dropped
    assert reason in told


def feline(noun: str, verb: str, i: int) -> str:
    return (
        f"the/the/DET/2/det {noun}/{noun}/NOUN/3/nsubj/Number=Sing "
        f"{verb}/{verb}/VERB/0/root/Tense=Past well{i}/well/ADV/3/advmod"
    )


def test_a_noun_is_replaced_by_one_of_equal_features_and_like_bigrams() -> None:
    # "the cat" 6, "the dog" 6, "the oxen" 6 times; "cat ran", "dog ran" 6 times
    sentences = [tree(feline("cat", "ran", i)) for i in range(6)]
    sentences += [tree(feline("dog", "ran", i)) for i in range(6, 12)]
    oxen = [feline("oxen", "ran", i) for i in range(12, 18)]
    sentences += [tree(one.replace("Sing", "Plur")) for one in oxen]
    rows = replace_words(sentences, generator())
    changed = [row for row in rows.rows if row.label == "C"]
    assert len(changed) >= 4
    for row in changed:
        assert row.target is not None
        assert row.target.form in ("cat", "dog")  # oxen are many
        assert f"the {row.target.form} ran" in row.text


def test_no_replacement_has_rarer_bigrams_than_the_word_it_replaces() -> None:
    # "the cat" 8 times, "the dog" 3 times: 8 and 3 are not alike on the log scale
    sentences = [tree(feline("cat", "ran", i)) for i in range(8)]
    sentences += [tree(feline("dog", "ran", i)) for i in range(8, 11)]
    rows = replace_words(sentences, generator())
    assert rows.rows == []
    told = "no noun or verb with a replacement of similar bigram frequency"
    assert rows.dropped == {told: 11}


def test_the_same_seed_alters_the_same_sentences() -> None:
    some = numbered(DOGS.replace("now", "now#"), 20)
    assert swap_words(some, generator(3)) == swap_words(some, generator(3))
    assert swap_words(some, generator(3)) != swap_words(some, generator(4))
