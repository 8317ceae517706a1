"""Tokenisers of neural encoders: subword pieces, words with n-grams, LASER's pieces.

As laser_encoders does it (facebookresearch/LASER, laser_encoders/laser_tokenizer.py and
models.py): an end mark after each sentence, no mark before it, and the ids of fairseq's
special pieces.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import regex

from app.engine.encoders.configs import (
    BilstmConfig,
    ContextualConfig,
    EncoderConfig,
    StaticConfig,
    TransformerConfig,
)
from app.engine.encoders.tokens import UNKNOWN_ROW, Tokeniser, Tokens, make_tokens
from app.engine.text.normalisation import normalise_punctuation
from app.engine.text.subword_vocabulary import (
    MAX_CHARACTERS,
    Vocabulary,
    load_vocabulary,
)
from app.engine.text.word_vocabulary import (
    PieceCounts,
    WordVocabulary,
    load_word_vocabulary,
)
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.text.subword_vocabulary import Vocabulary

N_THREADS = os.cpu_count() or 1
_NOT_PRINTING = regex.compile(r"\p{C}")


class PieceTokeniser:
    """Splits texts into the pieces of a sentencepiece vocabulary (see `Tokeniser`).

    A text of only unknown pieces and spaces has no token; in other texts unknown pieces
    are kept, and their row is learned.

    Attributes:
        n_rows, n_sub_rows: see `Tokeniser`. vocabulary: the pieces.
        end_id: row of the mark that ends every non-empty sentence; None: no mark.
    """

    def __init__(
        self, vocabulary: "Vocabulary", max_tokens: int, *, has_end_mark: bool = False
    ):
        self.end_id = vocabulary.n_pieces if has_end_mark else None
        self.n_rows = vocabulary.n_pieces + has_end_mark
        self.n_sub_rows = 0
        self.vocabulary = vocabulary
        self._max_tokens = max_tokens - has_end_mark

    def tokenise(self, texts: Sequence[str]) -> Tokens:
        """Split texts into at most `max_tokens` tokens each, including the end mark."""
        piece_ids, lengths = self.vocabulary.tokenise(texts, n_threads=N_THREADS)
        starts = np.cumsum(lengths, dtype=np.int64) - lengths
        text_ids = np.repeat(np.arange(len(texts)), lengths)
        positions = np.arange(len(piece_ids)) - starts[text_ids]
        fits = positions < self._max_tokens
        is_known = (piece_ids != UNKNOWN_ROW) & (piece_ids != self.vocabulary.space_id)
        n_known = np.bincount(text_ids[is_known & fits], minlength=len(texts))
        is_kept = fits & (n_known > 0)[text_ids]
        kept_lengths = np.where(n_known > 0, np.minimum(lengths, self._max_tokens), 0)
        tokens = make_tokens(piece_ids[is_kept], kept_lengths)
        return tokens if self.end_id is None else append_token(tokens, self.end_id)

    def names(self, text: str) -> list[str]:
        """Return the tokens that `tokenise` returns for a text, in order."""
        names = self.vocabulary.names(text)[: self._max_tokens]
        return names if self.end_id is None else [*names, END]

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces and the unknown pieces of each text."""
        return self.vocabulary.count_pieces(texts)


class WordTokeniser:
    """Splits texts into words with hashed character n-grams (see `Tokeniser`).

    The dual encoder's input (Chidambaram et al. 2019, section 3.1): a word has its row
    if it is in the vocabulary, else one of the rows of hashed words, and next to it the
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

    def tokenise(self, texts: Sequence[str]) -> Tokens:
        """Split texts into at most `max_tokens` words each."""
        lists = [self.words.split(text, self._max_tokens) for text in texts]
        lengths = np.fromiter(map(len, lists), np.int32, len(lists))
        index: dict[str, int] = {}
        flat = [index.setdefault(word, len(index)) for words in lists for word in words]
        indices = np.array(flat, np.int64)
        rows = self.words.rows(list(index), self._n_hashed)
        if not self.n_sub_rows:
            return make_tokens(rows[indices], lengths)
        sub_ids, sub_lengths = self.words.ngrams(list(index), self.n_sub_rows)
        distinct = make_tokens(sub_ids, sub_lengths).take(indices)
        return make_tokens(rows[indices], lengths, distinct.ids, distinct.lengths)

    def names(self, text: str) -> list[str]:
        """Return the tokens that `tokenise` returns for a text, in order."""
        return self.words.split(text, self._max_tokens)

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the words of each text, and the words outside the vocabulary."""
        return self.words.count_pieces(texts)


