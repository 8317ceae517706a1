"""The word vectors and maps of a project: one folder each, named by the user."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from app.engine.encoders.registry import check_plain_name
from app.engine.runtime.report import Report
from app.engine.store.words.indexes import MAP_FILE, MAPS, TABLE_FILE, TABLES
from app.engine.wordvectors.reader import read_vector_file
from app.engine.wordvectors.table import WordVectors, load_table
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.project.project import Project

PART = ".part-"  # before the name of a folder that is being written


def find_map_folder(project: "Project | None", map_: Path) -> Path:
    """Find the folder of a map: a path, or the name of a map of the project."""
    if project is not None and map_.name == str(map_):
        folder = project.folder / MAPS / map_
        if (folder / MAP_FILE).is_file():
            return folder
    return map_


def open_table(
    project: "Project | None", file: Path, report: Report, *, max_words: int
) -> tuple[WordVectors, tuple[str, ...]]:
    """Open word vectors: those of the project by name, or a file.

    Returns:
        The most frequent words, and sentences about what was left out.

    Raises:
        UserError: the file contains no word vectors.
        ResourceError: there are no word vectors of that name, and no file.
    """
    if project is not None and file.name == str(file) and not file.exists():
        folder = project.folder / TABLES / file
        if (folder / TABLE_FILE).is_file():
            return load_table(folder).first(max_words), ()
    if (file / TABLE_FILE).is_file():
        return load_table(file).first(max_words), ()
    return read_vector_file(file, report, max_words=max_words)


def check_new_name(project: "Project | None", kind: str, name: str) -> None:
    """Check the name of new word vectors or a new map before the work.

    Raises:
        UserError: there is no project, the name can't name a folder, or is in use.
    """
    if project is None:
        raise UserError("--name saves in a project. Name the project with --project.")
    if project.is_read_only:
        raise UserError(f"{project.folder.name} is open for reading only.")
    check_plain_name(name)
    if (project.folder / kind / name).exists():
        raise UserError(f"{name} is in use in this project. Choose another name.")


@contextmanager
def new_folder(project: "Project", kind: str, name: str) -> Iterator[Path]:
    """Write a new folder under a temporary name; nothing stays after an error."""
    parent = project.folder / kind
    part = parent / f"{PART}{name}"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        yield part
        part.rename(parent / name)
    finally:
        shutil.rmtree(part, ignore_errors=True)
