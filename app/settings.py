"""User settings: one struct, stored as JSON, read by both processes."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.errors import UserError
from app.paths import write_private


class ProjectFacts(msgspec.Struct, frozen=True):
    """Facts about a project that the start page shows without opening it.

    Attributes:
        languages: language codes, in the order of the corpora.
        n_sentences: number of sentences in all corpora.
        opened_at: time of the last opening, in seconds since 1970.
    """

    languages: tuple[str, ...] = ()
    n_sentences: int = 0
    opened_at: float = 0.0


class GuideSettings(msgspec.Struct, frozen=True):
    """The state of the guided path.

    Attributes:
        persona: role whose steps are shown.
        done: names of completed steps, in any project.
        is_open: whether the list is shown next to the views.
        was_offered: whether a message has offered the path.
    """

    persona: str = "linguist"
    done: tuple[str, ...] = ()
    is_open: bool = False
    was_offered: bool = False


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The user's settings for all projects."""

    device: Annotated[
        str,
        Meta(title="Device", description="What computes the vectors"),
    ] = "auto"
    theme: Annotated[
        Literal["system", "light", "dark"],
        Meta(title="Colours", description="Light, dark, or the same as the system"),
    ] = "system"
    text_scale: Annotated[
        int,
        Meta(
            title="Text size",
            description="In %; at 100\u00a0%, text is 13 pixels high",
            ge=75,
            le=250,
        ),
    ] = 100
    user_name: Annotated[
        str,
        Meta(
            title="Your name",
            description="Shown with your judgements. Each project keeps its own name",
        ),
    ] = ""  # last name entered, for projects without one in `user_names`
    user_names: dict[str, str] = {}  # by project folder
    recent_projects: tuple[str, ...] = ()
    project_facts: dict[str, ProjectFacts] = {}  # of recent projects
    window_geometry: str = ""  # from Qt, in base64
    import_folder: str = ""  # of the last chosen files
    export_folder: str = ""  # of the last exported file
    package_folder: str = ""  # of the last review package
    pair_format: str = ""  # of the last export of pairs
    inspector_width: int = 0  # pixels, set by the user; 0: automatic
    shortcuts: dict[str, str] = {}  # keys set by the user, by action name
    recent_actions: tuple[str, ...] = ()  # chosen in the command palette, newest first
    guide: GuideSettings = GuideSettings()
    class_keys: dict[str, tuple[str, ...]] = {}  # by project, in the order of keys

    def name_in(self, folder: Path) -> str:
        """Return the name of the annotator in a project; empty if there is none."""
        return self.user_names.get(str(folder.resolve())) or self.user_name

    def has_name_in(self, folder: Path) -> bool:
        """Return whether a project has its own annotator name."""
        return bool(self.user_names.get(str(folder.resolve())))

    def with_name_in(self, folder: Path, name: str) -> "Settings":
        """Return settings with a name for a project, also proposed for new ones."""
        names = {**self.user_names, str(folder.resolve()): name}
        return msgspec.structs.replace(self, user_name=name, user_names=names)


def load_settings(file: Path) -> Settings:
    """Read the settings; return the defaults if the file is missing.

    Raises:
        UserError: the file is not a settings file; the message names the field.
    """
    try:
        return msgspec.json.decode(file.read_bytes(), type=Settings)
    except FileNotFoundError:
        return Settings()
    except msgspec.MsgspecError as error:
        message = f"The settings in {file} can't be read ({error}). Delete the file."
        raise UserError(message) from error


def save_settings(settings: Settings, file: Path) -> None:
    """Write the settings; only this account can read them."""
    write_private(file, msgspec.json.format(msgspec.json.encode(settings)))


def merge_settings(base: Settings, mine: Settings, theirs: Settings) -> Settings:
    """Apply the changes of one window to settings changed by another window.

    Args:
        base: settings as last read by this window.
        mine: settings as changed by this window.
        theirs: settings now in the file.

    Returns:
        `theirs` with every field, shortcut and class key that differs between `base`
        and `mine`. A newly opened project comes first in the recent projects.
    """
    changes: dict[str, Any] = {}
    for name in Settings.__struct_fields__:
        old, new, other = (getattr(one, name) for one in (base, mine, theirs))
        if new == old:
            continue
        if isinstance(new, dict):
            kept = {k: v for k, v in other.items() if k in new or k not in old}
            new = kept | {k: v for k, v in new.items() if old.get(k) != v}
        elif name == "recent_projects":
            front = tuple(one for one in new[:1] if old[:1] != new[:1])
            gone = {*front, *old} - ({*new} - {*front})
            new = front + tuple(one for one in other if one not in gone)
        changes[name] = new
    return msgspec.structs.replace(theirs, **changes)
