"""The three families of error, and the form in which they cross the border."""

import traceback
from typing import Literal

import msgspec

ErrorKind = Literal["user", "resource", "bug", "crash", "superseded"]


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
    if isinstance(error, OSError) and error.errno == 28:  # ENOSPC
        message = "The disk is full: free some space and run it again."
        return ErrorInfo("resource", message, text)
    name = type(error).__name__
    return ErrorInfo("bug", f"Isogloss has a fault ({name}: {error}).", text)