def load_tokeniser(folder: Path, config: EncoderConfig) -> Tokeniser:
    """Load an encoder's tokeniser from the vocabulary file in a folder.

    Args:
        folder: an encoder's folder, or a vocabulary's.
        config: specifies the kind of vocabulary and its sizes.

    Raises:
        UserError: the vocabulary is missing, damaged, or of another size.
    """
    if isinstance(config, TransformerConfig) and config.units == "words":
        words = load_word_vocabulary(folder)
        _check_size(folder, words.n_words, config.n_pieces, "words")
        return WordTokeniser(
            words,
            n_hashed=config.n_hashed_words,
            n_ngrams=config.n_ngrams,
            max_tokens=config.max_tokens,
        )
    if isinstance(config, ContextualConfig):
        from app.engine.encoders import contextual

        return contextual.load_tokeniser(folder, config)
    if not isinstance(config, BilstmConfig | TransformerConfig | StaticConfig):
        raise UserError(f"{config.name} was imported and has no vocabulary here.")
    if isinstance(config, BilstmConfig) and config.is_laser:
        return load_laser_tokeniser(folder, config)
    from app.engine.text.subword_vocabulary import load_vocabulary

    vocabulary = load_vocabulary(folder)
    _check_size(folder, vocabulary.n_pieces, config.n_pieces, "pieces")
    if isinstance(config, StaticConfig):
        return _static_tokeniser(folder, config, vocabulary)
    has_end_mark = isinstance(config, BilstmConfig) and config.has_end_mark
    return PieceTokeniser(vocabulary, config.max_tokens, has_end_mark=has_end_mark)


def _static_tokeniser(
    folder: Path, config: StaticConfig, vocabulary: "Vocabulary"
) -> Tokeniser:
    """Load a static tokeniser, with the folder's romaniser or else a new one."""
    from app.engine.encoders.folder import WEIGHTS_FILE
    from app.engine.encoders.static.encoder import read_romaniser
    from app.engine.encoders.static.module import StaticTokeniser
    from app.engine.encoders.static.table_rows import make_romaniser

    if not config.n_ngrams:
        return StaticTokeniser(vocabulary, config)
    if (folder / WEIGHTS_FILE).exists():
        return StaticTokeniser(vocabulary, config, read_romaniser(folder))
    return StaticTokeniser(vocabulary, config, make_romaniser())


def _check_size(folder: Path, found: int, expected: int, kind: str) -> None:
    """Reject a vocabulary whose size differs from the config."""
    if found != expected:
        raise UserError(
            f"{folder}: the vocabulary has {found} {kind}, but encoder.json "
            f"declares {expected}."
        )


DICTIONARY_FILE = "dictionary.json"
BEGIN_ID, PADDING_ID, END_ID, UNKNOWN_ID = 0, 1, 2, 3
END = "</s>"
SPECIAL_IDS = {
    "<s>": BEGIN_ID,
    "<pad>": PADDING_ID,
    END: END_ID,
    "<unk>": UNKNOWN_ID,
}


