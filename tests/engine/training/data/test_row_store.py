"""Rows on disk: their tokens, texts, hashes, and what is left out of them."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.encoders.tokenisers import PieceTokeniser
from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.data.row_store import (
    Row,
    RowGroup,
    RowStore,
    StoreFiller,
    make_store,
    open_store,
)
from app.engine.training.held_out import HeldOutSentences, normal_hashes
from app.errors import Cancelled

ROWS = [
    Row(("ba do ki", "lu me"), 3),
    Row(("bado", "\N{SNOWMAN}"), 4),  # no known piece in its second column
    Row(("Seen, before!", "lu"), 5),
    Row(("lu me", "ba do ki"), 6),
]


@pytest.fixture
def filler(vocabulary: Vocabulary) -> StoreFiller:
    kept_out = HeldOutSentences(normal_hashes(["seen before"]))
    made = StoreFiller(PieceTokeniser(vocabulary, 64), kept_out, 2, "pair")
    made.keeps_texts = True
    return made


def fill(folder: Path, filler: StoreFiller) -> RowStore:
    groups = [
        RowGroup("first", iter(ROWS[:2])),
        RowGroup("empty", iter(ROWS[2:3])),
        RowGroup("last", iter(ROWS[3:])),
    ]
    return make_store(folder, groups, filler, Report())


def test_rows_are_kept_in_groups_with_tokens_and_texts(
    tmp_path: Path, filler: StoreFiller, vocabulary: Vocabulary
) -> None:
    store = fill(tmp_path, filler)
    assert [(g.name, g.first, g.n_pairs) for g in store.groups] == [
        ("first", 0, 1),
        ("last", 1, 1),
    ]
    assert store.tags.tolist() == [3, 6]
    assert store.texts(np.array([3, 0])) == ["ba do ki", "ba do ki"]
    expected, lengths = vocabulary.tokenise(["ba do ki", "lu me"])
    taken = store.tokens.take([0, 1])
    assert taken.ids.tolist() == expected.tolist()
    assert store.n_tokens().tolist() == [lengths.sum()] * 2


def test_equal_sentences_have_equal_hashes(tmp_path: Path, filler: StoreFiller) -> None:
    hashes = fill(tmp_path, filler).hashes
    assert hashes[0] == hashes[3]
    assert hashes[1] == hashes[2]
    assert hashes[0] != hashes[1]


def test_what_is_left_out_is_counted_with_its_reason(
    tmp_path: Path, filler: StoreFiller
) -> None:
    assert fill(tmp_path, filler).notes == (
        "Excluded 1 pair: a sentence has no token in the vocabulary.",
        "Excluded 1 pair: a sentence is in a development or test set.",
    )


def test_a_store_is_opened_as_it_was_made(tmp_path: Path, filler: StoreFiller) -> None:
    made = fill(tmp_path, filler)
    opened = open_store(tmp_path)
    assert opened is not None
    assert opened.notes == made.notes
    assert opened.tokens.ids.tolist() == made.tokens.ids.tolist()


def test_a_cancelled_store_is_not_opened(tmp_path: Path, filler: StoreFiller) -> None:
    report = Report()
    report.cancel()
    with pytest.raises(Cancelled):
        make_store(tmp_path, [RowGroup("a", iter(ROWS))], filler, report)
    assert open_store(tmp_path) is None
