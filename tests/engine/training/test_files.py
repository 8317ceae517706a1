"""Reading of lines and pairs, packed and damaged."""

import gzip
import lzma
from pathlib import Path

import pytest
import zstandard

from app.engine.text.line_files import (
    file_stem,
    language_codes,
    language_names,
    read_lines,
    read_pairs,
)
from app.errors import ResourceError, UserError

TEXT = "one\tún\u2028o\ntwo\tдва\r\n"


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("p.tsv", bytes),
        ("p.tsv.gz", gzip.compress),
        ("p.tsv.xz", lzma.compress),
        ("p.tsv.zst", zstandard.compress),
    ],
)
def test_lines_end_at_line_feeds_only(tmp_path: Path, name: str, pack: type) -> None:
    file = tmp_path / name
    file.write_bytes(pack(TEXT.encode()))
    assert list(read_lines(file)) == ["one\tún\u2028o", "two\tдва"]


@pytest.mark.parametrize(
    ("name", "pack"),
    [("p.gz", gzip.compress), ("p.xz", lzma.compress), ("p.zst", zstandard.compress)],
)
def test_cut_off_file_is_a_users_error(tmp_path: Path, name: str, pack: type) -> None:
    file = tmp_path / name
    packed = pack(bytes(range(256)) * 50)
    file.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(UserError, match="damaged"):
        list(read_lines(file))


def test_line_without_tab_is_named(tmp_path: Path) -> None:
    file = tmp_path / "p.tsv"
    file.write_text("a\tb\nc\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 2"):
        list(read_pairs(file))


def test_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    file = tmp_path / "p.tsv"
    file.write_bytes(b"a\tb\n\xff\t\xfe\n")
    with pytest.raises(UserError, match=r"line 2.*UTF-8"):
        list(read_pairs(file))


def test_missing_file_is_a_resource_error(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"none\.tsv"):
        list(read_lines(tmp_path / "none.tsv"))


def test_stem_has_no_endings() -> None:
    assert file_stem(Path("/x/eng-deu.tsv.xz")) == "eng-deu"


def test_languages_are_named_by_their_files() -> None:
    names = ["eng-deu.tsv.xz", "en-zh-Hans.3-7.tsv", "mine.tsv", "fra-spa.tsv"]
    files = [Path(name) for name in names]
    assert language_names(files) == ["deu", "zh-Hans", "mine", "spa"]
    assert language_names([Path("eng-deu.tsv"), Path("fra-deu.tsv")]) == [
        "eng-deu",
        "fra-deu",
    ]
    assert language_codes(files) == ("deu", "en", "eng", "fra", "spa", "zh-Hans")
