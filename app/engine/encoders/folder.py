"""The folder format of encoders: settings, files, size, fingerprint; no torch."""

import hashlib
import json
import math
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from app.engine.encoders.configs import (
    CONFIG_FILE,
    FORMAT,
    EncoderConfig,
    architecture_of,
)
from app.errors import UserError
from app.results.encoder_scores import SCORES_FILE

WEIGHTS_FILE = "weights.safetensors"


CARD_FILE = "README.md"


LICENCE_FILE = "LICENCE.txt"


# Files without effect on vectors.
UNHASHED = (CONFIG_FILE, CARD_FILE, LICENCE_FILE, SCORES_FILE)


BLOCK_BYTES = 1 << 20


class _Format(msgspec.Struct):
    """The only field that all versions of the program can read."""

    format: int = FORMAT


def read_config(folder: Path) -> EncoderConfig:
    """Read encoder.json.

    Raises:
        UserError: the file is missing, damaged, or written by a newer version.
    """
    file = folder / CONFIG_FILE
    try:
        text = file.read_bytes()
        found = msgspec.json.decode(text, type=_Format).format
        if found > FORMAT:
            raise UserError(
                f"{folder} has format {found}, but this version of Isogloss "
                f"reads up to {FORMAT}. Install a newer version."
            )
        config: EncoderConfig = msgspec.json.decode(text, type=EncoderConfig)
    except OSError as error:
        raise UserError(
            f"{folder} is not an encoder: it has no {CONFIG_FILE}."
        ) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{file} is damaged: {error}.") from error
    return config


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Make a folder under a temporary name, and rename it on success.

    Args:
        folder: must not exist.

    Raises:
        UserError: the folder exists.
    """
    if folder.exists():
        raise UserError(f"{folder} already exists. Choose another name.")
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)  # left by a run that was killed
    part.mkdir(parents=True)
    try:
        yield part
        part.replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)  # exists only after an error


def save_folder(
    folder: Path, config: EncoderConfig, files: Mapping[str, bytes], card: str
) -> None:
    """Write an encoder's folder.

    Args:
        folder: must not exist.
        config: content of encoder.json.
        files: weights, vocabulary and other files by name, such as base/README.md.
        card: text of README.md.

    Raises:
        UserError: the folder exists.
    """
    with new_folder(folder) as part:
        for name, content in files.items():
            (part / name).parent.mkdir(exist_ok=True)
            (part / name).write_bytes(content)
        write_config(part, config)
        (part / CARD_FILE).write_text(card, encoding="utf-8", newline="\n")
        for file in _files(part):
            _flush(file)


def write_config(folder: Path, config: EncoderConfig) -> None:
    """Write encoder.json, replacing an existing file."""
    # writes defaults explicitly, since defaults may change
    values = msgspec.to_builtins(msgspec.structs.asdict(config))
    settings = {"architecture": architecture_of(config), **values}
    text = json.dumps(settings, indent=2, ensure_ascii=False)
    part = folder / f".{CONFIG_FILE}.part"
    part.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    part.replace(folder / CONFIG_FILE)


def folder_bytes(folder: Path) -> int:
    """Return the size of all files of an encoder."""
    return sum(file.stat().st_size for file in _files(folder))


def fingerprint_of(folder: Path) -> str:
    """Return the SHA-256 over weights and vocabulary in hex.

    Includes all files except config, card, licence and scores, weights first.
    """
    digest = hashlib.sha256()
    files = [file for file in _files(folder) if file.name not in UNHASHED]
    for file in sorted(files, key=lambda file: (file.name != WEIGHTS_FILE, file)):
        with file.open("rb") as stream:
            while block := stream.read(BLOCK_BYTES):
                digest.update(block)
    return digest.hexdigest()


def count_parameters(folder: Path) -> int:
    """Count the weights of an encoder by its files' headers; 0: no readable file."""
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


def _files(folder: Path) -> Iterator[Path]:
    """Return all files of an encoder, including subfolders."""
    return (
        file
        for file in folder.rglob("*")
        if file.is_file() and not file.name.startswith(".")
    )


def _flush(file: Path) -> None:
    """Flush a file to the disk before it is renamed."""
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())
