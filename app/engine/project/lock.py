"""One writer per project: a lock of the operating system that a crash releases."""

import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import IO

from app.errors import UserError
from app.paths import private_opener

LOCK = "lock"
MAX_CHARACTERS = 10_000  # of the lock file to read
# Windows locks bytes, and a locked byte cannot be read: lock one far after the text.
_LOCKED_BYTE = 2**20


class ProjectLock:
    """Holds the lock of a project folder until it is released or the process ends."""

    def __init__(self, folder: Path, holder: str):
        """Take the lock.

        Args:
            holder: description of the holder ("the window", "encode").

        Raises:
            UserError: another process holds it; the message names the holder.
        """
        file = folder / LOCK
        self._file: IO[str] = open(  # noqa: SIM115 - `release` closes it
            file, "a+", encoding="utf-8", newline="\n", opener=private_opener
        )
        try:
            _lock(self._file)
        except OSError as error:
            self._file.close()
            raise UserError(
                f"The project {folder} is in use by {describe_holder(folder)}. Close "
                "it there, or wait until that program is done."
            ) from error
        self._file.truncate(0)
        facts = {
            "holder": holder,
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        }
        self._file.write(json.dumps(facts))
        self._file.flush()

    def release(self) -> None:
        """Release the lock."""
        if not self._file.closed:
            self._file.truncate(0)
            self._file.close()

    def __enter__(self) -> "ProjectLock":
        """Hold it for a block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release the lock at the end of the block."""
        self.release()


def describe_holder(folder: Path) -> str:
    """Return in words who holds a project's lock."""
    try:
        with open(folder / LOCK, encoding="utf-8", opener=private_opener) as stream:
            facts = json.loads(stream.read(MAX_CHARACTERS))
        return (
            f"{facts['holder']} (process {facts['pid']} on {facts['host']}, "
            f"since {facts['since']})"
        )
    except (OSError, ValueError, LookupError, TypeError):
        return "another program"


if sys.platform == "win32":
    import msvcrt

    def _lock(stream: IO[str]) -> None:
        stream.seek(_LOCKED_BYTE)
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        stream.seek(0)
else:
    import fcntl

    def _lock(stream: IO[str]) -> None:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
