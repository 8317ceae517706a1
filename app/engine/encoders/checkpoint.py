"""Encoders on disk: list, find, load and save their folders.

No torch until one is loaded. A folder holds encoder.json, weights.safetensors, a
vocabulary and the model card README.md; which weights and which vocabulary is a matter
of the architecture.
"""

import hashlib
import json
import math
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from app.engine.encoders.configs import (
    CONFIG_FILE,
    FORMAT,
    BilstmConfig,
    EncoderConfig,
    SentenceTransformersConfig,
    StaticConfig,
    TransformerConfig,
    VectorsConfig,
    architecture_of,
)
from app.engine.encoders.shelf import read_choice
from app.errors import UserError
from app.paths import resource_dir

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

DEFAULT_ENCODER = "isogloss-2"
WEIGHTS_FILE = "weights.safetensors"
CARD_FILE = "README.md"
LICENCE_FILE = "LICENCE.txt"
UNHASHED = (CONFIG_FILE, CARD_FILE, LICENCE_FILE)  # they make no vector
BLOCK_BYTES = 1 << 20


class _Format(msgspec.Struct):
    """The one field that programs of every age can read."""

    format: int = FORMAT


class EncoderCard(msgspec.Struct, frozen=True):
    """One encoder of the list that the user chooses from.

    Attributes:
        name: what `load_encoder` takes.
        folder: where it stands.
        dim: dimensions of its vectors.
        size_bytes: of all its files.
        description: one sentence.
        architecture: static, bilstm, transformer, sentence-transformers or vectors.
        bundled: it comes with the program.
        languages: codes of those it was made for; empty: not known.
        licence: of the weights; empty: not known.
        origin: where it came from; empty: trained with Isogloss.
        source_sha256: of what it was made of, in hex; empty: trained with Isogloss.
        sentences_per_s: measured on this machine; 0: not measured.
        n_parameters: weights that it holds.
    """

    name: str
    folder: str
    dim: int
    size_bytes: int
    description: str
    architecture: str
    bundled: bool
    languages: tuple[str, ...] = ()
    licence: str = ""
    origin: str = ""
    source_sha256: str = ""
    sentences_per_s: float = 0.0
    n_parameters: int = 0


def list_encoders(project_folder: Path | None = None) -> list[EncoderCard]:
    """List the bundled encoders and those of a project; damaged ones are left out."""
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
    """Load an encoder.

    Args:
        name: empty for the project's choice (else the bundled one), a bundled name, a
            name in the project's `encoders/`, or a folder.
        project_folder: the open project's folder.
        device: a torch device that exists (see `app.engine.device`).

    Raises:
        UserError: no such encoder, or its folder is damaged.
    """
    folder = find_encoder(name, project_folder)
    config = read_config(folder)
    # LSTMs and embedding_bag are not on MPS in every torch
    device = device if device.startswith("cuda") else "cpu"
    match config:
        case StaticConfig():
            from app.engine.encoders import static_folder

            return static_folder.load(folder, config, device=device)
        case BilstmConfig() | TransformerConfig():
            from app.engine.encoders import weights

            return weights.load(folder, config, device=device)
        case SentenceTransformersConfig():
            from app.engine.encoders.imported import sentence_transformers

            return sentence_transformers.load(folder, config, device=device)
        case VectorsConfig():
            from app.engine.encoders.imported import vectors

            return vectors.load(folder, config)


def find_encoder(name: str, project_folder: Path | None = None) -> Path:
    """Find the folder of an encoder; without a name, of the one that is in use.

    Raises:
        UserError: there is none of that name; the message lists those there are.
    """
    wanted = name or read_choice(project_folder) or DEFAULT_ENCODER
    for parent in _parents(project_folder):
        if Path(wanted).name == wanted and (parent / wanted / CONFIG_FILE).is_file():
            return parent / wanted
    if name and (Path(name) / CONFIG_FILE).is_file():
        return Path(name)
    known = ", ".join(card.name for card in list_encoders(project_folder)) or "none"
    raise UserError(f"There is no encoder {wanted!r}; known are: {known}.")


