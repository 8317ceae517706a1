"""The static encoder, a sum of learned vectors, and its folder."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save
from torch import Tensor
from torch.nn import functional

from app.arrays import FloatArray
from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.encoder import split_texts
from app.engine.encoders.folder import WEIGHTS_FILE, fingerprint_of, save_folder
from app.engine.encoders.quantisation import (
    dequantise_rows,
    dequantise_rows_of_4_bits,
    quantise_rows,
    quantise_rows_to_4_bits,
)
from app.engine.encoders.static.table_rows import (
    LAST_CODE,
    Romaniser,
    distinct_words,
    ngram_rows,
    table_rows,
)
from app.engine.numeric import IdArray
from app.engine.runtime.devices import retry_with_smaller_batches
from app.engine.text.subword_vocabulary import MODEL_FILE, Vocabulary, load_vocabulary
from app.engine.text.word_vocabulary import PieceCounts
from app.errors import UserError


class NgramTable(NamedTuple):
    """The last `n_rows` rows of a table, for hashed n-grams of romanised words."""

    romaniser: Romaniser
    n_rows: int


class StaticEncoder:
    """An encoder without context: the vector of a text is a sum of table rows.

    Attributes:
        name, dim, fingerprint: see `Encoder`.
    """

    def __init__(
        self,
        table: FloatArray,
        vocabulary: Vocabulary,
        *,
        ngrams: NgramTable | None = None,
        name: str = "",
        fingerprint: str = "",
        device: str = "cpu",
    ):
        self.name = name
        self.fingerprint = fingerprint
        self.dim = int(table.shape[1])
        self._vocabulary = vocabulary
        self._ngrams = ngrams
        self._n_bigrams = len(table) - vocabulary.n_pieces
        if ngrams is not None:
            self._n_bigrams -= ngrams.n_rows
        self._table = torch.from_numpy(table).to(device)
        self._n_threads = os.cpu_count() or 1

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return a vector per text: float32 (n, d), zero without a known piece."""
        runs = list(split_texts(texts))
        if len(runs) == 1:
            return self._encode_run(texts)
        vectors = np.empty((len(texts), self.dim), np.float32)
        for start, end in runs:
            vectors[start:end] = self._encode_run(texts[start:end])
        return vectors

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces and the unknown pieces of each text."""
        return self._vocabulary.count_pieces(texts)

    @property
    def romaniser(self) -> Romaniser | None:
        """Return the romaniser; None without n-grams."""
        return None if self._ngrams is None else self._ngrams.romaniser

    def parts(self, text: str) -> tuple[list[str], FloatArray, FloatArray]:
        """Return the parts whose sum is a text's vector.

        Returns:
            The names of its t pieces; float32 (t, d), each piece's row plus half of its
            bigrams' rows; float32 (w, d), the n-grams of each word. All rows are zero
            if no piece is known.
        """
        piece_ids, lengths = self._vocabulary.tokenise([text])
        rows, _ = self._rows(piece_ids, lengths)
        vectors = self._table[torch.from_numpy(rows).long()]
        if self._n_bigrams:
            pieces, bigrams = vectors[0::2], vectors[1::2] / 2
            vectors = pieces + bigrams
            vectors[1:] += bigrams[:-1]
        words = self._table[:0]
        if self._ngrams is not None and len(rows):
            is_heard = vectors.sum(dim=0).any()
            words = is_heard * self._word_vectors(text, self._ngrams)
        names = self._vocabulary.names(text)
        return names, vectors.cpu().numpy(), words.cpu().numpy()

    def _rows(
        self, piece_ids: IdArray, lengths: IdArray
    ) -> tuple[IdArray, NDArray[np.int64]]:
        """Return the rows of the table of each text (see `table_rows`)."""
        return table_rows(
            piece_ids,
            lengths,
            n_pieces=self._vocabulary.n_pieces,
            n_bigrams=self._n_bigrams,
            space_id=self._vocabulary.space_id,
        )

    def _word_vectors(self, text: str, ngrams: NgramTable) -> Tensor:
        """Sum the n-grams of each word of a text: (w, d)."""
        words = ngrams.romaniser.split([text])
        rows, counts = ngram_rows(words, ngrams.n_rows)
        table = self._table[len(self._table) - ngrams.n_rows :]
        return self._sum(rows, np.cumsum(counts) - counts, table)

    def _encode_run(self, texts: Sequence[str]) -> FloatArray:
        """Encode a run of texts, in smaller runs if the GPU's memory is too small."""

        def encode_by(size: int) -> FloatArray:
            if size >= len(texts):
                return self._encode_chunk(texts)
            firsts = range(0, len(texts), size)
            return np.concatenate(
                [self._encode_chunk(texts[i : i + size]) for i in firsts]
            )

        vectors, _ = retry_with_smaller_batches(encode_by, len(texts))
        return vectors

    def _encode_chunk(self, texts: Sequence[str]) -> FloatArray:
        """Encode texts that fit in memory together."""
        piece_ids, lengths = self._vocabulary.tokenise(texts, n_threads=self._n_threads)
        rows, starts = self._rows(piece_ids, lengths)
        with torch.inference_mode():
            sums = self._sum(rows, starts, self._table)
            if self._ngrams is not None:
                is_heard = sums.any(dim=1, keepdim=True)  # (n, d) -> (n, 1)
                sums += is_heard * self._sum_words(texts, self._ngrams)
        vectors: FloatArray = sums.cpu().numpy()
        return vectors

    def _sum_words(self, texts: Sequence[str], ngrams: NgramTable) -> Tensor:
        """Sum the n-grams of each text's words: (n, d); each word is summed once."""
        words = ngrams.romaniser.split(texts)
        distinct, word_ids = distinct_words(words)
        rows, counts = ngram_rows(distinct, ngrams.n_rows)
        table = self._table[len(self._table) - ngrams.n_rows :]
        vectors = self._sum(rows, np.cumsum(counts) - counts, table)
        ends = np.cumsum(words.lengths, dtype=np.int64)
        return self._sum(word_ids.astype(np.int32), ends - words.lengths, vectors)

    def _sum(self, rows: IdArray, starts: NDArray[np.int64], table: Tensor) -> Tensor:
        """Sum the rows of each bag: (rows, d) -> (bags, d)."""
        return functional.embedding_bag(
            torch.from_numpy(rows).to(table.device),
            table,
            torch.from_numpy(starts.astype(np.int32)).to(table.device),
            mode="sum",
        )


