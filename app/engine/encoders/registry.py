"""Bundled and project encoders: list, find, load, choose, rename, remove, restore.

`encoders/` contains a folder for each encoder, `choice.json` with the name of the
encoder in use, and `.trash/` with removed encoders, which undo restores.

torch is not imported until an encoder is loaded. A folder contains encoder.json,
weights.safetensors, a vocabulary and the model card README.md; the content of weights
and vocabulary depends on the architecture.
"""

import logging
import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import msgspec

from app.engine.encoders.configs import (
    CONFIG_FILE,
    BilstmConfig,
    BridgeConfig,
    CombinedConfig,
    ContextualConfig,
    EncoderConfig,
    SentenceTransformersConfig,
    StaticConfig,
    TransformerConfig,
    VectorsConfig,
    WordBagConfig,
    architecture_of,
)
from app.engine.encoders.folder import (
    count_parameters,
    fingerprint_of,
    folder_bytes,
    read_config,
)
from app.errors import ResourceError, UserError
from app.paths import resource_dir
from app.protocol.answers.encoders import DamagedEncoder, EncoderInfo, EncoderListing

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

log = logging.getLogger("store")

FOLDER, CHOICE_FILE, TRASH = "encoders", "choice.json", ".trash"
_FORBIDDEN = '/\\:*?"<>|'
_HEADS = re.compile(r"(.+)#(rows|\d{1,2})")  # heads of a translation model


class _Choice(msgspec.Struct, frozen=True):
    encoder: str = ""


def read_choice(project_folder: Path | None) -> str:
    """Return the name of the encoder in use; empty for the bundled encoder.

    A damaged record is ignored, so that a new choice can replace it.
    """
    if project_folder is None:
        return ""
    file = project_folder / FOLDER / CHOICE_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Choice).encoder
    except FileNotFoundError:
        return _KEPT.get(project_folder, "")
    except msgspec.MsgspecError as error:
        log.warning("%s is damaged (%s): the bundled encoder is used", file, error)
        return ""


def write_choice(project_folder: Path, name: str) -> None:
    """Record the encoder in use; empty for the bundled encoder."""
    file = project_folder / FOLDER / CHOICE_FILE
    if not name:
        file.unlink(missing_ok=True)
        return
    part = file.with_name(f"{file.name}.part")
    part.write_bytes(msgspec.json.encode(_Choice(name)))
    part.replace(file)


# Choices of `keep_choice` for read-only projects, for the life of this process.
_KEPT: dict[Path, str] = {}


def keep_choice(
    project_folder: Path, names: Collection[str], *, is_read_only: bool = False
) -> str:
    """Choose the bundled encoder that made a project's vectors.

    A project without a choice uses the default encoder. If a newer Isogloss has another
    default encoder, the project's vectors are from an earlier one, which therefore
    remains in use.

    Args:
        names: encoders that made the project's vectors.
        is_read_only: store the choice for this process only.

    Returns:
        The name of the chosen encoder; empty if nothing was changed.
    """
    earlier = set(names) & set(_bundled_names()) - {DEFAULT_ENCODER}
    if not earlier or DEFAULT_ENCODER in names or read_choice(project_folder):
        return ""
    name = max(earlier)
    if is_read_only:
        _KEPT[project_folder] = name
    else:
        write_choice(project_folder, name)
    return name


def stored_choice(name: str) -> str:
    """Return the name to record for an encoder in use.

    The default encoder is recorded as "", so that a newer default replaces it; but by
    name if the project used an earlier bundled encoder, so that `keep_choice` doesn't
    change it back.
    """
    is_only = _bundled_names() == [DEFAULT_ENCODER]
    return "" if name == DEFAULT_ENCODER and is_only else name


def _bundled_names() -> list[str]:
    parent = resource_dir() / FOLDER
    return sorted(file.parent.name for file in parent.glob(f"*/{CONFIG_FILE}"))


def rename_encoder(project_folder: Path, old: str, new: str) -> None:
    """Rename an encoder of the project: its folder, and the name in its config.

    Raises:
        UserError: the encoder does not exist, or the new name is invalid.
    """
    from app.engine.encoders.folder import read_config, write_config

    source = project_encoder_folder(project_folder, old)
    check_new_name(project_folder, new)
    config = msgspec.structs.replace(read_config(source), name=new)
    _move(source, source.with_name(new))
    write_config(source.with_name(new), config)
    if read_choice(project_folder) == old:
        write_choice(project_folder, new)


