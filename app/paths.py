"""Locate program resources, user data and settings."""

import os
from pathlib import Path

import platformdirs

from app.errors import UserError

COMPRESSION_SUFFIXES = (".gz", ".xz", ".zst")


def resource_dir() -> Path:
    """Return the folder of bundled encoders, samples, icons and styles.

    In a checkout it is next to the package; an installed wheel contains it.
    """
    return _find_bundled("resources")


def documentation_dir() -> Path:
    """Return the folder of the documentation, installed like the resources."""
    return _find_bundled("docs")


def _find_bundled(name: str) -> Path:
    package = Path(__file__).resolve().parent
    inside = package / name
    return inside if inside.is_dir() else package.parent / name


def find_free_path(path: Path) -> Path:
    """Return a path, or if it exists, the first unused path with a number."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem} {number}{path.suffix}")
    return free


def strip_compression(path: Path) -> Path:
    """Return a path without .gz, .xz or .zst."""
    return path.with_suffix("") if path.suffix in COMPRESSION_SUFFIXES else path


def require_utf8(path: Path) -> None:
    """Check that a path can be written in messages, records and addresses.

    Raises:
        UserError: the name is not UTF-8.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        shown = os.fsencode(path).decode("utf-8", "replace")
        raise UserError(
            f"The name of {shown} is not UTF-8. Rename it, and try again."
        ) from error


def user_data_dir() -> Path:
    """Return the folder for the demo project, pictures and logs; create it if missing.

    ISOGLOSS_DATA overrides it (tests, portable installations).
    """
    override = os.environ.get("ISOGLOSS_DATA")
    folder = Path(override or platformdirs.user_data_dir("Isogloss", False))
    make_private_folder(folder)
    return folder


def make_private_folder(folder: Path) -> None:
    """Create a folder that only this account can open, if it does not exist."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def private_opener(file: str, flags: int) -> int:
    """Open a file for `open(…, opener=…)`; a new file is private to this account.

    Links are not followed.
    """
    return os.open(file, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


def make_private_file(file: Path) -> None:
    """Create an empty file that only this account can read, to be written later.

    Raises:
        FileExistsError: the file already exists.
    """
    os.close(private_opener(str(file), os.O_CREAT | os.O_EXCL | os.O_WRONLY))


def write_private(file: Path, data: bytes) -> None:
    """Write a file that only this account can read: temporary name, flush, rename."""
    temporary = file.with_name(f"{file.name}.{os.getpid()}.part")
    temporary.unlink(missing_ok=True)
    with open(temporary, "xb", opener=private_opener) as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(file)


def demo_project_dir() -> Path:
    """Return the folder of the demo project (it may not exist yet)."""
    return user_data_dir() / "demo.isogloss"


def settings_file() -> Path:
    """Return the file of the user's settings."""
    return user_data_dir() / "settings.json"
