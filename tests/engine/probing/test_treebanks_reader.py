"""CoNLL-U: multiword tokens and empty nodes are read, invalid trees rejected."""

import pytest

from app.engine.probing.treebanks.reader import InvalidTreeError, parse_sentence
from tests.engine.probing.treebanks import lines_of, tree


def word(number: str, head: str, form: str = "x", relation: str = "dep") -> str:
    return "\t".join([number, form, "_", "X", "_", "_", head, relation, "_", "_"])


def test_a_multiword_token_is_one_token_of_the_text_and_several_words() -> None:
    sentence = tree(
        "Vamos/ir/VERB/0/root al*2=>a/a/ADP/4/case el/el/DET/4/det mar/mar/NOUN/1/obl"
    )
    assert sentence.units == ("Vamos", "al", "mar")
    assert [one.form for one in sentence.words] == ["Vamos", "a", "el", "mar"]
    assert [one.unit for one in sentence.words] == [0, 1, 1, 2]
    assert [one.head for one in sentence.words] == [-1, 3, 3, 0]


def test_an_empty_node_is_not_in_the_text() -> None:
    lines = [word("1", "0"), word("1.1", "_", "ghost"), word("2", "1", "y")]
    assert parse_sentence(1, lines).units == ("x", "y")


def test_features_are_read_by_name_and_missing_ones_are_none() -> None:
    first, second = tree("a/a/NOUN/0/root/Case=Nom|Number=Sing b/b/X/1/dep").words
    assert dict(first.feats) == {"Case": "Nom", "Number": "Sing"}
    assert dict(second.feats) == {}


def test_words_in_every_script_keep_their_code_points() -> None:
    sentence = tree("कुत्ता/कुत्ता/NOUN/2/nsubj सोया/सो/VERB/0/root ।/।/PUNCT/2/punct")
    assert sentence.units == ("कुत्ता", "सोया", "।")
    assert tree("כלב/כלב/NOUN/2/nsubj ישן/ישן/VERB/0/root").units[0] == "כלב"


@pytest.mark.parametrize(
    ("lines", "reason", "line"),
    [
        ([word("1", "2"), word("2", "3"), word("3", "1")], "no word is the root", 7),
        (
            [word("1", "0"), word("2", "3"), word("3", "2")],
            "the heads of words 2, 3 form a cycle",
            8,
        ),
        ([word("1", "0"), word("2", "_")], r"word 2 \(x\) has no head", 8),
        ([word("1", "0"), word("2", "9")], "has the head 9, which is not a word", 8),
        ([word("1", "0"), word("2", "2")], "has the head 2, which is itself", 8),
        (
            [word("1", "0"), word("2", "1"), word("3", "0")],
            "words 1 and 3 are both the root",
            9,
        ),
        ([word("1", "0"), "2\ty"], "a token does not have 10 columns", 8),
        ([word("1", "0"), word("3", "1")], "not numbered 1, 2, 3 …: '3' follows 1", 8),
        (["# text = nothing"], "the sentence has no words", 7),
        ([word("1", "0", "_"), word("2", "1", "_")], "published without its words", 7),
        ([word("2-3", "_"), word("1", "0")], "not before its words", 7),
        ([word("1-2", "_"), word("1", "0")], "words are missing", 7),
    ],
)
def test_what_is_no_tree_is_refused_with_its_line(
    lines: list[str], reason: str, line: int
) -> None:
    with pytest.raises(InvalidTreeError, match=reason) as caught:
        parse_sentence(7, lines)
    assert caught.value.line == line


def test_what_hangs_below_a_word_is_found() -> None:
    sentence = parse_sentence(
        1, lines_of("a/a/X/2/dep b/b/X/0/root c/c/X/2/dep d/d/X/3/dep e/e/X/4/dep")
    )
    assert sentence.root == 1
    assert sentence.children(1) == [0, 2]
    assert sentence.below(2) == {2, 3, 4}
