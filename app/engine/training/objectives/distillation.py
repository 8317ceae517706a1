"""Distillation: match a teacher's vectors of the English sides in every language."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from app.arrays import FloatArray
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.training.data.aligned import open_aligned
from app.engine.training.data.row_store import RowStore
from app.engine.training.data.sampler import BatchSampler
from app.engine.training.objective import (
    Columns,
    ObjectiveContext,
    ObjectiveLoss,
    encode_columns,
    take_columns,
)
from app.engine.training.objectives.contrast import SMALLEST_NORM
from app.engine.training.objectives.sampled import SampledObjective
from app.number_format import format_percent

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.encoders.neural import SentenceModule

FIRST_ROWS, MAX_ROWS = 64, 8_192  # rows per block
BLOCK_S = 0.5  # time per block, so that a cancellation takes effect soon
PROJECTED_ROWS = 16_384
ENCODING, PROJECTING = "Encoding with the teacher", "Reducing the teacher's dimensions"

HalfArray = NDArray[np.float16]


class TeacherVectors(NamedTuple):
    """Target vectors for a student.

    Attributes:
        vectors: float16 (m, d), unit vector (zero if the teacher knows no token) of
            each distinct English sentence; memory-mapped.
        rows: int64 (pairs,), row of each pair.
        kept_share: share of the teacher's squared length after projection, 0…1.
    """

    vectors: HalfArray
    rows: NDArray[np.int64]
    kept_share: float


def make_teacher_vectors(
    folder: Path, store: RowStore, teacher: "Encoder", dim: int, report: Report
) -> TeacherVectors:
    """Encode the English side of all pairs, or map existing vectors.

    Sentences that are equal for the student are encoded once. A teacher with more than
    `dim` dimensions is projected on its first `dim` principal axes (of uncentred unit
    vectors, so that dot products and cosines change as little as possible) and
    normalised to length 1 again. An interrupted encoding is resumed.

    Args:
        folder: folder for the vectors.
        teacher: the encoder.
    """
    folder = folder / f"teacher-{teacher.fingerprint[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    pair_ids, rows = _distinct_sources(store)
    file, share_file = folder / f"vectors-{dim}.npy", folder / f"kept-{dim}.json"
    if not file.exists():
        raw = folder / "encoded.float16"
        sentence_ids = 2 * pair_ids

        def read(first: int, end: int) -> list[str]:
            return store.texts(sentence_ids[first:end])

        encode_unit_vectors(raw, read, len(pair_ids), teacher, report)
        shape = len(pair_ids), teacher.dim
        encoded = np.memmap(raw, np.float16, mode="r", shape=shape)
        axes, share = _principal_axes(encoded, dim, report)
        share_file.write_bytes(msgspec.json.encode(share))
        _write_projected(file, encoded, axes, report)
        del encoded  # Windows can't delete a mapped file
        raw.unlink()
    share = msgspec.json.decode(share_file.read_bytes(), type=float)
    return TeacherVectors(np.load(file, mmap_mode="r"), rows, share)


def _distinct_sources(store: RowStore) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first pair of each distinct source, and each pair's source index."""
    _, firsts, indices = np.unique(
        store.hashes[0::2], return_index=True, return_inverse=True
    )
    order = np.argsort(firsts)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return firsts[order].astype(np.int64), ranks[indices]


def encode_unit_vectors(
    file: Path,
    read: Callable[[int, int], list[str]],
    n: int,
    teacher: "Encoder",
    report: Report,
) -> None:
    """Append unit vectors to a file of float16 until it has one for each sentence.

    Args:
        file: a new file, or the file of an earlier call to resume.
        read: returns the sentences between two indices.
        n: number of sentences.
        teacher: the encoder.
    """
    row_bytes = 2 * teacher.dim
    n_done = file.stat().st_size // row_bytes if file.exists() else 0
    size = FIRST_ROWS
    with file.open("ab") as stream:
        stream.truncate(n_done * row_bytes)
        while n_done < n:
            report.step(ENCODING, n_done, n)
            begun = time.monotonic()
            texts = read(n_done, n_done + size)
            unit_vectors, _ = normalise_rows(teacher.encode(texts))
            unit_vectors.astype(np.float16).tofile(stream)
            stream.flush()
            n_done += len(texts)
            seconds = max(time.monotonic() - begun, 1e-3)
            wanted = int(len(texts) * BLOCK_S / seconds)
            size = min(max(1, wanted), 4 * size, MAX_ROWS)
        os.fsync(stream.fileno())


def _principal_axes(
    encoded: HalfArray, dim: int, report: Report
) -> tuple[FloatArray | None, float]:
    """Return the first `dim` axes, float32 (d, dim), and their share of squared length.

    None if the rows have at most `dim` dimensions.
    """
    if encoded.shape[1] <= dim:
        return None, 1.0
    products = np.zeros((encoded.shape[1],) * 2)
    for first in range(0, len(encoded), PROJECTED_ROWS):
        report.step(PROJECTING, first, len(encoded))
        block = encoded[first : first + PROJECTED_ROWS].astype(np.float32)
        products += block.T @ block  # (n, d) -> (d, d)
    values, vectors = np.linalg.eigh(products)  # ascending
    share = float(values[-dim:].sum() / max(values.sum(), 1e-12))
    return vectors[:, : -dim - 1 : -1].astype(np.float32), share


