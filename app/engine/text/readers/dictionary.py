"""Read bilingual dictionaries: TSV, CSV, MUSE lists, TBX."""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from app.engine.runtime.reader_process import UnexpectedReadError
from app.engine.text.encoding import find_encoding
from app.engine.text.files import ByteSource
from app.engine.text.lines import read_lines
from app.engine.text.readers.table_layout import looks_quoted
from app.engine.text.readers.xml_events import (
    XML_LANG,
    XmlFormat,
    element_text,
    forget,
    line_of,
    stream_elements,
)
from app.errors import ResourceError, UserError
from app.languages import parse_language, primary_language
from app.paths import strip_compression

TBX = XmlFormat("TBX", "tbx")
MARTIF = XmlFormat("TBX", "martif")  # the root until 2019
_HEAD = 64 * 1024


class Concept(NamedTuple):
    """The terms of a concept: pairs of a language (as in the file) and a term."""

    languages: list[tuple[str, str]]

    def terms(self, language: str) -> list[str]:
        """Return the terms in a language, by code or else by primary language."""
        code = parse_language(language).code
        exact = [t for tag, t in self.languages if parse_language(tag).code == code]
        primary = primary_language(code)
        return exact or [
            term for tag, term in self.languages if primary_language(tag) == primary
        ]


def read_tbx(path: Path) -> Iterator[tuple[int, Concept]]:
    """Yield each concept with its first line.

    Raises:
        UserError: the file is malformed or not TBX.
        ResourceError: it is missing or cannot be read.
    """
    with ByteSource(path) as source:
        is_old = b"<martif" in source.read(_HEAD)
    kind, entry = (MARTIF, "termEntry") if is_old else (TBX, "conceptEntry")
    with ByteSource(path) as source:
        for event in stream_elements(source, kind, (entry,), ""):
            if event.name == entry and event.kind == "end":
                yield line_of(event.element), _concept(event.element)
                forget(event.element)


def _concept(element: etree._Element) -> Concept:
    found: list[tuple[str, str]] = []
    for name in ("langSec", "langSet"):
        for section in element.iterchildren(f"{{*}}{name}"):
            language = section.get(XML_LANG) or section.get("lang") or ""
            terms = (element_text(term) for term in section.iterfind(".//{*}term"))
            found += [(language, term) for term in terms if term]
    return Concept(found)


N_SAMPLE = 200
EMPTY_WORD = "the word is empty"
EMPTY_TRANSLATION = "the translation is empty"
ONE_WORD = "there is one word, and no translation"
NO_TAB = "there are more than two words, and no tab separates the translation"
NOT_READABLE = "a quote is opened but never closed"
_ALTERNATIVES = re.compile(r"\s*[|;]\s*")  # a cell may contain several translations
_SOURCE_NAMES = frozenset(
    ("source", "src", "word", "term", "from", "lemma", "headword")
)
_TARGET_NAMES = frozenset(
    ("target", "tgt", "trg", "translation", "translations", "equivalent", "to")
)
_TBX = (".tbx", ".xml")


class Entry(NamedTuple):
    """A word and its translation as in the file, and their line (from 1)."""

    line: int
    source: str
    target: str


class DictionaryText(NamedTuple):
    """The content of a dictionary file.

    Attributes:
        entries: entries in the order of the file.
        problems: number of each line that was left out, and the reason.
    """

    entries: list[Entry]
    problems: list[tuple[int, str]]


def read_dictionary_file(path: str, languages: tuple[str, str]) -> DictionaryText:
    """Read a dictionary in a reader process (see `read_dictionary`).

    Raises:
        UnexpectedReadError: the reader failed for another reason.
    """
    try:
        return read_dictionary(Path(path), *languages)
    except (UserError, ResourceError, MemoryError):
        raise
    except Exception as error:
        raise UnexpectedReadError(
            f"{path} can't be read as a dictionary: it is damaged, or in a format "
            f"that Isogloss does not know ({type(error).__name__}). The log has the "
            "details."
        ) from error


