"""Preview an import from the first 256 KB of a file, or from a complete small file."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import msgspec
import numpy as np

from app.engine.exchange.field_columns import FieldColumns, guess_field_columns
from app.engine.runtime.blocking_calls import ChildCall
from app.engine.runtime.budget import PREVIEW_BUDGET
from app.engine.runtime.reader_process import call_reader
from app.engine.text.documents import DocumentCheck
from app.engine.text.encoding import EncodingGuess, find_encoding
from app.engine.text.language_detection import (
    MIN_CONFIDENCE,
    describe_language_mismatch,
    guess_language,
)
from app.engine.text.normalisation import clean_text, clean_texts
from app.engine.text.readers import find_format, name_format, open_reading
from app.engine.text.readers.blocks import Block, Reading
from app.engine.text.readers.file_sets import find_files, has_many_files
from app.engine.text.segmentation import split_note
from app.errors import UserError
from app.languages import parse_language
from app.params import build_params
from app.params.corpora import ImportCorpus, SourceFormat
from app.paths import strip_compression
from app.protocol.answers.corpora import (
    DocumentPreview,
    ImportPreview,
    SidePreview,
)

N_DOCUMENTS = 50
N_PROBLEMS = 10
MAX_FIELDS = 8
MAX_VALUE = 40  # characters


def _check_documents(
    params: ImportCorpus, units: Block, reading: Reading | None
) -> DocumentCheck:
    """Check the documents known in advance and the documents of the units read."""
    check = DocumentCheck(params.number_fields)
    for problem in reading.problems if reading else ():
        check.add_problem(problem)
    read = {mark.name: mark for mark in units.documents}
    known = [read.pop(mark.name, mark) for mark in reading.documents] if reading else []
    for mark in (*known, *dict.fromkeys(units.documents)):
        check.keep(mark)
    return check


def _show_documents(check: DocumentCheck) -> tuple[DocumentPreview, ...]:
    marks = islice(check.known, N_DOCUMENTS)
    return tuple(
        DocumentPreview(
            _clip_value(mark.name, MAX_VALUE),
            {
                name: _clip_value(value, MAX_VALUE)
                for name, value in mark.fields[:MAX_FIELDS]
            },
        )
        for mark in marks
    )


def _clip_value(text: str, longest: int) -> str:
    clean = clean_text(text)[0]
    return clean if len(clean) <= longest else f"{clean[: longest - 1]}…"


MIN_COMPARED = 30  # minimum of lines for a conclusion
MIN_SPREAD = 0.2  # minimum standard deviation of log lengths
MIN_CORRELATION = 0.3  # minimum correlation of log lengths for translations
UNLIKE_LENGTHS = (
    "Long lines are next to short ones, so the texts do not seem to be aligned line "
    "by line. Compare the first rows."
)
LIMIT = 256 * 1024  # bytes to read of a large file
MAX_WHOLE = 2 * 1024 * 1024  # bytes; smaller files are read completely
N_ROWS = 20
MAX_COLUMNS = 30
MAX_CELL = 200  # characters
MAX_BYTES = 48 * 1024  # maximum of all cells together: the answer is one message
_N_GUESS = 1_000
MAX_COUNTED = 64 * 1024 * 1024  # maximum bytes of files for counting lines
_LINE_FORMATS = ("text", "tsv", "csv", "moses", "jsonl", "conllu")


class _Table(msgspec.Struct):
    """All columns of the first rows."""

    columns: tuple[str, ...] = ()
    rows: list[list[str]] = []
    delimiter: str = ""
    is_quoted: bool = False
    has_header: bool = False


def preview_bounded(values: dict[str, Any]) -> ImportPreview:
    """Preview an import in a reader process; see `preview_import`."""
    files = values.get("files")
    name = str(files[0]) if isinstance(files, list) and files else "The file"
    return call_reader(
        ChildCall(f"{__name__}:preview_import", {"values": values}),
        ImportPreview,
        name=name,
        budget=PREVIEW_BUDGET,
    )


def preview_import(values: dict[str, Any]) -> ImportPreview:
    """Preview an import.

    Args:
        values: fields of ImportCorpus; languages may be missing.

    Raises:
        UserError: a file can't be read at all, or a field is invalid.
        ResourceError: a file is missing.
    """
    try:
        params: ImportCorpus = build_params(
            ImportCorpus, {key: v for key, v in values.items() if key != "task"}
        )
    except msgspec.ValidationError as error:
        raise UserError(f"The settings of the import are invalid: {error}.") from error
    kind = find_format(params)
    first = _first_file(params)
    encoding = _find_encoding(kind, first)
    table = _read_table(kind, first, encoding)
    units, reading, problem = _read_units(params)
    sides = _preview_sides(params, units, reading)
    is_counted = kind == "moses" and not problem and _size(params) <= MAX_COUNTED
    if is_counted:
        problem = _compare_line_counts(params)
    choices = table.columns or tuple(reading.field_choices if reading else ())
    guessed = _guess_fields(params, table, sides)
    if not table.columns:
        table.columns = tuple(side.column or "text" for side in sides)
        table.rows = [
            list(row) for row in islice(zip(*units.sides, strict=True), N_ROWS)
        ]
    fraction = _fraction_read(kind, params, reading)
    notes = _notes(params, reading)
    are_unlike = kind == "moses" and _have_unlike_lengths(units.sides)
    if are_unlike:
        notes = (*notes, UNLIKE_LENGTHS)
    n_units = sum(all(map(str.strip, row)) for row in zip(*units.sides, strict=True))
    documents = _check_documents(params, units, reading)
    fields = dict.fromkeys(name for mark in documents.known for name, _ in mark.fields)
    return ImportPreview(
        format=kind,
        encoding=_name_encodings(params, encoding, reading),
        encoding_confidence=encoding.confidence,
        encoding_alternatives=encoding.alternatives,
        delimiter=table.delimiter,
        is_quoted=table.is_quoted,
        has_header=table.has_header,
        columns=table.columns[:MAX_COLUMNS],
        rows=_clip_rows(table.rows),
        sides=sides,
        n_rows=round(n_units / max(fraction, 1e-9)),
        is_estimate=fraction < 1,
        notes=notes,
        declares_languages=reading.says_languages if reading else kind == "tmx",
        problem=problem,
        documents=_show_documents(documents),
        n_documents=len(documents.known),
        document_fields=tuple(islice(fields, MAX_FIELDS)),
        document_problems=tuple(documents.problems[:N_PROBLEMS]),
        field_choices=choices[:MAX_COLUMNS],
        guessed_document=guessed.document,
        guessed_fields=guessed.fields,
        is_many=has_many_files(params),
        is_hard_wrapped=reading is not None and reading.is_hard_wrapped,
        are_aligned=is_counted
        and not problem
        and not are_unlike
        and _are_translations(sides),
    )


def _guess_fields(
    params: ImportCorpus, table: _Table, sides: tuple[SidePreview, ...]
) -> FieldColumns:
    """Guess the fields among the named columns that are not in use."""
    is_one = len(params.files) == 1 and params.files[0].is_file()
    are_named = not all(name.isdecimal() for name in table.columns)
    if not (is_one and are_named):  # other files may have different columns
        return FieldColumns()
    sides_read = [side.column for side in sides]
    taken = (*sides_read, params.label_column, params.language_column)
    return guess_field_columns(table.columns[:MAX_COLUMNS], table.rows, taken)


def _name_encodings(
    params: ImportCorpus, first: EncodingGuess, reading: Reading | None
) -> str:
    """Return the encoding of the first file, or the encodings of all files."""
    is_one = len(params.files) == 1 and not has_many_files(params)
    return (
        first.name if reading is None or (is_one and first.name) else reading.encoding
    )


def _size(params: ImportCorpus) -> int:
    """Return the total size of the files in bytes."""
    files = params.files
    if has_many_files(params):
        files = find_files(params, name_format).files
    return sum(path.stat().st_size for path in files)


def _fraction_read(
    kind: SourceFormat, params: ImportCorpus, reading: Reading | None
) -> float:
    """Return how much of the source was read (0…1).

    For a large file of lines, return the fraction of lines: the first lines are often
    longer or shorter than the rest.
    """
    fraction = reading.fraction() if reading else 1.0
    path = params.files[0]
    if (
        fraction == 1
        or kind not in _LINE_FORMATS
        or has_many_files(params)
        or _size(params) > MAX_COUNTED
        or strip_compression(path) != path
    ):
        return fraction
    content = path.read_bytes()
    n_read, n_lines = (part.count(b"\n") for part in (content[:LIMIT], content))
    return n_read / n_lines if n_read else fraction


def _compare_line_counts(params: ImportCorpus) -> str:
    """Return why the lines of several files can't correspond; empty if they can."""
    from app.engine.text.readers.moses import check_line_counts

    try:
        check_line_counts(params)
    except UserError as error:
        return str(error)
    return ""


