"""Tables of languages, directions, and pairs that are held out."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.runtime.report import Report
from app.engine.translation.data import (
    ParallelTexts,
    choose_directions,
    hold_out,
    pair_columns,
    parse_direction,
    read_pair_files,
    read_table,
)
from app.errors import UserError
from tests.engine.translation.made import write_table


def _read(file: Path, text: str) -> ParallelTexts:
    file.write_text(text, encoding="utf-8")
    return pair_columns(read_table(file, Report()))


def test_empty_cells_are_left_out(tmp_path: Path) -> None:
    texts = _read(
        tmp_path / "t.tsv", "\ufeffeng\tdeu\tfra\r\na\tA\t\r\n\tB\tβ\nc\t\t\nd\tD\tδ\n"
    )
    assert texts.texts == {
        "eng": ["a", "c", "d"],
        "deu": ["A", "B", "D"],
        "fra": ["β", "δ"],
    }
    pairs = [
        (texts.texts["eng"][i], texts.texts["deu"][j])
        for i, j in texts.rows(("eng", "deu"))
    ]
    assert pairs == [("a", "A"), ("d", "D")]
    assert texts.rows(("fra", "eng")).tolist() == [[1, 2]]
    assert texts.rows(("eng", "fra")).tolist() == [[2, 1]]
    assert texts.rows(("fra", "fra")).tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("eng\teng\na\tb\n", "line 1: the language eng occurs twice"),
        ("eng\tde\tdeu\na\tb\tc\n", "line 1: the language deu occurs twice"),
        ("eng\t\na\tb\n", "line 1: '' is not a language code"),
        ("a cat\teine Katze\n", "line 1: 'a cat' is not a language code"),
        ("eng\tdeu\na\tb\tc\n", "line 2: 3 cells, but the header has 2 languages"),
        ("eng\tdeu\n", "has a header but no rows"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        _read(tmp_path / "t.tsv", text)


def test_a_language_that_the_table_lacks_is_refused(tmp_path: Path) -> None:
    file = write_table(tmp_path / "t.tsv")
    with pytest.raises(UserError, match=r"has no Finnish \(fin\). It has "):
        read_table(file, Report(), ["eng", "fin"])
    assert read_table(file, Report(), ["de", "en"]).codes == ("deu", "eng")


def test_pair_files_share_the_sentences_of_a_language(tmp_path: Path) -> None:
    (tmp_path / "en-de.1-2.tsv").write_text("a\tA\nb\tB\n", encoding="utf-8")
    (tmp_path / "en-fr.1-3.tsv").write_text("b\tβ\nc\tγ\n", encoding="utf-8")
    texts = read_pair_files(sorted(tmp_path.glob("*.tsv")), Report())
    assert texts.texts["en"] == ["a", "b", "c"]
    assert texts.rows(("en", "fr")).tolist() == [[1, 0], [2, 1]]
    assert texts.rows(("de", "en")).tolist() == [[0, 0], [1, 1]]
    assert texts.rows(("de", "fr")).tolist() == []


def test_directions_that_are_left_out_are_not_trained(tmp_path: Path) -> None:
    texts = pair_columns(read_table(write_table(tmp_path / "t.tsv"), Report()))
    languages = ("eng", "deu", "fra")
    chosen = choose_directions(texts, languages, without=["deu-fra"], copies=True)
    assert ("deu", "fra") not in chosen
    assert ("fra", "deu") in chosen
    assert chosen[-3:] == [("eng", "eng"), ("deu", "deu"), ("fra", "fra")]
    assert len(chosen) == 5 + 3
    only = choose_directions(texts, languages, wanted=["eng-deu", "fra-eng"])
    assert only == [("eng", "deu"), ("fra", "eng")]
    with pytest.raises(UserError, match="No direction translates from or into French"):
        choose_directions(texts, languages, wanted=["eng-deu"])
    with pytest.raises(UserError, match="deu-xxx is not a direction"):
        choose_directions(texts, languages, without=["deu-xxx"])
    with pytest.raises(UserError, match="at least two languages"):
        choose_directions(texts, ("eng",))


def test_codes_with_hyphens_are_parsed() -> None:
    languages = ["zh-Hans", "zh-Hant", "en"]
    assert parse_direction("zh-Hans-zh-Hant", languages) == ("zh-Hans", "zh-Hant")
    assert parse_direction("en-zh-Hans", languages) == ("en", "zh-Hans")


def test_no_held_out_sentence_is_trained_in_any_direction(tmp_path: Path) -> None:
    texts = pair_columns(read_table(write_table(tmp_path / "t.tsv"), Report()))
    directions = choose_directions(texts, ("eng", "deu", "fra"), copies=True)
    pairs = hold_out(texts, directions, 9, seed=1)
    held = {
        (code, int(place))
        for (source, target), rows in pairs.development.items()
        for side, code in enumerate((source, target))
        for place in rows[:, side]
    }
    trained = {
        (code, int(place))
        for (source, target), rows in pairs.training.items()
        for side, code in enumerate((source, target))
        for place in rows[:, side]
    }
    assert held
    assert not held & trained
    n_rows = len(texts.texts["eng"])
    assert {len(rows) for rows in pairs.development.values()} == {9}
    assert len(pairs.training["eng", "deu"]) == n_rows - 9
    # the directions of a pair of languages share their held-out pairs
    np.testing.assert_array_equal(
        pairs.development["eng", "deu"], pairs.development["deu", "eng"][:, ::-1]
    )
