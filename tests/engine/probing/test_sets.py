"""Probing files: reading, and rejection of invalid lines by number."""

import lzma
from pathlib import Path

import numpy as np
import pytest

from app.engine.probing.sets import (
    UNSEEN,
    cut_training,
    read_probing_set,
    repeated_texts,
)
from app.errors import ResourceError, UserError
from tests.engine.probing.made import make_set, write_rows

GOOD = (
    ("tr", "PRES", "he runs"),
    ("tr", "PAST", "she ran"),
    ("va", "PAST", "they ran"),
    ("te", "PRES", "it runs"),
    ("te", "FUTURE", "it will run"),
)


def test_rows_go_to_their_splits_with_their_lines(tmp_path: Path) -> None:
    got = read_probing_set(write_rows(tmp_path / "past_present.txt", GOOD))
    assert got.labels == ("PAST", "PRES")
    assert (got.task, got.language, got.sizes) == ("Tense", "", (2, 1, 2))
    assert got.train.classes.tolist() == [1, 0]
    assert got.development.texts == ["they ran"]
    assert got.test.classes.tolist() == [1, UNSEEN]
    assert got.test.lines.tolist() == [4, 5]
    assert got.texts[0] == "he runs"
    assert got.texts[-1] == "it will run"


@pytest.mark.parametrize(
    "names",
    [("train", "dev", "test"), ("training", "valid", "TE"), ("tr", "val", "te")],
)
def test_the_usual_names_of_splits_are_known(
    tmp_path: Path, names: tuple[str, str, str]
) -> None:
    of = dict(zip(("tr", "va", "te"), names, strict=True))
    rows = [(of[split], label, text) for split, label, text in GOOD]
    file = write_rows(tmp_path / "x.tsv", [("split", "label", "text"), *rows])
    assert read_probing_set(file).sizes == (2, 1, 2)


def test_language_and_task_are_in_the_name_of_a_compressed_file(tmp_path: Path) -> None:
    plain = write_rows(tmp_path / "plain.tsv", GOOD)
    file = tmp_path / "fi.tree_depth.tsv.xz"
    file.write_bytes(lzma.compress(plain.read_bytes()))
    got = read_probing_set(file)
    assert (got.name, got.task, got.language) == (file.name, "TreeDepth", "fi")
    assert read_probing_set(plain).task == "plain"


@pytest.mark.parametrize(
    ("name", "language", "task"),
    [
        ("en.top_constituents_gum.tsv", "en", "TopConst"),
        ("top_constituents_gum.tsv", "", "TopConst"),
        ("en.top_constituentsgum.tsv", "en", "top_constituentsgum"),
    ],
)
def test_a_source_may_follow_the_task_in_the_name(
    tmp_path: Path, name: str, language: str, task: str
) -> None:
    got = read_probing_set(write_rows(tmp_path / name, GOOD))
    assert (got.task, got.language) == (task, language)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("tr", "PRES", "he", "runs"), "line 3: the row has 4 columns.*Remove tabs"),
        (("tr", "PRES"), "line 3: the row has 2 columns"),
        (("xx", "PRES", "he runs"), "line 3: 'xx' is not a split"),
        (("tr", "", "he runs"), "line 3: the label is empty"),
        (("tr", "PRES", " "), "line 3: the text is empty"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(
    tmp_path: Path, line: tuple[str, ...], words: str
) -> None:
    file = write_rows(tmp_path / "x.tsv", [*GOOD[:2], line, *GOOD[2:]])
    with pytest.raises(UserError, match=words):
        read_probing_set(file)


@pytest.mark.parametrize("split", ["tr", "va", "te"])
def test_a_missing_split_is_named_beside_those_there_are(
    tmp_path: Path, split: str
) -> None:
    rows = [row for row in GOOD if row[0] != split]
    with pytest.raises(UserError, match=f"no rows of the split {split}"):
        read_probing_set(write_rows(tmp_path / "x.tsv", rows))


def test_one_class_is_refused(tmp_path: Path) -> None:
    rows = [(split, "PRES", text) for split, _, text in GOOD]
    with pytest.raises(UserError, match=r"line 1 on, all 2 training rows .*'PRES'"):
        read_probing_set(write_rows(tmp_path / "x.tsv", rows))


def test_no_file_and_no_utf8_are_told(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="does not exist"):
        read_probing_set(tmp_path / "x.tsv")
    (tmp_path / "y.tsv").write_bytes(b"tr\ta\tx\ntr\tb\t\xff\n")
    with pytest.raises(UserError, match="line 2: the line is not UTF-8"):
        read_probing_set(tmp_path / "y.tsv")


def test_fewer_training_rows_keep_the_shares_of_the_classes() -> None:
    rows = [(0, f"a{n}") for n in range(80)] + [(1, f"b{n}") for n in range(20)]
    whole = make_set(rows, [(0, "x")], [(1, "y")])
    cut = cut_training(whole, 10)
    assert np.bincount(cut.train.classes).tolist() == [8, 2]
    assert len(set(cut.train.texts)) == 10
    assert cut_training(whole, 100) is whole


def test_a_class_without_a_training_row_left_is_unseen() -> None:
    whole = make_set([(0, "a")] * 5 + [(1, "b"), (2, "c")] * 9, [(0, "x")], [(2, "y")])
    cut = cut_training(whole, 2)
    assert cut.labels == ("b", "c")
    assert cut.development.classes.tolist() == [UNSEEN]
    assert cut.test.classes.tolist() == [1]


def test_texts_that_are_in_training_too_are_counted() -> None:
    made = make_set([(0, "a"), (1, "b")], [(0, "a")], [(0, "b"), (1, "c")])
    assert repeated_texts(made) == 1
