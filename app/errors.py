"""The three families of error, and the form in which they cross the border."""

import errno
import sqlite3
import traceback
from typing import Literal

import msgspec

ErrorKind = Literal["user", "resource", "bug", "crash", "superseded"]

_SQLITE_MACHINE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}
_SQLITE_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class UserError(Exception):
    """What the user can mend: one sentence with the value, the rule and the place."""


class ResourceError(Exception):
    """What the machine lacks (disk, memory, a file): a sentence and a hint."""


class Cancelled(Exception):  # noqa: N818 - a request that was met, not an error
    """Raised by `Report.step` when the run was asked to stop."""


class ErrorInfo(msgspec.Struct, frozen=True):
    """An error as it crosses the border: kind, sentence, traceback for the log."""

    kind: ErrorKind
    message: str
    traceback: str = ""


def describe_error(error: BaseException) -> ErrorInfo:
    """Describe any exception in one sentence for the user."""
    text = "".join(traceback.format_exception(error))
    if isinstance(error, UserError):
        return ErrorInfo("user", str(error))
    if isinstance(error, ResourceError):
        return ErrorInfo("resource", str(error), text)
    if isinstance(error, FileNotFoundError):
        message = f"The file {error.filename} does not exist (any more)."
        return ErrorInfo("resource", message, text)
    if isinstance(error, PermissionError):
        message = f"Isogloss may not read or write {error.filename}: check its rights."
        return ErrorInfo("resource", message, text)
    if isinstance(error, MemoryError):
        message = "The memory of this machine is full: close programs or take less."
        return ErrorInfo("resource", message, text)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        message = "The disk is full: free some space and run it again."
        return ErrorInfo("resource", message, text)
    if isinstance(error, OSError):  # a name too long, a file for a folder, a bad disk
        place = error.filename or "A file"
        message = f"{place} can't be read or written ({error.strerror or error})."
        return ErrorInfo("resource", message, text)
    cause = getattr(error, "orig", error)  # SQLAlchemy's errors hold SQLite's
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        if code in _SQLITE_MACHINE:
            message = (
                f"The project can't be read or written ({cause}): the disk is probably "
                "full or failing. Free some space and run it again."
            )
            return ErrorInfo("resource", message, text)
        if code in _SQLITE_DAMAGED:
            message = (
                f"The project's database is damaged ({cause}): put the newest file of "
                "its folder backups in the place of project.sqlite."
            )
            return ErrorInfo("user", message, text)
    name = type(error).__name__
    return ErrorInfo("bug", f"Isogloss has a fault ({name}: {error}).", text)
