"""What cuts texts for neural encoders: subword pieces, or words with their n-grams."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.engine.encoders.configs import (
    BilstmConfig,
    EncoderConfig,
    StaticConfig,
    TransformerConfig,
)
from app.engine.encoders.tokens import UNKNOWN_ROW, Tokens, Units, make_tokens
from app.engine.text.piece_counts import PieceCounts
from app.engine.text.words import WordVocabulary, load_words
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.text.vocabulary import Vocabulary

N_THREADS = os.cpu_count() or 1


class PieceUnits:
    """Cuts texts into the pieces of a sentencepiece vocabulary (see `Units`).

    A text of nothing but unknown pieces and spaces has no token; in other texts they
    keep their places, and their row is learned.
    """

    def __init__(self, vocabulary: "Vocabulary", max_tokens: int):
        self.n_rows = vocabulary.n_pieces
        self.n_sub_rows = 0
        self.vocabulary = vocabulary
        self._max_tokens = max_tokens

    def cut(self, texts: Sequence[str]) -> Tokens:
        """Cut texts into at most `max_tokens` pieces each."""
        piece_ids, lengths = self.vocabulary.tokenise(texts, n_threads=N_THREADS)
        starts = np.cumsum(lengths, dtype=np.int64) - lengths
        text_ids = np.repeat(np.arange(len(texts)), lengths)
        positions = np.arange(len(piece_ids)) - starts[text_ids]
        fits = positions < self._max_tokens
        is_known = (piece_ids != UNKNOWN_ROW) & (piece_ids != self.vocabulary.space_id)
        n_known = np.bincount(text_ids[is_known & fits], minlength=len(texts))
        is_kept = fits & (n_known > 0)[text_ids]
        kept_lengths = np.where(n_known > 0, np.minimum(lengths, self._max_tokens), 0)
        return make_tokens(piece_ids[is_kept], kept_lengths)

    def names(self, text: str) -> list[str]:
        """Name the tokens that `cut` makes of a text, in order."""
        return self.vocabulary.names(text)[: self._max_tokens]

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Give the share of the texts' pieces that are unknown (0…1)."""
        return self.vocabulary.unknown_share(texts)

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces of each text, and those that are unknown."""
        return self.vocabulary.count_pieces(texts)


class WordUnits:
    """Cuts texts into words with hashed character n-grams (see `Units`).

    The dual encoder's input (Chidambaram et al. 2019, section 3.1): a word has its row
    if it is in the vocabulary, else one of the rows of hashed words, and beside it the
    rows of its n-grams. Every word has a row, so only an empty text has no token.
    """

    def __init__(
        self, words: WordVocabulary, *, n_hashed: int, n_ngrams: int, max_tokens: int
    ):
        self.n_rows = words.n_words + n_hashed
        self.n_sub_rows = n_ngrams
        self.words = words
        self._n_hashed = n_hashed
        self._max_tokens = max_tokens

    def cut(self, texts: Sequence[str]) -> Tokens:
        """Cut texts into at most `max_tokens` words each."""
        lists = [self.words.split(text, self._max_tokens) for text in texts]
        lengths = np.fromiter(map(len, lists), np.int32, len(lists))
        index: dict[str, int] = {}
        flat = [index.setdefault(word, len(index)) for words in lists for word in words]
        places = np.array(flat, np.int64)
        rows = self.words.rows(list(index), self._n_hashed)
        if not self.n_sub_rows:
            return make_tokens(rows[places], lengths)
        sub_ids, sub_lengths = self.words.ngrams(list(index), self.n_sub_rows)
        distinct = make_tokens(sub_ids, sub_lengths).take(places)
        return make_tokens(rows[places], lengths, distinct.ids, distinct.lengths)

    def names(self, text: str) -> list[str]:
        """Name the tokens that `cut` makes of a text, in order."""
        return self.words.split(text, self._max_tokens)

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Give the share of the texts' words that are not in the vocabulary (0…1)."""
        return self.words.unknown_share(texts)

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the words of each text, and those that are not in the vocabulary."""
        return self.words.count_pieces(texts)


def load_units(folder: Path, config: EncoderConfig) -> Units:
    """Load what cuts texts for an encoder from the vocabulary file of a folder.

    Args:
        folder: an encoder's folder, or a vocabulary's.
        config: tells which vocabulary it is; its sizes must be the vocabulary's.

    Raises:
        UserError: the vocabulary is missing, damaged, or of another size.
    """
    if isinstance(config, TransformerConfig) and config.units == "words":
        words = load_words(folder)
        _check_size(folder, words.n_words, config.n_pieces, "words")
        return WordUnits(
            words,
            n_hashed=config.n_hashed_words,
            n_ngrams=config.n_ngrams,
            max_tokens=config.max_tokens,
        )
    if not isinstance(config, BilstmConfig | TransformerConfig | StaticConfig):
        raise UserError(f"{config.name} was made elsewhere and has no vocabulary here.")
    if isinstance(config, BilstmConfig) and config.is_laser:
        from app.engine.encoders.imported.laser_units import load_laser_units

        return load_laser_units(folder, config)
    from app.engine.text.vocabulary import load_vocabulary

    vocabulary = load_vocabulary(folder)
    _check_size(folder, vocabulary.n_pieces, config.n_pieces, "pieces")
    if isinstance(config, StaticConfig):
        return _static_units(folder, config, vocabulary)
    return PieceUnits(vocabulary, config.max_tokens)


def _static_units(
    folder: Path, config: StaticConfig, vocabulary: "Vocabulary"
) -> Units:
    """Take the letters of words from the encoder's folder; else those of today."""
    from app.engine.encoders.folder import WEIGHTS_FILE
    from app.engine.encoders.ngrams import make_romaniser
    from app.engine.encoders.static_folder import read_romaniser
    from app.engine.encoders.static_module import StaticUnits

    if not config.n_ngrams:
        return StaticUnits(vocabulary, config)
    if (folder / WEIGHTS_FILE).exists():
        return StaticUnits(vocabulary, config, read_romaniser(folder))
    return StaticUnits(vocabulary, config, make_romaniser())


def _check_size(folder: Path, found: int, expected: int, kind: str) -> None:
    """Refuse a vocabulary that is not the one that the config was made for."""
    if found != expected:
        raise UserError(
            f"{folder}: the vocabulary has {found} {kind}, but encoder.json says "
            f"{expected}."
        )
