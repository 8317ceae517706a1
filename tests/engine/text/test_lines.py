from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.text import lines as module
from app.engine.text.files import ByteSource
from app.engine.text.lines import MAX_LINE, count_lines, read_lines
from app.errors import UserError


def read(path: Path, encoding: str = "utf-8") -> tuple[list[str], dict[int, str]]:
    texts: list[str] = []
    refused: dict[int, str] = {}
    with ByteSource(path) as source:
        for block in read_lines(source, encoding):
            assert block.first == len(texts) + 1
            texts += block.texts
            refused |= block.refused
    return texts, refused


def n_lines(path: Path, encoding: str) -> int:
    with ByteSource(path) as source:
        return list(count_lines(source, encoding))[-1]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "gb18030"]
)
def test_lines_end_at_line_feeds_only(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("one\r\ntwo\x0b\x85\u2028\rtwo\n\n四Ċ".encode(encoding))

    expected = ["one", "two\x0b\x85\u2028\rtwo", "", "四Ċ"]
    assert read(path, encoding) == (expected, {})
    assert n_lines(path, encoding) == 4


@given(data=st.lists(st.sampled_from("aé四\n\r"), min_size=1).map("".join))
def test_lines_are_those_of_split_whatever_the_chunks(
    data: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_text(data, encoding="utf-8", newline="")
    whole = data.removesuffix("\n").split("\n")
    expected = [line.removesuffix("\r") for line in whole]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", 3)
        assert read(path)[0] == expected
        assert n_lines(path, "utf-8") == len(expected)


def test_line_that_is_not_in_the_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ncaf\xe9\nthree\n")

    assert read(path) == (["one", "", "three"], {2: "the line is not in utf-8"})


def test_line_over_1_mb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n" + b"x" * (MAX_LINE + 1) + b"\n")

    with pytest.raises(UserError, match=r"Line 2 of .*a\.txt is longer than 1\u00a0MB"):
        read(path)


def test_last_line_of_a_preview_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ntwo\nthree\n")

    with ByteSource(path, limit=10) as source:
        assert [block.texts for block in read_lines(source, "utf-8")] == [
            ["one", "two"]
        ]