def _are_translations(sides: tuple[SidePreview, ...]) -> bool:
    """Return whether the languages of all sides are known and different."""
    codes = {
        side.language or (side.guess if side.confidence >= MIN_CONFIDENCE else "")
        for side in sides
    }
    return len(codes) == len(sides) and "" not in codes


def _have_unlike_lengths(sides: Sequence[Sequence[str]]) -> bool:
    """Return whether the line lengths of the first and another side do not correlate.

    Translations correlate in length (Gale and Church 1993). Return False if the lines
    of a side hardly differ in length.
    """
    if len(sides) < 2 or len(sides[0]) < MIN_COMPARED:
        return False
    lengths = np.log([[len(text) + 1 for text in side] for side in sides])
    if lengths.std(axis=1).min() < MIN_SPREAD:
        return False
    return bool(np.corrcoef(lengths)[0, 1:].min() < MIN_CORRELATION)


def _first_file(params: ImportCorpus) -> ImportCorpus:
    """Return the params for importing only the first of many files."""
    if not has_many_files(params):
        return params
    first = find_files(params, name_format).files[0]
    return msgspec.structs.replace(
        params, files=(first,), together=False, fields_pattern=""
    )


def _find_encoding(kind: SourceFormat, params: ImportCorpus) -> EncodingGuess:
    if kind in ("tmx", "xliff", "tei", "xlsx", "parquet"):
        return EncodingGuess("", 1.0)  # declared in the file
    if kind == "po":
        from app.engine.text.readers.po import po_encoding

        return po_encoding(params, is_preview=True)
    language = params.languages[0] if params.languages else ""
    return find_encoding(
        params.files[0], wanted=params.encoding, language=language, is_preview=True
    )


