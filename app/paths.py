"""Locate program resources, user data and settings."""

import os
from pathlib import Path

import platformdirs

from app.errors import UserError


def resource_dir() -> Path:
    """Return the folder of bundled encoders, samples, icons and styles.

    In a checkout it stands beside the package; an installed wheel carries it inside.
    """
    package = Path(__file__).resolve().parent
    inside = package / "resources"
    return inside if inside.is_dir() else package.parent / "resources"


def require_utf8(path: Path) -> None:
    """Check that a path can be written in messages, records and addresses.

    Raises:
        UserError: its name is not UTF-8.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        shown = os.fsencode(path).decode("utf-8", "replace")
        raise UserError(
            f"The name of {shown} is not UTF-8: rename it, then try again."
        ) from error


def user_data_dir() -> Path:
    """Return the folder for the demo project, pictures and logs; made when missing.

    ISOGLOSS_DATA overrides it (tests, portable installations).
    """
    override = os.environ.get("ISOGLOSS_DATA")
    folder = Path(override or platformdirs.user_data_dir("Isogloss", False))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def demo_project_dir() -> Path:
    """Return the folder of the demo project (it may not exist yet)."""
    return user_data_dir() / "demo.isogloss"


def settings_file() -> Path:
    """Return the file that holds the user's settings."""
    return user_data_dir() / "settings.json"
