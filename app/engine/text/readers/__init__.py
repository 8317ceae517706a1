"""Readers: one module per format, all of which return blocks of units."""

import re
from collections.abc import Iterator
from pathlib import Path

from app.engine.runtime.reader_process import UnexpectedReadError
from app.engine.text.encoding import UNSURE
from app.engine.text.files import ByteSource, check_file
from app.engine.text.readers.blocks import Block, Reading
from app.engine.text.readers.file_sets import (
    FoundFiles,
    find_files,
    has_many_files,
    name_documents,
    read_file_set,
)
from app.errors import ResourceError, UserError
from app.params.corpora import ImportCorpus, SourceFormat
from app.paths import strip_compression

_EXPECTED = (UserError, ResourceError, MemoryError)
_HEAD = 16 * 1024  # bytes
_TEI_ROOT = re.compile(rb"<(?:[\w.-]+:)?(TEI|teiCorpus)[\s>]")
_SUFFIXES: dict[str, SourceFormat] = {
    ".txt": "text",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".csv": "csv",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".tmx": "tmx",
    ".xlf": "xliff",
    ".xliff": "xliff",
    ".sdlxliff": "xliff",
    ".mqxliff": "xliff",
    ".po": "po",
    ".conllu": "conllu",
    ".conll": "conllu",
    ".tei": "tei",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


def find_format(params: ImportCorpus) -> SourceFormat:
    """Return the format of files: the user's choice, or by name and first bytes.

    Raises:
        UserError: several files that do not form a parallel text, or an unreadable
            file.
        ResourceError: a file is missing.
    """
    if has_many_files(params):
        return find_files(params, name_format).kind
    for path in params.files:
        check_file(path)
    if len(params.files) > 1:
        if params.format not in ("auto", "text", "moses"):
            raise UserError(
                f"Several files are the sides of one parallel text, but {params.format}"
                " has its sides in one file. Import the files one by one."
            )
        return "moses"
    if params.format != "auto":
        return params.format
    return name_format(params.files[0])


def name_format(path: Path) -> SourceFormat:
    """Return the format of a file by its name, or else by its first bytes."""
    known = _SUFFIXES.get(strip_compression(path).suffix.lower())
    return known or _sniff(path)


def open_reading(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open the files of an import with the reader of their format.

    Args:
        limit: bytes of each file to read, for a preview; None: all.

    Raises:
        UserError: the files can't be imported with these params; nothing is changed.
        ResourceError: a file is missing or can't be read.
    """
    if has_many_files(params):
        found = find_files(params, name_format)
        reading = read_file_set(found, params, _open_file, limit)
    elif find_format(params) == "tei" and (found := _find_parts(params)).files:
        reading = read_file_set(found, params, _open_file, limit)
    else:
        reading = _open_file(params, limit)
    reading.blocks = _note_skipped(reading.blocks, reading)
    return reading


def _note_skipped(blocks: Iterator[Block], reading: Reading) -> Iterator[Block]:
    """Yield the blocks; at the end, add a note on text that was skipped."""
    yield from blocks
    if reading.skipped:
        counts = [f"{name} ({n:,})" for name, n in reading.skipped.most_common()]
        reading.notes.append(
            f"Text of these elements was skipped: {', '.join(counts)}."
        )


def _find_parts(params: ImportCorpus) -> FoundFiles:
    """Find the files that a TEI file includes as texts; usually there are none."""
    from app.engine.text.readers.tei import find_parts

    root = params.files[0]
    try:
        parts = find_parts(params)
    except _EXPECTED:
        raise
    except Exception as error:
        raise _unexpected(root, 1, error) from error
    return FoundFiles(root.parent, parts.files, "tei", parts.notes)


def _open_file(params: ImportCorpus, limit: int | None) -> Reading:
    """Open one file, or the two files of a parallel text."""
    path = params.files[0]
    try:
        reading = _open_one(find_format(params), params, limit)
    except _EXPECTED:
        raise
    except Exception as error:
        raise _unexpected(path, 1, error) from error
    if reading.encoding_confidence <= UNSURE:
        reading.notes.append(
            f"The encoding {reading.encoding} is not certain: others fit nearly as "
            "well. If letters are wrong, choose the encoding."
        )
    own = strip_compression(path).stem
    reading.blocks = name_documents(_guard(reading.blocks, path), own)
    return reading


def _guard(blocks: Iterator[Block], path: Path) -> Iterator[Block]:
    """Yield blocks; convert unexpected exceptions to errors with file and line."""
    line = 1
    while True:
        try:
            block = next(blocks)
        except StopIteration:
            return
        except _EXPECTED:
            raise
        except Exception as error:
            raise _unexpected(path, line, error) from error
        line = max((line, *block.lines[-1:], *(place for place, _ in block.refused)))
        yield block


def _unexpected(path: Path, line: int, error: Exception) -> UnexpectedReadError:
    return UnexpectedReadError(
        f"{path} can't be read at or after line {line:,}: it is damaged, or in a "
        f"format that Isogloss does not know ({type(error).__name__}). Save it again, "
        "or in another format. The log has the details."
    )


def _open_one(kind: SourceFormat, params: ImportCorpus, limit: int | None) -> Reading:
    if kind == "text":
        from app.engine.text.readers.plain import read_plain

        return read_plain(params, limit)
    if kind in ("tsv", "csv"):
        from app.engine.text.readers.table import read_table

        return read_table(kind, params, limit)
    if kind == "xlsx":
        from app.engine.text.readers.xlsx import read_xlsx

        return read_xlsx(params, limit)
    if kind == "moses":
        from app.engine.text.readers.moses import read_moses

        return read_moses(params, limit)
    if kind == "tmx":
        from app.engine.text.readers.tmx import read_tmx

        return read_tmx(params, limit)
    if kind == "xliff":
        from app.engine.text.readers.xliff import read_xliff

        return read_xliff(params, limit)
    if kind == "po":
        from app.engine.text.readers.po import read_po

        return read_po(params, limit)
    if kind == "parquet":
        from app.engine.text.readers.parquet import read_parquet

        return read_parquet(params, limit)
    if kind == "conllu":
        from app.engine.text.readers.conllu import read_conllu

        return read_conllu(params, limit)
    if kind == "tei":
        from app.engine.text.readers.tei import read_tei

        return read_tei(params, limit)
    from app.engine.text.readers.jsonl import read_jsonl

    return read_jsonl(params, limit)


def _sniff(path: Path) -> SourceFormat:
    with ByteSource(path, limit=_HEAD) as source:
        head = source.read(_HEAD)
    if head.startswith(b"PK\x03\x04") and b"xl/" in head:
        return "xlsx"
    if head.startswith(b"PAR1"):
        return "parquet"
    plain = head.replace(b"\0", b"")
    if b"<tmx" in plain:
        return "tmx"
    if b"<xliff" in plain:
        return "xliff"
    if _TEI_ROOT.search(plain):
        return "tei"
    return "text"
