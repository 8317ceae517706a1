"""Read many files of one kind as one source: each of them is a document."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from app.engine.text.documents import Mark
from app.engine.text.name_pattern import NamePattern
from app.engine.text.readers.block import Block, Reading
from app.engine.text.readers.found_files import (
    FoundFiles,
    relative_name,
)
from app.errors import UserError
from app.languages import language_name
from app.params import ImportCorpus

_TABLES = ("tsv", "csv", "xlsx", "jsonl", "parquet")
OpenReading = Callable[[ImportCorpus, int | None], Reading]


def read_many(
    found: FoundFiles, params: ImportCorpus, open_one: OpenReading, limit: int | None
) -> Reading:
    """Read files one after the other; see `readers.open_reading`.

    Args:
        found: the files.
        params: of the import.
        open_one: opens the reading of a single file.
        limit: bytes to read of all files together, for a preview; None: all.
    """
    return _ManyFiles(found, params, open_one, limit).reading


def name_documents(
    blocks: Iterable[Block], name: str, fields: dict[str, str] | None = None
) -> Iterator[Block]:
    """Name the documents of a file: the nameless are the file itself.

    Args:
        blocks: of the file.
        name: of the file.
        fields: of each document in it; None: the file alone is no document.
    """
    named: dict[Mark, Mark] = {}
    own = Mark(name, tuple((fields or {}).items()))
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


def _name_mark(mark: Mark, own: Mark, *, is_one_of_many: bool) -> Mark:
    name = mark.name or own.name
    if mark.name and is_one_of_many:
        name = f"{own.name}: {mark.name}"
    return Mark(name, tuple({**dict(own.fields), **dict(mark.fields)}.items()))


class _ManyFiles:
    """Opens one file after the other."""

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
        self._pattern = NamePattern(text) if text else None
        self._total = sum(path.stat().st_size for path in found.files)
        self._read = self._size = 0  # bytes of the files before, and of this one
        self._has_unsure = False  # a table whose texts do not tell its sides
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
                Mark(self._name(path), tuple(self._fields(path).items()))
                for path in found.files
            ],
            field_choices=first.field_choices,
            problems=self._misfits(),
        )

    def _open(self, path: Path, languages: tuple[str, ...]) -> Reading:
        """Open a file by itself; its own language counts in TEI where none is given."""
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
        """Refuse a table in other languages than those found in the first file."""
        if self._params.languages or self._found.kind not in _TABLES:
            return
        own = self._open(path, ())
        own.close()
        found, first = own.languages, self.reading.languages
        if len(found) < len(first) and not self._has_unsure:
            self._has_unsure = True
            self.reading.notes.append(
                f"{path.name} is the first file whose texts do not tell that its "
                "columns are translations: they were taken as those of the files "
                "before it."
            )
        if len(found) == len(first) and all(found) and set(found) != set(first):
            own_names, names = (
                " and ".join(map(language_name, codes)) for codes in (found, first)
            )
            raise UserError(
                f"{path} seems to be in {own_names}, and the files before it in "
                f"{names}: import it by itself, or say the languages of all."
            )

    def _end(self, path: Path) -> None:
        """Close a file; what it told while it was read is kept."""
        notes = self.reading.notes
        notes += [note for note in self._current.notes if note not in notes]
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
                f"{len(total.languages)}: import it by itself."
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
        """Tell which names do not match the pattern."""
        if self._pattern is None:
            return []
        names = [relative_name(path, self._found.root) for path in self._found.files]
        return [
            f"{name.as_posix()} is not called as {self._params.fields_pattern}, so it "
            "has no fields from its name."
            for name in names
            if self._pattern.match(name) is None
        ]


__all__ = ["name_documents", "read_many"]
