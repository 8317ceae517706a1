"""A sample of the training data with a vocabulary, for trial steps.

The vocabulary of the sample is filled up with pieces that do not occur in any text, so
that time and memory of a step, and pieces per sentence, are realistic.
"""

import math
import struct
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.text.files import check_file
from app.engine.text.line_files import (
    describe_pair_file,
    file_stem,
    language_codes,
    read_lines,
    read_pairs,
)
from app.engine.text.subword_vocabulary import MODEL_FILE
from app.engine.text.word_vocabulary import WORDS_FILE, write_words
from app.engine.training.data.texts import read_texts
from app.engine.training.held_out import HeldOutSentences
from app.engine.training.preparation import given_vocabulary, train_own_vocabulary
from app.errors import UserError
from app.params.training.encoder import TrainEncoder
from app.paths import strip_compression

if TYPE_CHECKING:
    from app.engine.project.project import Project
    from app.engine.training.recipes import TrainingInputs

PIECES_FIELD = 1  # of sentencepiece's ModelProto
BYTES_FIELD = 2  # wire type of a bytes field
LOWEST_SCORE = -99.0


HEAPS_EXPONENT = 0.6  # Heaps 1978, section 7.5: 0.4 to 0.6; used for pieces


def grow_pieces(file: Path, growth: float, most: int) -> int:
    """Add pieces that do not occur in any text to a sample's sentencepiece model.

    Args:
        growth: size of all data relative to the sample.
        most: requested number of pieces.

    Returns:
        The estimated number of pieces for all data.
    """
    fields = list(_fields(file.read_bytes()))
    pieces = [text for number, text in fields if number == PIECES_FIELD]
    n = _estimate_size(len(pieces), growth, most)
    pieces += [_piece(f"\x01{i}") for i in range(n - len(pieces))]
    others = [text for number, text in fields if number != PIECES_FIELD]
    file.write_bytes(b"".join(pieces + others))
    return n


def grow_words(file: Path, growth: float, most: int) -> int:
    """Add words that do not occur in any text (see `grow_pieces`)."""
    words = file.read_text(encoding="utf-8").splitlines()
    n = _estimate_size(len(words), growth, most)
    words += [f"\x01{i}" for i in range(n - len(words))]
    file.write_bytes(write_words(words))
    return n


