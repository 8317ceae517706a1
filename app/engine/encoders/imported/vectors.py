"""Imported vectors: their files, and a placeholder encoder for their source."""

import math
from collections.abc import Sequence
from pathlib import Path
from tokenize import TokenError
from typing import Any, NamedTuple, NoReturn

import msgspec
import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.encoders.configs import VectorsConfig
from app.engine.encoders.folder import fingerprint_of, read_config, save_folder
from app.engine.encoders.imported.card import write_import_card
from app.errors import ResourceError, UserError

SPACE_FILE = "space.json"  # input of the fingerprint


class VectorsEncoder:
    """Placeholder for the encoder that made imported vectors (see `Encoder`)."""

    def __init__(self, config: VectorsConfig, fingerprint: str):
        self.name = config.name
        self.dim = config.dim
        self.fingerprint = fingerprint

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Raise an error: there are no weights."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise UserError(
            f"{self.name} has only imported vectors, so it can't encode new "
            "text. Search from a sentence of a corpus with these vectors, or "
            "import vectors for this corpus."
        )


def load(folder: Path, config: VectorsConfig) -> VectorsEncoder:
    """Load the placeholder of a folder."""
    return VectorsEncoder(config, fingerprint_of(folder))


def find_or_create(folder: Path, config: VectorsConfig) -> tuple[VectorsEncoder, bool]:
    """Find the placeholder in a folder, or create it.

    Returns:
        The placeholder, and whether it was created.

    Raises:
        UserError: an encoder of another kind or dimension has this name.
    """
    if is_new := not folder.exists():
        space = {"source_sha256": config.source_sha256, "dim": config.dim}
        card = write_import_card(config, "")
        save_folder(folder, config, {SPACE_FILE: msgspec.json.encode(space)}, card)
    found = read_config(folder)
    if not isinstance(found, VectorsConfig):
        raise UserError(
            f"The encoder {folder.name} computes its own vectors. Choose "
            "another name for those of the file."
        )
    if found.dim != config.dim:
        raise UserError(
            f"The vectors of {folder.name} have {found.dim:,} dimensions, but "
            f"these have {config.dim:,}. Choose another name: all vectors of "
            "one name share a space."
        )
    return load(folder, found), is_new


NPY_SUFFIX, NPY_MAGIC = ".npy", b"\x93NUMPY"
KINDS = ("float16", "float32", "float64")
RAW_TYPE = np.dtype("<f4")
LASER_DIM = 1_024  # Artetxe and Schwenk 2019, section 3.1

# errors that numpy raises on an invalid header
_DAMAGED = (ValueError, KeyError, EOFError, TypeError, SyntaxError, TokenError)


class VectorFile(NamedTuple):
    """An open file of vectors: (n, d) of KINDS, memory-mapped."""

    path: Path
    rows: NDArray[Any]


def open_vector_file(path: Path, dim: int, row_counts: tuple[int, ...]) -> VectorFile:
    """Map a file of vectors; read only its header, and never run code in it.

    Args:
        path: a .npy file, or raw float32.
        dim: dimension of raw rows; 0: derive it from the number of rows. For .npy it
            must equal the array's dimension, or be 0.
        row_counts: possible numbers of rows, most likely first.

    Raises:
        UserError: the file contains no such vectors; the message names its content.
        ResourceError: the file is missing.
    """
    if not path.is_file():
        raise ResourceError(f"The file {path} does not exist.")
    with path.open("rb") as stream:
        is_npy = stream.read(len(NPY_MAGIC)) == NPY_MAGIC
    if not is_npy and path.suffix.lower() == NPY_SUFFIX:
        raise UserError(f"{path} is not a .npy file.")
    rows = _map_npy(path) if is_npy else _map_raw(path, dim, row_counts)
    if dim and rows.shape[1] != dim:
        raise UserError(f"{path} has {rows.shape[1]:,} dimensions, not {dim:,}.")
    if len(rows) not in row_counts:
        counts = " or ".join(f"{count:,}" for count in dict.fromkeys(row_counts))
        raise UserError(
            f"{path} has {len(rows):,} rows, but the corpus has {counts} "
            "sentences or lines. There must be one row per line."
        )
    return VectorFile(path, rows)


def _map_npy(path: Path) -> NDArray[Any]:
    """Map a .npy file after comparing its header with its size."""
    with path.open("rb") as stream:
        try:
            version = npy_format.read_magic(stream)
            read = {
                (1, 0): npy_format.read_array_header_1_0,
                (2, 0): npy_format.read_array_header_2_0,
            }[version]
            shape, is_fortran, dtype = read(stream)
        except _DAMAGED as error:
            raise UserError(f"The header of {path} is damaged.") from error
        start = stream.tell()
    is_table = len(shape) == 2 and all(type(n) is int and n > 0 for n in shape)
    if dtype.name not in KINDS or not is_table:
        raise UserError(
            f"{path} contains {dtype.name} of shape {shape}, but vectors are "
            "float16, float32 or float64 of shape (rows, dimensions)."
        )
    if start + math.prod(shape) * dtype.itemsize != path.stat().st_size:
        raise UserError(f"{path} is truncated or damaged: it doesn't contain {shape}.")
    order: Any = "F" if is_fortran else "C"
    return np.memmap(path, dtype, "r", start, shape, order)


def _map_raw(path: Path, dim: int, row_counts: tuple[int, ...]) -> NDArray[Any]:
    """Map raw float32 with a dimension that matches the file's size."""
    n_numbers, rest = divmod(path.stat().st_size, RAW_TYPE.itemsize)
    if rest or not n_numbers:
        raise UserError(
            f"{path} is not a file of raw float32: its size is not a multiple "
            "of 4 bytes."
        )
    if not dim:
        dim = _find_dim(path, n_numbers, row_counts)
    if n_numbers % dim:
        raise UserError(
            f"{path} contains {n_numbers:,} numbers, which is not a multiple "
            f"of {dim:,} dimensions."
        )
    return np.memmap(path, RAW_TYPE, "r", 0, (n_numbers // dim, dim))


def _find_dim(path: Path, n_numbers: int, row_counts: tuple[int, ...]) -> int:
    """Find the dimension by the number of rows: LASER's, or the only possible one."""
    fitting = [n_numbers // count for count in row_counts if not n_numbers % count]
    if LASER_DIM in fitting:
        return LASER_DIM
    if len(set(fitting)) == 1:
        return fitting[0]
    counts = " or ".join(f"{count:,}" for count in dict.fromkeys(row_counts))
    raise UserError(
        f"{path} contains {n_numbers:,} numbers, which is not a multiple of "
        f"{counts} rows. Set the dimensions (dim)."
    )
