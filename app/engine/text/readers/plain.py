"""Read plain text: one sentence per line, or paragraphs to split."""

from collections.abc import Iterator

from app.engine.text.encoding import find_encoding
from app.engine.text.files import ByteSource
from app.engine.text.lines import LineBlock, read_lines
from app.engine.text.readers.blocks import Block, Reading, drop_rejected
from app.engine.text.segmentation import (
    Piece,
    is_hard_wrapped,
    join_lines,
    split_note,
    split_paragraph,
)
from app.errors import UserError
from app.languages import parse_language
from app.params.corpora import ImportCorpus

_MAX_PARAGRAPH = 1_000_000  # characters between two empty lines


def read_plain(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open a plain text; see `readers.open_reading`."""
    path = params.files[0]
    if len(params.languages) > 1:
        raise UserError(
            f"{path} is one plain text, but {len(params.languages)} languages are "
            "set. Choose one file for each language."
        )
    language = params.languages[0] if params.languages else ""
    encoding = find_encoding(
        path, wanted=params.encoding, language=language, is_preview=limit is not None
    )
    source = ByteSource(path, limit=limit)
    reading = Reading(
        params.languages,
        iter(()),
        *source.functions,
        encoding=encoding.name,
        encoding_confidence=encoding.confidence,
    )
    blocks = _detect_breaks(read_lines(source, encoding.name), reading)
    if params.split or params.join_lines == "yes":
        reading.blocks = _paragraph_blocks(
            blocks, params, parse_language(language).code, reading
        )
    else:
        reading.blocks = map(_line_block, blocks)
    return reading


def _detect_breaks(
    blocks: Iterator[LineBlock], reading: Reading
) -> Iterator[LineBlock]:
    """Yield blocks unchanged; detect hard line breaks from the first block."""
    for index, block in enumerate(blocks):
        if index == 0:
            reading.is_hard_wrapped = is_hard_wrapped(block.texts)
        yield block


def _line_block(block: LineBlock) -> Block:
    lines = list(range(block.first, block.first + len(block.texts)))
    return drop_rejected(lines, [block.texts], block.refused)


def _paragraph_blocks(
    blocks: Iterator[LineBlock], params: ImportCorpus, language: str, reading: Reading
) -> Iterator[Block]:
    """Read paragraphs: lines, or text between empty lines if lines are joined."""

    def read(lines: list[str], first: int) -> Iterator[Piece]:
        if params.split:
            return split_paragraph(lines, first, language)
        return iter([Piece(join_lines(lines, language), first)])

    is_joined = params.join_lines == "yes"
    open_lines: list[str] = []
    first = 1
    for index, block in enumerate(blocks):
        if index == 0:
            is_joined |= params.join_lines == "auto" and reading.is_hard_wrapped
            reading.notes += _notes(language if params.split else "", is_joined)
        pieces: list[Piece] = []
        for number, text in enumerate(block.texts, block.first):
            line = text.strip()
            if open_lines and (not line or not is_joined):
                pieces += read(open_lines, first)
                open_lines = []
            if line:
                first = first if open_lines else number
                open_lines.append(line)
        if sum(map(len, open_lines)) > _MAX_PARAGRAPH:
            pieces += read(open_lines, first)
            open_lines = []
        yield _piece_block(pieces, block.refused)
    if open_lines:
        yield _piece_block(list(read(open_lines, first)), {})


def _piece_block(pieces: list[Piece], refused: dict[int, str]) -> Block:
    lines = [piece.line for piece in pieces]
    texts = [piece.text for piece in pieces]
    return Block(lines, [texts], [], sorted(refused.items()), {})


def _notes(language: str, is_joined: bool) -> list[str]:
    notes = [split_note(language)]
    if is_joined:
        notes.append("Lines were joined into paragraphs, which end at empty lines.")
    return [note for note in notes if note]
