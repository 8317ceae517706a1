"""Packages are recognized by what is in them."""

import gzip
from functools import partial
from pathlib import Path

import pytest

from app.views.widgets.package_files import read_package_kind, split_packages

compress = partial(gzip.compress, mtime=0)  # the same bytes in every process


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (compress(b'{"type":"pairs","package":"0"}\n[]\n'), "pairs"),
        (compress(b'{"type":"judgements","package":"0"}\n'), "judgements"),
        (compress(b'{"type":"pairs"}\n'), ""),
        (compress(b'{"type":["pairs"],"package":"0"}\n'), ""),
        (compress(b"[1]\n"), ""),
        (compress("Ein Satz in Latin-1: ä\n".encode("latin-1")), ""),
        (compress(b'{"type":"pairs","package":"0"}')[:12], ""),
        (b'{"type":"pairs","package":"0"}\n', ""),
        (b"", ""),
    ],
)
def test_the_kind_of_a_package_is_in_its_first_line(
    tmp_path: Path, content: bytes, kind: str
) -> None:
    file = tmp_path / "a"
    file.write_bytes(content)
    assert read_package_kind(file) == kind
    other = tmp_path / "gone"
    found = ([file], [other]) if kind else ([], [file, other])
    assert split_packages([file, other]) == found
