"""Read CoNLL-U: the text, words and document of each sentence.

A document starts at `# newdoc`; the comments after it, up to those of its first
sentence (sent_id, text, newpar), are its fields. Comments of sentences are fields if
the params name them.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.engine.text.documents import SourceDocument
from app.engine.text.encoding import find_encoding
from app.engine.text.files import ByteSource
from app.engine.text.lines import LineBlock, read_lines
from app.engine.text.readers.blocks import Block, Reading
from app.engine.text.token_annotations import SourceToken, SourceWord
from app.errors import UserError
from app.params.corpora import ImportCorpus

_N_COLUMNS = 10
_UNITS = 2_000
_MOST_CHOICES = 50
_NEWDOC = re.compile(r"#\s*newdoc\b(?:\s+id\s*=\s*(.*))?")
_SENTENCE_KEY = re.compile(r"(sent_id|text|newpar)\b")
_MAX_SENTENCE = 10_000  # lines


def read_conllu(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open a CoNLL-U file; see `readers.open_reading`."""
    path = params.files[0]
    if len(params.languages) > 1:
        raise UserError(
            f"{path} has one language, but {len(params.languages)} are set."
        )
    encoding = find_encoding(path, wanted=params.encoding, is_preview=limit is not None)
    source = ByteSource(path, limit=limit)
    sentences = split_sentences(read_lines(source, encoding.name), path)
    choices: list[str] = []
    return Reading(
        params.languages,
        _blocks(sentences, params, choices),
        *source.functions,
        encoding=encoding.name,
        encoding_confidence=encoding.confidence,
        field_choices=choices,
    )


def split_sentences(
    blocks: Iterator[LineBlock], path: Path
) -> Iterator[tuple[int, list[str]]]:
    """Return the first line's number and the lines of each sentence.

    A line that is not in the encoding is returned as one word, which is not a token.

    Raises:
        UserError: a sentence does not end.
    """
    first, lines = 0, list[str]()
    for block in blocks:
        if len(lines) > _MAX_SENTENCE:
            raise UserError(
                f"The sentence at line {first:,} of {path} has more than "
                f"{_MAX_SENTENCE:,} lines, so it is not CoNLL-U, where an empty line "
                "ends each sentence."
            )
        for number, line in enumerate(block.texts, block.first):
            if line.strip() and number not in block.refused:
                first = first if lines else number
                lines.append(line)
            elif number in block.refused:
                # A sentence with an unreadable line lacks tokens.
                first = first if lines else number
                lines.append("unreadable")
            elif lines:
                yield first, lines
                lines = []
    if lines:
        yield first, lines


def _blocks(
    sentences: Iterator[tuple[int, list[str]]],
    params: ImportCorpus,
    choices: list[str],
) -> Iterator[Block]:
    """Create blocks; the keys of the first comments are possible fields."""
    documents = _Documents(params)
    block = Block([], [[]], [], [], {})
    marks: list[SourceDocument] = []
    words: list[tuple[SourceToken, ...]] = []
    for first, lines in sentences:
        comments = _comments(lines)
        if len(choices) < _MOST_CHOICES:
            choices += [key for key in comments if _is_choice(key, choices)]
        mark = documents.mark(lines, comments)
        text, reason = _sentence_text(lines, comments)
        if reason:
            block.refused.append((first, reason))
        else:
            block.lines.append(first)
            block.sides[0].append(text)
            marks.append(mark)
            words.append(read_tokens(lines))
            if params.label_column:
                block.labels.append(comments.get(params.label_column, ""))
        if len(block.lines) + len(block.refused) >= _UNITS:
            yield block._replace(documents=documents.known(marks), words=words)
            block, marks, words = Block([], [[]], [], [], {}), [], []
    yield block._replace(documents=documents.known(marks), words=words)


def _is_choice(key: str, known: list[str]) -> bool:
    is_special = _SENTENCE_KEY.match(key) or key.startswith(("newdoc", "global."))
    return bool(key) and not is_special and key not in known


