"""Reading inference, conversations and documents; their refusals name file and line."""

import lzma
from pathlib import Path

import pytest

from app.engine.training.data.row_store import Row, SkippedRows
from app.engine.training.data.tables import (
    read_conversation,
    read_documents,
    read_inference,
)
from app.errors import UserError


def write(folder: Path, text: str, name: str = "file.tsv") -> Path:
    file = folder / name
    data = text.encode()
    file.write_bytes(lzma.compress(data) if name.endswith(".xz") else data)
    return file


def test_labels_are_words_or_numbers(tmp_path: Path) -> None:
    text = "entailment\ta\tb\n1\tc\td\nContradiction\te\tf\tmore\n"
    assert list(read_inference(write(tmp_path, text), SkippedRows())) == [
        Row(("a", "b"), 0),
        Row(("c", "d"), 1),
        Row(("e", "f"), 2),
    ]


def test_a_header_names_the_columns(tmp_path: Path) -> None:
    text = "lang\tgold_label\tsentence1\tsentence2\nen\tneutral\ta\tb\nen\t-\tc\td\n"
    left_out = SkippedRows()
    file = write(tmp_path, text, "snli.tsv.xz")
    assert list(read_inference(file, left_out)) == [Row(("a", "b"), 1)]
    assert left_out.total() == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0\ta\tb\nmaybe\ta\tb\n", "line 2: unknown label 'maybe'. Use"),
        ("0\ta\n", "line 1: expected .* found 2 columns"),
    ],
)
def test_a_wrong_line_of_inference_is_named(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        list(read_inference(write(tmp_path, text), SkippedRows()))


def test_conversations_need_two_columns(tmp_path: Path) -> None:
    left_out = SkippedRows()
    file = write(tmp_path, "a\tb\textra\n\tc\n")
    assert list(read_conversation(file, left_out)) == [Row(("a", "b"))]
    assert left_out.total() == 1
    with pytest.raises(
        UserError, match=r"file\.tsv, line 1: expected .* found one column"
    ):
        list(read_conversation(write(tmp_path, "alone\n"), left_out))


def places(file: Path) -> dict[str, list[tuple[str, int]]]:
    return {
        group.name: [(row.texts[0], row.tag) for row in group.rows]
        for group in read_documents(file)
    }


def test_an_empty_line_breaks_a_document(tmp_path: Path) -> None:
    file = write(tmp_path, "a\nb\n\nc\n", "news.txt.xz")
    assert places(file) == {"news": [("a", 0), ("b", 1), ("c", 3)]}


def test_a_table_gives_each_language_its_neighbours(tmp_path: Path) -> None:
    text = "document\teng\tdeu\nx\ta\tA\nx\tb\t\nx\tc\tC\ny\td\tD\n"
    found = places(write(tmp_path, text))
    assert list(found) == ["file.eng", "file.deu"]
    english = dict(found["file.eng"])
    assert english["b"] - english["a"] == english["c"] - english["b"] == 1
    assert english["d"] - english["c"] > 1  # another document
    german = dict(found["file.deu"])
    assert german["C"] - german["A"] > 1  # a cell between them is empty


def test_a_table_of_unequal_columns_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, "document\teng\nx\ta\nx\n")
    with pytest.raises(
        UserError, match=r"file\.tsv, line 3: found 1 column, but the header has 2"
    ):
        places(file)
