"""Directions of translation that files of pairs have, directly and joined."""

from pathlib import Path

import pytest

from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.data.aligned import (
    describe_directions,
    find_directions,
    gather_targets,
    open_aligned,
)
from app.engine.training.data.row_store import RowStore
from app.errors import UserError
from tests.engine.training.objectives.making import make_context

DEU = "ba do\tbado\nki lu\tkilu\nme no\tmeno\n"
SPA = "me no\tnome\nba do\tdoba\nba do\tbaba\nsu te\ttesu\n"


@pytest.fixture
def store(tmp_path: Path, vocabulary: Vocabulary) -> RowStore:
    files = []
    for name, text in (("eng-deu", DEU), ("eng-spa", SPA)):
        files.append(tmp_path / f"{name}.tsv")
        files[-1].write_text(text, encoding="utf-8")
    context = make_context(
        tmp_path, vocabulary, files=files, objectives=("translation",)
    )
    return open_aligned(context, Report())


def texts(store: RowStore, target: str, source: str) -> list[tuple[str, str]]:
    return [
        pair
        for one in find_directions(store, [target])
        if one.source == source
        for pair in zip(
            store.texts(one.source_ids), store.texts(one.target_ids), strict=True
        )
    ]


def test_a_file_is_translated_both_ways(store: RowStore) -> None:
    assert texts(store, "spa", "eng") == [
        ("me no", "nome"),
        ("ba do", "doba"),
        ("ba do", "baba"),
        ("su te", "tesu"),
    ]
    assert texts(store, "eng", "deu")[0] == ("bado", "ba do")


def test_files_are_joined_through_equal_english(store: RowStore) -> None:
    # ba do has two Spanish translations: the first one is taken
    assert texts(store, "spa", "deu") == [("bado", "doba"), ("meno", "nome")]


def test_targets_gather_their_directions(store: RowStore) -> None:
    targets = ["eng", "spa", "fra"]
    eng, spa = gather_targets(find_directions(store, targets), targets)
    assert [(g.name, g.first, g.n_pairs) for g in eng.groups] == [
        ("deu-eng", 0, 3),
        ("spa-eng", 3, 4),
    ]
    assert [(g.name, g.first, g.n_pairs) for g in spa.groups] == [
        ("deu-spa", 0, 2),
        ("eng-spa", 2, 4),
    ]
    assert describe_directions(find_directions(store, ["spa"])) == (
        "6 sentences are translated into Spanish (from English, German); 2 of them "
        "through a shared sentence in a third language.",
    )


def test_a_file_that_names_no_languages_is_refused(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text(DEU, encoding="utf-8")
    store = open_aligned(make_context(tmp_path, vocabulary, files=[file]), Report())
    with pytest.raises(UserError, match="name it like eng-deu"):
        find_directions(store, ["eng"])
