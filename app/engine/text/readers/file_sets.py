"""Find the files of a corpus, and read many files as one source."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path, PurePath
from typing import NamedTuple

import msgspec

from app.engine.text.documents import FileNamePattern, SourceDocument
from app.engine.text.files import check_file
from app.engine.text.readers.blocks import Block, Reading
from app.errors import ResourceError, UserError
from app.languages import language_name
from app.params.corpora import ImportCorpus, SourceFormat
from app.paths import strip_compression

MAX_FILES = 100_000
_N_NAMED = 5  # files named in a message
_DIGITS = re.compile(r"(\d+)")


class FoundFiles(NamedTuple):
    """The files of a corpus.

    Attributes:
        root: folder that file names are relative to.
        files: files in natural order (2 before 10), grouped by folder.
        kind: format of all files.
        notes: sentences on skipped files.
    """

    root: Path
    files: tuple[Path, ...]
    kind: SourceFormat
    notes: tuple[str, ...]


def has_many_files(params: ImportCorpus) -> bool:
    """Return whether an import combines its files as documents of one corpus."""
    return (
        params.together
        or any(path.is_dir() for path in params.files)
        or bool(params.fields_pattern and len(params.files) == 1)
    )


def corpus_root(params: ImportCorpus) -> Path:
    """Return the folder, or the only file, that names the corpus of many files."""
    if len(params.files) == 1:
        return params.files[0]
    return Path(os.path.commonpath([path.parent for path in params.files]))


def find_files(
    params: ImportCorpus, name_format: Callable[[Path], SourceFormat]
) -> FoundFiles:
    """Find the files of an import, of the most common or the chosen format.

    Raises:
        UserError: there are no files, too many files, or several formats.
        ResourceError: a file is missing.
    """
    if params.format == "moses":
        raise UserError(
            "The sides of a parallel text can't be documents. Import them as two files."
        )
    root = corpus_root(params)
    listed = list(chain.from_iterable(map(_list_files, params.files)))
    if len(listed) > MAX_FILES:
        raise UserError(
            f"{root} has more than {MAX_FILES:,} files. Import its subfolders one by "
            "one."
        )
    files = [path for path in listed if path.stat().st_size]
    notes = describe_skipped_files(listed, set(files), "empty (0 bytes) and skipped")
    kinds = {path: name_format(path) for path in files}
    counts = Counter(kinds.values())
    chosen = params.format
    kind: SourceFormat = (
        counts.most_common(1)[0][0] if chosen == "auto" and counts else "text"
    )
    if chosen != "auto":
        kind = chosen
    kept = [path for path in files if kinds[path] == kind]
    if not kept and chosen != "auto":
        kept = files  # the user's choice overrides the file names
    if not kept:
        raise UserError(f"{root} has no file that can be imported.")
    notes += describe_skipped_files(
        files, set(kept), f"not {kind}, unlike most files, and skipped"
    )
    start = root if root.is_dir() else root.parent
    return FoundFiles(start, tuple(kept), kind, tuple(notes))


def relative_name(path: Path, root: Path) -> PurePath:
    """Return a file name relative to its root, without suffixes."""
    return strip_compression(path).relative_to(root).with_suffix("")


def _list_files(path: Path) -> Iterator[Path]:
    """List the files in a folder and its subfolders, without hidden files."""
    if not path.is_dir():
        check_file(path)
        yield path
    else:
        yield from list_folder(path)


def list_folder(path: Path) -> Iterator[Path]:
    """List the files in a folder and its subfolders, in natural order.

    Raises:
        ResourceError: a folder can't be read.
    """
    for folder, names, files in os.walk(path, onerror=_refuse_folder):
        names[:] = sorted((n for n in names if n[0] != "."), key=_natural)
        for name in sorted((n for n in files if n[0] not in ".~"), key=_natural):
            found = Path(folder, name)
            if found.is_file():
                yield found


def _refuse_folder(error: OSError) -> None:
    raise ResourceError(
        f"{error.filename} can't be read: {error.strerror}. Check that you can open "
        "the folder."
    ) from error


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return a natural sort key: text 2 before text 10."""
    return [
        (0, int(part), part) if part.isdecimal() else (1, 0, part.casefold())
        for part in _DIGITS.split(name)
        if part
    ]


def describe_skipped_files(
    files: Iterable[PurePath], kept: set[Path] | set[PurePath], why: str
) -> list[str]:
    """Return a sentence that names the skipped files, if any."""
    out = [_readable(path.name) for path in files if path not in kept]
    if not out:
        return []
    named = ", ".join(out[:_N_NAMED])
    more = f" and {len(out) - _N_NAMED:,} more" if len(out) > _N_NAMED else ""
    verb = "is" if len(out) == 1 else "are"
    return [f"{named}{more} {verb} {why}."]


def _readable(name: str) -> str:
    """Return a displayable form of a name that may not be UTF-8."""
    return name.encode("utf-8", "replace").decode("utf-8")


_TABLES = ("tsv", "csv", "xlsx", "jsonl", "parquet")
OpenReading = Callable[[ImportCorpus, int | None], Reading]


def read_file_set(
    found: FoundFiles, params: ImportCorpus, open_one: OpenReading, limit: int | None
) -> Reading:
    """Read files one after another; see `readers.open_reading`.

    Args:
        open_one: opens the reading of a single file.
        limit: bytes to read of all files together, for a preview; None: all.
    """
    return _ManyFiles(found, params, open_one, limit).reading


