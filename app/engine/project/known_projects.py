"""The projects that this account has created or verified, by path and file."""

from pathlib import Path

import msgspec

from app.engine.store.connections import DATABASE
from app.paths import user_data_dir, write_private

FILE = "opened-projects.json"
MAX_PROJECTS = 1_000  # the oldest are removed, and verified again


def is_known(folder: Path) -> bool:
    """Return whether this account has opened the project, and it is the same file."""
    return _read().get(str(folder.resolve())) == _identity(folder)


def remember(folder: Path) -> None:
    """Record that a project was created or verified, if the record can be written."""
    known = _read()
    place, identity = str(folder.resolve()), _identity(folder)
    if known.get(place) == identity:
        return
    known.pop(place, None)
    newest = list({**known, place: identity}.items())[-MAX_PROJECTS:]
    try:
        write_private(user_data_dir() / FILE, msgspec.json.encode(dict(newest)))
    except OSError:
        return


def _identity(folder: Path) -> str:
    facts = (folder / DATABASE).stat()
    return f"{facts.st_dev}:{facts.st_ino}"


def _read() -> dict[str, str]:
    try:
        file = user_data_dir() / FILE
        return msgspec.json.decode(file.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.MsgspecError):
        return {}
