"""Read files in a reader process with a budget, as a stream of blocks."""

from collections.abc import Iterator

import msgspec

from app.engine.runtime.blocking_calls import ChildCall
from app.engine.runtime.budget import FILE_BUDGET, Budget
from app.engine.runtime.reader_process import Wait, no_wait, stream_from_reader
from app.engine.text.documents import SourceDocument
from app.engine.text.lines import MAX_LINE
from app.engine.text.normalisation import REPAIRED_CONTROL
from app.engine.text.readers import open_reading
from app.engine.text.readers.blocks import TOO_LONG, Block, CodeFormat, Reading
from app.engine.text.readers.table import table_encoding, table_head
from app.engine.text.token_annotations import SourceToken
from app.params import params_from_json, params_to_json
from app.params.corpora import ImportCorpus

MAX_PART = 4 << 20  # characters; a block of long texts is sent in several parts


class _Head(msgspec.Struct, frozen=True, tag="head", array_like=True):
    """Facts about a source that are known before its first block."""

    languages: tuple[str, ...]
    encoding: str
    encoding_confidence: float
    notes: list[str]
    columns: tuple[str, ...]
    says_languages: bool
    documents: list[SourceDocument]
    field_choices: list[str]
    problems: list[str]


class _Part(msgspec.Struct, frozen=True, tag="part", array_like=True):
    """A block, the index of each unit's document, and changed facts on the source."""

    lines: list[int]
    sides: list[list[str]]
    labels: list[str]
    refused: list[tuple[int, str]]
    repaired: dict[int, str]
    languages: list[str]
    documents: list[SourceDocument]
    document_ids: list[int]
    words: list[tuple[SourceToken, ...]]
    source: str
    coded: list[tuple[str, ...]]
    code_format: CodeFormat | None
    fraction: float
    encoding: str
    encoding_confidence: float
    notes: list[str]
    field_choices: list[str]
    refused_texts: dict[int, str]


def open_bounded_reading(
    params: ImportCorpus,
    limit: int | None = None,
    *,
    wait: Wait = no_wait,
    budget: Budget = FILE_BUDGET,
) -> Reading:
    """Open the files of an import in a reader process; see `readers.open_reading`.

    Args:
        limit: bytes of each file to read, for a preview; None: all.
        wait: called ten times a second while reading; may raise Cancelled.
        budget: memory and time limits of the reader process.

    Raises:
        UserError: the files can't be imported with these params, or exceed the budget.
        ResourceError: a file is missing or can't be read.
    """
    arguments = {"params": params_to_json(params), "limit": limit}
    call = ChildCall(f"{__name__}:stream_reading", arguments)
    parts = stream_from_reader(
        call, _Head | _Part, name=str(params.files[0]), wait=wait, budget=budget
    )
    head = next(parts)
    fractions = [0.0]

    def blocks() -> Iterator[Block]:
        for part in parts:
            fractions[0] = part.fraction
            reading.encoding = part.encoding
            reading.encoding_confidence = part.encoding_confidence
            reading.notes[:] = part.notes
            reading.field_choices[:] = part.field_choices
            yield _make_block(part)

    reading = Reading(
        blocks=blocks(),
        fraction=lambda: fractions[0],
        check=lambda: None,  # the reader process checks before it sends a part
        close=parts.close,
        **msgspec.structs.asdict(head),
    )
    return reading


def stream_reading(params: str, limit: int | None) -> Iterator[_Head | _Part]:
    """Read a source in the reader process: first its head, then its blocks."""
    reading = open_reading(params_from_json(params), limit)
    try:
        yield _Head(
            languages=reading.languages,
            encoding=reading.encoding,
            encoding_confidence=reading.encoding_confidence,
            notes=reading.notes,
            columns=reading.columns,
            says_languages=reading.says_languages,
            documents=list(map(_valid_document, reading.documents)),
            field_choices=reading.field_choices,
            problems=_valid_texts(reading.problems),
        )
        for block in reading.blocks:
            if limit is None:
                reading.check()
            for part in split_block(block):
                yield _make_part(part, reading)
        if limit is None:
            reading.check()
        yield _make_part(
            Block([], [[] for _ in reading.languages], [], [], {}), reading
        )
    finally:
        reading.close()


