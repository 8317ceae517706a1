from pathlib import Path
from typing import Any

import pytest

from app.engine.runtime.reader_process import UnexpectedReadError
from app.engine.text.lines import MAX_LINE
from app.engine.text.readers.blocks import TOO_LONG
from app.errors import UserError
from tests.engine.text.readers.reading import read_units

arrow = pytest.importorskip(
    "pyarrow", reason="the extra isogloss[parquet] is not installed"
)


def write(tmp_path: Path, columns: dict[str, Any], **options: Any) -> Path:
    from pyarrow import parquet

    path = tmp_path / "t.parquet"
    parquet.write_table(arrow.table(columns), path, **options)
    return path


@pytest.mark.parametrize(
    ("columns", "fields", "values"),
    [
        ({"id": [1], "text": ["one"]}, {"languages": ["en"]}, ["one"]),
        ({"id": [1], "eng": ["one"], "fr": ["un"]},
         {"languages": ["fra", "en"]}, ["un", "one"]),
        ({"target": ["un"], "source": ["one"], "id": [1]},
         {"languages": ["en", "fr"]}, ["one", "un"]),
        ({"translation": [{"en": "one", "fr": "un"}], "id": [1]},
         {"languages": ["en", "fr"]}, ["one", "un"]),
        ({"a": ["one"], "b": [7]}, {"languages": ["en"], "columns": ["2"]}, ["7"]),
    ],
)  # fmt: skip
def test_columns_are_found(
    columns: dict[str, Any], fields: dict[str, Any], values: list[str], tmp_path: Path
) -> None:
    units = read_units(write(tmp_path, columns), **fields)
    assert [side[0] for side in units.sides] == values


def test_rows_labels_and_nulls_are_read_over_groups(tmp_path: Path) -> None:
    texts: list[str | None] = [f"text {i}" for i in range(2_500)]
    texts[3] = None
    labels = arrow.array([str(i % 2) for i in range(2_500)]).dictionary_encode()
    path = write(tmp_path, {"text": texts, "label": labels}, row_group_size=700)
    units = read_units(path, languages=["en"], label_column="label")
    assert units.sides[0][:5] == ["text 0", "text 1", "text 2", "", "text 4"]
    assert (len(units.lines), units.lines[-1]) == (2_500, 2_500)
    assert units.labels == [str(i % 2) for i in range(2_500)]
    assert units.reading.fraction() == 1.0
    assert len(read_units(path, languages=["en"], limit=1).lines) <= 1_000


def test_columns_of_labels_and_of_languages_stand_apart(tmp_path: Path) -> None:
    path = write(
        tmp_path, {"lang": ["de", "en"], "text": ["ja", "yes"], "n": ["1", ""]}
    )
    fields: dict[str, Any] = {"languages": ["en"], "language_column": "lang"}
    units = read_units(path, **fields, label_column="n")
    assert (units.sides, units.labels) == ([["ja", "yes"]], ["1", ""])
    assert units.languages == read_units(path, **fields).languages == ["de", "en"]


def test_a_huge_text_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, {"text": ["a", "b" * (MAX_LINE + 1), "c"]})
    units = read_units(path, languages=["en"])
    assert (units.sides, units.lines) == ([["a", "c"]], [1, 3])
    assert units.refused == [(2, TOO_LONG)]


def test_what_has_no_text_is_refused(tmp_path: Path) -> None:
    for columns in ({"a": [[1.0]]}, {"text": arrow.array([], arrow.string())}):
        with pytest.raises(UserError, match="has no text column"):
            read_units(write(tmp_path, columns), languages=["en"])
    path = write(tmp_path, {"a": ["x"], "b": ["y"], "c": ["z"]})
    with pytest.raises(UserError, match="has 3 columns for 2 languages"):
        read_units(path, languages=["en", "fr"])


@pytest.mark.parametrize("cut", [4, 200, -9])
def test_truncated_file_is_refused(cut: int, tmp_path: Path) -> None:
    path = write(tmp_path, {"text": ["one", "two"]})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(UserError, match=r"t\.parquet is not a Parquet file, or it is"):
        read_units(path, languages=["en"])


def test_without_pyarrow_a_sentence_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, {"text": ["one"]})
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match="pyarrow, which is not installed"):
        read_units(path, languages=["en"])


def test_a_file_with_a_damaged_byte_is_read_or_refused(tmp_path: Path) -> None:
    path = write(tmp_path, {"text": ["one", "two"]})
    whole = path.read_bytes()
    refused, faults = [], []
    for index in range(len(whole)):
        path.write_bytes(whole[:index] + b"\x03" + whole[index + 1 :])
        try:
            read_units(path, languages=["en"])
        except UnexpectedReadError as fault:
            faults.append(fault)
        except UserError as refusal:
            refused.append(str(refusal))
    assert not faults
    assert any("none of the 2 rows that it lists" in message for message in refused)
