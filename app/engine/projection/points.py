"""Points of a map: encoded sentences with their vectors, languages and texts."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sqlalchemy import Engine
from torch import Tensor

from app.arrays import FloatArray, IdArray
from app.engine.encoders.encoder import Encoder
from app.engine.mining.exact_search import ExactSide
from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.arrays import ArrayWriter, map_array
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.embeddings import find_embedding, map_embedding
from app.engine.store.sentences import read_languages, read_sentences
from app.errors import UserError

STAGE = "Reading vectors"
BLOCK = 16_384  # rows at a time


class Points(NamedTuple):
    """Points to put on a map.

    Attributes:
        ids: int64 (n,), sentence ids, ascending.
        side: unit vectors in the same order, memory-mapped.
        n_unknown: sentences left out because the encoder knows none of their pieces.
        key: 64 hex digits that identify arrays and rows.
    """

    ids: IdArray
    side: ExactSide
    n_unknown: int
    key: str

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.ids)


class _Part(NamedTuple):
    """A corpus: its unit vectors (m, d), and the rows that are points.

    Attributes:
        n_members: participating sentences, including sentences without a vector.
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
    """Open the vectors of completely encoded corpora.

    Args:
        folder: folder for the concatenated vectors of several corpora.

    Raises:
        UserError: a vector contains NaN, or there are no vectors.
    """
    ordered = sorted(corpora, key=lambda corpus: corpus.id)
    parts = [_part(project, corpus, encoder) for corpus in ordered]
    ids = np.concatenate(
        [part.rows + first_sentence_id(part.corpus.id) for part in parts]
    )
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
        side = ExactSide(_write_joined(parts, folder / key[:32], report))
    return Points(ids, side, n_all - len(ids), key)


def iterate_blocks(side: ExactSide) -> Iterator[tuple[int, Tensor]]:
    """Yield blocks: first index and vectors, float32 (≤ BLOCK, d)."""
    for start in range(0, len(side), BLOCK):
        yield start, select_vectors(side, slice(start, start + BLOCK))


def select_vectors(side: ExactSide, indices: "slice | IdArray") -> Tensor:
    """Return the vectors at some indices: float32 (p, d)."""
    rows = indices if side.rows is None else side.rows[indices]
    return torch.from_numpy(np.ascontiguousarray(side.vectors[rows], np.float32))


def check_finite(points: Points, corpora: Sequence[CorpusRow], report: Report) -> None:
    """Check all vectors.

    Raises:
        UserError: a vector contains NaN.
    """
    for start, vectors in iterate_blocks(points.side):
        report.step(STAGE, start, len(points))
        if bool(torch.isfinite(vectors.sum())):
            continue
        bad = ~torch.isfinite(vectors).all(dim=1)
        if bool(bad.any()):
            id_ = int(points.ids[start + int(bad.nonzero()[0, 0])])
            corpus = next(one for one in corpora if first_sentence_id(one.id + 1) > id_)
            raise UserError(
                f"The vector of sentence {id_ - first_sentence_id(corpus.id) + 1:,} of "
                f"{corpus.name} contains a value that is not a number. Encode the "
                "corpus again."
            )
    report.step(STAGE, len(points), len(points))


def _part(project: Project, corpus: CorpusRow, encoder: Encoder) -> _Part:
    row = find_embedding(project.store, corpus.id, encoder.fingerprint)
    if row is None:  # a corpus without sentences has none
        nothing = np.empty((0, encoder.dim), np.float32)
        return _Part(corpus, nothing, np.empty(0, np.int64), "", 0)
    unit_vectors, _, norms = map_embedding(project.folder, row)
    rows = np.nonzero(norms != 0)[0].astype(np.int64)  # NaN raises an error
    chosen = active_positions(project, corpus)
    if chosen is None:
        return _Part(corpus, unit_vectors, rows, row.array, len(norms))
    rows = np.intersect1d(rows, chosen, assume_unique=True)
    return _Part(corpus, unit_vectors, rows, row.array, len(chosen))


def _write_joined(parts: Sequence[_Part], folder: Path, report: Report) -> FloatArray:
    """Concatenate the vectors of several corpora in a file, and map it."""
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
        return f"{names} has no sentences to map."
    return (
        f"{encoder.name} has no vectors for the sentences of {names} because it knows "
        "none of their tokens. Choose another encoder."
    )


NO_CLASS = ""


class CodedNames(NamedTuple):
    """Names of n sentences: names[codes].

    Attributes:
        codes: int32 (n,).
        names: distinct names.
    """

    codes: NDArray[np.int32]
    names: list[str]

    def counts(self, indices: "IdArray | slice") -> list[tuple[str, int]]:
        """Count the names of some sentences, most frequent first."""
        counts = np.bincount(self.codes[indices], minlength=len(self.names)).tolist()
        found = [pair for pair in zip(self.names, counts, strict=True) if pair[1]]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def read_point_languages(
    store: Engine, corpora: Sequence[CorpusRow], ids: IdArray
) -> CodedNames:
    """Return the language of each sentence; `ids` int64 (n,), ascending."""
    names: list[str] = []
    codes = np.zeros(len(ids), np.int32)
    for corpus in corpora:
        part = slice(
            *np.searchsorted(
                ids, [first_sentence_id(corpus.id), first_sentence_id(corpus.id + 1)]
            )
        )
        listed = read_languages(store, corpus.id)
        if listed is None:
            codes[part] = _name_code(names, corpus.language)
            continue
        found, which = np.unique(
            listed[ids[part] - first_sentence_id(corpus.id)], return_inverse=True
        )
        places = np.array([_name_code(names, str(code)) for code in found], np.int32)
        codes[part] = places[which]
    return CodedNames(codes, names)


def read_point_texts(store: Engine, ids: IdArray) -> list[str]:
    """Read texts; a deleted text is empty."""
    rows = read_sentences(store, ids.tolist())
    return ["" if row is None else row.text for row in rows]


def _name_code(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)