def read_column_names(kind: str, params: str) -> tuple[str, ...]:
    """Read the names of the columns of a table or workbook, in the reader process.

    Args:
        kind: "tsv", "csv" or "xlsx".
        params: params of the import, as JSON.
    """
    decoded = params_from_json(params)
    if kind == "xlsx":
        from app.engine.text.readers.xlsx import xlsx_head

        return xlsx_head(decoded)[0].names
    encoding = table_encoding(decoded, is_preview=False).name
    return table_head(kind, decoded, encoding)[0].names


def split_block(block: Block) -> Iterator[Block]:
    """Split a block of long texts; a text over 1 MB is rejected."""
    sizes = [
        max(map(len, texts), default=0) for texts in zip(*block.sides, strict=True)
    ]
    if max(sizes, default=0) > MAX_LINE:
        kept = [index for index, size in enumerate(sizes) if size <= MAX_LINE]
        long = [(block.lines[i], TOO_LONG) for i, n in enumerate(sizes) if n > MAX_LINE]
        block = _pick(block, kept)._replace(refused=[*block.refused, *long])
        sizes = [sizes[index] for index in kept]
    start = n = 0
    for end, size in enumerate(sizes):
        if n and n + size > MAX_PART:
            # rejected units are sent with the last part
            yield _pick(block, range(start, end))._replace(refused=[], refused_texts={})
            start, n = end, 0
        n += size
    yield _pick(block, range(start, len(sizes))) if start else block


def _pick(block: Block, kept: range | list[int]) -> Block:
    """Return a block with some of its units."""
    return block._replace(
        lines=[block.lines[i] for i in kept],
        sides=[[texts[i] for i in kept] for texts in block.sides],
        labels=[block.labels[i] for i in kept] if block.labels else [],
        languages=[block.languages[i] for i in kept] if block.languages else (),
        documents=[block.documents[i] for i in kept] if block.documents else (),
        words=[block.words[i] for i in kept] if block.words else (),
        coded=[block.coded[i] for i in kept] if block.coded else (),
    )


def _make_part(block: Block, reading: Reading) -> _Part:
    ids: dict[SourceDocument, int] = {}
    document_ids = [ids.setdefault(mark, len(ids)) for mark in block.documents]
    broken = (line for texts in block.sides for line in _broken_lines(block, texts))
    repaired = dict.fromkeys(broken, REPAIRED_CONTROL) | block.repaired
    return _Part(
        lines=block.lines,
        sides=[_valid_texts(texts) for texts in block.sides],
        labels=_valid_texts(block.labels),
        refused=block.refused,
        repaired=repaired,
        languages=_valid_texts(list(block.languages)),
        documents=list(map(_valid_document, ids)),
        document_ids=document_ids,
        words=list(block.words),
        source=block.source,
        coded=list(block.coded),
        code_format=block.code_format,
        fraction=reading.fraction(),
        encoding=reading.encoding,
        encoding_confidence=reading.encoding_confidence,
        notes=reading.notes,
        field_choices=reading.field_choices,
        refused_texts={
            line: _valid(text) for line, text in block.refused_texts.items()
        },
    )


def _valid_texts(texts: list[str]) -> list[str]:
    """Remove unpaired surrogates, which can't be sent; cleaning would remove them."""
    return [_valid(text) for text in texts] if _is_broken("".join(texts)) else texts


def _broken_lines(block: Block, texts: list[str]) -> Iterator[int]:
    if _is_broken("".join(texts)):
        both = zip(block.lines, texts, strict=True)
        yield from (line for line, text in both if _is_broken(text))


def _is_broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _valid(text: str) -> str:
    return text.encode("utf-8", "ignore").decode()


def _valid_document(mark: SourceDocument) -> SourceDocument:
    fields = tuple((_valid(name), _valid(value)) for name, value in mark.fields)
    return SourceDocument(_valid(mark.name), fields)


def _make_block(part: _Part) -> Block:
    return Block(
        part.lines,
        part.sides,
        part.labels,
        part.refused,
        part.repaired,
        part.languages,
        [part.documents[index] for index in part.document_ids],
        part.words,
        part.source,
        part.coded,
        part.code_format,
        part.refused_texts,
    )
