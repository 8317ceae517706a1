"""Read JSON lines: one object per line, with its keys as columns."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from app.engine.text.documents import SourceDocument
from app.engine.text.encoding import find_encoding
from app.engine.text.files import ByteSource
from app.engine.text.lines import LineBlock, read_lines
from app.engine.text.readers.blocks import Block, Reading
from app.engine.text.readers.language_columns import (
    check_columns,
    columns_of_languages,
    describe_language_columns,
    find_language_columns,
    find_source_and_target,
    language_of_column,
)
from app.errors import UserError
from app.languages import parse_language
from app.params.corpora import ImportCorpus

TEXT_KEYS = ("text", "sentence", "content", "segment", "translation")


class _Keys(NamedTuple):
    """The key of each side, known languages, and notes."""

    columns: tuple[str, ...]
    languages: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_jsonl(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open a JSONL file; see `readers.open_reading`."""
    path = params.files[0]
    encoding = find_encoding(path, wanted=params.encoding, is_preview=limit is not None)
    keys = _choose_keys(params, encoding.name)
    source = ByteSource(path, limit=limit)
    lines = read_lines(source, encoding.name)
    return Reading(
        params.languages or keys.languages,
        (_read_block(block, keys.columns, params) for block in lines),
        *source.functions,
        encoding=encoding.name,
        encoding_confidence=encoding.confidence,
        notes=list(keys.notes),
        columns=keys.columns,
    )


def first_objects(params: ImportCorpus, encoding: str, n: int) -> list[dict[str, Any]]:
    """Read the first objects of a JSONL file."""
    objects: list[dict[str, Any]] = []
    with ByteSource(params.files[0], limit=64 * 1024) as source:
        for block in read_lines(source, encoding):
            for text in block.texts:
                found = _decode(text)
                if isinstance(found, dict):
                    objects.append(found)
                if len(objects) == n:
                    return objects
    return objects


def _choose_keys(params: ImportCorpus, encoding: str) -> _Keys:
    """Choose the key of each side: the user's choice, or the most likely key."""
    if params.columns:
        check_columns(params)
        return _named_keys(params.columns)
    objects = first_objects(params, encoding, 20)
    keys = list(dict.fromkeys(key for found in objects for key in _paths(found)))
    used = (params.label_column, params.document_column, *params.field_columns)
    others = [index for index, key in enumerate(keys) if key not in used]
    rows = [[_text_of(_look_up(found, key)) for key in keys] for found in objects]
    if not params.languages and not params.language_column:
        sides = find_language_columns(keys, rows, others)
        if sides is not None:
            notes = (describe_language_columns(keys, sides),)
            found_keys = tuple(keys[index] for index in sides.columns)
            return _Keys(found_keys, sides.languages, notes)
    codes = [parse_language(language).code for language in params.languages]
    named = columns_of_languages(keys, rows, others, codes) if codes else ()
    known = [key for key in TEXT_KEYS if key in keys]
    if named and (len(codes) > 1 or not known):
        return _Keys(tuple(keys[index] for index in named), ())
    return _named_keys(_likely_keys(keys, params))


def _named_keys(keys: tuple[str, ...]) -> _Keys:
    return _Keys(keys, tuple(map(language_of_column, keys)))


def _paths(found: dict[str, Any]) -> Iterator[str]:
    """Return the keys of an object, including those of nested objects."""
    for key, value in found.items():
        if isinstance(value, dict):
            yield from (f"{key}.{inner}" for inner in value)
        else:
            yield key


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _likely_keys(keys: list[str], params: ImportCorpus) -> tuple[str, ...]:
    """Find the keys with typical names of texts or sides."""
    if len(params.languages) > 1:
        named_sides = (
            find_source_and_target(keys) if len(params.languages) == 2 else None
        )
        if named_sides:
            return tuple(keys[index] for index in named_sides)
    else:
        known = [key for key in TEXT_KEYS if key in keys]
        if known:
            return (known[0],)
    listed = ", ".join(keys[:20]) or "none"
    raise UserError(
        f"Can't find the key of the text in {params.files[0].name} (keys: "
        f"{listed}). Set it as the column."
    )


def _read_block(
    block: LineBlock, columns: tuple[str, ...], params: ImportCorpus
) -> Block:
    lines: list[int] = []
    sides: list[list[str]] = [[] for _ in columns]
    more: dict[str, list[str]] = {
        key: [] for key in (params.label_column, params.language_column) if key
    }
    marks: list[SourceDocument] = []
    has_documents = bool(params.document_column or params.field_columns)
    refused = sorted(block.refused.items())
    for number, line in enumerate(block.texts, block.first):
        if number in block.refused:
            continue
        found = _decode(line) if line.strip() else dict.fromkeys(columns, "")
        values = [_look_up(found, key) for key in columns]
        reason = _refusal(found, columns, values)
        if reason:
            refused.append((number, reason))
            continue
        lines.append(number)
        for side, value in zip(sides, values, strict=True):
            side.append(str(value))
        for key, values_so_far in more.items():
            value = _look_up(found, key)
            values_so_far.append("" if value is None else str(value))  # 0 is a label
        if has_documents:
            marks.append(_mark(found, params))
    labels = more.get(params.label_column, [])
    languages = more.get(params.language_column, [])
    return Block(lines, sides, labels, refused, {}, languages, marks)


def _mark(found: Any, params: ImportCorpus) -> SourceDocument:
    """Read the document of an object; only texts and numbers become fields."""
    values = [(key, _plain(_look_up(found, key))) for key in params.field_columns]
    name = _plain(_look_up(found, params.document_column))
    if not params.document_column:
        name = " · ".join(filter(None, (value.strip() for _, value in values)))
    return SourceDocument(name, tuple(values))


def _plain(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float) else ""


def _refusal(found: Any, keys: tuple[str, ...], values: list[Any]) -> str:
    if not isinstance(found, dict):
        return "the line is not a JSON object"
    for key, value in zip(keys, values, strict=True):
        if not isinstance(value, str | int | float):
            return f"the key {key!r} is missing or contains no text"
    return ""


def _decode(line: str) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None


def _look_up(found: Any, key: str) -> Any:
    """Look up a key; `translation.en` refers to a nested object."""
    if isinstance(found, dict) and key in found:
        return found[key]
    value: Any = found
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value
