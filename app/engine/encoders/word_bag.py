"""Bag-of-vectors encoders: weighted means of word vectors.

Three weightings: the plain mean, inverse document frequency, and smooth inverse
frequency with or without removal of the first component (SIF; Arora, Liang and Ma 2017,
"A simple but tough-to-beat baseline for sentence embeddings").
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from app.arrays import FloatArray
from app.engine.encoders.configs import WordBagConfig
from app.engine.encoders.folder import WEIGHTS_FILE, fingerprint_of, save_folder
from app.engine.runtime.report import Report
from app.engine.text.word_vocabulary import (
    WORDS_FILE,
    PieceCounts,
    WordVocabulary,
    load_word_vocabulary,
    split_words,
    write_words,
)
from app.errors import UserError

SMOOTHING = 1e-3  # a of SIF: Arora et al. 2017, section 4
BLOCK_TEXTS = 4_096
COUNTING, DIRECTION = "Counting words", "Finding the first component"


class WordStatistics(NamedTuple):
    """Word counts in the texts that the weights are based on.

    Attributes:
        counts: int64 (n,), tokens of each word of the table.
        document_counts: int64 (n,), texts that contain each word.
        n_tokens, n_texts: tokens and texts, including words outside the table.
    """

    counts: NDArray[np.int64]
    document_counts: NDArray[np.int64]
    n_tokens: int
    n_texts: int


def count_statistics(
    vocabulary: WordVocabulary, texts: Iterable[str], report: Report
) -> WordStatistics:
    """Count the words of texts."""
    counts = np.zeros(vocabulary.n_words, np.int64)
    document_counts = np.zeros(vocabulary.n_words, np.int64)
    n_tokens = n_texts = 0
    for block in _blocks(texts):
        report.step(COUNTING, n_texts, 0, f"{n_texts:,} sentences")
        for text in block:
            words = split_words(text)
            rows = known_rows(vocabulary, words)
            np.add.at(counts, rows, 1)
            document_counts[np.unique(rows)] += 1
            n_tokens += len(words)
        n_texts += len(block)
    return WordStatistics(counts, document_counts, n_tokens, n_texts)


def sif_weights(found: WordStatistics) -> FloatArray:
    """Return a / (a + p(w)) for each word: float32 (n,) (Arora et al. 2017, alg. 1).

    A word that does not occur in the texts has weight 1.
    """
    shares = found.counts / max(found.n_tokens, 1)
    return np.asarray(SMOOTHING / (SMOOTHING + shares), np.float32)


def idf_weights(found: WordStatistics) -> FloatArray:
    """Return max(1, log10(N / df)) for each word: float32 (n,).

    As in MUSE's sentence retrieval (Lample et al. 2018). A word that does not occur in
    the texts has df = 1.
    """
    frequencies = np.maximum(found.document_counts, 1)
    weights = np.log10(max(found.n_texts, 1) / frequencies)
    return np.asarray(np.maximum(weights, 1), np.float32)


def first_component(vectors: Iterable[FloatArray], dim: int) -> FloatArray:
    """Return the first right singular vector of rows: float32 (d,), of length 1.

    The rows are not centred (Arora et al. 2017, algorithm 1, line 4).

    Args:
        vectors: blocks of rows, float32 (b, d).
        dim: d.
    """
    products = np.zeros((dim, dim))
    for block in vectors:
        products += block.T.astype(np.float64) @ block  # (d, b) x (b, d)
    return np.asarray(np.linalg.eigh(products)[1][:, -1], np.float32)


class Weighting(NamedTuple):
    """Weights for averaging the n words of a table.

    Attributes:
        weights: float32 (n,), above 0.
        counts_once: each distinct word of a text counts once, and the sum is divided by
            the weights instead of the number of words (idf).
        component: float32 (d,), unit vector to remove from each vector; None: none.
    """

    weights: FloatArray
    counts_once: bool = False
    component: FloatArray | None = None


class WordBagEncoder:
    """A weighted mean of word vectors; see `Encoder`.

    Words are compared without case.

    Attributes:
        name, dim, fingerprint: see `Encoder`.
    """

    def __init__(
        self,
        vocabulary: WordVocabulary,
        table: FloatArray,
        weighting: Weighting,
        *,
        name: str = "",
        fingerprint: str = "",
    ):
        """Make an encoder.

        Args:
            vocabulary: n words.
            table: float32 (n, d).
            name: name shown to the user.
        """
        self.name, self.fingerprint = name, fingerprint
        self.dim = int(table.shape[1])
        self._vocabulary, self._table = vocabulary, table
        self._weights, self._counts_once, self._component = weighting

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return a vector per text: float32 (n, d), zero without a known word."""
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for i, text in enumerate(texts):
            rows = known_rows(self._vocabulary, split_words(text))
            if self._counts_once:
                rows = np.unique(rows)
            if len(rows):
                vectors[i] = self._average(rows)
        if self._component is not None:
            vectors -= np.outer(vectors @ self._component, self._component)
        return vectors

    def _average(self, rows: NDArray[np.int64]) -> FloatArray:
        """Return the weighted mean of words; SIF divides by the number of words."""
        weights = self._weights[rows]
        total = weights.sum() if self._counts_once else len(rows)
        return np.asarray(weights @ self._table[rows] / total, np.float32)

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the words of each text, and the words without a vector."""
        return self._vocabulary.count_pieces(texts)


def save_word_bag(
    folder: Path,
    config: WordBagConfig,
    words: Sequence[str],
    table: FloatArray,
    texts: Sequence[str],
    report: Report,
) -> None:
    """Compute word weights from texts, and write the encoder's folder.

    Of words that differ only in case, the first is used.

    Args:
        folder: must not exist.
        config: config with the weighting.
        words: n words, most frequent first.
        table: float32 (n, d).
        texts: texts for weights and first component; unused by the mean.

    Raises:
        UserError: the weighting needs texts, but there are none, or they contain none
            of the words.
    """
    rows = _first_of_case(words)
    kept, vectors = list(rows), np.ascontiguousarray(table[list(rows.values())])
    vocabulary = WordVocabulary(kept)
    weights = np.ones(len(kept), np.float32)
    if config.weighting != "mean" or config.removes_component:
        if not texts:
            raise UserError(
                "These weights are made of the word frequencies of a text. Choose a "
                "text file or a corpus, or the plain mean."
            )
        found = count_statistics(vocabulary, texts, report)
        if not found.counts.any():
            raise UserError(
                "None of the words with a vector occurs in the text. Choose a text in "
                "the language of the word vectors."
            )
        if config.weighting == "sif":
            weights = sif_weights(found)
        elif config.weighting == "idf":
            weights = idf_weights(found)
    arrays: dict[str, NDArray[Any]] = {
        "table": vectors.astype(np.float16),
        "weights": weights,
    }
    if config.removes_component:
        weighting = Weighting(weights, config.weighting == "idf")
        encoder = WordBagEncoder(vocabulary, vectors, weighting)
        arrays["component"] = first_component(
            _encode_blocks(encoder, texts, report), encoder.dim
        )
    files = {WEIGHTS_FILE: save(arrays), WORDS_FILE: write_words(kept)}
    save_folder(folder, config, files, f"# {config.name}\n\n{config.description}\n")


def known_rows(vocabulary: WordVocabulary, words: Sequence[str]) -> NDArray[np.int64]:
    """Return the rows of the words in a vocabulary, in order: int64 (k,)."""
    rows = vocabulary.rows(words, 1)  # an unknown word has the row after the last
    return rows[rows < vocabulary.n_words].astype(np.int64)


def _first_of_case(words: Sequence[str]) -> dict[str, int]:
    """Return the row of each word that the tokenisation of texts can produce."""
    rows: dict[str, int] = {}
    for row, word in enumerate(words):
        parts = split_words(word)
        if len(parts) == 1:
            rows.setdefault(parts[0], row)
    return rows


def _encode_blocks(
    encoder: WordBagEncoder, texts: Sequence[str], report: Report
) -> Iterator[FloatArray]:
    """Encode texts in blocks."""
    for first in range(0, len(texts), BLOCK_TEXTS):
        report.step(DIRECTION, first, len(texts))
        yield encoder.encode(texts[first : first + BLOCK_TEXTS])


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(texts)
    while block := list(islice(iterator, BLOCK_TEXTS)):
        yield block


def load(folder: Path, config: WordBagConfig) -> WordBagEncoder:
    """Load a bag-of-vectors encoder.

    Raises:
        UserError: weights or words are missing, damaged, or inconsistent.
    """
    vocabulary = load_word_vocabulary(folder)
    file = folder / WEIGHTS_FILE
    try:
        arrays = load_file(file)
        table, weights = arrays["table"], arrays["weights"]
        component = arrays["component"] if config.removes_component else None
    except (SafetensorError, OSError, KeyError) as error:
        raise UserError(f"{file} is damaged or missing. Copy it again.") from error
    shapes = table.shape, weights.shape
    n = vocabulary.n_words
    fits = shapes == ((n, config.dim), (n,))
    if not fits or (component is not None and component.shape != (config.dim,)):
        raise UserError(f"{file} doesn't contain the vectors of the {n:,} words.")
    if not all(np.isfinite(array.sum()) for array in arrays.values()):
        raise UserError(f"{file} contains weights that are not finite.")
    return WordBagEncoder(
        vocabulary,
        table.astype(np.float32),
        Weighting(weights.astype(np.float32), config.weighting == "idf", component),
        name=config.name,
        fingerprint=fingerprint_of(folder),
    )
