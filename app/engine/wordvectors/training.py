"""Train word vectors: skip-gram with subword n-grams and negative sampling.

The model is that of fastText (Bojanowski et al. 2017, "Enriching Word Vectors with
Subword Information", section 3), computed by gensim in one thread, so that the same
seed gives the same vectors.
"""

import importlib
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.report import Report
from app.engine.wordvectors.table import WordVectors
from app.engine.wordvectors.word_file import write_words
from app.errors import ResourceError

COUNTING_STAGE, TRAINING_STAGE = "Counting words", "Training word vectors"
N_BUCKETS = 200_000  # of hashed n-grams
MAX_SENTENCE = 10_000  # words; gensim cuts longer ones off


class SkipGramOptions(NamedTuple):
    """How vectors are trained.

    Attributes:
        dim: dimensions.
        epochs: passes over the text.
        window: words on each side that a word predicts.
        n_negatives: random words per predicted word.
        min_count: occurrences that a word needs; 0: by the size of the text.
        ngrams: shortest and longest subword n-gram; (1, 0): no subwords.
        lr: learning rate at the start; it falls to 0.
        subsample: frequency above which words are skipped at random (Mikolov 2013).
        seed: of all random numbers.
    """

    dim: int
    epochs: int
    window: int
    n_negatives: int
    min_count: int
    ngrams: tuple[int, int]
    lr: float
    subsample: float
    seed: int


class TrainedVectors(NamedTuple):
    """Trained vectors and the number of words they were trained on."""

    table: WordVectors
    n_tokens: int
    min_count: int


def train_vectors(
    texts: Iterable[str], language: str, options: SkipGramOptions, report: Report
) -> TrainedVectors:
    """Train the vectors of all words that are frequent enough.

    Args:
        texts: sentences or paragraphs, read once.
        language: its code decides how texts are split into words.

    Raises:
        UserError: the texts contain no word that is frequent enough.
        ResourceError: gensim is not installed.
        Cancelled: the run was asked to stop.
    """
    fast_text = _load_model_class()
    with write_words(texts, language, options.min_count, report) as split:
        model = fast_text(
            vector_size=options.dim,
            window=options.window,
            negative=options.n_negatives,
            sg=1,
            min_count=split.min_count,
            min_n=options.ngrams[0],
            max_n=options.ngrams[1],
            bucket=N_BUCKETS,
            alpha=options.lr,
            min_alpha=1e-5,
            sample=options.subsample,
            seed=options.seed,
            workers=1,
        )
        sentences = _Sentences(split.file, split.n_tokens, options.epochs)
        run_in_thread(lambda: model.build_vocab(sentences), report, COUNTING_STAGE)
        split.check_any(len(model.wv))
        _train(model, sentences, report)
    words = tuple(model.wv.index_to_key)
    vectors = np.array(model.wv.vectors, np.float32)
    table = WordVectors(words, vectors, language)
    return TrainedVectors(table, split.n_tokens, split.min_count)


def _load_model_class() -> Any:
    try:
        return importlib.import_module("gensim.models.fasttext").FastText
    except ImportError as error:
        raise ResourceError(
            "Training word vectors needs the package gensim, which is not installed. "
            "It has no build for Python 3.14: use Python 3.11 to 3.13, or import "
            "word vectors from a file."
        ) from error


class _Sentences:
    """The sentences of a file of words, as gensim reads them again and again.

    gensim reads them in a thread of its own, which must not raise: it would wait for it
    forever. After a stop, the sentences end instead, which ends the training.
    """

    def __init__(self, file: Path, n_tokens: int, epochs: int):
        self.n_tokens, self.epochs = n_tokens, epochs
        self.n_read = 0  # words, over all epochs
        self.is_stopped = threading.Event()
        self._file = file

    def __iter__(self) -> Iterator[list[str]]:
        if self.is_stopped.is_set():
            return
        with self._file.open(encoding="utf-8") as stream:
            for line in stream:
                if self.is_stopped.is_set():
                    return
                words = line.split()
                self.n_read += len(words)
                for start in range(0, len(words), MAX_SENTENCE):
                    yield words[start : start + MAX_SENTENCE]


def _train(model: Any, sentences: _Sentences, report: Report) -> None:
    """Train a model whose vocabulary is known; Cancel stops it within a second."""
    total = sentences.n_tokens * sentences.epochs
    sentences.n_read = 0
    shown = _TrainingReport(report, sentences, total)
    try:
        run_in_thread(
            lambda: model.train(
                sentences, total_words=sentences.n_tokens, epochs=sentences.epochs
            ),
            shown,
            TRAINING_STAGE,
        )
    finally:
        sentences.is_stopped.set()
    report.step(TRAINING_STAGE, total, total)


class _TrainingReport(Report):
    """Shows how many words were read while a thread trains."""

    def __init__(self, outer: Report, sentences: _Sentences, total: int):
        super().__init__(run=outer.run)
        self._outer, self._sentences, self._total = outer, sentences, total

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show the number of words.

        Raises:
            Cancelled: the run was asked to stop.
        """
        done = min(self._sentences.n_read, self._total - 1)
        self._outer.step(stage, max(done, 0), self._total, note)
