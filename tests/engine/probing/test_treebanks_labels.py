"""Labels of trees: each definition on a sentence with a known answer."""

import pytest

from app.engine.probing.treebanks.labels import (
    LabelledSentence,
    depth_of,
    feature_labeller,
    label_depths,
    label_length,
    label_relation,
    label_tense,
    label_tenses,
    number_labeller,
)
from app.engine.probing.treebanks.offers import list_features, list_relations
from app.engine.probing.treebanks.reader import Sentence
from app.errors import UserError
from tests.engine.probing.treebanks import tree

CATS = tree(
    "The/the/DET/2/det cats/cat/NOUN/4/nsubj/Number=Plur have/have/AUX/4/aux/"
    "Tense=Pres|VerbForm=Fin seen/see/VERB/0/root/Tense=Past|VerbForm=Part "
    "a/a/DET/6/det dog/dog/NOUN/4/obj/Number=Sing in/in/ADP/9/case the/the/DET/9/det "
    "house/house/NOUN/6/nmod/Number=Sing ././PUNCT/4/punct"
)
SLEPT = tree(
    "Ann/Ann/PROPN/2/nsubj/Number=Sing slept/sleep/VERB/0/root/"
    "Mood=Ind|Tense=Past|VerbForm=Fin ././PUNCT/2/punct"
)
ASLEEP = tree(
    "It/it/PRON/3/nsubj is/be/AUX/3/cop/Tense=Pres|VerbForm=Fin late/late/ADJ/0/root"
)


def label_of(found: LabelledSentence | str) -> str:
    assert isinstance(found, LabelledSentence)
    return found.label


def of_length(n: int) -> Sentence:
    return tree(" ".join(f"w{i}/w/X/{0 if i == 1 else 1}/dep" for i in range(1, n + 1)))


@pytest.mark.parametrize(
    ("n_words", "label"),
    [
        (5, "0"),
        (8, "0"),
        (9, "1"),
        (16, "2"),
        (17, "3"),
        (25, "4"),
        (26, "5"),
        (28, "5"),
    ],
)
def test_the_bins_of_lengths_are_those_of_senteval(n_words: int, label: str) -> None:
    assert label_of(label_length(of_length(n_words))) == label


def test_a_token_with_a_space_is_two_words_long() -> None:
    lines = "học\u00a0sinh/x/NOUN/0/root " + " ".join("w/w/X/1/dep" for _ in range(7))
    assert label_of(label_length(tree(lines))) == "1"  # nine words between spaces


def test_depth_counts_the_arcs_of_the_longest_path() -> None:
    assert depth_of(CATS) == 3  # seen > dog > house > the
    assert depth_of(SLEPT) == 1
    rows = label_depths([CATS, SLEPT])
    assert [(row.label, row.level) for row in rows.rows] == [("3", 10), ("1", 3)]
    assert rows.classes == ("1", "3")


def test_tense_is_that_of_the_finite_verb() -> None:
    assert label_of(label_tense(CATS)) == "Pres"  # have seen
    assert label_of(label_tense(SLEPT)) == "Past"
    assert label_of(label_tense(ASLEEP)) == "Pres"
    future = tree("irá/ir/VERB/0/root/Tense=Fut|VerbForm=Fin")
    assert label_tense(future) == "Tense is Fut"
    assert label_tense(tree("House/house/NOUN/0/root")) == (
        "the main clause has no finite verb"
    )


def test_a_bare_participle_has_no_tense_where_verbs_are_finite() -> None:
    arrested = tree(
        "Key/key/ADJ/2/amod suspect/suspect/NOUN/3/nsubj "
        "arrested/arrest/VERB/0/root/Tense=Past|VerbForm=Part"
    )
    going = tree("Going/go/VERB/0/root/Tense=Pres|VerbForm=Part home/home/ADV/1/advmod")
    found = label_tenses([SLEPT, arrested, going, CATS])
    assert [row.label for row in found.rows] == ["Past", "Pres"]
    assert found.dropped == {"the main clause has no finite verb": 2}


def test_participles_are_the_past_where_the_treebank_says_so() -> None:
    slept = tree("on/on/PRON/2/nsubj spal/spát/VERB/0/root/Tense=Past|VerbForm=Part")
    sleeps = tree("on/on/PRON/2/nsubj spí/spát/VERB/0/root/Tense=Pres|VerbForm=Fin")
    seeing = tree("vidoucí/vidoucí/VERB/0/root/Tense=Pres|VerbForm=Part")
    found = label_tenses([slept, sleeps, seeing])
    assert [row.label for row in found.rows] == ["Past", "Pres"]
    assert found.rows[0].target is not None
    assert found.rows[0].target.form == "spal"


def test_the_target_of_tense_is_the_word_that_bears_it() -> None:
    found = label_tense(CATS)
    assert isinstance(found, LabelledSentence)
    assert found.target is not None
    assert found.target.form == "have"


def test_number_is_that_of_the_roots_subject_or_object() -> None:
    assert label_of(number_labeller("subject")(CATS)) == "Plur"
    assert label_of(number_labeller("object")(CATS)) == "Sing"
    assert number_labeller("subject")(SLEPT) == "the subject is not a common noun"
    assert number_labeller("object")(SLEPT) == "the root has no object"


def test_a_feature_is_asked_of_the_root_or_of_the_one_word_of_a_class() -> None:
    assert label_of(feature_labeller("root:Mood")(SLEPT)) == "Ind"
    assert feature_labeller("root:Mood")(CATS) == "the word has no Mood"
    assert label_of(feature_labeller("AUX:Tense")(CATS)) == "Pres"
    assert feature_labeller("NOUN:Number")(CATS) == "more than one NOUN"
    with pytest.raises(UserError, match=r"'Mood' is not a feature\. Write the word"):
        feature_labeller("Mood")


def test_a_relation_is_there_or_not_in_the_sentence_or_on_its_root() -> None:
    some = [CATS, SLEPT]
    assert [row.label for row in label_relation(some, "nmod").rows] == ["yes", "no"]
    assert [row.label for row in label_relation(some, "root:nmod").rows] == ["no", "no"]
    assert [row.label for row in label_relation(some, "root:aux").rows] == ["yes", "no"]
    passive = tree("a/a/X/2/nsubj:pass b/b/VERB/0/root")
    assert label_relation([passive], "nsubj").rows[0].label == "yes"
    assert label_relation([SLEPT], "nsubj:pass").rows[0].label == "no"


def test_what_can_be_asked_for_is_listed_with_counts() -> None:
    features = list_features([CATS, SLEPT])
    assert features["root:Tense"] == {"Past": 2}
    assert features["subject:Number"] == {"Plur": 1, "Sing": 1}
    assert features["AUX:Tense"] == {"Pres": 1}
    assert "NOUN:Number" not in features  # CATS has three of them, SLEPT none
    relations = list_relations([CATS, SLEPT])
    assert relations["nsubj"] == 2
    assert relations["nmod"] == 1
    assert relations["root:obj"] == 1
    assert "root:nmod" not in relations