def _read_table(
    kind: SourceFormat, params: ImportCorpus, encoding: EncodingGuess
) -> _Table:
    """Read all columns of a tabular format."""
    if kind in ("tsv", "csv"):
        from app.engine.text.readers.table import table_head

        shape, rows = table_head(kind, params, encoding.name)
    elif kind == "xlsx":
        from app.engine.text.readers.xlsx import xlsx_head

        shape, rows, _, _ = xlsx_head(params)
    elif kind == "parquet":
        from app.engine.text.readers.parquet import parquet_head

        shape, rows, _ = parquet_head(params)
    elif kind == "jsonl":
        from app.engine.text.readers.jsonl import first_objects

        objects = first_objects(params, encoding.name, N_ROWS)
        names = tuple(dict.fromkeys(key for found in objects for key in found))
        cells = [[str(found.get(name, "")) for name in names] for found in objects]
        return _Table(names, cells)
    else:
        return _Table()
    return _Table(shape.names, rows, shape.delimiter, shape.is_quoted, shape.has_header)


def _read_units(params: ImportCorpus) -> tuple[Block, Reading | None, str]:
    """Read the units of the head, and return any error as a message."""
    n_sides = max(1, len(params.languages))
    units = Block([], [[] for _ in range(n_sides)], [], [], {}, (), [])
    try:
        reading = open_reading(params, _choose_limit(params))
    except UserError as error:
        return units, None, str(error)
    try:
        for block in reading.blocks:
            if len(units.sides) != len(block.sides):
                units = Block([], [[] for _ in block.sides], [], [], {}, (), [])
            units.lines.extend(block.lines)
            units.refused.extend(block.refused)
            units = units._replace(documents=[*units.documents, *block.documents])
            for side, texts in zip(units.sides, block.sides, strict=True):
                side.extend(texts)
            if reading.encoding == "xlsx":
                break
    except UserError as error:
        return units, reading, str(error)
    finally:
        reading.close()
    return units, reading, ""


def _choose_limit(params: ImportCorpus) -> int:
    """Return the number of bytes to read: all of a small file, or the head."""
    if _size(params) <= MAX_WHOLE:
        return 2 * MAX_WHOLE
    # Decompression reads ahead by 128 KB, which counts towards the limit.
    is_packed = any(strip_compression(path) != path for path in params.files)
    return MAX_WHOLE if is_packed else LIMIT


def _preview_sides(
    params: ImportCorpus, units: Block, reading: Reading | None
) -> tuple[SidePreview, ...]:
    languages = reading.languages if reading else params.languages
    are_files = len(params.files) > 1 and not has_many_files(params)
    sides = []
    for index, texts in enumerate(units.sides):
        given = languages[index] if index < len(languages) else ""
        guess = guess_language(clean_texts(texts[:_N_GUESS])[0])
        mismatch = describe_language_mismatch(guess, given) if given else ""
        column = given
        if reading and index < len(reading.columns):
            column = reading.columns[index]
        elif are_files and index < len(params.files):
            column = params.files[index].name
        sides.append(SidePreview(column, given, guess.code, guess.confidence, mismatch))
    return tuple(sides)


def _notes(params: ImportCorpus, reading: Reading | None) -> tuple[str, ...]:
    notes = list(reading.notes) if reading else []
    for given in params.languages:
        language = parse_language(given)
        if not language.known:
            notes.append(f"{given!r} is not a known ISO 639 code.")
        note = split_note(language.code) if params.split else ""
        if note and note not in notes:
            notes.append(note)
    return tuple(notes)


def _clip_rows(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    """Shorten cells to 200 characters, then further until all fit in a message."""
    longest = MAX_CELL
    while True:
        clipped = tuple(
            tuple(_clip(cell, longest) for cell in row[:MAX_COLUMNS])
            for row in rows[:N_ROWS]
        )
        if longest <= 10 or len(msgspec.json.encode(clipped)) <= MAX_BYTES:
            return clipped
        longest //= 2


def _clip(cell: str, longest: int) -> str:
    clean = clean_texts([cell])[0][0]
    return clean if len(clean) <= longest else f"{clean[: longest - 1]}…"