def read_config(folder: Path) -> EncoderConfig:
    """Read encoder.json.

    Raises:
        UserError: it is missing, damaged, or made by a newer program.
    """
    file = folder / CONFIG_FILE
    try:
        text = file.read_bytes()
        found = msgspec.json.decode(text, type=_Format).format
        if found > FORMAT:
            raise UserError(
                f"{folder} has format {found}, but this Isogloss reads up to "
                f"{FORMAT}: take a newer Isogloss."
            )
        config: EncoderConfig = msgspec.json.decode(text, type=EncoderConfig)
    except OSError as error:
        raise UserError(f"{folder} is no encoder: it has no {CONFIG_FILE}.") from error
    except msgspec.MsgspecError as error:
        raise UserError(f"{file} is damaged: {error}.") from error
    return config


def save_folder(
    folder: Path, config: EncoderConfig, files: Mapping[str, bytes], card: str
) -> None:
    """Write an encoder's folder under a temporary name and rename it.

    Args:
        folder: must not exist.
        config: for encoder.json.
        files: weights, vocabulary and others by their names.
        card: text of README.md.

    Raises:
        UserError: the folder exists.
    """
    if folder.exists():
        raise UserError(f"{folder} exists already: choose another name.")
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        for name, content in files.items():
            (part / name).write_bytes(content)
        write_config(part, config)
        (part / CARD_FILE).write_text(card, encoding="utf-8", newline="\n")
        for file in part.iterdir():
            _flush(file)
        part.replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)  # gone, unless the disk was full


def write_config(folder: Path, config: EncoderConfig) -> None:
    """Write encoder.json, in place of one that is there."""
    # defaults too: they may be others one day
    values = msgspec.to_builtins(msgspec.structs.asdict(config))
    settings = {"architecture": architecture_of(config), **values}
    text = json.dumps(settings, indent=2, ensure_ascii=False)
    part = folder / f".{CONFIG_FILE}.part"
    part.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    part.replace(folder / CONFIG_FILE)


def folder_bytes(folder: Path) -> int:
    """Give the size of all files of an encoder."""
    return sum(file.stat().st_size for file in _files(folder))


def fingerprint_of(folder: Path) -> str:
    """Give the SHA-256 over weights and vocabulary in hex.

    Those are all files but the config, the card and the licence, the weights first.
    """
    digest = hashlib.sha256()
    files = [file for file in _files(folder) if file.name not in UNHASHED]
    for file in sorted(files, key=lambda file: (file.name != WEIGHTS_FILE, file)):
        with file.open("rb") as stream:
            while block := stream.read(BLOCK_BYTES):
                digest.update(block)
    return digest.hexdigest()


def count_parameters(folder: Path) -> int:
    """Count the weights of an encoder by the heads of its files; 0: none is whole."""
    from safetensors import SafetensorError, safe_open

    n_parameters = 0
    for file in _files(folder):
        if file.suffix != ".safetensors":
            continue
        try:
            with safe_open(file, "numpy") as arrays:
                names = arrays.keys()  # a list: the file itself can't be iterated
                for name in names:
                    if not name.endswith("scales") and not name.startswith("romaniser"):
                        part = arrays.get_slice(name)
                        packed = 2 if part.get_dtype() == "U8" else 1
                        n_parameters += packed * math.prod(part.get_shape())
        except (SafetensorError, OSError):
            return 0
    return n_parameters


def _parents(project_folder: Path | None) -> list[Path]:
    """Name the folders that hold encoders."""
    parents = [resource_dir() / "encoders"]
    if project_folder is not None:
        parents.append(project_folder / "encoders")
    return [parent for parent in parents if parent.is_dir()]


def _card(folder: Path, config: EncoderConfig) -> EncoderCard:
    """Describe one encoder."""
    return EncoderCard(
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
    )


def _files(folder: Path) -> Iterator[Path]:
    """Name all files of an encoder, those of its subfolders too."""
    return (
        file
        for file in folder.rglob("*")
        if file.is_file() and not file.name.startswith(".")
    )


def _flush(file: Path) -> None:
    """Bring a written file to the disk before it is renamed."""
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())