def name_documents(
    blocks: Iterable[Block], name: str, fields: dict[str, str] | None = None
) -> Iterator[Block]:
    """Name the documents of a file; a document without a name is named after the file.

    Args:
        fields: fields from the file name; None: the file itself is not a document.
    """
    named: dict[SourceDocument, SourceDocument] = {}
    own = SourceDocument(name, tuple((fields or {}).items()))
    for block in blocks:
        if block.documents:
            for mark in dict.fromkeys(block.documents):
                if mark not in named:
                    named[mark] = _name_mark(
                        mark, own, is_one_of_many=fields is not None
                    )
            block = block._replace(documents=[named[mark] for mark in block.documents])
        elif fields is not None:
            block = block._replace(documents=[own] * len(block.lines))
        yield block


def _name_mark(
    mark: SourceDocument, own: SourceDocument, *, is_one_of_many: bool
) -> SourceDocument:
    name = mark.name or own.name
    if mark.name and is_one_of_many:
        name = f"{own.name}: {mark.name}"
    return SourceDocument(
        name, tuple({**dict(own.fields), **dict(mark.fields)}.items())
    )


class _ManyFiles:
    """Reads the files one after another."""

    def __init__(
        self,
        found: FoundFiles,
        params: ImportCorpus,
        open_one: OpenReading,
        limit: int | None,
    ):
        self._found = found
        self._params = params
        self._open_one = open_one
        self._left = limit
        self._is_whole = limit is None
        text = params.fields_pattern
        self._pattern = FileNamePattern(text) if text else None
        self._total = sum(path.stat().st_size for path in found.files)
        self._read = self._size = 0  # bytes of earlier files and this file
        self._has_unsure = False  # a table whose sides are uncertain
        self._encodings: dict[str, None] = {}
        first = self._open(found.files[0], params.languages)
        self._current = first
        self.reading = Reading(
            languages=first.languages,
            blocks=self._blocks(),
            fraction=self._fraction,
            check=lambda: self._current.check(),
            close=lambda: self._current.close(),
            encoding=first.encoding,
            encoding_confidence=first.encoding_confidence,
            notes=list(found.notes),
            columns=first.columns,
            says_languages=first.says_languages,
            documents=[
                SourceDocument(self._name(path), tuple(self._fields(path).items()))
                for path in found.files
            ],
            field_choices=first.field_choices,
            problems=self._misfits(),
        )

    def _open(self, path: Path, languages: tuple[str, ...]) -> Reading:
        """Open a file; TEI uses the language in the file if the params have none."""
        if self._found.kind == "tei":
            languages = self._params.languages
        params = msgspec.structs.replace(
            self._params,
            files=(path,),
            format=self._found.kind,
            languages=languages,
            together=False,
            fields_pattern="",
        )
        return self._open_one(params, self._left)

    def _blocks(self) -> Iterator[Block]:
        total = self.reading
        for path in self._found.files:
            if path != self._found.files[0]:
                if self._left is not None and self._left <= 0:
                    return
                self._current.close()
                self._check_languages(path)
                self._current = self._open(path, total.languages)
            self._take_facts(path)
            name = self._name(path)
            blocks = name_documents(self._current.blocks, name, self._fields(path))
            for block in blocks:
                yield block._replace(source=name)
            if self._is_whole:
                self._current.check()
            self._end(path)

    def _check_languages(self, path: Path) -> None:
        """Check that a table has the languages found in the first file."""
        if self._params.languages or self._found.kind not in _TABLES:
            return
        own = self._open(path, ())
        own.close()
        found, first = own.languages, self.reading.languages
        if len(found) < len(first) and not self._has_unsure:
            self._has_unsure = True
            self.reading.notes.append(
                f"{path.name} is the first file whose texts do not show that its "
                "columns are translations. Its columns were read like those of the "
                "files before it."
            )
        if len(found) == len(first) and all(found) and set(found) != set(first):
            own_names, names = (
                " and ".join(map(language_name, codes)) for codes in (found, first)
            )
            raise UserError(
                f"{path} seems to be in {own_names}, and the files before it in "
                f"{names}. Import it separately, or set the languages of all files."
            )

    def _end(self, path: Path) -> None:
        """Close a file, and keep its problems."""
        notes = self.reading.notes
        notes += [note for note in self._current.notes if note not in notes]
        self.reading.skipped.update(self._current.skipped)
        self._current.close()
        self._read += round(self._current.fraction() * self._size)
        if self._left is not None:
            self._left -= self._size
        self._size = 0

    def _take_facts(self, path: Path) -> None:
        total, own = self.reading, self._current
        self._size = path.stat().st_size
        if len(own.languages) not in (0, len(total.languages)):
            raise UserError(
                f"{path} has {len(own.languages)} languages, and the files before it "
                f"{len(total.languages)}. Import it separately."
            )
        self._encodings[own.encoding] = None
        total.encoding = ", ".join(self._encodings)
        total.encoding_confidence = min(
            total.encoding_confidence, own.encoding_confidence
        )

    def _fraction(self) -> float:
        n_read = self._read + self._current.fraction() * self._size
        return min(1.0, n_read / max(1, self._total))

    def _name(self, path: Path) -> str:
        return relative_name(path, self._found.root).as_posix()

    def _fields(self, path: Path) -> dict[str, str]:
        if self._pattern is None:
            return {}
        return self._pattern.match(relative_name(path, self._found.root)) or {}

    def _misfits(self) -> list[str]:
        """Return the names that do not match the pattern."""
        if self._pattern is None:
            return []
        names = [relative_name(path, self._found.root) for path in self._found.files]
        return [
            f"{name.as_posix()} does not match the pattern of the names, so it has no "
            "fields from its name."
            for name in names
            if self._pattern.match(name) is None
        ]
