"""Train subword vocabularies with sentencepiece, and split text into pieces.

No other module imports sentencepiece.
"""

import itertools
import os
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
import sentencepiece

from app.engine.text.word_vocabulary import PieceCounts
from app.errors import UserError

MODEL_FILE = "vocabulary.model"
UNKNOWN_ID = 0
MAX_CHARACTERS = 100_000  # of one text; the rest is not encoded
NORMALISATION = "nmt_nfkc_cf"  # NFKC, case-folded
CASED = "nmt_nfkc"  # the same without case folding
CHARACTER_COVERAGE = 0.9998
LONGEST_BYTES = 4192  # of a sentence that sentencepiece learns from (its default)

_SURROGATE = re.compile("[\ud800-\udfff]")


class Vocabulary:
    """A loaded sentencepiece model.

    Attributes:
        n_pieces: number of pieces; ids are 0…n_pieces-1, and 0 is the unknown piece.
        space_id: id of the piece with only the space marker; -1: none.
        model_bytes: model as stored.
        processor: the sentencepiece processor, for benchmarks.
    """

    def __init__(self, model_bytes: bytes):
        self.model_bytes = model_bytes
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=model_bytes)
        self.n_pieces = int(self.processor.get_piece_size())
        space_id = int(self.processor.piece_to_id("▁"))
        self.space_id = space_id if space_id != UNKNOWN_ID else -1

    def tokenise(
        self, texts: Sequence[str], *, n_threads: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        """Split texts into pieces.

        Args:
            texts: n texts; unpaired surrogates are read as U+FFFD.
            n_threads: threads of sentencepiece.

        Returns:
            piece_ids: int32 (t,), pieces of all texts, concatenated; lengths: int32
            (n,), number of pieces of each text.
        """
        try:
            lists = self._encode(texts, n_threads)
        except (TypeError, UnicodeEncodeError):
            # sentencepiece refuses unpaired surrogates (TypeError in 0.2.x)
            lists = self._encode(
                [_SURROGATE.sub("\ufffd", t) for t in texts], n_threads
            )
        lengths = np.fromiter(map(len, lists), np.int32, len(lists))
        flat = itertools.chain.from_iterable(lists)
        return np.fromiter(flat, np.int32, int(lengths.sum())), lengths

    def names(self, text: str) -> list[str]:
        """Return the pieces of a text ("▁": a space); unknown pieces as letters."""
        clean = _SURROGATE.sub("\ufffd", text[:MAX_CHARACTERS])
        names: list[str] = self.processor.encode(clean, out_type=str)
        return names

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces and the unknown pieces of each text, without spaces."""
        piece_ids, lengths = self.tokenise(texts, n_threads=os.cpu_count() or 1)
        texts_of_pieces = np.repeat(np.arange(len(texts)), lengths)

        def count(is_counted: np.ndarray) -> np.ndarray:
            found = np.bincount(texts_of_pieces[is_counted], minlength=len(texts))
            return found.astype(np.int32)

        return PieceCounts(
            count(piece_ids != self.space_id), count(piece_ids == UNKNOWN_ID)
        )

    def _encode(self, texts: Sequence[str], n_threads: int) -> list[list[int]]:
        """Call sentencepiece; very long texts are truncated."""
        if max(map(len, texts), default=0) > MAX_CHARACTERS:
            texts = [text[:MAX_CHARACTERS] for text in texts]
        lists: list[list[int]] = self.processor.encode(
            list(texts), num_threads=n_threads
        )
        return lists


@lru_cache(maxsize=2)
def _vocabulary_of(model_bytes: bytes) -> Vocabulary:
    """Cache vocabularies, since loading takes 0.2 s and bundled encoders share one.

    Vocabularies are immutable.
    """
    return Vocabulary(model_bytes)


def load_vocabulary(folder: Path) -> Vocabulary:
    """Load the vocabulary of a folder.

    Raises:
        UserError: the vocabulary is missing or damaged.
    """
    path = folder / MODEL_FILE
    try:
        model_bytes = path.read_bytes()
        if model_bytes:  # sentencepiece accepts an empty model, without pieces
            return _vocabulary_of(model_bytes)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UserError(f"{folder}: there is no {MODEL_FILE} in the folder.") from error
    except (RuntimeError, OSError) as error:
        raise UserError(f"{path}: the vocabulary is damaged.") from error
    raise UserError(f"{path}: the vocabulary is empty.")


def fit_vocabulary(
    sample: str,
    model: str,
    *,
    n_pieces: int,
    n_threads: int,
    seed: int,
    kind: Literal["unigram", "bpe", "cased-bpe"] = "unigram",
) -> int:
    """Train a vocabulary of pieces on a file; runs in a child process.

    Args:
        sample: path of a text file with one sentence per line.
        model: path to write the model to.
        n_pieces: target number of pieces; a small sample may yield fewer.
        n_threads: threads of sentencepiece.
        kind: unigram (Kudo 2018) or bpe (Sennrich et al. 2016); cased: without case
            folding, which replaces ß by ss.

    Returns:
        The number of pieces of the vocabulary.

    Raises:
        UserError: the sample is too small for any vocabulary.
    """
    sentencepiece.set_random_generator_seed(seed)
    try:
        with (
            Path(sample).open(encoding="utf-8", newline="\n") as lines,
            Path(model).open("wb") as writer,
        ):
            # not input=sample, since the model would store that path
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=(line.rstrip("\n") for line in lines),
                model_writer=writer,
                vocab_size=n_pieces,
                model_type=kind.removeprefix("cased-"),
                normalization_rule_name=CASED if kind == "cased-bpe" else NORMALISATION,
                character_coverage=CHARACTER_COVERAGE,
                hard_vocab_limit=False,
                num_threads=n_threads,
                unk_id=UNKNOWN_ID,
                bos_id=-1,
                eos_id=-1,
                pad_id=-1,
                max_sentence_length=LONGEST_BYTES,
                minloglevel=2,
            )
    except RuntimeError as error:
        message = f"No vocabulary of {n_pieces:,} pieces can be trained on this text"
        why = f": {error}"
        if "sentences_.empty()" in why:
            why = f", which has no sentence of 1 to {LONGEST_BYTES:,} bytes"
        raise UserError(f"{message}{why}.") from error
    return Vocabulary(Path(model).read_bytes()).n_pieces
