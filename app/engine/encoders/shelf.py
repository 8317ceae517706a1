"""The encoders of a project: which one is in use, renamed, put away, brought back.

`encoders/` holds a folder each, `choice.json` with the name of the one in use, and
`.trash/` with those that were removed: they come back by undo.
"""

import logging
from pathlib import Path

import msgspec

from app.engine.encoders.configs import CONFIG_FILE
from app.errors import ResourceError, UserError
from app.paths import resource_dir

log = logging.getLogger("store")

FOLDER, CHOICE_FILE, TRASH = "encoders", "choice.json", ".trash"
_FORBIDDEN = '/\\:*?"<>|'


class _Choice(msgspec.Struct, frozen=True):
    encoder: str = ""


def read_choice(project_folder: Path | None) -> str:
    """Give the name of the encoder in use; empty: the bundled one.

    A damaged record counts as none, so that another choice can mend it.
    """
    if project_folder is None:
        return ""
    file = project_folder / FOLDER / CHOICE_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Choice).encoder
    except FileNotFoundError:
        return ""
    except msgspec.MsgspecError as error:
        log.warning("%s is damaged (%s): the bundled encoder is used", file, error)
        return ""


def write_choice(project_folder: Path, name: str) -> None:
    """Take another encoder into use; empty: the bundled one."""
    file = project_folder / FOLDER / CHOICE_FILE
    if not name:
        file.unlink(missing_ok=True)
        return
    part = file.with_name(f"{file.name}.part")
    part.write_bytes(msgspec.json.encode(_Choice(name)))
    part.replace(file)


def rename_encoder(project_folder: Path, old: str, new: str) -> None:
    """Give an encoder of the project another name, in its folder and in what it says.

    Raises:
        UserError: there is none of the old name, or the new one can't be used.
    """
    from app.engine.encoders.folder import read_config, write_config

    source = own_folder(project_folder, old)
    check_new_name(project_folder, new)
    config = msgspec.structs.replace(read_config(source), name=new)
    _move(source, source.with_name(new))
    write_config(source.with_name(new), config)
    if read_choice(project_folder) == old:
        write_choice(project_folder, new)


def remove_encoder(project_folder: Path, name: str) -> str:
    """Put an encoder into the trash; the bundled one is in use if it was.

    Returns:
        Its name in the trash. It depends on nothing but what is in the trash, so that
        a removal that is made again has the same.
    """
    source = own_folder(project_folder, name)
    trash = project_folder / FOLDER / TRASH
    trash.mkdir(exist_ok=True)
    in_trash, number = name, 2
    while (trash / in_trash).exists():
        in_trash, number = f"{name}.{number}", number + 1
    _move(source, trash / in_trash)
    if read_choice(project_folder) == name:
        write_choice(project_folder, "")
    return in_trash


def restore_encoder(
    project_folder: Path, name: str, trash: str, *, is_chosen: bool
) -> None:
    """Bring an encoder back from the trash, and into use if it was.

    Raises:
        UserError: it is gone from the trash, or its name was given to another.
    """
    source = project_folder / FOLDER / TRASH / trash
    if Path(trash).name != trash or not source.is_dir():
        raise UserError(f"The encoder {name!r} is not in the project's trash any more.")
    check_new_name(project_folder, name)
    _move(source, project_folder / FOLDER / name)
    if is_chosen:
        write_choice(project_folder, name)


def own_folder(project_folder: Path, name: str) -> Path:
    """Find the folder of one of the project's own encoders.

    Raises:
        UserError: it is bundled, or there is none of that name.
    """
    folder = project_folder / FOLDER / name
    if Path(name).name == name and (folder / CONFIG_FILE).is_file():
        return folder
    if (resource_dir() / FOLDER / name / CONFIG_FILE).is_file():
        raise UserError(f"{name} comes with Isogloss: it can't be renamed or removed.")
    raise UserError(f"The project has no encoder {name!r} any more.")


def check_new_name(project_folder: Path, name: str) -> None:
    """Check that a name can be given to an encoder of the project.

    Raises:
        UserError: it is taken, or no folder can be called so.
    """
    check_plain_name(name)
    for parent in (resource_dir(), project_folder):
        if (parent / FOLDER / name).exists():
            raise UserError(f"There is an encoder {name!r} already: take another name.")


def check_plain_name(name: str) -> None:
    """Check that a folder can be called so.

    Raises:
        UserError: it can't.
    """
    is_plain = name == name.strip() and name.isprintable() and name[:1] not in ("", ".")
    if not is_plain or any(char in _FORBIDDEN for char in name):
        raise UserError(
            f"An encoder can't be called {name!r}: take letters, digits, spaces, "
            "hyphens or points, with no point in front."
        )


def _move(source: Path, target: Path) -> None:
    try:
        source.rename(target)
    except OSError as error:  # Windows: a file of it is open
        raise ResourceError(
            f"{source} can't be moved ({error.strerror}): close what uses it."
        ) from error
