"""User settings: one struct, stored as JSON, read by both processes."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.errors import UserError
from app.paths import write_private


class ProjectFacts(msgspec.Struct, frozen=True):
    """What the first page shows of a project without opening it.

    Attributes:
        languages: codes, in the order of the corpora.
        n_sentences: of all corpora.
        opened_at: when it was last opened, in seconds since 1970.
    """

    languages: tuple[str, ...] = ()
    n_sentences: int = 0
    opened_at: float = 0.0


class GuideSettings(msgspec.Struct, frozen=True):
    """What is remembered of the guided path.

    Attributes:
        persona: whose steps are shown.
        done: names of the steps that were done, in any project.
        is_open: the list is shown beside the views.
        was_offered: a message has offered it.
    """

    persona: str = "linguist"
    done: tuple[str, ...] = ()
    is_open: bool = False
    was_offered: bool = False


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What the user has chosen for all projects."""

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
    ] = ""  # of projects that have none in `user_names`: the name entered last
    user_names: dict[str, str] = {}  # by the folder of a project
    recent_projects: tuple[str, ...] = ()
    project_facts: dict[str, ProjectFacts] = {}  # of the recent projects
    window_geometry: str = ""  # as Qt gives it, base64
    import_folder: str = ""  # of the files that were chosen last
    export_folder: str = ""  # of the file that was written last
    package_folder: str = ""  # of the review package that was written or read last
    pair_format: str = ""  # of the pairs that were exported last
    inspector_width: int = 0  # in pixels, as the user dragged it; 0: automatic
    shortcuts: dict[str, str] = {}  # keys that the user gave actions, by their name
    recent_actions: tuple[str, ...] = ()  # chosen in the command palette, newest first
    guide: GuideSettings = GuideSettings()
    class_keys: dict[str, tuple[str, ...]] = {}  # classes by project, as keys give them

    def name_in(self, folder: Path) -> str:
        """Return the name of the annotator in a project; empty: there is none."""
        return self.user_names.get(str(folder.resolve())) or self.user_name

    def has_name_in(self, folder: Path) -> bool:
        """Return whether a project has its own name of the annotator."""
        return bool(self.user_names.get(str(folder.resolve())))

    def with_name_in(self, folder: Path, name: str) -> "Settings":
        """Return settings with a name for a project, which new projects propose."""
        names = {**self.user_names, str(folder.resolve()): name}
        return msgspec.structs.replace(self, user_name=name, user_names=names)


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
        message = f"The settings in {file} can't be read ({error}). Delete the file."
        raise UserError(message) from error


def save_settings(settings: Settings, file: Path) -> None:
    """Write the settings; only this account can read them."""
    write_private(file, msgspec.json.format(msgspec.json.encode(settings)))


def merge_settings(base: Settings, mine: Settings, theirs: Settings) -> Settings:
    """Apply the changes of one window to settings that another one has changed.

    Args:
        base: as this window knew them.
        mine: as this window changed them.
        theirs: as they are in the file now.

    Returns:
        `theirs` with every field, shortcut and class key that differs between `base`
        and `mine`. A newly opened project comes first in the recent ones.
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