def remove_encoder(project_folder: Path, name: str) -> str:
    """Move an encoder to the trash; if it was in use, use the bundled encoder.

    Returns:
        Its name in the trash, which depends only on the content of the trash, so that a
        repeated removal yields the same name.
    """
    source = project_encoder_folder(project_folder, name)
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
    """Restore an encoder from the trash, and use it if it was in use.

    Raises:
        UserError: the encoder is no longer in the trash, or its name is in use.
    """
    source = project_folder / FOLDER / TRASH / trash
    if Path(trash).name != trash or not source.is_dir():
        raise UserError(f"The encoder {name!r} is no longer in the project's trash.")
    check_new_name(project_folder, name)
    _move(source, project_folder / FOLDER / name)
    if is_chosen:
        write_choice(project_folder, name)


def project_encoder_folder(project_folder: Path, name: str) -> Path:
    """Find the folder of one of the project's own encoders.

    Raises:
        UserError: the encoder is bundled or does not exist.
    """
    folder = project_folder / FOLDER / name
    if Path(name).name == name and (folder / CONFIG_FILE).is_file():
        return folder
    if (resource_dir() / FOLDER / name / CONFIG_FILE).is_file():
        raise UserError(f"{name} comes with Isogloss: it can't be renamed or removed.")
    raise UserError(f"The project no longer has an encoder {name!r}.")


def check_new_name(project_folder: Path, name: str) -> None:
    """Check that a name is valid for an encoder of the project.

    Raises:
        UserError: the name is in use, or not valid as a folder name.
    """
    check_plain_name(name)
    for parent in (resource_dir(), project_folder):
        if (parent / FOLDER / name).exists():
            raise UserError(f"An encoder {name!r} already exists. Choose another name.")


def check_plain_name(name: str) -> None:
    """Check that a name is valid as a folder name.

    Raises:
        UserError: the name is not valid.
    """
    is_plain = name == name.strip() and name.isprintable() and name[:1] not in ("", ".")
    if not is_plain or any(char in _FORBIDDEN for char in name):
        raise UserError(
            f"Invalid encoder name {name!r}. Use letters, digits, spaces, "
            "hyphens or dots, without a leading dot."
        )


def _move(source: Path, target: Path) -> None:
    try:
        source.rename(target)
    except OSError as error:  # Windows: a file in it is open
        raise ResourceError(
            f"Can't move {source} ({error.strerror}). Close the programs that use it."
        ) from error


DEFAULT_ENCODER = "isogloss-3"


def list_encoders(project_folder: Path | None = None) -> list[EncoderInfo]:
    """List bundled and project encoders, without damaged encoders."""
    cards = []
    for parent in _parents(project_folder):
        for folder in sorted(parent.glob("*/")):
            if folder.name.startswith(".") or not (folder / CONFIG_FILE).is_file():
                continue
            try:
                cards.append(_card(folder, read_config(folder)))
            except (UserError, OSError):
                continue
    return cards


def load_encoder(
    name: str = "", project_folder: Path | None = None, *, device: str = "cpu"
) -> "Encoder":
    """Load an encoder, or return a loaded one, which is shared: do not modify it.

    Args:
        name: empty for the project's choice (or else the bundled encoder), a bundled
            name, a name in the project's `encoders/`, or a folder. For a translation
            model, the suffix `#3` selects its third head, and `#rows` all heads as one
            vector.
        device: an available torch device (see `app.engine.runtime.devices`).

    Raises:
        UserError: no such encoder, or its folder is damaged.
    """
    folder, rows = find_with_heads(name, project_folder)
    # LSTMs and embedding_bag are not on MPS in every torch
    device = device if device.startswith("cuda") else "cpu"
    key = (folder, rows, device, _changed_at(folder))
    encoder = _LOADED.get(key)
    if encoder is None:
        encoder = _LOADED[key] = _load(folder, rows, device)
    return encoder


# Encoders in use, so that a job and Search share an encoder. The keys include the
# folder's modification time, since its encoder may have been replaced.
_LOADED: WeakValueDictionary[tuple[Path, str, str, int], "Encoder"] = (
    WeakValueDictionary()
)


