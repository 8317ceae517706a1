"""Recognize review packages among selected files."""

import gzip
import json
import zlib
from collections.abc import Sequence
from pathlib import Path

MAX_HEAD = 100_000  # largest size of the first line, in bytes


def split_packages(files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the files that are packages of pairs or of judgements, and the others."""
    packages = [file for file in files if read_package_kind(file)]
    return packages, [file for file in files if file not in packages]


def read_package_kind(file: Path) -> str:
    """Return "pairs" or "judgements" from a file's first line, or an empty text."""
    kind = _read_head(file).get("type")
    return kind if kind in ("pairs", "judgements") else ""


def read_package_id(file: Path) -> str:
    """Return the id of a package, which both projects share, or an empty text."""
    return str(_read_head(file).get("package", ""))


def read_returned(file: Path) -> tuple[str, int]:
    """Return the annotator and the number of returned judgements, or "" and 0."""
    head = _read_head(file)
    n = head.get("n") if head.get("type") == "judgements" else 0
    return (str(head.get("who", "")), n) if isinstance(n, int) and n else ("", 0)


def _read_head(file: Path) -> dict[str, object]:
    """Read the first line of a package; empty for other files."""
    try:
        with gzip.open(file, "rb") as packed:
            head = json.loads(packed.readline(MAX_HEAD))
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        return {}
    return head if isinstance(head, dict) and "package" in head else {}
