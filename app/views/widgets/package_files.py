"""Recognize review packages among the files that the user chose."""

import gzip
import json
import zlib
from collections.abc import Sequence
from pathlib import Path

MAX_HEAD = 100_000  # bytes of the first line


def split_packages(files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the files that are packages of pairs or of judgements, and the others."""
    packages = [file for file in files if read_package_kind(file)]
    return packages, [file for file in files if file not in packages]


def read_package_kind(file: Path) -> str:
    """Return "pairs" or "judgements" by the first line of a file; empty: neither."""
    try:
        with gzip.open(file, "rb") as packed:
            head = json.loads(packed.readline(MAX_HEAD))
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        return ""
    is_package = isinstance(head, dict) and "package" in head
    kind = head.get("type") if is_package else None
    return kind if kind in ("pairs", "judgements") else ""
