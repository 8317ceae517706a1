"""A teacher's vectors of the English sides: made once, kept on disk, mapped."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.encoders.pooling import FloatArray, normalise_rows
from app.engine.report import Report
from app.engine.training.data.row_store import RowStore

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

FIRST_ROWS, MAX_ROWS = 64, 8_192  # of a block
BLOCK_S = 0.5  # wanted length of a block: how soon a cancel is met
PROJECTED_ROWS = 16_384
ENCODING, PROJECTING = "Encoding by the teacher", "Reducing the teacher's dimensions"

HalfArray = NDArray[np.float16]


class TeacherVectors(NamedTuple):
    """What a student should say.

    Attributes:
        vectors: float16 (m, d), rows of length 1 (zero where the teacher knows no
            token), one for each distinct English sentence; mapped.
        rows: int64 (pairs,), the row of each pair.
        kept_share: of the teacher's squared length that the dimensions keep, 0…1.
    """

    vectors: HalfArray
    rows: NDArray[np.int64]
    kept_share: float


def make_teacher_vectors(
    folder: Path, store: RowStore, teacher: "Encoder", dim: int, report: Report
) -> TeacherVectors:
    """Encode the English side of all pairs, or map what was encoded before.

    Sentences that are equal for the student are encoded once. A teacher of more than
    `dim` dimensions is projected on its first `dim` principal axes (of unit vectors,
    not centred: so dot products, and with them cosines, change as little as they can)
    and brought to length 1 again. A stopped encoding goes on where it was.

    Args:
        folder: where they are kept.
        store: aligned pairs with their texts.
        teacher: the encoder.
        dim: the student's dimensions.
        report: is told of every block.
    """
    folder = folder / f"teacher-{teacher.fingerprint[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    pair_ids, rows = _distinct_sources(store)
    file, share_file = folder / f"vectors-{dim}.npy", folder / f"kept-{dim}.json"
    if not file.exists():
        raw = folder / "encoded.float16"
        _encode(raw, store, 2 * pair_ids, teacher, report)
        shape = len(pair_ids), teacher.dim
        encoded = np.memmap(raw, np.float16, mode="r", shape=shape)
        axes, share = _principal_axes(encoded, dim, report)
        share_file.write_bytes(msgspec.json.encode(share))
        _write_projected(file, encoded, axes, report)
        del encoded  # Windows deletes no file that is mapped
        raw.unlink()
    share = msgspec.json.decode(share_file.read_bytes(), type=float)
    return TeacherVectors(np.load(file, mmap_mode="r"), rows, share)


def _distinct_sources(store: RowStore) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the first pair of each distinct source, and each pair's place among them."""
    _, firsts, places = np.unique(
        store.hashes[0::2], return_index=True, return_inverse=True
    )
    order = np.argsort(firsts)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return firsts[order].astype(np.int64), ranks[places]


def _encode(
    raw: Path,
    store: RowStore,
    sentence_ids: NDArray[np.int64],
    teacher: "Encoder",
    report: Report,
) -> None:
    """Append unit vectors to a file of float16 until it has one for each sentence."""
    row_bytes = 2 * teacher.dim
    n_done = raw.stat().st_size // row_bytes if raw.exists() else 0
    size = FIRST_ROWS
    with raw.open("ab") as stream:
        stream.truncate(n_done * row_bytes)
        while n_done < len(sentence_ids):
            report.step(ENCODING, n_done, len(sentence_ids))
            begun = time.monotonic()
            texts = store.texts(sentence_ids[n_done : n_done + size])
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
    """Give the first `dim` axes, float32 (d, dim), and the share that they keep.

    None where the rows have no more dimensions than that.
    """
    if encoded.shape[1] <= dim:
        return None, 1.0
    products = np.zeros((encoded.shape[1],) * 2)
    for first in range(0, len(encoded), PROJECTED_ROWS):
        report.step(PROJECTING, first, len(encoded))
        block = encoded[first : first + PROJECTED_ROWS].astype(np.float32)
        products += block.T @ block  # (n, d) -> (d, d)
    values, vectors = np.linalg.eigh(products)  # rising
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