def _estimate_size(n_sampled: int, growth: float, most: int) -> int:
    return min(most, round(n_sampled * math.pow(growth, HEAPS_EXPONENT)))


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Split a message of bytes fields into field numbers and values.

    The wire format of protocol buffers: key and length as variable-length integers.
    """
    index = 0
    while index < len(message):
        start = index
        key, index = _integer(message, index)
        assert key & 7 == BYTES_FIELD, "all fields of a model are messages"
        size, index = _integer(message, index)
        index += size
        yield key >> 3, message[start:index]


def _integer(message: bytes, index: int) -> tuple[int, int]:
    """Read a variable-length integer; return it and the next position."""
    value = shift = 0
    while True:
        byte = message[index]
        index += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, index


def _piece(text: str) -> bytes:
    """Encode a piece that occurs in no text: field 1 is its text, field 2 its score."""
    encoded = text.encode()
    body = bytes([0x0A, len(encoded)]) + encoded
    body += b"\x15" + struct.pack("<f", LOWEST_SCORE)
    return bytes([0x0A, len(body)]) + body


SAMPLE_LINES = 8_000  # of all files of a kind
MOST_FILES = 16
PACKED = 3.5  # approximate compression ratio of .xz and .gz
N_TEXTS = 2_000
KINDS = ("pairs", "nli", "documents", "conversations")
STAGE = "Sampling the data"


class Sample(NamedTuple):
    """A sample of the data of a training.

    Attributes:
        params: params with the sampled files.
        n_lines: approximate lines of all files; n_sampled: lines of the sample.
        n_files: number of files of pairs; 1 if there are none.
        notes: sentences on how the sample differs from the data.
    """

    params: TrainEncoder
    n_lines: int
    n_sampled: int
    n_files: int
    notes: tuple[str, ...] = ()

    def texts(self) -> list[str]:
        """Return some sentences of the pairs or, without pairs, of the other data."""
        return list(islice(_all_texts(self.params), N_TEXTS))

    @property
    def growth(self) -> float:
        """Return the ratio of all lines to sampled lines."""
        return self.n_lines / self.n_sampled


def sample_data(params: TrainEncoder, folder: Path, report: Report) -> Sample:
    """Copy the first lines of the files in the params.

    If there are many files, an evenly spread selection is used. The number of lines of
    a file is estimated from its size.

    Raises:
        UserError: a file is empty, or not UTF-8.
        ResourceError: a file is missing.
    """
    sampled: dict[str, tuple[Path, ...]] = {}
    n_lines = n_sampled = 0
    for kind in KINDS:
        files: tuple[Path, ...] = getattr(params, kind)
        chosen = _spread(files)
        counts = [
            _copy(file, folder / kind / f"{file_stem(file)}.tsv", n_most, report)
            for file, n_most in chosen
        ]
        sampled[kind] = tuple(
            folder / kind / f"{file_stem(file)}.tsv" for file, _ in chosen
        )
        n_sampled += sum(n for n, _ in counts)
        n_lines += round(sum(n for _, n in counts) * len(files) / max(1, len(chosen)))
    if not n_sampled:
        raise UserError("Choose corpora or files to train on.")
    return Sample(
        msgspec.structs.replace(params, **sampled),
        n_lines,
        n_sampled,
        max(1, len(params.pairs)),
    )


def make_trial_inputs(
    project: "Project | None", sample: Sample, folder: Path, report: Report
) -> tuple[Sample, "TrainingInputs"]:
    """Return the inputs of a recipe, with a vocabulary of the sample if required."""
    from app.engine.training.recipes import TrainingInputs

    params = sample.params
    work_folder = folder / "work"
    work_folder.mkdir()
    project_folder = None if project is None else project.folder
    nothing = HeldOutSentences(np.empty(0, np.uint64))
    vocabulary = given_vocabulary(params, project_folder)
    if vocabulary is None:
        vocabulary = folder / "vocabulary"
        train_own_vocabulary(params, params.pairs, nothing, vocabulary, report)
        are_words = params.units == "words"
        file = vocabulary / (WORDS_FILE if are_words else MODEL_FILE)
        grow = grow_words if are_words else grow_pieces
        n = grow(file, sample.growth, params.n_pieces)
        note = (
            f"The vocabulary is not trained yet. The estimate assumes {n:,} "
            f"{params.units}, and excludes the time to train it."
        )
        sample = sample._replace(notes=(*sample.notes, note))
    work = TrainingInputs(
        folder=work_folder,
        project_folder=project_folder,
        files=params.pairs,
        languages=language_codes(params.pairs),
        kept_out=nothing,
        vocabulary=vocabulary,
        device=preferred_device(),
    )
    return sample, work


def _all_texts(params: TrainEncoder) -> Iterator[str]:
    """Yield the sentences of the pairs or, without pairs, of the other data."""
    if params.pairs:
        pairs = (pair for file in params.pairs for pair in read_pairs(file))
        return chain.from_iterable(pairs)
    return chain.from_iterable(texts for _, texts in read_texts(params))


def _spread(files: Sequence[Path]) -> list[tuple[Path, int]]:
    """Select files, and the number of lines to read from each."""
    n = min(len(files), MOST_FILES)
    return [(files[i * len(files) // n], SAMPLE_LINES // n) for i in range(n)]


def _copy(file: Path, copy: Path, n_most: int, report: Report) -> tuple[int, float]:
    """Copy the first lines; return their number, and the file's approximate number."""
    report.step(STAGE, 0, 0, describe_pair_file(file))
    check_file(file)
    copy.parent.mkdir(parents=True, exist_ok=True)
    n_lines = n_bytes = 0
    with copy.open("w", encoding="utf-8", newline="\n") as stream:
        for line in islice(read_lines(file), n_most):
            stream.write(f"{line}\n")
            n_lines += 1
            n_bytes += len(line.encode()) + 1
    if n_lines < n_most:
        return n_lines, n_lines
    size = file.stat().st_size
    if strip_compression(file) != file:
        size = round(size * PACKED)
    return n_lines, max(n_lines, n_lines * size / n_bytes)
