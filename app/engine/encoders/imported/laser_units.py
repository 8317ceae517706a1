"""LASER's pieces: lower-cased text with Moses's punctuation, cut and looked up.

As laser_encoders does it (facebookresearch/LASER, laser_encoders/laser_tokenizer.py and
models.py): an end mark after each sentence, no mark before it, and the ids of fairseq's
special pieces.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from app.engine.encoders.configs import BilstmConfig
from app.engine.encoders.tokens import Tokens, make_tokens
from app.engine.encoders.units import PieceUnits
from app.engine.text.piece_counts import PieceCounts
from app.engine.text.punctuation import normalise_punctuation
from app.engine.text.vocabulary import MAX_CHARACTERS, Vocabulary, load_vocabulary
from app.errors import UserError

DICTIONARY_FILE = "dictionary.json"
BEGIN_ID, PADDING_ID, END_ID, UNKNOWN_ID = 0, 1, 2, 3
END = "</s>"
SPECIAL_IDS = {
    "<s>": BEGIN_ID,
    "<pad>": PADDING_ID,
    END: END_ID,
    "<unk>": UNKNOWN_ID,
}


class LaserUnits:
    """Cuts texts as LASER does (see `Units`); ids are those of LASER's dictionary.

    A text without a known piece has no token, where LASER gives the vector of its
    unknown pieces and the end mark.

    Attributes:
        n_rows, n_sub_rows: see `Units`.
        known_share: share of the model's pieces that the dictionary names (0…1).
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
        self._pieces = PieceUnits(vocabulary, max_tokens - 1)

    def cut(self, texts: Sequence[str]) -> Tokens:
        """Cut texts into at most `max_tokens` pieces each, the end mark included."""
        cut = self._pieces.cut(_prepare(texts))
        lengths = cut.lengths
        heard = lengths > 0
        ids = np.insert(self._rows[cut.ids], cut.ends[heard], END_ID)
        return make_tokens(ids, lengths + heard)

    def names(self, text: str) -> list[str]:
        """Name the tokens that `cut` makes of a text, in order."""
        return [*self._pieces.names(_prepare([text])[0]), END]

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Give the share of the texts' pieces that are unknown (0…1)."""
        return self._pieces.unknown_share(_prepare(texts))

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces of each text, and those that are unknown."""
        return self._pieces.count_pieces(_prepare(texts))


def load_laser_units(folder: Path, config: BilstmConfig) -> LaserUnits:
    """Load the sentencepiece model and the dictionary of a folder.

    Raises:
        UserError: one of them is missing or damaged, or names rows that are not there.
    """
    file = folder / DICTIONARY_FILE
    try:
        dictionary = msgspec.json.decode(file.read_bytes(), type=dict[str, int])
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(f"{file} is damaged or missing: take a fresh copy.") from error
    check_dictionary(file, dictionary, config.n_pieces)
    return LaserUnits(load_vocabulary(folder), dictionary, config.max_tokens)


def check_dictionary(file: Path, dictionary: Mapping[str, int], n_rows: int) -> None:
    """Check that a dictionary names rows of a table of n_rows.

    Raises:
        UserError: it names others, or gives a special piece another id than LASER.
    """
    outside = [piece for piece, row in dictionary.items() if not 0 <= row < n_rows]
    if outside:
        raise UserError(
            f"{file}: the piece {outside[0]!r} has the id {dictionary[outside[0]]}, "
            f"but the encoder has {n_rows} rows."
        )
    for piece, row in SPECIAL_IDS.items():
        if dictionary.get(piece, row) != row:
            raise UserError(
                f"{file}: the piece {piece} has the id {dictionary[piece]}, but LASER "
                f"gives it {row}."
            )


def read_cvocab(file: Path) -> dict[str, int]:
    """Read fairseq's vocabulary file: PIECE COUNT a line, ids from 4 on.

    Raises:
        UserError: it is missing, not UTF-8, or a line is not of that form.
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
                f"{file}, line {number}: there is no piece with its count, as in "
                "LASER's vocabulary files."
            )
        dictionary.setdefault(piece, len(SPECIAL_IDS) + number - 1)
    return dictionary


def _prepare(texts: Sequence[str]) -> list[str]:
    """Bring texts into the form that LASER's pieces were made of."""
    clipped = [text[:MAX_CHARACTERS] for text in texts]
    return [text.lower() for text in normalise_punctuation(clipped)]
