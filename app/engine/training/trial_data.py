"""A sample of the training data with a placeholder vocabulary, for trial steps.

The bundled encoder's pieces, most frequent first, are cut off or filled up with pieces
that no text has. So a step takes the time and the memory that it will take, and a
sentence about as many pieces.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from app.engine.encoders.registry import find_encoder
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
from app.engine.text.word_vocabulary import (
    WORDS_FILE,
    count_words,
    most_frequent,
    write_words,
)
from app.engine.training.data.texts import read_texts
from app.engine.training.held_out import HeldOutSentences
from app.engine.training.preparation import given_vocabulary
from app.errors import UserError
from app.params.training.encoder import TrainEncoder
from app.paths import strip_compression

if TYPE_CHECKING:
    from app.engine.project.project import Project
    from app.engine.training.recipes import TrainingInputs

PIECES_FIELD = 1  # of sentencepiece's ModelProto
BYTES_FIELD = 2  # the wire type of a field of bytes
LOWEST_SCORE = -99.0


def write_placeholder_pieces(folder: Path, n_pieces: int) -> None:
    """Write a vocabulary of `n_pieces` pieces into a folder."""
    model = (find_encoder("") / MODEL_FILE).read_bytes()
    (folder / MODEL_FILE).write_bytes(resize_vocabulary(model, n_pieces))


def resize_vocabulary(model: bytes, n_pieces: int) -> bytes:
    """Cut a sentencepiece model off, or fill it up with pieces that no text has."""
    fields = list(_fields(model))
    pieces = [text for number, text in fields if number == PIECES_FIELD][:n_pieces]
    pieces += [_piece(f"\x01{i}") for i in range(n_pieces - len(pieces))]
    others = [text for number, text in fields if number != PIECES_FIELD]
    return b"".join(pieces + others)


def write_placeholder_words(folder: Path, n_words: int, texts: Iterable[str]) -> None:
    """Write a vocabulary of `n_words` words, those of some texts first."""
    words = most_frequent(count_words(texts), n_words)
    words += [f"\x01{i}" for i in range(n_words - len(words))]
    (folder / WORDS_FILE).write_bytes(write_words(words))


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Cut a message of fields of bytes into them, with their numbers.

    The wire format of protocol buffers: key and length as variable-length integers.
    """
    place = 0
    while place < len(message):
        start = place
        key, place = _integer(message, place)
        assert key & 7 == BYTES_FIELD, "all fields of a model are messages"
        size, place = _integer(message, place)
        place += size
        yield key >> 3, message[start:place]


def _integer(message: bytes, place: int) -> tuple[int, int]:
    """Read a variable-length integer; return it and the place behind it."""
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place


def _piece(text: str) -> bytes:
    """Write a piece that no text has: its text is field 1, its score field 2."""
    encoded = text.encode()
    body = bytes([0x0A, len(encoded)]) + encoded
    body += b"\x15" + struct.pack("<f", LOWEST_SCORE)
    return bytes([0x0A, len(body)]) + body


SAMPLE_LINES = 8_000  # of all files of a kind together
MOST_FILES = 16
PACKED = 3.5  # bytes of text that a packed byte contains: about so in .xz and .gz
N_TEXTS = 2_000
NO_VOCABULARY = (
    "The vocabulary is not trained yet. The estimate uses that of the bundled "
    "encoder and excludes the minutes of training a vocabulary."
)
KINDS = ("pairs", "nli", "documents", "conversations")
STAGE = "Sampling the data"


class Sample(NamedTuple):
    """A sample of the data of a training.

    Attributes:
        params: with the sampled files in place of all.
        n_lines: of all files, about; n_sampled: of the sample.
        n_files: files of pairs in all; 1 if there are none.
        notes: sentences on how the sample differs from the data.
    """

    params: TrainEncoder
    n_lines: int
    n_sampled: int
    n_files: int
    notes: tuple[str, ...] = ()

    def texts(self) -> list[str]:
        """Return some sentences: of the pairs, or of the other data without pairs."""
        return list(islice(_all_texts(self.params), N_TEXTS))


def sample_data(params: TrainEncoder, folder: Path, report: Report) -> Sample:
    """Copy the first lines of the files that the params name.

    Of many files some are taken, spread over all. The number of lines of a file is
    estimated by its size.

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
    """Return the inputs of a recipe, with a placeholder vocabulary if there is none."""
    from app.engine.training.recipes import TrainingInputs

    params = sample.params
    work_folder = folder / "work"
    work_folder.mkdir()
    project_folder = None if project is None else project.folder
    vocabulary = given_vocabulary(params, project_folder)
    if vocabulary is None:
        report.step("Making a substitute vocabulary", 0, 0)
        vocabulary = _write_placeholder(params, folder / "vocabulary")
        sample = sample._replace(notes=(*sample.notes, NO_VOCABULARY))
    work = TrainingInputs(
        folder=work_folder,
        project_folder=project_folder,
        files=params.pairs,
        languages=language_codes(params.pairs),
        kept_out=HeldOutSentences(np.empty(0, np.uint64)),
        vocabulary=vocabulary,
        device=preferred_device(),
    )
    return sample, work


def _write_placeholder(params: TrainEncoder, folder: Path) -> Path:
    folder.mkdir()
    if params.units == "words":
        write_placeholder_words(folder, params.n_pieces, _all_texts(params))
    else:
        write_placeholder_pieces(folder, params.n_pieces)
    return folder


def _all_texts(params: TrainEncoder) -> Iterator[str]:
    """Yield the sentences of the pairs; without pairs those of the other data."""
    if params.pairs:
        pairs = (pair for file in params.pairs for pair in read_pairs(file))
        return chain.from_iterable(pairs)
    return chain.from_iterable(texts for _, texts in read_texts(params))


def _spread(files: Sequence[Path]) -> list[tuple[Path, int]]:
    """Choose some of many files, and the lines to take of each."""
    n = min(len(files), MOST_FILES)
    return [(files[i * len(files) // n], SAMPLE_LINES // n) for i in range(n)]


def _copy(file: Path, copy: Path, n_most: int, report: Report) -> tuple[int, float]:
    """Copy the first lines; return their number, and about that of the file."""
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