class LaserTokeniser:
    """Splits texts as LASER does (see `Tokeniser`), with the ids of LASER's dictionary.

    A text without a known piece has no token, whereas LASER returns the vector of its
    unknown pieces and the end mark.

    Attributes:
        n_rows, n_sub_rows: see `Tokeniser`. known_share: share of the model's pieces in
            the dictionary, 0…1.
    """

    def __init__(
        self, vocabulary: Vocabulary, dictionary: Mapping[str, int], max_tokens: int
    ):
        pieces = map(vocabulary.processor.id_to_piece, range(vocabulary.n_pieces))
        rows = [dictionary.get(piece, UNKNOWN_ID) for piece in pieces]
        self.n_rows = max(dictionary.values(), default=UNKNOWN_ID) + 1
        self.n_sub_rows = 0
        self.known_share = 1 - rows.count(UNKNOWN_ID) / max(len(rows), 1)
        self._rows = np.array(rows, np.int32)
        self._pieces = PieceTokeniser(vocabulary, max_tokens - 1)

    def tokenise(self, texts: Sequence[str]) -> Tokens:
        """Split texts into at most `max_tokens` pieces each, including the end mark."""
        cut = self._pieces.tokenise(_prepare(texts))
        return append_token(make_tokens(self._rows[cut.ids], cut.lengths), END_ID)

    def names(self, text: str) -> list[str]:
        """Return the tokens that `tokenise` returns for a text, in order."""
        return [*self._pieces.names(_prepare([text])[0]), END]

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces and the unknown pieces of each text."""
        return self._pieces.count_pieces(_prepare(texts))


def load_laser_tokeniser(folder: Path, config: BilstmConfig) -> LaserTokeniser:
    """Load the sentencepiece model and the dictionary of a folder.

    Raises:
        UserError: a file is missing or damaged, or contains invalid rows.
    """
    file = folder / DICTIONARY_FILE
    try:
        dictionary = msgspec.json.decode(file.read_bytes(), type=dict[str, int])
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(f"{file} is damaged or missing. Download it again.") from error
    check_dictionary(file, dictionary, config.n_pieces)
    return LaserTokeniser(load_vocabulary(folder), dictionary, config.max_tokens)


def check_dictionary(file: Path, dictionary: Mapping[str, int], n_rows: int) -> None:
    """Check that all ids in a dictionary are rows of a table with `n_rows` rows.

    Raises:
        UserError: an id is out of range, or a special piece has another id than in
            LASER.
    """
    outside = [piece for piece, row in dictionary.items() if not 0 <= row < n_rows]
    if outside:
        raise UserError(
            f"{file}: the piece {outside[0]!r} has the id {dictionary[outside[0]]}, "
            f"but the encoder has {n_rows:,} rows."
        )
    for piece, row in SPECIAL_IDS.items():
        if dictionary.get(piece, row) != row:
            raise UserError(
                f"{file}: the piece {piece} has the id {dictionary[piece]}, "
                f"but {row} in LASER."
            )


def read_cvocab(file: Path) -> dict[str, int]:
    """Read fairseq's vocabulary file: PIECE COUNT per line, ids from 4.

    Raises:
        UserError: the file is missing, not UTF-8, or a line has another format.
    """
    try:
        lines = file.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} can't be read as LASER's vocabulary file.") from error
    dictionary = dict(SPECIAL_IDS)
    for number, line in enumerate(lines, 1):
        piece, _, count = line.rstrip("\r").rpartition(" ")
        if not piece or not count.isdigit():
            raise UserError(
                f"{file}, line {number:,}: expected a piece and its count, as "
                "in LASER's vocabulary files."
            )
        dictionary.setdefault(piece, len(SPECIAL_IDS) + number - 1)
    return dictionary


def append_token(tokens: Tokens, row: int) -> Tokens:
    """Append a token to each non-empty sentence, for tokens without n-grams."""
    has_token = tokens.lengths > 0
    ids = np.insert(tokens.ids, tokens.ends[has_token], row)
    return make_tokens(ids, tokens.lengths + has_token)


def _prepare(texts: Sequence[str]) -> list[str]:
    """Normalise texts as in the training of LASER's pieces.

    Like Moses's remove-non-printing-char.perl, which LASER runs first, it replaces each
    character of category C, such as the soft hyphen, by a space.
    """
    clipped = [_NOT_PRINTING.sub(" ", text[:MAX_CHARACTERS]) for text in texts]
    return [text.lower() for text in normalise_punctuation(clipped)]