ROMANISER = "romaniser."  # prefix of the romaniser's array names
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
        config: config whose precision specifies the rounding of the table.
        table: float32 (n_pieces + n_bigrams + n_ngrams, d).
        vocabulary: sentencepiece model.
        card: text of README.md.
        romaniser: romaniser of words; only with n-grams.

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
    # not save_file, which makes the file readable by its owner only
    save_folder(
        folder, config, {WEIGHTS_FILE: save(arrays), MODEL_FILE: vocabulary}, card
    )


def load(folder: Path, config: StaticConfig, *, device: str) -> "StaticEncoder":
    """Load a static encoder.

    Raises:
        UserError: weights or vocabulary are missing, damaged, or inconsistent with the
            config.
    """
    ngrams = None
    if config.n_ngrams:
        ngrams = NgramTable(read_romaniser(folder), config.n_ngrams)
    return StaticEncoder(
        share_table(folder, config),
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
            f"{folder}: the vocabulary has {vocabulary.n_pieces:,} pieces, but "
            f"encoder.json declares {config.n_pieces:,}."
        )
    return vocabulary


# Tables in use, so that a contextual encoder shares its static encoder's 230 MB. The
# keys include the file's modification time.
_TABLES: WeakValueDictionary[tuple[Path, int], FloatArray] = WeakValueDictionary()


def share_table(folder: Path, config: StaticConfig) -> FloatArray:
    """Return the table of `read_table` from a shared cache: do not modify it."""
    file = folder / WEIGHTS_FILE
    key = file.resolve(), file.stat().st_mtime_ns if file.exists() else 0
    table = _TABLES.get(key)
    if table is None:
        table = _TABLES[key] = read_table(folder, config)
    return table


def read_table(folder: Path, config: StaticConfig) -> FloatArray:
    """Read the weights as float32 (rows, d).

    Raises:
        UserError: the weights are missing, damaged, or inconsistent with the config.
    """
    file = folder / WEIGHTS_FILE
    table = _read_rows(file, _read_arrays(file), config)
    n_rows = config.n_pieces + config.n_bigrams + config.n_ngrams
    if table.shape != (n_rows, config.dim):
        raise UserError(
            f"{file} doesn't contain a table of {n_rows:,} rows of {config.dim:,}."
        )
    if not np.isfinite(table.sum()):
        raise UserError(f"{file} contains weights that are not finite.")
    return table


def read_romaniser(folder: Path) -> Romaniser:
    """Read the letters of code points, and check that the arrays are consistent.

    Raises:
        UserError: the arrays are missing or damaged.
    """
    file = folder / WEIGHTS_FILE
    arrays = _read_arrays(file)
    found = {name: arrays.get(ROMANISER + name) for name in ROMANISER_ARRAYS}
    kept = {name: array for name, array in found.items() if array is not None}
    if (
        len(kept) != len(ROMANISER_ARRAYS)
        or any(array.ndim != 1 or array.dtype.kind != "u" for array in kept.values())
        or len(kept["codes"]) != len(kept["sizes"])
        or int(kept["sizes"].sum(dtype=np.int64)) != len(kept["letters"])
        or int(kept["codes"].max(initial=0)) > LAST_CODE
    ):
        raise UserError(f"{file} doesn't contain the expected character n-grams.")
    return Romaniser(kept)


def _read_arrays(file: Path) -> Arrays:
    """Read all arrays of a weights file."""
    try:
        return load_file(file)
    except (SafetensorError, OSError) as error:
        raise UserError(f"{file} is damaged or missing. Download it again.") from error


def _read_rows(file: Path, arrays: Arrays, config: StaticConfig) -> FloatArray:
    """Return the table as float32, from any stored precision."""
    dtypes = {"int8": np.int8, "int4": np.uint8}
    dtype = np.dtype(dtypes.get(config.precision, config.precision))
    table, scales = arrays.get("table"), arrays.get("scales")
    if table is None or table.ndim != 2 or table.dtype != dtype:
        raise UserError(
            f"{file} doesn't contain a table of {config.precision} weights."
        )
    if config.precision in ("float16", "float32"):
        return table.astype(np.float32, copy=False)
    if scales is None or scales.shape != (len(table),):
        raise UserError(f"{file} doesn't contain a scale for each row of its table.")
    if config.precision == "int4":
        return dequantise_rows_of_4_bits(table, scales)
    return dequantise_rows(table, scales)
