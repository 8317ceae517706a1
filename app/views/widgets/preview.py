"""What the window knows of a preview: the answer to PreviewQuery, read tolerantly."""

from pathlib import Path
from typing import Any

import msgspec

from app.languages import parse_language

COMPRESSED = (".gz", ".xz", ".zst")
SURE = 0.5  # a surer guess fills the language field


class Side(msgspec.Struct, frozen=True):
    """One side of the text; see the engine's SidePreview."""

    column: str = ""
    language: str = ""
    guess: str = ""
    confidence: float = 0.0
    mismatch: str = ""


class Document(msgspec.Struct, frozen=True):
    """A document that was found: its name and its fields."""

    name: str = ""
    fields: dict[str, str] = {}


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What an import would read; see the engine's Preview."""

    format: str = ""
    encoding: str = ""
    encoding_confidence: float = 1.0
    encoding_alternatives: tuple[str, ...] = ()
    delimiter: str = ""
    is_quoted: bool = False
    has_header: bool = False
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    sides: tuple[Side, ...] = ()
    n_rows: int = 0
    is_estimate: bool = False
    notes: tuple[str, ...] = ()
    says_languages: bool = False
    problem: str = ""
    documents: tuple[Document, ...] = ()
    n_documents: int = 0
    document_fields: tuple[str, ...] = ()
    document_problems: tuple[str, ...] = ()
    field_choices: tuple[str, ...] = ()
    is_many: bool = False

    @property
    def has_columns(self) -> bool:
        """Tell whether the format has columns to choose from."""
        return self.format in ("tsv", "csv", "xlsx", "jsonl", "parquet")

    @property
    def is_delimited(self) -> bool:
        """Tell whether the format has a delimiter and quotes."""
        return self.format in ("tsv", "csv")


def read_preview(answer: dict[str, Any]) -> Preview:
    """Read the engine's answer."""
    return msgspec.convert(answer, Preview)


def plain_name(path: Path) -> str:
    """Give a file's name without .gz and the like."""
    name = path.name
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return name


def plain_stem(path: Path) -> str:
    """Give a file's name without .gz and without its ending."""
    return Path(plain_name(path)).stem


def language_of_name(path: Path) -> str:
    """Find a language's code in a file's name: letters.en, letters.de.txt, de.txt."""
    name = plain_name(path).removesuffix(".txt")
    last = name.replace("_", ".").split(".")[-1]
    is_code = 2 <= len(last) <= 3 or "-" in last
    return last if is_code and parse_language(last).known else ""


def are_pair(paths: list[Path]) -> bool:
    """Tell whether files look like the sides of one text: letters.en, letters.de."""
    if len(paths) < 2:
        return False
    codes = [language_of_name(path) for path in paths]
    if not all(codes) or len(set(codes)) < len(codes):
        return False
    rests = {
        path.name.replace(f".{code}", "").replace(f"_{code}", "")
        for path, code in zip(paths, codes, strict=True)
    }
    return len(rests) == 1