def _write_projected(
    file: Path, encoded: HalfArray, axes: FloatArray | None, report: Report
) -> None:
    """Write rows, projected if there are axes, as .npy under a temporary name."""
    part = file.with_suffix(".part")
    dim = encoded.shape[1] if axes is None else axes.shape[1]
    written = np.lib.format.open_memmap(
        part, mode="w+", dtype=np.float16, shape=(len(encoded), dim)
    )
    for first in range(0, len(encoded), PROJECTED_ROWS):
        report.step(PROJECTING, first, len(encoded))
        rows = slice(first, first + PROJECTED_ROWS)
        if axes is None:
            written[rows] = encoded[rows]
        else:
            written[rows], _ = normalise_rows(encoded[rows].astype(np.float32) @ axes)
    written.flush()
    del written
    part.replace(file)


FEW_KEPT = 0.999  # share of squared length, below which the user is warned


class DistillationExamples(NamedTuple):
    """Pairs and the teacher's vectors of their English side.

    Attributes:
        columns: English sides, other sides.
        teacher_vectors: float16 (b, d), rows of length 1.
    """

    columns: Columns
    teacher_vectors: np.ndarray


class DistillationObjective(SampledObjective[BatchSampler]):
    """Align both sides of a pair with the teacher's vector of the English side.

    Reimers and Gurevych 2020, equation 1: the sum of both sides' squared distances,
    averaged over the pairs. All vectors, teacher's and student's, are normalised to
    length 1, since vectors are compared by cosine everywhere, and a loss of raw vectors
    would mainly teach a scale: so a squared distance is 2 - 2 cos. There is no head:
    the student learns the teacher's space. A larger teacher is projected on as many
    principal axes as the student has dimensions; with a smaller teacher, the student's
    further dimensions become 0.

    This is not the alignment loss of Conneau et al. 2018 (X-BiLSTM), section 4.2, which
    has unsquared distances and negatives, and trains only the target side.
    """

    name = "distillation"

    def __init__(
        self, context: ObjectiveContext, store: RowStore, teacher: TeacherVectors
    ):
        self.heads: nn.Module = nn.Module()
        self.n_examples = store.n_rows
        self.notes: tuple[str, ...] = store.notes
        self._context = context
        self._store = store
        self._teacher = teacher
        self._drawer = BatchSampler(store.groups, store.n_tokens(), context.params)

    def draw(self, step: int) -> DistillationExamples:
        """Draw pairs."""
        pair_ids = self._drawer.draw()
        columns = [2 * pair_ids, 2 * pair_ids + 1]
        vectors = np.asarray(self._teacher.vectors[self._teacher.rows[pair_ids]])
        return DistillationExamples(take_columns(self._store.tokens, columns), vectors)

    def loss(
        self, module: "SentenceModule", examples: DistillationExamples
    ) -> ObjectiveLoss:
        """Return the mean squared error and the mean cosine to the teacher."""
        device = self._context.device
        sources, targets = encode_columns(module, examples.columns, device)
        wanted = torch.from_numpy(examples.teacher_vectors).to(device).float()
        wanted = functional.pad(wanted, (0, self._context.dim - wanted.shape[1]))
        with torch.autocast(sources.device.type, enabled=False):
            distances = [
                (functional.normalize(side.float(), eps=SMALLEST_NORM) - wanted)
                .square()
                .sum(1)  # (b, d) -> (b,)
                for side in (sources, targets)
            ]
            loss = torch.stack(distances).sum(0).mean()  # (2, b) -> (b,) -> ()
        return ObjectiveLoss.of_columns(
            examples.columns,
            loss,
            {"cosine": 1 - float(loss.detach()) / 4},
        )


def make_distillation(
    context: ObjectiveContext, report: Report
) -> DistillationObjective:
    """Make the objective from the context's aligned files and the params' teacher.

    Raises:
        UserError: the teacher does not exist, or fewer than two pairs remain.
    """
    from app.engine.encoders.registry import load_encoder

    store = open_aligned(context, report)
    name = context.params.teacher
    teacher = load_encoder(name, context.project_folder, device=context.device)
    vectors = make_teacher_vectors(context.folder, store, teacher, context.dim, report)
    objective = DistillationObjective(context, store, vectors)
    if vectors.kept_share < FEW_KEPT:
        objective.notes += (
            f"The teacher's {teacher.dim:,} dimensions were reduced to "
            f"{context.dim:,}, which preserve {format_percent(vectors.kept_share, 1)} "
            "of the squared length of its vectors.",
        )
    return objective