class _Documents:
    """Tracks the current document of a file from sentence to sentence."""

    def __init__(self, params: ImportCorpus):
        self._name_key = params.document_column
        self._field_keys = params.field_columns
        self._n = 0
        self._name = ""
        self._fields: dict[str, str] = {}

    def mark(self, lines: list[str], comments: dict[str, str]) -> SourceDocument:
        """Return the document of the next sentence."""
        for index, line in enumerate(lines):
            begun = _NEWDOC.match(line)
            if begun is not None:
                self._n += 1
                self._name = (begun[1] or "").strip() or f"document {self._n}"
                self._fields = _document_fields(lines[index + 1 :])
        own = {key: comments[key] for key in self._field_keys if key in comments}
        name = comments.get(self._name_key, "") if self._name_key else self._name
        return SourceDocument(name, tuple({**self._fields, **own}.items()))

    def known(self, marks: list[SourceDocument]) -> Sequence[SourceDocument]:
        """Return the documents of some sentences; empty if the file has none."""
        return marks if any(mark != SourceDocument() for mark in marks) else ()


def _document_fields(lines: list[str]) -> dict[str, str]:
    """Read the comments of a document, up to its first sentence."""
    fields: dict[str, str] = {}
    for line in lines:
        key, sign, value = line[1:].partition("=")
        key = key.strip().removeprefix("meta::")
        if not line.startswith("#") or _SENTENCE_KEY.match(key):
            break
        if sign and key and not key.startswith("global."):
            fields[key] = value.strip()
    return fields


def read_tokens(lines: list[str]) -> tuple[SourceToken, ...]:
    """Read the words of a sentence; those of a multiword token share its surface.

    Empty nodes are left out. A sentence with invalid numbers has no words.
    """
    try:
        return tuple(_join_words(lines))
    except ValueError:
        return ()


def _join_words(lines: list[str]) -> list[SourceToken]:
    tokens: list[SourceToken] = []
    last = 0  # last word of the current multiword token
    for line in lines:
        if line.startswith("#"):
            continue
        number, form, lemma, pos = line.split("\t")[:4]
        if "." in number:
            continue
        if "-" in number:
            last = int(number.partition("-")[2])
            tokens.append(SourceToken(form, ()))
            continue
        known = (lemma if lemma != "_" or form == "_" else "", pos.strip("_"))
        word = SourceWord(form, *known)
        if tokens and int(number) <= last:
            tokens[-1] = tokens[-1]._replace(words=(*tokens[-1].words, word))
        else:
            tokens.append(SourceToken(form, (word,)))
    return tokens


def _comments(lines: list[str]) -> dict[str, str]:
    pairs = [line[1:].partition("=") for line in lines if line.startswith("#")]
    return {key.strip(): value.strip() for key, _, value in pairs}


def _sentence_text(lines: list[str], comments: dict[str, str]) -> tuple[str, str]:
    """Return the text of a sentence, or the reason why it is refused."""
    tokens = [line for line in lines if not line.startswith("#")]
    if not tokens:
        return "", "the sentence has comments but no words"
    if any(line.count("\t") != _N_COLUMNS - 1 for line in tokens):
        return "", f"a word does not have {_N_COLUMNS} columns, as CoNLL-U requires"
    if comments.get("text"):
        return comments["text"], ""
    try:
        return _join_tokens(tokens), ""
    except ValueError:
        return "", "the words are not valid CoNLL-U"


def _join_tokens(lines: list[str]) -> str:
    """Join the tokens as written; a multiword token replaces its words."""
    parts: list[str] = []
    covered = 0
    for line in lines:
        number, form, *_, misc = line.split("\t")
        if "." in number:
            continue  # an empty node of the enhanced graph is not in the text
        first, hyphen, last = number.partition("-")
        if hyphen:
            covered = max(int(last), int(first))
        elif int(number) <= covered:
            continue
        is_glued = "SpaceAfter=No" in misc.split("|")
        parts.append(form + ("" if is_glued else " "))
    return "".join(parts).strip()
