"""Read a text line by line in blocks, with bounded memory."""

import codecs
from collections.abc import Iterator
from typing import NamedTuple

from app.engine.text.files import ByteSource
from app.errors import UserError

CHUNK = 256 * 1024
MAX_LINE = 1024 * 1024  # bytes
UTF8_MARK = codecs.BOM_UTF8


class LineBlock(NamedTuple):
    """A block of consecutive lines.

    Attributes:
        first: number of the first line, from 1.
        texts: lines without their line feeds; empty for a refused line.
        refused: number and reason of each line that is not in the encoding.
    """

    first: int
    texts: list[str]
    refused: dict[int, str]


def read_lines(source: ByteSource, encoding: str) -> Iterator[LineBlock]:
    """Read lines, split only at line feeds (also after a carriage return).

    The last line of a preview, which may be incomplete, is left out.

    Raises:
        UserError: a line is longer than 1 MB, or the text is not in its encoding.
    """
    first, tail = 1, b""
    for chunk in _safe_chunks(source, encoding):
        data = tail + chunk if tail else chunk
        end = data.rfind(b"\n")
        tail = data[end + 1 :]
        if len(data) > MAX_LINE:
            _refuse_long_lines(source, data, first)
        if end >= 0:
            block = _decode_block(data[:end], first, _byte_encoding(encoding))
            first += len(block.texts)
            yield block
    if tail and not source.is_cut:
        yield _decode_block(tail, first, _byte_encoding(encoding))


def count_lines(source: ByteSource, encoding: str) -> Iterator[int]:
    """Count the lines of a text, including a last line without a line feed.

    Yields:
        The number so far; the last value is the total.
    """
    n, last = 0, b"\n"
    for chunk in _safe_chunks(source, encoding):
        if chunk:
            n += chunk.count(b"\n")
            last = chunk[-1:]
            yield n
    yield n + (last != b"\n")


def _byte_encoding(encoding: str) -> str:
    return encoding if _keeps_line_feeds(encoding) else "utf-8"


def _keeps_line_feeds(encoding: str) -> bool:
    """Return whether the byte 0A always and only means a line feed."""
    return "\n".encode(encoding) == b"\n" and not encoding.startswith("utf-7")


def _safe_chunks(source: ByteSource, encoding: str) -> Iterator[bytes]:
    """Read chunks in which each byte 0A is a line feed, as UTF-8 if necessary."""
    if _keeps_line_feeds(encoding) or encoding == "utf-8-sig":
        is_first = True
        while chunk := source.read(CHUNK):
            yield chunk.removeprefix(UTF8_MARK) if is_first else chunk
            is_first = False
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    is_last = False
    while not is_last:
        chunk = source.read(CHUNK)
        is_last = not chunk
        try:
            text = decoder.decode(chunk, is_last and not source.is_cut)
        except UnicodeError as error:
            raise UserError(
                f"{source.path} is not in {encoding} ({error}). Choose another "
                "encoding."
            ) from error
        yield text.encode("utf-8", "replace")


def _decode_block(data: bytes, first: int, encoding: str) -> LineBlock:
    refused: dict[int, str] = {}
    try:
        texts = data.decode(encoding).split("\n")
    except UnicodeError:
        texts = []
        for number, line in enumerate(data.split(b"\n"), first):
            try:
                texts.append(line.decode(encoding))
            except UnicodeError:
                texts.append("")
                refused[number] = f"the line is not in {encoding}"
    if b"\r" in data:
        texts = [text[:-1] if text.endswith("\r") else text for text in texts]
    return LineBlock(first, texts, refused)


def _refuse_long_lines(source: ByteSource, data: bytes, first: int) -> None:
    for number, line in enumerate(data.split(b"\n"), first):
        if len(line) > MAX_LINE:
            raise UserError(
                f"Line {number:,} of {source.path} is longer than 1\u00a0MB, so the "
                "file does not seem to have one sentence per line. Split it into lines "
                "first."
            )