def read_dictionary(
    path: Path, source_language: str, target_language: str
) -> DictionaryText:
    """Read a complete dictionary; invalid lines are left out and reported.

    Args:
        path: .tbx, .csv, or else tab-separated columns or two words separated by
            spaces. Columns after the second are ignored; | or ; separates translations.
        source_language: code of the first column.
        target_language: code of the second column.

    Raises:
        UserError: the file is not text, or not a dictionary.
        ResourceError: it is missing or cannot be read.
    """
    suffix = strip_compression(path).suffix.lower()
    if suffix in _TBX:
        return _from_tbx(path, source_language, target_language)
    lines, problems = _read_lines(path, source_language)
    rows = _comma_rows(lines, problems) if suffix == ".csv" else _rows(lines, problems)
    found: list[Entry] = []
    languages = source_language.casefold(), target_language.casefold()
    for index, (line, cells) in enumerate(rows):
        if index == 0 and _is_header(cells, languages):
            continue
        _add(found, problems, line, cells)
    return DictionaryText(found, sorted(problems))


def _read_lines(
    path: Path, language: str
) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Read the non-empty lines, and the numbers of lines in another encoding."""
    encoding = find_encoding(path, wanted="", language=language, is_preview=False)
    lines: list[tuple[int, str]] = []
    problems: list[tuple[int, str]] = []
    with ByteSource(path) as source:
        for block in read_lines(source, encoding.name):
            problems += block.refused.items()
            for line, text in enumerate(block.texts, block.first):
                if text.strip() and line not in block.refused:
                    lines.append((line, text))
    return lines, problems


def _rows(
    lines: list[tuple[int, str]], problems: list[tuple[int, str]]
) -> Iterator[tuple[int, list[str]]]:
    sample = [text for _, text in lines[:N_SAMPLE]]
    if looks_quoted(sample, "\t"):  # like an export of pairs
        yield from _quoted_rows(lines, problems, "\t")
        return
    has_tabs = 2 * sum("\t" in text for text in sample) >= len(sample)
    for line, text in lines:
        if has_tabs or "\t" in text:
            yield line, text.split("\t")
            continue
        cells = text.split()
        if len(cells) == 2:
            yield line, cells
        else:
            problems.append((line, ONE_WORD if len(cells) < 2 else NO_TAB))


def _comma_rows(
    lines: list[tuple[int, str]], problems: list[tuple[int, str]]
) -> Iterator[tuple[int, list[str]]]:
    sample = [text for _, text in lines[:N_SAMPLE]]
    mark = max(",;\t", key=lambda one: sum(one in text for text in sample))
    yield from _quoted_rows(lines, problems, mark)


def _quoted_rows(
    lines: list[tuple[int, str]], problems: list[tuple[int, str]], mark: str
) -> Iterator[tuple[int, list[str]]]:
    for line, text in lines:
        try:
            (cells,) = csv.reader([text], delimiter=mark, strict=True)
        except (csv.Error, ValueError):
            problems.append((line, NOT_READABLE))
            continue
        yield line, cells


def _is_header(cells: list[str], languages: tuple[str, str]) -> bool:
    names = [cell.strip().casefold() for cell in cells[:2]]
    if len(names) < 2:
        return False
    source, target = names
    return (source in _SOURCE_NAMES or source == languages[0]) and (
        target in _TARGET_NAMES or target == languages[1]
    )


def _add(
    found: list[Entry], problems: list[tuple[int, str]], line: int, cells: list[str]
) -> None:
    source = cells[0].strip()
    targets = _ALTERNATIVES.split(cells[1].strip()) if len(cells) > 1 else []
    targets = [target for target in targets if target]
    if len(cells) < 2:
        problems.append((line, ONE_WORD))
    elif not source:
        problems.append((line, EMPTY_WORD))
    elif not targets:
        problems.append((line, EMPTY_TRANSLATION))
    else:
        found += [Entry(line, source, target) for target in targets]


def _from_tbx(path: Path, source: str, target: str) -> DictionaryText:
    found: list[Entry] = []
    problems: list[tuple[int, str]] = []
    for line, concept in read_tbx(path):
        sources, targets = concept.terms(source), concept.terms(target)
        if sources and targets:
            found += [Entry(line, one, other) for one in sources for other in targets]
        else:
            missing = target if sources else source
            problems.append((line, f"the concept has no term in {missing}"))
    if problems and not found:
        raise UserError(
            f"{path} has no concept with terms in {source} and {target}. Set the "
            "languages as in the file."
        )
    return DictionaryText(found, problems)


def name_problems(problems: Iterable[tuple[int, str]], limit: int) -> list[str]:
    """Return the errors of the first invalid lines."""
    lines = [f"line {line:,}: {reason}" for line, reason in problems]
    rest = len(lines) - limit
    return lines[:limit] + ([f"… and {rest:,} more"] if rest > 0 else [])
