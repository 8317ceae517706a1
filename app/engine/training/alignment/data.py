"""Pairs with the vectors of their English sides, encoded once and memory-mapped."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.runtime.report import Report
from app.engine.text.line_files import file_stem, read_pairs
from app.engine.training.data.row_store import (
    Row,
    RowGroup,
    RowStore,
    StoreFiller,
    make_store,
    open_store,
)
from app.engine.training.held_out import HeldOutSentences
from app.engine.training.objectives.distillation import encode_unit_vectors
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.encoders.tokens import Tokeniser

FOLDER, VECTORS_FILE = "aligned", "english.float16"
NO_VECTOR = "the English encoder has no vector for its sentence"


class AlignmentData(NamedTuple):
    """Training pairs.

    Attributes:
        store: sentences of the other language, one per row; a row's tag is the index of
            its English sentence.
        english_vectors: float16 (m, d), unit vector of each distinct English sentence;
            memory-mapped.
    """

    store: RowStore
    english_vectors: NDArray[np.float16]


class EnglishSentences(NamedTuple):
    """Distinct English sentences of a file of pairs.

    Attributes:
        texts: in the order of the file.
        ids: int64 (pairs,), index of each pair's sentence.
    """

    texts: list[str]
    ids: NDArray[np.int64]


def read_english(file: Path) -> EnglishSentences:
    """Read the English side of a file of pairs."""
    index: dict[str, int] = {}
    ids = [index.setdefault(english, len(index)) for english, _ in read_pairs(file)]
    return EnglishSentences(list(index), np.array(ids, np.int64))


def make_alignment_data(
    folder: Path,
    file: Path,
    tokeniser: "Tokeniser",
    english: "Encoder",
    report: Report,
) -> AlignmentData:
    """Encode the English side and tokenise the other, or map existing data.

    Args:
        folder: work folder, where an interrupted encoding resumes.
        file: TSV of english⇥other.
        english: frozen encoder.

    Raises:
        UserError: fewer than two pairs are usable.
    """
    sentences = read_english(file)
    n_sentences = len(sentences.texts)
    encoded = folder / VECTORS_FILE
    encode_unit_vectors(
        encoded,
        lambda first, end: sentences.texts[first:end],
        n_sentences,
        english,
        report,
    )
    vectors = np.memmap(encoded, np.float16, "r", shape=(n_sentences, english.dim))
    store = open_store(folder / FOLDER)
    if store is None:
        has_vector = np.asarray(vectors.any(axis=1), np.bool_)
        filler = StoreFiller(
            tokeniser, HeldOutSentences(np.empty(0, np.uint64)), 1, "pair"
        )

        def rows() -> Iterator[Row]:
            pairs = read_pairs(file)
            for id_, (_, other) in zip(sentences.ids.tolist(), pairs, strict=True):
                if has_vector[id_]:
                    yield Row((other,), id_)
                else:
                    filler.left_out[NO_VECTOR] += 1

        groups = [RowGroup(file_stem(file), rows())]
        store = make_store(folder / FOLDER, groups, filler, report)
    if store.n_rows < 2:
        raise UserError(
            f"{file.name} contains {store.n_rows} usable pairs, but training needs at "
            f"least two.{''.join(' ' + note for note in store.notes)}"
        )
    return AlignmentData(store, vectors)
