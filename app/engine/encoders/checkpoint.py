"""Encoders on disk: list, load and save their folders; no torch until one is loaded.

A folder holds encoder.json, weights.safetensors (int8 `table` and float32 `scales`, or
float32 `table` alone), vocabulary.model and the model card README.md.
"""

import hashlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from app.engine.encoders.pooling import FloatArray
from app.engine.encoders.quantise import dequantise_rows, quantise_rows
from app.errors import UserError
from app.paths import resource_dir

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

DEFAULT_ENCODER = "isogloss-1"
CONFIG_FILE = "encoder.json"
WEIGHTS_FILE = "weights.safetensors"
VOCABULARY_FILE = "vocabulary.model"
CARD_FILE = "README.md"
FORMAT = 1


class EncoderConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What encoder.json says.

    Attributes:
        format: raised when older programs could not read the folder any more.
        architecture: names the module that encodes.
        name, description: shown to the user.
        dim: dimensions of its vectors.
        n_pieces, n_bigrams: rows of the table, in this order.
        precision: how the table is stored.
    """

    format: int = FORMAT
    architecture: Literal["static"] = "static"
    name: str
    description: str = ""
    dim: int
    n_pieces: int
    n_bigrams: int
    precision: Literal["int8", "float32"] = "int8"


class EncoderCard(msgspec.Struct, frozen=True):
    """One encoder of the list that the user chooses from.

    Attributes:
        name: what `load_encoder` takes.
        folder: where it stands.
        dim: dimensions of its vectors.
        size_bytes: of all its files.
        description: one sentence.
        architecture: static, ...
        bundled: it comes with the program.
    """

    name: str
    folder: str
    dim: int
    size_bytes: int
    description: str
    architecture: str
    bundled: bool


def list_encoders(project_folder: Path | None = None) -> list[EncoderCard]:
    """List the bundled encoders and those of a project; damaged ones are left out."""
    cards = []
    for parent in _parents(project_folder):
        for folder in sorted(parent.glob("*/")):
            if folder.name.startswith(".") or not (folder / CONFIG_FILE).is_file():
                continue
            try:
                config = read_config(folder)
            except UserError:
                continue
            cards.append(_card(folder, config))
    return cards


def load_encoder(
    name: str = "", project_folder: Path | None = None, *, device: str = "cpu"
) -> "Encoder":
    """Load an encoder.

    Args:
        name: empty for the bundled one, a bundled name, a name in the project's
            `encoders/`, or a folder.
        project_folder: the open project's folder.
        device: a torch device that exists (see `app.engine.device`).

    Raises:
        UserError: no such encoder, or its folder is damaged.
    """
    folder = find_encoder(name, project_folder)
    config = read_config(folder)
    table = _read_table(folder, config)

    from app.engine.encoders.static import StaticEncoder
    from app.engine.text.vocabulary import load_vocabulary

    vocabulary = load_vocabulary(folder)
    if vocabulary.n_pieces != config.n_pieces:
        raise UserError(
            f"{folder}: the vocabulary has {vocabulary.n_pieces} pieces, but "
            f"{CONFIG_FILE} says {config.n_pieces}."
        )
    return StaticEncoder(
        table,
        vocabulary,
        name=config.name,
        fingerprint=fingerprint_of(folder),
        # embedding_bag is not on MPS in every torch, and gains nothing there
        device=device if device.startswith("cuda") else "cpu",
    )


def find_encoder(name: str, project_folder: Path | None = None) -> Path:
    """Find the folder of an encoder.

    Raises:
        UserError: there is none of that name; the message lists those there are.
    """
    wanted = name or DEFAULT_ENCODER
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
        config = msgspec.json.decode(file.read_bytes(), type=EncoderConfig)
    except OSError as error:
        raise UserError(f"{folder} is no encoder: it has no {CONFIG_FILE}.") from error
    except msgspec.MsgspecError as error:
        raise UserError(f"{file} is damaged: {error}.") from error
    if config.format > FORMAT:
        raise UserError(
            f"{folder} has format {config.format}, but this Isogloss reads up to "
            f"{FORMAT}: take a newer Isogloss."
        )
    return config


def save_encoder(
    folder: Path,
    config: EncoderConfig,
    *,
    table: FloatArray,
    vocabulary: bytes,
    card: str,
) -> None:
    """Write an encoder's folder under a temporary name and rename it.

    Args:
        folder: must not exist.
        config: its precision says whether the table is rounded.
        table: float32 (n_pieces + n_bigrams, d).
        vocabulary: the sentencepiece model.
        card: text of README.md.

    Raises:
        UserError: the folder exists.
    """
    if folder.exists():
        raise UserError(f"{folder} exists already: choose another name.")
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    arrays: dict[str, np.ndarray] = {"table": table}
    if config.precision == "int8":
        arrays["table"], arrays["scales"] = quantise_rows(table)
    # not save_file: it leaves a file that only its owner may read
    (part / WEIGHTS_FILE).write_bytes(save(arrays))
    text = msgspec.json.format(msgspec.json.encode(config), indent=2)
    (part / CONFIG_FILE).write_bytes(text + b"\n")
    (part / VOCABULARY_FILE).write_bytes(vocabulary)
    (part / CARD_FILE).write_text(card, encoding="utf-8", newline="\n")
    for file in part.iterdir():
        _flush(file)
    part.replace(folder)


def folder_bytes(folder: Path) -> int:
    """Give the size of all files of an encoder."""
    return sum(file.stat().st_size for file in folder.iterdir() if file.is_file())


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
        architecture=config.architecture,
        bundled=folder.parent == resource_dir() / "encoders",
    )


def _read_table(folder: Path, config: EncoderConfig) -> FloatArray:
    """Read the weights as float32 and check them against the config."""
    file = folder / WEIGHTS_FILE
    try:
        arrays = load_file(file)
    except (SafetensorError, OSError) as error:
        raise UserError(f"{file} is damaged or missing: take a fresh copy.") from error
    table = arrays.get("table")
    shape = (config.n_pieces + config.n_bigrams, config.dim)
    if table is None or table.shape != shape:
        raise UserError(f"{file} does not hold the {shape} table that it should.")
    if config.precision == "int8":
        scales = arrays.get("scales")
        if table.dtype != np.int8 or scales is None or scales.shape != shape[:1]:
            raise UserError(f"{file} does not hold int8 weights with a scale a row.")
        table = dequantise_rows(table, scales)
    if table.dtype != np.float32 or not np.isfinite(table.sum()):
        raise UserError(f"{file} holds weights that are not finite numbers.")
    return table


def fingerprint_of(folder: Path) -> str:
    """Give the SHA-256 over weights and vocabulary in hex."""
    digest = hashlib.sha256()
    for name in (WEIGHTS_FILE, VOCABULARY_FILE):
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()


def _flush(file: Path) -> None:
    """Bring a written file to the disk before it is renamed."""
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())
