"""Read lines and pairs from evaluation and training files, compressed or not."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.engine.text import lines
from app.engine.text.files import ByteSource
from app.errors import UserError
from app.languages import language_name
from app.paths import strip_compression

ENCODING = "utf-8"
_LANGUAGES = re.compile(
    r"([a-z]{2,3})-([a-z]{2,3}(?:[-_][A-Za-z0-9]+)*)(?:\.|$)"
)  # eng-deu, en-zh-Hans.3-7
_PROJECT_PAIRS = re.compile(r"(?<=\.)(\d+-\d+|set\d+)$")  # ids in exported file names


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file (.gz, .xz, .zst too), split at line feeds only.

    Raises:
        UserError: the file is empty, damaged or not UTF-8.
        ResourceError: the file is missing or cannot be read.
    """
    with ByteSource(path) as source:
        for block in lines.read_lines(source, ENCODING):
            if block.refused:
                raise UserError(
                    f"{path}, line {min(block.refused):,}: the line is not UTF-8. Save "
                    "the "
                    "file as UTF-8."
                )
            yield from block.texts


def read_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (english, foreign) from a TSV file; further columns are ignored.

    Raises:
        UserError: a line has no tab, or the file is empty, damaged or not UTF-8.
        ResourceError: the file is missing or cannot be read.
    """
    for number, line in enumerate(read_lines(path), 1):
        columns = line.split("\t")
        if len(columns) < 2:
            raise UserError(f"{path}, line {number:,}: the line has no tab.")
        yield columns[0], columns[1]


def file_stem(path: Path) -> str:
    """Return a file name without folder and suffixes: `eng-deu.tsv.xz` -> `eng-deu`."""
    return strip_compression(path).stem


def language_pair(path: Path) -> tuple[str, str]:
    """Return the languages in the name of a file of pairs; empty if there are none."""
    match = _LANGUAGES.match(file_stem(path))
    return (match.group(1), match.group(2)) if match else ("", "")


def language_names(files: Sequence[Path]) -> list[str]:
    """Return the language of each file (deu of eng-deu.tsv), or else its file name."""
    names = [language_pair(file)[1] for file in files]
    counts = Counter(names)
    return [
        name if name and counts[name] == 1 else file_stem(file)
        for name, file in zip(names, files, strict=True)
    ]


def describe_texts(name: str) -> str:
    """Name texts by languages: German for deu, English – German for en-de.1-2."""
    match = _LANGUAGES.match(name)
    if match is None:
        return language_name(name)
    languages = " – ".join(language_name(code) for code in match.groups())
    rest = _PROJECT_PAIRS.sub("", name)[match.end() :]
    return f"{languages} ({rest})" if rest else languages


def describe_pair_file(file: Path) -> str:
    """Describe a file of pairs by languages if the project wrote it, else by name."""
    stem = file_stem(file)
    return describe_texts(stem) if _PROJECT_PAIRS.search(stem) else file.name


def language_codes(files: Sequence[Path]) -> tuple[str, ...]:
    """Return the codes of all languages in the names of files of pairs, in order."""
    codes = {code for file in files for code in language_pair(file)}
    return tuple(sorted(codes - {""}))
