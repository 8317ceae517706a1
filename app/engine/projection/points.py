"""The points of a map: the sentences of corpora that have a vector, in one matrix."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.engine.encoders.encoder import Encoder
from app.engine.mining.rescoring import ExactSide
from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.arrays import ArrayWriter, FloatArray, map_array, map_embedding
from app.engine.store.embedding_writes import find_embedding
from app.engine.store.members import members
from app.engine.store.rows import CorpusRow, first_id
from app.errors import UserError

IdArray = NDArray[np.int64]
STAGE = "read vectors"
BLOCK = 16_384  # rows at a time


class Points(NamedTuple):
    """What is put on a map.

    Attributes:
        ids: int64 (n,), of sentences, rising.
        side: their unit vectors, mapped, in the same order.
        n_unknown: sentences left out, since the encoder knows no piece of them.
        key: 64 hex digits, of the arrays and rows that these are.
    """

    ids: IdArray
    side: ExactSide
    n_unknown: int
    key: str

    def __len__(self) -> int:
        """Count them."""
        return len(self.ids)


class _Part(NamedTuple):
    """One corpus: its unit vectors (m, d), and the rows that are points.

    Attributes:
        n_members: sentences that take part, those without a vector too.
    """

    corpus: CorpusRow
    vectors: FloatArray
    rows: IdArray
    array: str
    n_members: int


def load_points(
    project: Project,
    corpora: Sequence[CorpusRow],
    encoder: Encoder,
    folder: Path,
    report: Report,
) -> Points:
    """Open the vectors of corpora that are encoded whole.

    Args:
        project: open for reading or writing.
        corpora: whose sentences.
        encoder: whose vectors.
        folder: where the vectors of several corpora are put together.
        report: is told of that.

    Raises:
        UserError: a vector holds a value that is not a number, or nothing has one.
    """
    ordered = sorted(corpora, key=lambda corpus: corpus.id)
    parts = [_part(project, corpus, encoder) for corpus in ordered]
    ids = np.concatenate([part.rows + first_id(part.corpus.id) for part in parts])
    n_all = sum(part.n_members for part in parts)
    if not len(ids):
        raise UserError(_nothing(ordered, encoder, n_all))
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{part.array}\n".encode() + part.rows.tobytes())
    key = digest.hexdigest()
    if len(parts) == 1:
        rows = parts[0].rows
        side = ExactSide(
            parts[0].vectors, None if len(rows) == len(parts[0].vectors) else rows
        )
    else:
        side = ExactSide(_put_together(parts, folder / key[:32], report))
    return Points(ids, side, n_all - len(ids), key)


def blocks_of(side: ExactSide, size: int = BLOCK) -> Iterator[tuple[int, Tensor]]:
    """Give the first place and the vectors, float32 (≤ size, d), block by block."""
    for start in range(0, len(side), size):
        yield start, vectors_at(side, slice(start, start + size))


def vectors_at(side: ExactSide, places: "slice | IdArray") -> Tensor:
    """Give the vectors at some places: float32 (p, d)."""
    rows = places if side.rows is None else side.rows[places]
    return torch.from_numpy(np.ascontiguousarray(side.vectors[rows], np.float32))


def check_finite(points: Points, corpora: Sequence[CorpusRow], report: Report) -> None:
    """Go through all vectors once.

    Raises:
        UserError: one holds a value that is not a number.
    """
    for start, vectors in blocks_of(points.side):
        report.step(STAGE, start, len(points))
        if bool(torch.isfinite(vectors.sum())):
            continue
        bad = ~torch.isfinite(vectors).all(dim=1)
        if bool(bad.any()):
            id_ = int(points.ids[start + int(bad.nonzero()[0, 0])])
            corpus = next(one for one in corpora if first_id(one.id + 1) > id_)
            raise UserError(
                f"The vector of sentence {id_ - first_id(corpus.id) + 1:,} of "
                f"{corpus.name} holds a value that is not a number: encode the corpus "
                "again."
            )
    report.step(STAGE, len(points), len(points))


def _part(project: Project, corpus: CorpusRow, encoder: Encoder) -> _Part:
    row = find_embedding(project.store, corpus.id, encoder.fingerprint)
    if row is None:  # a corpus without sentences has none
        nothing = np.empty((0, encoder.dim), np.float32)
        return _Part(corpus, nothing, np.empty(0, np.int64), "", 0)
    unit_vectors, _, norms = map_embedding(project.folder, row)
    rows = np.nonzero(norms != 0)[0].astype(np.int64)  # NaN is told of
    chosen = members(project, corpus)
    if chosen is None:
        return _Part(corpus, unit_vectors, rows, row.array, len(norms))
    rows = np.intersect1d(rows, chosen, assume_unique=True)
    return _Part(corpus, unit_vectors, rows, row.array, len(chosen))


def _put_together(parts: Sequence[_Part], folder: Path, report: Report) -> FloatArray:
    """Write the vectors of several corpora one below the other, and map them."""
    file = folder / "vectors.npy"
    n = sum(len(part.rows) for part in parts)
    if not file.exists():
        shape = (n, parts[0].vectors.shape[1])
        writer = ArrayWriter(file, shape, "<f4")
        done = 0
        try:
            for part in parts:
                for start in range(0, len(part.rows), BLOCK):
                    report.step(STAGE, done, n)
                    rows = part.rows[start : start + BLOCK]
                    writer.append(part.vectors[rows])
                    done += len(rows)
            writer.finish()
        finally:
            writer.close()
    vectors: FloatArray = map_array(file)
    return vectors


def _nothing(corpora: Sequence[CorpusRow], encoder: Encoder, n_all: int) -> str:
    names = ", ".join(corpus.name for corpus in corpora)
    if not n_all:
        return f"{names}: there is no sentence to put on a map."
    return (
        f"{encoder.name} knows no piece of any sentence of {names}: choose another "
        "encoder."
    )
