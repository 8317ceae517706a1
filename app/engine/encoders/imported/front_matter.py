"""What a model's README.md says of licence and languages, above its text."""

import re
from pathlib import Path

from app.languages import parse_language

MAX_CHARACTERS = 200_000
_BLOCK = re.compile(r"\A---\s*\n(.*?)\n---\s*\n", re.DOTALL)
_NAME = re.compile(r"[\w.+() -]{1,80}")


def read_front_matter(folder: Path) -> tuple[str, tuple[str, ...]]:
    """Read the licence and the languages' codes; empty where nothing is said.

    Only the plain forms `key: value`, `key: [a, b]` and lines `- a` are read: enough
    for these two, and no YAML of others is interpreted.
    """
    try:
        text = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "", ()
    found = _BLOCK.match(text[:MAX_CHARACTERS].replace("\r\n", "\n"))
    block = found.group(1) if found else ""
    licence = next(iter(_values(block, "license")), "")
    codes = [parse_language(value).code for value in _values(block, "language")]
    return licence, tuple(dict.fromkeys(codes))


def _values(block: str, key: str) -> list[str]:
    """Give the values of a key at the left margin."""
    lines = block.split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith(f"{key}:")]
    if not starts:
        return []
    first = lines[starts[0]].partition(":")[2].strip().strip("[]")
    values = first.split(",") if first else []
    for line in lines[starts[0] + 1 :]:
        if not line.lstrip().startswith("- "):
            break
        values.append(line.lstrip()[2:])
    plain = [value.strip().strip("'\"") for value in values]
    return [value for value in plain if _NAME.fullmatch(value)]