def _load(folder: Path, rows: str, device: str) -> "Encoder":
    """Load the encoder of a folder."""
    config = read_config(folder)
    if rows and not isinstance(config, BridgeConfig):
        raise UserError(f"{config.name} is not a translation model: it has no heads.")
    match config:
        case StaticConfig():
            from app.engine.encoders.static import encoder as static

            return static.load(folder, config, device=device)
        case BilstmConfig() | TransformerConfig() | ContextualConfig():
            from app.engine.encoders import weights

            return weights.load(folder, config, device=device)
        case BridgeConfig():
            from app.engine.encoders.bridge import encoder as bridge

            return bridge.load(folder, config, rows=rows or "mean", device=device)
        case SentenceTransformersConfig():
            from app.engine.encoders.imported import sentence_transformers

            return sentence_transformers.load(folder, config, device=device)
        case WordBagConfig():
            from app.engine.encoders import word_bag

            return word_bag.load(folder, config)
        case CombinedConfig():
            from app.engine.encoders.combined import encoder as combined

            parts = [
                load_encoder(str(part), device=device)
                for part in combined.part_folders(folder, config)
            ]
            return combined.combine(folder, config, parts)
        case VectorsConfig():
            from app.engine.encoders.imported import vectors

            return vectors.load(folder, config)


def find_encoder(name: str, project_folder: Path | None = None) -> Path:
    """Return the folder of an encoder; without a name, of the encoder in use.

    Raises:
        UserError: the encoder does not exist; the message lists existing encoders.
    """
    return find_with_heads(name, project_folder)[0]


def trained_languages(name: str, project_folder: Path | None = None) -> tuple[str, ...]:
    """Return the languages that an encoder was trained on; empty: not known."""
    try:
        return read_config(find_encoder(name, project_folder)).languages
    except UserError:
        return ()


def find_with_heads(name: str, project_folder: Path | None) -> tuple[Path, str]:
    """Return the folder of an encoder, and the heads that its name selects.

    Raises:
        UserError: see `find_encoder`.
    """
    wanted = name or read_choice(project_folder) or DEFAULT_ENCODER
    heads = _HEADS.fullmatch(wanted)
    for plain, rows in ((wanted, ""), *([heads.groups()] if heads else [])):
        for parent in _parents(project_folder):
            if Path(plain).name == plain and (parent / plain / CONFIG_FILE).is_file():
                return parent / plain, rows
        if name and (Path(plain) / CONFIG_FILE).is_file():
            return Path(plain), rows
    known = ", ".join(card.name for card in list_encoders(project_folder)) or "none"
    raise UserError(f"Unknown encoder {wanted!r}. Available: {known}.")


def _parents(project_folder: Path | None) -> list[Path]:
    """Return the folders that contain encoders."""
    parents = [resource_dir() / "encoders"]
    if project_folder is not None:
        parents.append(project_folder / "encoders")
    return [parent for parent in parents if parent.is_dir()]


def _card(folder: Path, config: EncoderConfig) -> EncoderInfo:
    """Describe one encoder."""
    return EncoderInfo(
        name=folder.name,
        folder=str(folder),
        dim=config.dim,
        size_bytes=folder_bytes(folder),
        description=config.description,
        architecture=architecture_of(config),
        bundled=folder.parent == resource_dir() / "encoders",
        languages=config.languages,
        licence=config.licence,
        origin=config.origin,
        source_sha256=config.source_sha256,
        sentences_per_s=config.sentences_per_s,
        n_parameters=count_parameters(folder),
        base_fingerprint=getattr(config, "base_fingerprint", ""),
    )


def describe_encoders(project_folder: Path) -> EncoderListing:
    """List the encoders of a project with their fingerprints, and damaged ones."""
    return EncoderListing(
        encoders=tuple(map(_with_fingerprint, list_encoders(project_folder))),
        chosen=read_choice(project_folder) or find_encoder("").name,
        damaged=tuple(_list_damaged(project_folder)),
        n_removed=len(list((project_folder / FOLDER / TRASH).glob("*/"))),
    )


def _with_fingerprint(card: EncoderInfo) -> EncoderInfo:
    folder = Path(card.folder)
    fingerprint = _fingerprint(folder, card.size_bytes, _changed_at(folder))
    return msgspec.structs.replace(card, fingerprint=fingerprint)


def _changed_at(folder: Path) -> int:
    """Return the modification time of a folder and its files, in ns since 1970."""
    return max(file.stat().st_mtime_ns for file in (folder, *folder.iterdir()))


def _list_damaged(project_folder: Path) -> list[DamagedEncoder]:
    """List the project's unreadable encoders, with reasons."""
    damaged = []
    for folder in sorted((project_folder / FOLDER).glob("*/")):
        if folder.name.startswith(".") or not (folder / CONFIG_FILE).is_file():
            continue
        try:
            read_config(folder)
        except UserError as error:
            damaged.append(DamagedEncoder(folder.name, str(error)))
    return damaged


@lru_cache(maxsize=64)
def _fingerprint(folder: Path, _size_bytes: int, _stamp: int) -> str:
    """Hash a folder; cached by size and modification time."""
    return fingerprint_of(folder)
