"""Rename the folder of a closed project."""

import os
from pathlib import Path

from app.engine.project.known_projects import is_known, remember
from app.engine.project.lock import ProjectLock
from app.engine.store.connections import DATABASE
from app.errors import UserError
from app.paths import require_utf8


def rename_project(folder: Path, target: Path) -> None:
    """Rename a project's folder, while nobody has the project open for writing.

    Raises:
        UserError: the new name is taken, the project is in use, or the system
            refuses. The project then keeps its name.
    """
    require_utf8(target)
    if not (folder / DATABASE).is_file():
        raise UserError(f"{folder} is not an Isogloss project. Choose another folder.")
    # A file system that ignores case finds the project itself.
    if target.exists() and not target.samefile(folder):
        raise UserError(f"{target} already exists. Choose another name.")
    was_known = is_known(folder)
    try:
        lock = ProjectLock(folder, "a rename")
        try:
            if os.name == "nt":  # a folder with an open file can't be renamed there
                lock.release()
            folder.rename(target)
        finally:
            lock.release()
    except OSError as error:
        raise UserError(
            f"The project {folder} can't be renamed ({error.strerror}). Close the "
            "programs that use its files, and try again."
        ) from error
    if was_known:
        remember(target)  # the same files need no verification
