"""Check a project folder before it is opened, since it may be from someone else."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from app.engine.store.connections import DATABASE
from app.errors import UnsafeProjectError

# The last bytes of a rollback journal that names a super-journal, a file that SQLite
# deletes after a crash (https://www.sqlite.org/fileformat.html#the_rollback_journal).
_SUPER_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")


def check_files(folder: Path) -> None:
    """Check that a project folder contains only files and folders of its own.

    Raises:
        UnsafeProjectError: a link, a device or a pipe is in it, or its journal names a
            file outside.
    """
    for entry in _entries(folder):
        try:
            facts = entry.stat(follow_symlinks=False)
        except FileNotFoundError:  # just removed by another process
            continue
        is_plain = stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode)
        if entry.is_symlink() or not is_plain or _is_junction(facts):
            kind = "a link" if is_plain or entry.is_symlink() else "a special file"
            raise UnsafeProjectError(
                f"{entry.path} is {kind}, and a project contains only files and "
                "folders. The project was not opened."
            )
    journal = folder / f"{DATABASE}-journal"
    if has_super_journal(journal):
        raise UnsafeProjectError(
            f"The journal {journal} names a file outside the project. The project was "
            "not opened."
        )


def has_super_journal(journal: Path) -> bool:
    """Return whether a rollback journal names another file, which Isogloss never does.

    (SQLite deletes that file when it rolls back.)
    """
    if not journal.is_file():
        return False
    with journal.open("rb") as stream:
        stream.seek(max(0, journal.stat().st_size - len(_SUPER_JOURNAL_MAGIC)))
        return stream.read() == _SUPER_JOURNAL_MAGIC


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield every entry below a folder, without following links."""
    waiting = [str(folder)]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except FileNotFoundError:
            continue
        for entry in entries:
            yield entry  # the caller stops at the first link
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)


def _is_junction(facts: os.stat_result) -> bool:
    """Return whether an entry is a junction or another reparse point of Windows."""
    attributes = getattr(facts, "st_file_attributes", 0)
    return bool(attributes & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0))
