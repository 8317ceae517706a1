"""Words of sides on disk: the same as those of the texts, whatever the blocks."""

from pathlib import Path

import numpy as np

from app.engine.encoders.static.table_rows import make_romaniser, ngram_rows
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.data.tokens import (
    MAX_WORDS,
    SideWordWriter,
    open_side_words,
    tokenise_pairs,
)
from tests.engine.training.making import Curve
from tests.engine.training.synthetic import write_pairs

TEXTS = ["bado kilu bado", "", "Том meno", "kilu"]


def write(folder: Path, *blocks: list[str]) -> None:
    with SideWordWriter(folder, 500) as writer:
        for block in blocks:
            writer.write(block)


def test_gathered_words_have_the_ngrams_of_their_texts(tmp_path: Path) -> None:
    write(tmp_path, TEXTS[:2], TEXTS[2:])
    words = open_side_words(tmp_path)
    assert words is not None
    for side, text in enumerate(TEXTS):
        word_ids, lengths = words.gather(np.array([side]))
        rows, counts = words.ngrams(word_ids.astype(np.int64))
        expected, expected_counts = ngram_rows(make_romaniser().split([text]), 500)
        assert lengths.tolist() == [len(text.split())]
        assert rows.tolist() == expected.tolist()
        assert counts.tolist() == expected_counts.tolist()


def test_equal_words_share_their_id_over_blocks(tmp_path: Path) -> None:
    write(tmp_path, TEXTS[:2], TEXTS[2:])
    words = open_side_words(tmp_path)
    assert words is not None
    first, _ = words.gather(np.array([0]))
    last, _ = words.gather(np.array([3]))
    assert first[0] == first[2] != first[1] == last[0]


def test_words_beyond_the_bound_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, ["ba " * (MAX_WORDS + 5), "do"])
    words = open_side_words(tmp_path)
    assert words is not None
    assert words.gather(np.array([0, 1]))[1].tolist() == [MAX_WORDS, 1]


def test_folder_without_words_has_none(tmp_path: Path) -> None:
    assert open_side_words(tmp_path) is None


def test_progress_names_the_languages_of_linked_corpora_without_ids(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    watched = Curve()
    file = write_pairs(tmp_path / "en-fi.5-6.tsv", 20, seed=1)
    tokenise_pairs([file], vocabulary, tmp_path, watched.report)
    assert set(watched.notes) == {"English – Finnish"}
