"""Bracketed trees: parsed as by a slow reference, and labelled as published."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.probing.treebanks.brackets import (
    BracketingError,
    Constituent,
    parse_tree,
    split_trees,
)
from app.engine.probing.treebanks.labels import (
    label_top_constituents,
    top_sequence,
)
from app.engine.probing.treebanks.reader import read_treebank
from app.engine.runtime.report import Report
from app.engine.text.lines import LineBlock
from app.errors import UserError

SLEEPS = "(ROOT (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .)))"

Nested = tuple[str, "str | list[Nested]"]  # label, and a word or the nodes below


def to_brackets(node: Nested) -> str:
    label, below = node
    inner = below if isinstance(below, str) else " ".join(map(to_brackets, below))
    return f"({label} {inner})"


def words_of(node: Nested) -> list[str]:
    _, below = node
    if isinstance(below, str):
        return [below]
    return [word for one in below for word in words_of(one)]


LABELS = st.sampled_from(["NP", "VP", "S", "PP", "X"])
LEAVES = st.tuples(st.sampled_from(["NN", "VB", "."]), st.text("abcé.,", min_size=1))
TREES = st.recursive(
    LEAVES, lambda below: st.tuples(LABELS, st.lists(below, min_size=1, max_size=4))
)


@given(tree=st.tuples(LABELS, st.lists(TREES, min_size=1, max_size=4)))
def test_a_tree_is_read_as_it_was_written(tree: Nested) -> None:
    def equals(node: Constituent, wanted: Nested) -> bool:
        label, below = wanted
        if isinstance(below, str):
            return (node.label, node.word, node.parts) == (label, below, ())
        return (
            node.label == label
            and len(node.parts) == len(below)
            and all(map(equals, node.parts, below))
        )

    found = parse_tree(to_brackets(tree))
    assert equals(found, tree)
    assert found.words == words_of(tree)
    assert equals(parse_tree(f"( {to_brackets(tree)} )"), tree)


def test_tags_are_bare_traces_go_and_escapes_are_written_out() -> None:
    tree = parse_tree(
        "( (S (NP-SBJ-1 (PRP He)) (VP (VBD left) (S (NP-SBJ (-NONE- *-1))) "
        "(PRN (-LRB- -LRB-) (ADVP|X (RB early)) (-RRB- -RRB-))) (`` ``) (. .)) )"
    )
    assert [part.label for part in tree.parts] == ["NP", "VP", "``", "."]
    assert tree.words == ["He", "left", "(", "early", ")", '"', "."]
    assert [part.label for part in tree.parts[1].parts] == ["VBD", "PRN"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(S (NP (NN cat))", "a bracket is not closed"),
        ("S (NP (NN cat))", "closed that was not opened"),
        ("(S (NP cat (NN dog)))", "the node NP has a word next to other nodes"),
        ("(S (NN a b))", "the node NN has a word next to other nodes"),
        ("(S (-NONE- *))", "the tree has no words"),
        ("(NN a) (NN b)", "text after the last bracket"),
    ],
)
def test_broken_brackets_are_named(text: str, reason: str) -> None:
    with pytest.raises(BracketingError, match=reason):
        parse_tree(text)


def test_a_tree_may_fill_lines_and_an_empty_line_ends_a_broken_one() -> None:
    lines = ["(S", "  (NN a))", "(S (NN b)", "", "(S (NN c))", "(S (NN d)"]
    found = list(split_trees(iter([LineBlock(1, lines, {})])))
    assert found == [
        (1, "(S   (NN a))"),
        (3, "(S (NN b)"),
        (5, "(S (NN c))"),
        (6, "(S (NN d)"),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (SLEEPS, ("NP", "VP", ".")),
        # the example of Conneau et al. 2018, section 2: [ADVP NP VP .]
        (
            "(S (ADVP (RB Then)) (NP (PRP he)) (VP (VBD slept)) (. !))",
            ("ADVP", "NP", "VP", "."),
        ),
        (
            "(SBARQ (WHADVP (WRB Why)) (SQ (VBZ is) (NP (PRP it))) (. ?))",
            ("WHADVP", "SQ", "."),
        ),
        ("(S (S (NN a)) (CC and) (S (NN b)) (. .))", ("S", "CC", "S", ".")),
        ("(S (PP (IN In)) (, ,) (NP (NN a)) (. .))", "punctuation"),
        ("(S (`` ``) (NP (NN a)) (VP (VB b)) (. .))", "punctuation"),
        ("(S (NP (NN a)) (VP (VB b)))", "no end sign"),
        ("(S (NP (NN a)) (VP (VB b)) (: ;))", "no end sign"),
        ("(NP (NN a) (NN b) (. .))", "not a sentence"),
    ],
)
def test_top_constituents_are_those_below_the_sentence(
    text: str, found: tuple[str, ...] | str
) -> None:
    sequence = top_sequence(parse_tree(text))
    if isinstance(found, str):
        assert isinstance(sequence, str)
        assert found in sequence
    else:
        assert sequence == found


def test_the_nineteen_most_frequent_sequences_are_classes() -> None:
    trees = [
        parse_tree(f"(S (X{kind} (NN w{n})) (VP (VB v)) (. .))")
        for kind in range(22)
        for n in range(22 - kind)
    ]
    rows = label_top_constituents(trees).rows
    labels = [row.label for row in rows]
    assert set(labels) == {f"X{kind}_VP_." for kind in range(19)} | {"OTHER"}
    assert labels.count("X0_VP_.") == 22
    assert labels.count("OTHER") == 3 + 2 + 1
    assert rows[0].text == "w0 v ."


def test_a_treebank_of_brackets_names_broken_trees_with_their_line(
    tmp_path: Path,
) -> None:
    file = tmp_path / "some.ptb"
    file.write_text(f"\n{SLEEPS}\n(S (NN a b))\n{SLEEPS}\n(S (NN x))\n", "utf-8")
    treebank = read_treebank([file], (2, 28), Report())
    assert [one.words for one in treebank.constituents] == [
        ["The", "cat", "sleeps", "."]
    ]
    assert [(one.line, one.reason) for one in treebank.refused] == [
        (3, "the node NN has a word next to other nodes")
    ]
    assert treebank.n_read == 4
    assert treebank.dropped == {
        "the node NN has a word next to other nodes": 1,
        "the same text as another sentence": 1,
        "not 2 to 28 words long": 1,
    }
    file.write_text("(S (NN a)\n", "utf-8")
    with pytest.raises(UserError, match="a bracket is not closed"):
        read_treebank([file], (1, 28), Report())
