"""Detect the character encoding of a file."""

import codecs
from pathlib import Path
from typing import NamedTuple

from app.engine.text.files import ByteSource
from app.engine.text.legacy_encodings import CLOSE, MIN_SCORE, rank_encodings
from app.errors import UserError
from app.languages import primary_language

HEAD = 256 * 1024  # bytes that are inspected
_SCAN = 1024 * 1024
_SCAN_END = 64 * _SCAN  # at most a second of decompression
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ASIAN = ("zh", "yue", "lzh", "ja", "ko")
UNSURE = 0.5  # confidence if other encodings fit nearly as well
_KINDS = {
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a ZIP archive or an office document: unpack it, or save it as text",
    b"\xd0\xcf\x11\xe0": "an old office document: save it as text or .xlsx first",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"SQLite format 3": "a database",
}


class EncodingGuess(NamedTuple):
    """The detected encoding of a file.

    Attributes:
        name: name of the Python codec.
        confidence: 0…1; 1 for a byte order mark, strict UTF-8, or the user's choice.
        alternatives: other encodings that fit, most likely first.
    """

    name: str
    confidence: float
    alternatives: tuple[str, ...] = ()


def find_encoding(
    path: Path, *, wanted: str = "", language: str = "", is_preview: bool = False
) -> EncodingGuess:
    """Detect the encoding of a file.

    Args:
        path: file, perhaps compressed.
        wanted: encoding chosen by the user; empty: detect it.
        language: code that decides between encodings that fit equally.
        is_preview: inspect only the head; otherwise a file that starts in ASCII is read
            up to its first other character.

    Raises:
        UserError: the file is binary, or its encoding is not recognized.
    """
    with ByteSource(path, limit=HEAD if is_preview else None) as source:
        head = _read_head(source)
        if not head:
            raise UserError(f"{path} is empty.")
        if wanted:
            return EncodingGuess(_check_encoding(wanted), 1.0)
        for mark, name in _MARKS:
            if head.startswith(mark):
                return EncodingGuess(name, 1.0)
        wide = _wide_encoding(head)
        if wide:
            return EncodingGuess(wide, 0.9)
        _refuse_binary(path, head)
        other = _first_other(source, head)
    if not other:
        return EncodingGuess("utf-8", 1.0)
    return _guess(path, other, language)


def _read_head(source: ByteSource) -> bytes:
    parts = []
    left = HEAD
    while left and (part := source.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _check_encoding(name: str) -> str:
    try:
        "\n".encode(name)  # "hex" is a codec, but not of text
        return codecs.lookup(name).name
    except (LookupError, UnicodeError) as error:
        raise UserError(
            f"Unknown encoding {name!r}. Use utf-8, cp1252, shift_jis or another name "
            "that Python knows."
        ) from error


def _wide_encoding(head: bytes) -> str:
    """Detect UTF-16 without a byte order mark by zero bytes on one side only."""
    n_pairs = max(1, len(head) // 2)
    even, odd = head[0::2].count(0) / n_pairs, head[1::2].count(0) / n_pairs
    if odd > 0.3 and even < 0.02:
        return "utf-16-le"
    return "utf-16-be" if even > 0.3 and odd < 0.02 else ""


def _refuse_binary(path: Path, head: bytes) -> None:
    kind = next((k for magic, k in _KINDS.items() if head.startswith(magic)), "")
    controls = bytes(set(range(32)) - set(b"\t\n\r\x0c\x1b\x1a"))
    n_controls = len(head) - len(head.translate(None, controls))
    if kind or n_controls > len(head) / 20:
        raise UserError(
            f"{path} is not a text file but {kind or 'a binary file'}. Save it as "
            "plain text first."
        )


def _first_other(source: ByteSource, head: bytes) -> bytes:
    """Return the first bytes that are not UTF-8; empty if all the text read is UTF-8.

    A file that starts in ASCII is read up to its first other character.
    """
    data, n_read = head, 0
    while data.isascii():
        data = source.read(_SCAN)
        n_read += len(data)
        if not data or n_read > _SCAN_END:
            return b""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError as error:
        return data[max(0, error.start - HEAD // 4) : error.start + HEAD // 4]
    return b""


def _guess(path: Path, data: bytes, language: str) -> EncodingGuess:
    """Guess an encoding that is not UTF-8 and has no byte order mark."""
    ranked = rank_encodings(data, language)
    is_other = primary_language(language) in _ASIAN if language else False
    if ranked and ranked[0].language == "th" and not language:
        is_other = True  # almost any byte is a Thai letter
    if ranked and ranked[0].score >= MIN_SCORE and not is_other:
        first = ranked[0]
        others = [one for one in ranked[1:] if one.score > first.score - CLOSE]
        rest = [one for one in ranked[1:] if one not in others and one.score > 0]
        confidence = UNSURE if others else min(0.9, first.score)
        names = tuple(one.name for one in (*others, *rest))
        return EncodingGuess(first.name, round(confidence, 2), names[:12])
    return _guess_by_blocks(path, data)


def _guess_by_blocks(path: Path, data: bytes) -> EncodingGuess:
    """Guess by the Unicode blocks of the characters."""
    from charset_normalizer import from_bytes

    matches = from_bytes(data)
    names: list[str] = []
    for match in matches:
        names += [name for name in match.could_be_from_charset if name not in names]
    best = matches.best()
    if best is None:
        raise UserError(
            f"The encoding of {path} can't be detected. Choose it, or save the file as "
            "UTF-8."
        )
    confidence = max(0.1, (100 - best.percent_chaos) / 100) * 0.9
    others = tuple(name for name in names if name != best.encoding)
    return EncodingGuess(best.encoding, round(confidence, 2), others[:12])
