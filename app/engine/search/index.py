"""Approximate neighbours of very large corpora: the only module that imports faiss.

It runs in a child process of the engine and reads `.npy` files, so that two OpenMP
runtimes are never in one process and Cancel can kill native calls. The caller measures
its recall.
"""

import math
import os
from pathlib import Path
from typing import Any

import faiss
import msgspec
import numpy as np

from app.arrays import FloatArray
from app.engine.store.arrays import map_array, partial_path, write_array
from app.engine.store.embeddings import map_unit_vectors

BLOCK = 8_192  # rows added or searched together
TRAINED_EACH = 40  # rows of the training sample per cluster
MIN_RECALL = 0.99  # of the sample; the search width is increased until it is reached
FIRST_WIDTH = 8  # clusters, or candidates of the graph, searched at first
HNSW_LINKS, HNSW_BUILD_WIDTH = 32, 80
SEED = 1


class IndexJob(msgspec.Struct, frozen=True):
    """One direction of a search: which rows are searched for among which.

    Attributes:
        kind: ivf, sq8 or hnsw.
        stored, queries: files of float32 (n, d), rows of length 1; those of an
            embedding as `unit_file` names them.
        stored_rows, query_rows: files of int64 (n,), the rows to use.
        sample, truth: files of int64 (s,) places of queries and (s, k) places of their
            true neighbours, to choose the search width.
        folder: for the index, progress.npy and the results, found-….npy.
        k: neighbours of each query.
        n_threads: 0 for all.
    """

    kind: str
    stored: str
    stored_rows: str
    queries: str
    query_rows: str
    sample: str
    truth: str
    folder: str
    k: int
    n_threads: int = 0

    @property
    def index_file(self) -> Path:
        """The file of the index."""
        return Path(self.folder) / "index.faiss"


def build_index(message: dict[str, Any]) -> int:
    """Build the index of the stored rows and write it; returns its size in bytes."""
    job = msgspec.convert(message, IndexJob)
    _use_threads(job)
    vectors, rows = map_unit_vectors(Path(job.stored)), map_array(Path(job.stored_rows))
    index = _new_index(job.kind, len(rows), vectors.shape[1])
    random = np.random.default_rng(SEED)
    n_trained = min(TRAINED_EACH * _n_clusters(len(rows)), len(rows))
    chosen = np.sort(random.choice(len(rows), n_trained, replace=False))
    index.train(_float32(vectors[rows[chosen]]))
    progress = _progress(job)
    for start in range(0, len(rows), BLOCK):
        progress[:] = start, len(rows)
        index.add(_float32(vectors[rows[start : start + BLOCK]]))
    part = partial_path(job.index_file)
    faiss.write_index(index, str(part))
    with part.open("rb") as stream:
        os.fsync(stream.fileno())
    part.replace(job.index_file)
    return job.index_file.stat().st_size


def search_index(message: dict[str, Any]) -> int:
    """Search the index block by block, skipping blocks that have results already.

    Returns:
        The number of clusters, or candidates of the graph, searched per query.
    """
    job = msgspec.convert(message, IndexJob)
    _use_threads(job)
    index = faiss.read_index(str(job.index_file))
    vectors, rows = map_unit_vectors(Path(job.queries)), map_array(Path(job.query_rows))
    width = _choose_width(index, vectors[rows[map_array(Path(job.sample))]], job)
    progress = _progress(job)
    for number, start in enumerate(range(0, len(rows), BLOCK)):
        progress[:] = start, len(rows)
        file = Path(job.folder) / f"found-{number:06d}.npy"
        if not file.exists():
            queries = _float32(vectors[rows[start : start + BLOCK]])
            write_array(file, index.search(queries, job.k)[1])
    return width


def _new_index(kind: str, n: int, dim: int) -> Any:
    index: Any
    if kind == "hnsw":
        index = faiss.IndexHNSWFlat(dim, HNSW_LINKS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = HNSW_BUILD_WIDTH
        return index
    coarse, inner = faiss.IndexFlatIP(dim), faiss.METRIC_INNER_PRODUCT
    n_clusters = _n_clusters(n)
    if kind == "ivf":
        index = faiss.IndexIVFFlat(coarse, dim, n_clusters, inner)
    else:
        eight_bits = faiss.ScalarQuantizer.QT_8bit
        index = faiss.IndexIVFScalarQuantizer(
            coarse, dim, n_clusters, eight_bits, inner
        )
    index.cp.seed = SEED
    index.cp.min_points_per_centroid = 1  # for small corpora
    return index


def _n_clusters(n: int) -> int:
    """Return four times the root of the size, as faiss advises up to a million."""
    return max(1, min(int(4 * math.sqrt(n)), n // TRAINED_EACH))


def _choose_width(index: Any, sample: FloatArray, job: IndexJob) -> int:
    """Double the search width until the sample's neighbours are found."""
    truth = map_array(Path(job.truth))
    is_graph = job.kind == "hnsw"
    widest = 4_096 if is_graph else index.nlist
    width = min(max(FIRST_WIDTH, job.k if is_graph else 1), widest)
    while True:
        if is_graph:
            index.hnsw.efSearch = width
        else:
            index.nprobe = width
        _, found = index.search(_float32(sample), job.k)
        is_found = (truth[:, :, None] == found[:, None, :]).any(axis=2)
        if is_found.mean() >= MIN_RECALL or width >= widest:
            return width
        width = min(2 * width, widest)


def _progress(job: IndexJob) -> Any:
    return np.load(Path(job.folder) / "progress.npy", mmap_mode="r+")


def _use_threads(job: IndexJob) -> None:
    if job.n_threads:
        faiss.omp_set_num_threads(job.n_threads)


def _float32(vectors: Any) -> FloatArray:
    return np.ascontiguousarray(vectors, np.float32)
