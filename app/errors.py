"""The three kinds of errors, and their transfer between processes."""

import errno
import sqlite3
import traceback
from typing import Literal

import msgspec

ErrorKind = Literal["user", "unsafe", "resource", "bug", "crash", "superseded"]

MAX_MESSAGE, MAX_TRACEBACK = 2_000, 20_000  # characters; both must fit in one message

_FULL = "can't be read or written, probably because the disk is full; free some space"
_DAMAGED = (
    "is damaged: replace it with the newest file in the project's folder “backups”"
)
_DATABASE_ERRORS: dict[int, tuple[ErrorKind, str]] = {
    sqlite3.SQLITE_FULL: ("resource", _FULL),
    sqlite3.SQLITE_IOERR: ("resource", _FULL),
    sqlite3.SQLITE_READONLY: ("resource", _FULL),
    sqlite3.SQLITE_BUSY: ("resource", "is in use by another program: try again"),
    sqlite3.SQLITE_CANTOPEN: ("resource", "is missing: its folder or drive was moved"),
    sqlite3.SQLITE_CORRUPT: ("user", _DAMAGED),
    sqlite3.SQLITE_NOTADB: ("user", _DAMAGED),
}


class UserError(Exception):
    """An error that the user can fix: a sentence with the value, rule and place."""


class ResourceError(Exception):
    """A missing resource (disk space, memory, a file): a sentence and a hint."""


class UnsafeProjectError(UserError):
    """A project folder has unexpected content, so it is not opened or changed."""


class DamagedDataError(UserError, ResourceError):
    """A file of a project is damaged, but can be computed again."""


class Cancelled(Exception):  # noqa: N818 - a granted request, not an error
    """Raised by `Report.step` when the run was asked to stop."""


class Paused(Exception):  # noqa: N818 - a granted request, not an error
    """Raised by a task that was asked to pause, after its state is saved."""


class ErrorInfo(msgspec.Struct, frozen=True):
    """An error in a message: kind, sentence, and traceback for the log."""

    kind: ErrorKind
    message: str
    traceback: str = ""


def describe_error(error: BaseException) -> ErrorInfo:
    """Describe any exception in one sentence for the user; limit the text lengths."""
    kind, message = _classify(error)
    is_clear = kind in ("user", "unsafe")
    text = "" if is_clear else "".join(traceback.format_exception(error))
    if len(message) > MAX_MESSAGE:
        message = f"{message[: MAX_MESSAGE // 2]} … {message[-MAX_MESSAGE // 2 :]}"
    return ErrorInfo(kind, message, text[-MAX_TRACEBACK:])


def _classify(error: BaseException) -> tuple[ErrorKind, str]:
    if isinstance(error, UnsafeProjectError):
        return "unsafe", str(error)
    if isinstance(error, UserError):
        return "user", str(error)
    if isinstance(error, ResourceError):
        return "resource", str(error)
    if isinstance(error, MemoryError):
        message = (
            "The memory of this machine is full. Close other programs, or use less "
            "data."
        )
        return "resource", message
    if isinstance(error, OSError):
        return "resource", _file_sentence(error)
    cause = getattr(error, "orig", error)  # SQLAlchemy's errors contain SQLite's
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        if code in _DATABASE_ERRORS:
            kind, words = _DATABASE_ERRORS[code]
            return kind, f"The project's database {words} (SQLite says: {cause})."
        if "Could not decode to UTF-8" in str(cause):
            return "user", f"The project's database {_DAMAGED}."
    return "bug", f"Internal error in Isogloss ({type(error).__name__}: {error})."


def _file_sentence(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return (
            f"The file {error.filename} does not exist. It may have been moved or "
            "deleted."
        )
    if isinstance(error, PermissionError):
        return (
            f"Isogloss is not allowed to read or write {error.filename}. Check its "
            "permissions."
        )
    if error.errno == errno.ENOSPC:
        return "The disk is full. Free some space, and try again."
    # a name that is too long, a file instead of a folder, a failing disk
    place = error.filename or "A file"
    return f"{place} can't be read or written ({error.strerror or error})."
