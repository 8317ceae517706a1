"""Find the files of a corpus: a folder of them, or several that were named."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path, PurePath
from typing import NamedTuple

from app.engine.text.opening import check_file, strip_compression
from app.engine.text.readers.block import Format
from app.errors import ResourceError, UserError
from app.params import ImportCorpus

MAX_FILES = 100_000
_N_NAMED = 5  # files that a sentence names
_DIGITS = re.compile(r"(\d+)")


class FoundFiles(NamedTuple):
    """The files of a corpus.

    Attributes:
        root: folder that their names begin in.
        files: in natural order (2 before 10), those of one folder together.
        kind: the format of all of them.
        notes: sentences on what was left out.
    """

    root: Path
    files: tuple[Path, ...]
    kind: Format
    notes: tuple[str, ...]


def is_many(params: ImportCorpus) -> bool:
    """Tell whether each file of an import is a document of one corpus."""
    return (
        params.together
        or any(path.is_dir() for path in params.files)
        or bool(params.fields_pattern and len(params.files) == 1)
    )


def corpus_root(params: ImportCorpus) -> Path:
    """Give the folder, or the only file, that names the corpus of many files."""
    if len(params.files) == 1:
        return params.files[0]
    return Path(os.path.commonpath([path.parent for path in params.files]))


def find_files(
    params: ImportCorpus, name_format: Callable[[Path], Format]
) -> FoundFiles:
    """Find the files of an import: those of the commonest kind, or of the one chosen.

    Raises:
        UserError: there is none, they are too many, or they are of several kinds.
        ResourceError: a file is missing.
    """
    if params.format == "moses":
        raise UserError(
            "The sides of a Moses text are no documents: import them as two files."
        )
    root = corpus_root(params)
    listed = list(chain.from_iterable(map(_list_files, params.files)))
    if len(listed) > MAX_FILES:
        raise UserError(
            f"{root} has more than {MAX_FILES:,} files: import it folder by folder."
        )
    files = [path for path in listed if path.stat().st_size]
    notes = tell_left(listed, set(files), "empty (0 bytes) and left out")
    kinds = {path: name_format(path) for path in files}
    counts = Counter(kinds.values())
    chosen = params.format
    kind: Format = (
        counts.most_common(1)[0][0] if chosen == "auto" and counts else "text"
    )
    if chosen != "auto":
        kind = chosen
    kept = [path for path in files if kinds[path] == kind]
    if not kept and chosen != "auto":
        kept = files  # their names say something else than the user
    if not kept:
        raise UserError(f"{root} has no file that could be imported.")
    notes += tell_left(files, set(kept), f"no {kind}, as most are, and left out")
    start = root if root.is_dir() else root.parent
    return FoundFiles(start, tuple(kept), kind, tuple(notes))


def relative_name(path: Path, root: Path) -> PurePath:
    """Name a file from its root on, without its endings."""
    return strip_compression(path).relative_to(root).with_suffix("")


def _list_files(path: Path) -> Iterator[Path]:
    """List the files in a folder and those within, hidden ones left out."""
    if not path.is_dir():
        check_file(path)
        yield path
    else:
        yield from list_folder(path)


def list_folder(path: Path) -> Iterator[Path]:
    """List the files in a folder and those within, in natural order.

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
        f"{error.filename} can't be read: {error.strerror}. Check that you may open "
        "the folder."
    ) from error


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Order names as people do: text 2 before text 10."""
    return [
        (0, int(part), part) if part.isdecimal() else (1, 0, part.casefold())
        for part in _DIGITS.split(name)
        if part
    ]


def tell_left(
    files: Iterable[PurePath], kept: set[Path] | set[PurePath], why: str
) -> list[str]:
    """Say which files are not among those that are kept, in one sentence or none."""
    out = [_readable(path.name) for path in files if path not in kept]
    if not out:
        return []
    named = ", ".join(out[:_N_NAMED])
    more = f" and {len(out) - _N_NAMED:,} more" if len(out) > _N_NAMED else ""
    verb = "is" if len(out) == 1 else "are"
    return [f"{named}{more} {verb} {why}."]


def _readable(name: str) -> str:
    """Give a name as it can be told where it is not UTF-8."""
    return name.encode("utf-8", "replace").decode("utf-8")


__all__ = [
    "FoundFiles",
    "corpus_root",
    "find_files",
    "is_many",
    "list_folder",
    "relative_name",
    "tell_left",
]
