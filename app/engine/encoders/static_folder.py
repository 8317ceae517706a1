"""The folder of a static encoder: its table, and how words are written in letters."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.folder import WEIGHTS_FILE, fingerprint_of, save_folder
from app.engine.encoders.ngrams import LAST_CODE, Romaniser
from app.engine.encoders.pooling import FloatArray
from app.engine.encoders.quantise import (
    dequantise_rows,
    dequantise_rows_of_4_bits,
    quantise_rows,
    quantise_rows_to_4_bits,
)
from app.engine.text.vocabulary import MODEL_FILE, Vocabulary, load_vocabulary
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.encoders.static import StaticEncoder

ROMANISER = "romaniser."  # begins the names of its arrays
ROMANISER_ARRAYS = ("codes", "sizes", "letters")

Arrays = dict[str, NDArray[Any]]


def save_static(
    folder: Path,
    config: StaticConfig,
    *,
    table: FloatArray,
    vocabulary: bytes,
    card: str,
    romaniser: Romaniser | None = None,
) -> None:
    """Write a static encoder's folder.

    Args:
        folder: must not exist.
        config: its precision says whether and how the table is rounded.
        table: float32 (n_pieces + n_bigrams + n_ngrams, d).
        vocabulary: the sentencepiece model.
        card: text of README.md.
        romaniser: writes words in letters; only with n-grams.

    Raises:
        UserError: the folder exists.
    """
    arrays: Arrays = {"table": table}
    if config.precision == "int8":
        arrays["table"], arrays["scales"] = quantise_rows(table)
    elif config.precision == "int4":
        arrays["table"], arrays["scales"] = quantise_rows_to_4_bits(table)
    elif config.precision == "float16":
        arrays["table"] = table.astype(np.float16)
    if romaniser is not None:
        arrays |= {ROMANISER + name: a for name, a in romaniser.arrays.items()}
    # not save_file: it leaves a file that only its owner may read
    save_folder(
        folder, config, {WEIGHTS_FILE: save(arrays), MODEL_FILE: vocabulary}, card
    )


def load(folder: Path, config: StaticConfig, *, device: str) -> "StaticEncoder":
    """Load a static encoder.

    Raises:
        UserError: weights or vocabulary are missing or damaged, or do not fit.
    """
    from app.engine.encoders.static import NgramTable, StaticEncoder

    ngrams = None
    if config.n_ngrams:
        ngrams = NgramTable(read_romaniser(folder), config.n_ngrams)
    return StaticEncoder(
        read_table(folder, config),
        read_vocabulary(folder, config),
        ngrams=ngrams,
        name=config.name,
        fingerprint=fingerprint_of(folder),
        device=device,
    )


def read_vocabulary(folder: Path, config: StaticConfig) -> Vocabulary:
    """Read the vocabulary and check its size against the config."""
    vocabulary = load_vocabulary(folder)
    if vocabulary.n_pieces != config.n_pieces:
        raise UserError(
            f"{folder}: the vocabulary has {vocabulary.n_pieces} pieces, but "
            f"encoder.json says {config.n_pieces}."
        )
    return vocabulary


def read_table(folder: Path, config: StaticConfig) -> FloatArray:
    """Read the weights as float32 (rows, d).

    Raises:
        UserError: they are missing, damaged, or do not fit the config.
    """
    file = folder / WEIGHTS_FILE
    table = _read_rows(file, _read_arrays(file), config)
    n_rows = config.n_pieces + config.n_bigrams + config.n_ngrams
    if table.shape != (n_rows, config.dim):
        raise UserError(
            f"{file} does not hold the table of {n_rows} rows of {config.dim} that it "
            "should."
        )
    if not np.isfinite(table.sum()):
        raise UserError(f"{file} holds weights that are not finite numbers.")
    return table


def read_romaniser(folder: Path) -> Romaniser:
    """Read the letters of code points and check that they belong together.

    Raises:
        UserError: they are missing or damaged.
    """
    file = folder / WEIGHTS_FILE
    arrays = _read_arrays(file)
    found = {name: arrays.get(ROMANISER + name) for name in ROMANISER_ARRAYS}
    kept = {name: array for name, array in found.items() if array is not None}
    if (
        len(kept) != len(ROMANISER_ARRAYS)
        or any(array.ndim != 1 for array in kept.values())
        or len(kept["codes"]) != len(kept["sizes"])
        or int(kept["sizes"].sum(dtype=np.int64)) != len(kept["letters"])
        or int(kept["codes"].max(initial=0)) > LAST_CODE
    ):
        raise UserError(f"{file} does not hold the letters of words that it should.")
    return Romaniser(kept)


def _read_arrays(file: Path) -> Arrays:
    """Read all arrays of a weights file."""
    try:
        return load_file(file)
    except (SafetensorError, OSError) as error:
        raise UserError(f"{file} is damaged or missing: take a fresh copy.") from error


def _read_rows(file: Path, arrays: Arrays, config: StaticConfig) -> FloatArray:
    """Give the table as float32, whatever it was stored as."""
    dtypes = {"int8": np.int8, "int4": np.uint8}
    dtype = np.dtype(dtypes.get(config.precision, config.precision))
    table, scales = arrays.get("table"), arrays.get("scales")
    if table is None or table.ndim != 2 or table.dtype != dtype:
        raise UserError(f"{file} does not hold a table of {config.precision} weights.")
    if config.precision in ("float16", "float32"):
        return table.astype(np.float32, copy=False)
    if scales is None or scales.shape != (len(table),):
        raise UserError(f"{file} does not hold a scale for each row of its table.")
    if config.precision == "int4":
        return dequantise_rows_of_4_bits(table, scales)
    return dequantise_rows(table, scales)
