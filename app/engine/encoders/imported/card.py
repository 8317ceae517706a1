"""Model cards of imported encoders: licence, languages and source hash."""

import hashlib
import re
from pathlib import Path

from app.engine.encoders.configs import EncoderConfig
from app.engine.runtime.hashing import hash_file
from app.engine.runtime.report import Report
from app.errors import UserError
from app.languages import parse_language

MAX_LICENCE_BYTES = 1_000_000
NOT_KNOWN = "not known"


def write_import_card(
    config: EncoderConfig, licence_text: str, *, n_bytes: int = 0
) -> str:
    """Write README.md: architecture, size, speed, licence and source of the encoder."""
    rate = config.sentences_per_s
    facts = {
        "languages": ", ".join(config.languages) or NOT_KNOWN,
        "dimensions": f"{config.dim:,}",
        "size": f"{n_bytes / 1e6:,.1f}\u00a0MB, {config.precision}",
        "speed": f"{rate:,.0f} sentences of 30 characters per second on the machine "
        "where it was added"
        if rate
        else "new text can't be encoded",
        "licence": config.licence or NOT_KNOWN,
        "from": config.origin,
        "SHA-256 of the source": f"`{config.source_sha256}`",
    }
    rows = "\n".join(f"| {name} | {value} |" for name, value in facts.items())
    text = f"# {config.name}\n\n{config.description}\n\n| fact | value |\n|---|---|\n"
    licence = f"\n\n## Licence\n\n{licence_text.strip()}" if licence_text else ""
    return f"{text}{rows}{licence}\n"


def read_licence(given: str) -> tuple[str, str]:
    """Read a licence entered by the user: its name, or a file with its text.

    Returns:
        The licence in one line, and its text; both empty if not specified.

    Raises:
        UserError: the file is not text, or is too long for a licence.
    """
    file = Path(given)
    try:
        if not given or len(given) > 250 or not file.is_file():
            return given.strip(), ""
        if file.stat().st_size > MAX_LICENCE_BYTES:
            raise UserError(f"{file} is too long for a licence (over 1\u00a0MB).")
        text = file.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError, ValueError) as error:
        raise UserError(f"The licence {given!r} can't be read as text.") from error
    lines = [line.strip(" #") for line in text.splitlines() if line.strip(" #")]
    return (lines[0][:200] if lines else ""), text


def hash_source(source: Path, report: Report) -> str:
    """Return the SHA-256 of a file, or of names and contents of a folder's files."""
    if source.is_file():
        return hash_file(source, report)
    digest = hashlib.sha256()
    for file in sorted(file for file in source.rglob("*") if file.is_file()):
        name = file.relative_to(source).as_posix()
        line = f"{hash_file(file, report)}  {name}\n"
        digest.update(line.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


MAX_CHARACTERS = 200_000
_BLOCK = re.compile(r"\A---\s*\n(.*?)\n---\s*\n", re.DOTALL)
_NAME = re.compile(r"[\w.+() -]{1,80}")


def read_front_matter(folder: Path) -> tuple[str, tuple[str, ...]]:
    """Read the licence and the languages' codes; empty if not specified.

    Only the plain forms `key: value`, `key: [a, b]` and lines `- a` are read, to avoid
    a YAML parser on untrusted input.
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
    """Return the values of a key at the left margin."""
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
