import gzip
import lzma
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from app.engine.text.files import ByteSource
from app.errors import ResourceError, UserError
from app.paths import strip_compression

DATA = b"".join(b"line %d of a text\n" % i for i in range(50_000))
Pack = Callable[[bytes], bytes]


def read_all(path: Path) -> bytes:
    parts = []
    with ByteSource(path) as source:
        while part := source.read(65_536):
            parts.append(part)
        assert source.fraction() == 1
    return b"".join(parts)


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, lzma.compress, zstandard.compress]
)
def test_packed_files_are_read_whole(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "a file"
    path.write_bytes(pack(DATA))

    assert read_all(path) == DATA


def test_frames_that_follow_each_other_are_one_text(tmp_path: Path) -> None:
    path = tmp_path / "a.zst"
    path.write_bytes(zstandard.compress(DATA) + zstandard.compress(b"end"))

    assert read_all(path) == DATA + b"end"


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstandard.compress])
@pytest.mark.parametrize("n_lost", [1, 5, 500])
def test_truncated_file_is_refused(pack: Pack, n_lost: int, tmp_path: Path) -> None:
    path = tmp_path / "a.packed"
    path.write_bytes(pack(DATA)[:-n_lost])

    with pytest.raises(UserError, match=r"a\.packed is damaged or incomplete"):
        read_all(path)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstandard.compress])
def test_damaged_file_is_refused(pack: Pack, tmp_path: Path) -> None:
    packed = bytearray(pack(DATA))
    packed[len(packed) // 2] ^= 0xFF
    packed[len(packed) // 2 + 1] ^= 0xFF
    path = tmp_path / "a.packed"
    path.write_bytes(packed[: len(packed) - 2])

    with pytest.raises(UserError, match="damaged"):
        read_all(path)


def test_reading_ends_at_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(DATA)

    with ByteSource(path, limit=1000) as source:
        assert source.read(4096) == DATA[:1000]
        assert source.read(4096) == b""
        assert source.is_cut


def test_empty_missing_and_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()

    with pytest.raises(UserError, match=r"empty\.txt is empty \(0 bytes\)"):
        ByteSource(tmp_path / "empty.txt")
    with pytest.raises(ResourceError, match=r"gone\.txt does not exist"):
        ByteSource(tmp_path / "gone.txt")
    with pytest.raises(UserError, match="is a folder"):
        ByteSource(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_name_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt"))
    path.write_bytes(DATA)

    with pytest.raises(UserError, match=r"caf�\.txt is not UTF-8. Rename it"):
        ByteSource(path)


def test_file_that_disappears_or_changes_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(DATA)
    with ByteSource(path) as source:
        source.check_unchanged()
        path.write_bytes(DATA + b"more")
        with pytest.raises(UserError, match="changed while it was read"):
            source.check_unchanged()
    with ByteSource(path) as source:
        path.unlink()
        with pytest.raises(ResourceError, match=r"a\.txt does not exist"):
            source.check_unchanged()


def test_names_are_stripped_of_compression() -> None:
    assert strip_compression(Path("a/b.txt.gz")) == Path("a/b.txt")
    assert strip_compression(Path("a/b.txt")) == Path("a/b.txt")
