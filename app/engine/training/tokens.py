"""All pairs cut into pieces and words once: flat arrays on disk, mapped in training."""

import os
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import compress, islice
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.encoders.pooling import IdArray, gather_runs
from app.engine.report import Report
from app.engine.text.vocabulary import UNKNOWN_ID, Vocabulary
from app.engine.training.files import file_stem, read_pairs
from app.engine.training.side_words import SideWordWriter, open_side_words
from app.errors import UserError

PIECES_FILE = "pieces.int32"
ENDS_FILE = "ends.int64"
INDEX_FILE = "tokens.json"
BLOCK_PAIRS = 20_000
MAX_PIECES = 256  # of one sentence; the rest is not trained on
STAGE = "Cutting pairs into pieces"


class Language(msgspec.Struct, frozen=True):
    """The pairs of one file: rows [first, first + n_pairs) of all pairs."""

    name: str
    first: int
    n_pairs: int


class TokenPairs:
    """Pairs as piece ids; side 2p is the English one of pair p, side 2p + 1 the other.

    Attributes:
        languages: one for each file that has pairs.
        n_pairs: pairs in all.
        words: the words of each side; None if they were not asked for.
    """

    def __init__(self, folder: Path):
        index = (folder / INDEX_FILE).read_bytes()
        self.languages = msgspec.json.decode(index, type=list[Language])
        self.n_pairs = sum(language.n_pairs for language in self.languages)
        self._pieces = np.memmap(folder / PIECES_FILE, np.int32, mode="r")
        self._ends = np.fromfile(folder / ENDS_FILE, np.int64)  # (2 * n_pairs,)
        self.words = open_side_words(folder)

    def gather(self, sides: NDArray[np.int64]) -> tuple[IdArray, IdArray]:
        """Give the pieces of some sides.

        Args:
            sides: int64 (n,).

        Returns:
            piece_ids: int32 (t,), one side after the other; lengths: int32 (n,).
        """
        piece_ids, lengths = gather_runs(self._pieces, self._ends, sides)
        return piece_ids, lengths.astype(np.int32)


def tokenise_pairs(
    files: Sequence[Path],
    vocabulary: Vocabulary,
    folder: Path,
    report: Report,
    *,
    n_ngrams: int = 0,
) -> TokenPairs:
    """Cut the pairs of all files into pieces, or open what an earlier run has cut.

    Pairs of which a side has no known piece are left out. With `n_ngrams` rows for
    hashed n-grams the sides are cut into words too.

    Raises:
        UserError: no pair is left.
    """
    if (folder / INDEX_FILE).exists():
        return TokenPairs(folder)
    languages: list[Language] = []
    n_pairs, n_pieces = 0, 0
    with (
        (folder / PIECES_FILE).open("wb") as pieces,
        (folder / ENDS_FILE).open("wb") as all_ends,
        SideWordWriter(folder, n_ngrams) if n_ngrams else nullcontext() as words,
    ):
        for done, file in enumerate(files):
            first = n_pairs
            for block in _blocks(read_pairs(file)):
                report.step(STAGE, done, len(files), file_stem(file))
                piece_ids, lengths, texts = _cut_block(block, vocabulary)
                if words is not None:
                    words.write(texts)
                piece_ids.tofile(pieces)
                (np.cumsum(lengths, dtype=np.int64) + n_pieces).tofile(all_ends)
                n_pieces += len(piece_ids)
                n_pairs += len(lengths) // 2
            if n_pairs > first:
                languages.append(Language(file_stem(file), first, n_pairs - first))
    if n_pairs < 2:
        raise UserError("There are fewer than two pairs with known pieces to train on.")
    part = folder / f"{INDEX_FILE}.part"
    part.write_bytes(msgspec.json.encode(languages))
    part.replace(folder / INDEX_FILE)
    return TokenPairs(folder)


def _blocks(
    pairs: Iterator[tuple[str, str]],
) -> Iterator[list[tuple[str, str]]]:
    """Cut an iterator into lists."""
    while block := list(islice(pairs, BLOCK_PAIRS)):
        yield block


def _cut_block(
    block: list[tuple[str, str]], vocabulary: Vocabulary
) -> tuple[IdArray, IdArray, list[str]]:
    """Cut pairs into pieces; drop pairs with an empty side, shorten long sides."""
    texts = [text for pair in block for text in pair]
    piece_ids, lengths = vocabulary.tokenise(texts, n_threads=os.cpu_count() or 1)
    side_ids = np.repeat(np.arange(len(texts)), lengths)
    positions = np.arange(len(piece_ids)) - np.repeat(
        np.cumsum(lengths) - lengths, lengths
    )
    is_known = (piece_ids != UNKNOWN_ID) & (piece_ids != vocabulary.space_id)
    n_known = np.bincount(side_ids[is_known], minlength=len(texts))
    is_kept = np.repeat((n_known.reshape(-1, 2) > 0).all(axis=1), 2)  # (n, 2) -> (2n,)
    piece_ids = piece_ids[is_kept[side_ids] & (positions < MAX_PIECES)]
    kept_texts = list(compress(texts, is_kept))
    return piece_ids, np.minimum(lengths, MAX_PIECES)[is_kept], kept_texts
