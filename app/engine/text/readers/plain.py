"""Read plain text: one sentence per line, or paragraphs to split."""

from collections.abc import Iterator

from app.engine.text.encoding import find_encoding
from app.engine.text.files import ByteSource
from app.engine.text.lines import LineBlock, read_lines
from app.engine.text.readers.blocks import Block, Reading, drop_rejected
from app.engine.text.segmentation import (
    Piece,
    is_hard_wrapped,
    split_note,
    split_paragraph,
)
from app.errors import UserError
from app.languages import parse_language
from app.params.corpora import ImportCorpus

_MAX_PARAGRAPH = 1_000_000  # characters; more without an empty line is no paragraph


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
    blocks = read_lines(source, encoding.name)
    reading = Reading(
        params.languages,
        iter(()),
        *source.functions,
        encoding=encoding.name,
        encoding_confidence=encoding.confidence,
    )
    if params.split:
        reading.blocks = _split_blocks(blocks, parse_language(language).code, reading)
    else:
        reading.blocks = map(_line_block, blocks)
    return reading


def _line_block(block: LineBlock) -> Block:
    lines = list(range(block.first, block.first + len(block.texts)))
    return drop_rejected(lines, [block.texts], block.refused)


def _split_blocks(
    blocks: Iterator[LineBlock], language: str, reading: Reading
) -> Iterator[Block]:
    """Split paragraphs; one is a line, or lines up to an empty one if it is wrapped."""
    is_wrapped: bool | None = None
    open_lines: list[str] = []
    first = 1
    for block in blocks:
        if is_wrapped is None:
            is_wrapped = is_hard_wrapped(block.texts)
            reading.notes += _notes(language, is_wrapped)
        pieces: list[Piece] = []
        for number, text in enumerate(block.texts, block.first):
            line = text.strip()
            if open_lines and (not line or not is_wrapped):
                pieces += split_paragraph(open_lines, first, language)
                open_lines = []
            if line:
                first = first if open_lines else number
                open_lines.append(line)
        if sum(map(len, open_lines)) > _MAX_PARAGRAPH:
            pieces += split_paragraph(open_lines, first, language)
            open_lines = []
        yield _piece_block(pieces, block.refused)
    if open_lines:
        yield _piece_block(list(split_paragraph(open_lines, first, language)), {})


def _piece_block(pieces: list[Piece], refused: dict[int, str]) -> Block:
    lines = [piece.line for piece in pieces]
    texts = [piece.text for piece in pieces]
    return Block(lines, [texts], [], sorted(refused.items()), {})


def _notes(language: str, is_wrapped: bool) -> list[str]:
    notes = [split_note(language)]
    if is_wrapped:
        notes.append("Lines were joined into paragraphs, which end at empty lines.")
    return [note for note in notes if note]
