"""WC: the choice of target words."""

from collections import Counter

import pytest

from app.engine.probing.treebanks import labels
from app.engine.probing.treebanks.labels import label_words
from tests.engine.probing.treebanks import tree


def test_words_of_middling_frequency_are_targets_and_a_sentence_holds_one() -> None:
    both = [tree(f"uno{i}/u/X/2/dep alpha/a/NOUN/0/root") for i in range(20)]
    both += [tree(f"due{i}/u/X/2/dep Gamma/g/NOUN/0/root") for i in range(20)]
    two = tree("alpha/a/NOUN/2/dep gamma/g/NOUN/0/root")
    rare = tree("delta/d/NOUN/0/root")
    rows = label_words([*both[:19], *both[20:39], two, rare])
    assert Counter(row.label for row in rows.rows) == {"alpha": 19, "gamma": 19}
    assert rows.dropped == {"several target words": 1, "no target word": 1}


def test_fewer_target_words_are_taken_where_sentences_hold_several(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(labels, "MAX_TARGET_SHARE", 1.0)
    alone = [tree(f"{one}/w/NOUN/0/root") for one in ("alpha", "gamma")]
    # half of their sentences hold a rarer word, too
    beside = [
        tree(f"{one}/w/NOUN/0/root {other}/w/NOUN/1/obj")
        for one, other in (("alpha", "delta"), ("gamma", "zeta"))
    ]
    rows = label_words((alone + beside) * 20)
    # as targets, the four leave 2 classes of 20 rows, the two frequent ones 2 of 40
    assert Counter(row.label for row in rows.rows) == {"alpha": 40, "gamma": 40}
    assert not rows.dropped
