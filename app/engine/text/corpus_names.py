"""What imported corpora are called."""

from pathlib import Path

from app.engine.text.normalise import clean_text
from app.engine.text.opening import strip_compression
from app.engine.text.readers.found_files import corpus_root, is_many
from app.errors import UserError
from app.params import ImportCorpus

MAX_NAME = 200  # characters


def source_of(params: ImportCorpus, side: int) -> Path:
    """Give the file of a side, or the folder of many files."""
    if is_many(params):
        return corpus_root(params)
    return params.files[side] if len(params.files) > 1 else params.files[0]


def default_name(path: Path, code: str, params: ImportCorpus) -> str:
    """Name a corpus as its file or folder; the sides of one file by their language.

    A file that is called by digits keeps its ending: digits alone name an id.
    """
    if path.is_dir():
        stem = path.resolve().name
    elif len(params.files) > 1:
        return strip_compression(path).name
    else:
        plain = strip_compression(path)
        stem = plain.name if plain.stem.isdigit() and plain.suffix else plain.stem
    return f"{stem}.{code}" if code else stem


def check_name(given: str, taken: set[str]) -> str:
    """Clean and check the name that the user gave.

    Raises:
        UserError: it is empty, too long, or that of another corpus.
    """
    name = clean_text(given)[0]
    if not 0 < len(name) <= MAX_NAME:
        raise UserError(
            f"The name of a corpus has {len(name):,} characters: give it 1 to "
            f"{MAX_NAME}."
        )
    if name in taken:
        raise UserError(
            f"There is a corpus called {name!r} already, perhaps deleted or half "
            "imported: choose a new name."
        )
    return name


def free_name(name: str, taken: set[str]) -> str:
    """Give a name that no corpus has: with a number where it is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free


__all__ = ["check_name", "default_name", "free_name", "source_of"]
