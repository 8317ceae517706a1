"""User settings: one struct, stored as JSON, read by both processes."""

import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.errors import UserError


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What the user has chosen for all projects."""

    device: Annotated[
        str,
        Meta(title="Device", description="What computes the vectors"),
    ] = "auto"
    theme: Annotated[
        Literal["system", "light", "dark"],
        Meta(title="Colours", description="Light, dark, or as the system has it"),
    ] = "system"
    text_scale: Annotated[
        int,
        Meta(
            title="Text size",
            description="In %; 100 % is text of 13 pixels",
            ge=75,
            le=250,
        ),
    ] = 100
    user_name: Annotated[
        str, Meta(title="Your name", description="Shown with your judgements")
    ] = ""
    recent_projects: tuple[str, ...] = ()
    window_geometry: str = ""  # as Qt gives it, base64
    shortcuts: dict[str, str] = {}  # keys that the user gave actions, by their name
    class_keys: dict[str, tuple[str, ...]] = {}  # classes by project, as keys give them


def load_settings(file: Path) -> Settings:
    """Read the settings; a missing file gives the defaults.

    Raises:
        UserError: the file is no settings file; the message names the field.
    """
    try:
        return msgspec.json.decode(file.read_bytes(), type=Settings)
    except FileNotFoundError:
        return Settings()
    except msgspec.MsgspecError as error:
        message = f"The settings in {file} can't be read ({error}): delete the file."
        raise UserError(message) from error


def save_settings(settings: Settings, file: Path) -> None:
    """Write the settings under a temporary name, then rename."""
    temporary = file.with_name(f"{file.name}.{os.getpid()}.part")
    with temporary.open("wb") as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(settings)))
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(file)
