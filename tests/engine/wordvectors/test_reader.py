"""Files of word vectors are read in every form, and bad ones are refused."""

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.runtime.report import Report
from app.engine.wordvectors.reader import FASTTEXT_MAGIC, read_vector_file
from app.engine.wordvectors.table import WordLookup, load_table, save_table
from app.errors import ResourceError, UserError

VEC = "3 2\nhouse 1 2\ntree -0.5 4e-1\nа́д 0 1\n"


def _file(folder: Path, data: str | bytes, name: str = "a.vec") -> Path:
    file = folder / name
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    return file


def _binary(rows: list[tuple[str, list[float]]], *, breaks: bool) -> bytes:
    head = f"{len(rows)} {len(rows[0][1])}\n".encode()
    parts = [
        word.encode() + b" " + struct.pack(f"<{len(v)}f", *v) + b"\n" * breaks
        for word, v in rows
    ]
    return head + b"".join(parts)


def test_a_text_file_with_a_header_is_read(tmp_path: Path) -> None:
    table, notes = read_vector_file(_file(tmp_path, VEC), Report(), language="en")
    assert table.words == ("house", "tree", "а́д")
    assert table.vectors.dtype == np.float32
    expected = [[1, 2], [-0.5, 0.4], [0, 1]]
    np.testing.assert_array_equal(table.vectors, np.array(expected, np.float32))
    assert (table.language, table.dim, notes) == ("en", 2, ())


def test_a_text_file_without_a_header_is_read(tmp_path: Path) -> None:
    data = VEC.partition("\n")[2]
    table, _ = read_vector_file(_file(tmp_path, data, "a.txt"), Report())
    assert table.words == ("house", "tree", "а́д")
    assert table.dim == 2


@pytest.mark.parametrize("breaks", [False, True])
def test_a_binary_file_is_read(tmp_path: Path, breaks: bool) -> None:
    rows = [("Haus", [1.5, -2.25, 3.0]), ("größe", [0.0, 1e-9, 7.0])]
    file = _file(tmp_path, _binary(rows, breaks=breaks), "a.bin")
    table, notes = read_vector_file(file, Report())
    assert table.words == ("Haus", "größe")
    np.testing.assert_array_equal(
        table.vectors, np.array([one for _, one in rows], np.float32)
    )
    assert notes == ()


def test_duplicate_empty_and_zero_rows_are_left_out_with_a_note(
    tmp_path: Path,
) -> None:
    data = b"6 2\na 1 2\na 3 4\n 5 6\nz 0 0\n\xff 1 1\nb 7 8\n"
    table, notes = read_vector_file(_file(tmp_path, data), Report())
    assert table.words == ("a", "b")
    np.testing.assert_array_equal(table.vectors, [[1, 2], [7, 8]])
    assert notes == (
        "Left out 1 row of words that occur more than once.",
        "Left out 1 row of words that are empty.",
        "Left out 1 row of words that are not UTF-8.",
        "Left out 1 row of words with a zero vector.",
    )


def test_the_rest_of_a_large_file_is_not_read(tmp_path: Path) -> None:
    data = "1000000 2\n" + "".join(f"w{n} {n} 1\n" for n in range(9)) + "damaged\n"
    table, notes = read_vector_file(_file(tmp_path, data), Report(), max_words=5)
    assert table.words == ("w0", "w1", "w2", "w3", "w4")
    assert notes == ("Only the first 5 of 1,000,000 words were read.",)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("2 3\na 1 2 3\nb 1 2\n", "line 3: expected a word and 3 numbers"),
        ("a 1 2\nb 1 2 3 x\n", "line 2: expected a word and 2 numbers"),
        ("a 1 nan\n", "line 1: a number is not finite"),
        ("a 1 1e99\n", "line 1: a number is not finite"),
        ("3 0\na\n", "1 to 4,096 dimensions"),
        ("2 2\n", "contains no word vectors"),
        ("2 2\n 1 1\n", "contains no word vectors"),
        ("just a text without numbers\n", "line 1: expected a word"),
        (FASTTEXT_MAGIC + bytes(50), "is a fastText model"),
        (_binary([("a", [1.0, 2.0])], breaks=True)[:-4], "word 1: the file is trunc"),
        ("x" * 400_000, "the line is too long"),
        ("", "is empty"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(
    tmp_path: Path, data: str | bytes, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        read_vector_file(_file(tmp_path, data), Report())


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    file = _file(tmp_path_factory.mktemp("any"), b"2 2\n" + data)
    try:
        table, _ = read_vector_file(file, Report())
    except UserError:
        return
    assert table.vectors.shape == (len(table.words), 2)


def test_a_saved_table_is_loaded_as_it_was(tmp_path: Path) -> None:
    table, _ = read_vector_file(_file(tmp_path, VEC), Report(), language="en")
    save_table(tmp_path / "t", table)
    loaded = load_table(tmp_path / "t")
    assert (loaded.words, loaded.language) == (table.words, "en")
    np.testing.assert_array_equal(loaded.vectors, table.vectors)


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="missing or damaged"):
        load_table(tmp_path)
    table, _ = read_vector_file(_file(tmp_path, VEC), Report())
    save_table(tmp_path / "t", table)
    (tmp_path / "t" / "words.txt").write_text("house\n", encoding="utf-8")
    with pytest.raises(ResourceError, match="are damaged"):
        load_table(tmp_path / "t")


def test_a_word_is_found_as_written_or_else_ignoring_case() -> None:
    lookup = WordLookup(("Polish", "polish", "Haus"))
    assert [lookup.find(word) for word in ("polish", "Polish", "POLISH")] == [1, 0, 0]
    assert lookup.find("haus") == 2
    assert lookup.find("hut") is None
    with pytest.raises(UserError, match="“hut” has no word vector"):
        lookup.row("hut")
