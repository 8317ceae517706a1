"""Read CoNLL-U: the text of each sentence, from its comment or from its tokens."""

from collections.abc import Iterator
from pathlib import Path

import conllu
from conllu.exceptions import ParseException

from app.engine.text.encoding import find_encoding
from app.engine.text.lines import LineBlock, read_lines
from app.engine.text.opening import ByteSource
from app.engine.text.readers.block import Block, Reading
from app.errors import UserError
from app.params import ImportCorpus

_N_COLUMNS = 10
_UNITS = 2_000
_MAX_SENTENCE = 10_000  # lines


def read_conllu(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open a CoNLL-U file; see `readers.open_reading`."""
    path = params.files[0]
    if len(params.languages) > 1:
        raise UserError(
            f"{path} holds one language, but {len(params.languages)} were given."
        )
    encoding = find_encoding(path, wanted=params.encoding, is_preview=limit is not None)
    source = ByteSource(path, limit=limit)
    sentences = split_sentences(read_lines(source, encoding.name), path)
    return Reading(
        languages=params.languages,
        blocks=_blocks(sentences, params.label_column),
        fraction=source.fraction,
        check=source.check_unchanged,
        close=source.close,
        encoding=encoding.name,
        encoding_confidence=encoding.confidence,
    )


def split_sentences(
    blocks: Iterator[LineBlock], path: Path
) -> Iterator[tuple[int, list[str]]]:
    """Give the first line's number and the lines of each sentence.

    A line that is not in the encoding is given as one word, which is no token.

    Raises:
        UserError: a sentence does not end.
    """
    first, lines = 0, list[str]()
    for block in blocks:
        if len(lines) > _MAX_SENTENCE:
            raise UserError(
                f"The sentence at line {first} of {path} has more than "
                f"{_MAX_SENTENCE:,} lines: it is no CoNLL-U, where an empty line ends "
                "each sentence."
            )
        for number, line in enumerate(block.texts, block.first):
            if line.strip() and number not in block.refused:
                first = first if lines else number
                lines.append(line)
            elif number in block.refused:
                # The tokens of a sentence with an unreadable line are not all there.
                first = first if lines else number
                lines.append("unreadable")
            elif lines:
                yield first, lines
                lines = []
    if lines:
        yield first, lines


def _blocks(
    sentences: Iterator[tuple[int, list[str]]], label_key: str
) -> Iterator[Block]:
    block = Block([], [[]], [], [], {})
    for first, lines in sentences:
        comments = _comments(lines)
        text, reason = _sentence_text(lines, comments)
        if reason:
            block.refused.append((first, reason))
        else:
            block.lines.append(first)
            block.sides[0].append(text)
            if label_key:
                block.labels.append(comments.get(label_key, ""))
        if len(block.lines) + len(block.refused) >= _UNITS:
            yield block
            block = Block([], [[]], [], [], {})
    yield block


def _comments(lines: list[str]) -> dict[str, str]:
    pairs = [line[1:].partition("=") for line in lines if line.startswith("#")]
    return {key.strip(): value.strip() for key, _, value in pairs}


def _sentence_text(lines: list[str], comments: dict[str, str]) -> tuple[str, str]:
    """Give the text of a sentence, or the reason why it is refused."""
    tokens = [line for line in lines if not line.startswith("#")]
    if not tokens:
        return "", "the sentence has comments but no words"
    if any(line.count("\t") != _N_COLUMNS - 1 for line in tokens):
        return "", f"a word has not {_N_COLUMNS} columns, as CoNLL-U demands"
    if comments.get("text"):
        return comments["text"], ""
    try:
        return _join_tokens("\n".join(tokens) + "\n\n"), ""
    except ParseException:
        return "", "the words are no CoNLL-U"


def _join_tokens(data: str) -> str:
    """Join the words as they were written; a multiword token stands for its words."""
    parts: list[str] = []
    covered = 0
    for token in conllu.parse(data)[0]:
        number = token["id"]
        if isinstance(number, tuple):
            if number[1] != "-":
                continue  # an empty node of the enhanced graph is not in the text
            covered = number[2]
        elif number <= covered:
            continue
        misc = token["misc"] or {}
        parts.append(token["form"] + ("" if misc.get("SpaceAfter") == "No" else " "))
    return "".join(parts).strip()


__all__ = ["read_conllu", "split_sentences"]
