"""Geometry of vector spaces: cosines, isotropy, uniformity, alignment, hubness.

All vectors are float32 (n, d) with rows of length 1, none zero. Search by cosine
ignores lengths, so every measure is of directions (some papers measure raw vectors;
relevant deviations are noted).
"""

from collections.abc import Sequence

import numpy as np

from app.arrays import BoolArray, DoubleArray, FloatArray, IntArray
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.search.knn import top_k
from app.params.evaluation import DistanceName


def cosines_of(ones: FloatArray, others: FloatArray) -> DoubleArray:
    """Return the cosine of each pair of unit vectors (n, d): float64 (n,), -1…1.

    A zero vector has cosine 0 with every vector (SentEval also replaces NaN by 0).
    """
    found: DoubleArray = np.einsum("nd,nd->n", ones, others, dtype=np.float64)
    return found.clip(-1, 1)


def centre_languages(languages: Sequence[FloatArray]) -> list[FloatArray]:
    """Subtract each language's mean, and remove the direction of largest variance.

    Mu and Viswanath 2018, "All-but-the-Top", section 3, with one direction; the mean of
    each language as in Libovický et al. 2020, section 3.

    Args:
        languages: unit vectors of each language, float32 (n, d).

    Returns:
        unit vectors of the same shapes.
    """
    centred = [vectors - vectors.mean(axis=0) for vectors in languages]
    covariance = np.sum([vectors.T @ vectors for vectors in centred], axis=0)  # (d, d)
    direction = np.linalg.eigh(covariance)[1][:, -1]  # (d,)
    return [
        normalise_rows(vectors - np.outer(vectors @ direction, direction))[0]
        for vectors in centred
    ]


def angles_of(cosines: DoubleArray) -> DoubleArray:
    """Return −arccos of cosines, in radians (Chidambaram et al. 2019)."""
    return -distances_of(cosines, "angular")


def distances_of(cosines: DoubleArray, distance: DistanceName) -> DoubleArray:
    """Return distances of unit vectors by their cosines, of the same shape.

    angular: arccos, 0…π; euclidean: √(2 − 2 cos), 0…2; cosine: 1 − cos, 0…2.
    """
    within = cosines.clip(-1, 1)
    found: DoubleArray = 1 - within
    if distance == "angular":
        found = np.arccos(within)
    if distance == "euclidean":
        found = np.sqrt(2 * found)
    return found


UNIFORMITY_T = 2.0  # Wang and Isola 2020
NEAR_FACTOR = 4  # known neighbours as a multiple of k, since some are excluded
CELLS_AT_ONCE = 100_000  # distances of samples
BLOCK_ROWS = 1_024


def eigen_similarities(
    sources: FloatArray,
    targets: FloatArray,
    samples: IntArray,
    distance: DistanceName,
    report: Report,
) -> DoubleArray:
    """Compare the Laplacian spectra of samples of translations: float64 (s,), ≥ 0.

    Each side of a sample is a complete graph with edges weighted by distance; L = D −
    W; Σ_j (λ_j − λ'_j)² over the eigenvalues of both sides (Søgaard et al. 2018, "On
    the limitations of unsupervised bilingual dictionary induction", for unweighted
    graphs of words; Chidambaram et al. 2019, for samples of translations). Lower is
    more similar. Chidambaram et al. do not specify the distance: values are comparable
    only for the same distance.

    Args:
        sources: float32 (n, d); row i is the translation of target row i.
        targets: float32 (n, d).
        samples: int64 (s, k), rows of each sample.
    """
    found = np.empty(len(samples))
    at_once = max(1, CELLS_AT_ONCE // samples.shape[1] ** 2)
    for start in range(0, len(samples), at_once):
        report.step("Comparing spectra", start, len(samples))
        some = samples[start : start + at_once]
        spectra = [_spectra(side[some], distance) for side in (sources, targets)]
        squares = np.square(spectra[0] - spectra[1])
        found[start : start + len(some)] = squares.sum(axis=1)  # (s, k) -> (s,)
    return found


def draw_samples(n: int, n_samples: int, size: int, *, seed: int) -> IntArray:
    """Draw rows without replacement within each sample: int64 (s, k)."""
    generator = np.random.default_rng(seed)
    drawn = [generator.choice(n, size, replace=False) for _ in range(n_samples)]
    return np.array(drawn, np.int64)


def isotropy(vectors: FloatArray) -> float:
    """Return min Z(c) / max Z(c), Z(c) = Σ exp(c·v): 0…1, 1 if isotropic.

    Mu and Viswanath 2018, "All-but-the-top"; c ranges over the eigenvectors of VᵀV with
    both signs, as the sign of an eigenvector is arbitrary. The minimum for unit vectors
    is exp(−2).
    """
    wide = vectors.astype(np.float64)
    _, directions = np.linalg.eigh(wide.T @ wide)  # (d, d), one per column
    along = wide @ directions  # (n, d)
    sums = np.concatenate([np.exp(along).sum(axis=0), np.exp(-along).sum(axis=0)])
    return float(sums.min() / sums.max())


def isoscore(vectors: FloatArray) -> float:
    """Return the share of dimensions that are used evenly: 0…1 (Rudman et al. 2022).

    "IsoScore: measuring the uniformity of embedding space utilization", algorithm 1:
    the variances along the principal axes, scaled to the length √d, against all ones.
    Independent of the scale. If there are few more vectors than dimensions, the
    variances differ by chance and the value is too low. NaN without variance.
    """
    dim = vectors.shape[1]
    covariance = np.cov(vectors.astype(np.float64), rowvar=False).reshape(dim, dim)
    variances = np.linalg.eigvalsh(covariance).clip(0)
    length = float(np.linalg.norm(variances))
    if dim < 2 or length < 1e-12:
        return float("nan")
    scaled = np.sqrt(dim) * variances / length
    root = np.sqrt(dim)
    defect = np.linalg.norm(scaled - 1) / np.sqrt(2 * (dim - root))
    share = (dim - defect**2 * (dim - root)) ** 2 / dim**2
    return float((dim * share - 1) / (dim - 1))


def mean_cosine(vectors: FloatArray) -> float:
    """Return the mean cosine of two different rows: −1…1, 0 if isotropic.

    Ethayarajh 2019, "How contextual are contextualized word representations?", as the
    baseline of similarity in a space; over all pairs: (‖Σ v‖² − n) / (n (n − 1)).
    """
    n = len(vectors)
    total = vectors.sum(axis=0, dtype=np.float64)
    return (float(total @ total) - n) / (n * (n - 1))


def uniformity_kernel(vectors: FloatArray, report: Report) -> FloatArray:
    """Return exp(−t ‖x − y‖²) for each two rows, t = 2: float32 (n, n), diagonal 0."""
    n = len(vectors)
    kernel = np.empty((n, n), np.float32)
    for start in range(0, n, BLOCK_ROWS):
        report.step("Comparing vectors", start, n)
        block = kernel[start : start + BLOCK_ROWS]
        np.matmul(vectors[start : start + BLOCK_ROWS], vectors.T, out=block)
        block -= 1  # ‖x − y‖² = 2 − 2 x·y at length 1
        block *= 2 * UNIFORMITY_T
        np.exp(block, out=block)
    np.fill_diagonal(kernel, 0)
    return kernel


def uniformity(kernel: FloatArray, is_kept: BoolArray) -> float:
    """Return log E exp(−t ‖x − y‖²) over pairs of kept rows: ≤ 0, lower is better.

    Wang and Isola 2020, "Understanding contrastive representation learning through
    alignment and uniformity on the hypersphere", section 4.1, with t = 2.
    """
    kept = is_kept.astype(np.float32)
    n = int(is_kept.sum())
    total = float((kernel @ kept).astype(np.float64) @ kept)
    return float(np.log(total / (n * (n - 1))))


def alignment_distances(sources: FloatArray, targets: FloatArray) -> DoubleArray:
    """Return ‖x − y‖^α of each translation, α = 2: float64 (n,), 0…4.

    The mean is the alignment of Wang and Isola 2020, section 4.1: lower is better.
    """
    differences = sources.astype(np.float64) - targets
    found: DoubleArray = np.square(differences).sum(axis=1)  # (n, d) -> (n,)
    return found


def random_partners(n: int, *, seed: int) -> IntArray:
    """Return a permutation without fixed points: int64 (n,)."""
    order = np.random.default_rng(seed).permutation(n)
    partners = np.empty(n, np.int64)
    partners[order] = np.roll(order, -1)
    return partners


def near_rows(
    queries: FloatArray, stored: FloatArray | None, k: int, report: Report
) -> IntArray:
    """Return the stored rows nearest to each query: int64 (q, ≤ 4 k), nearest first.

    Args:
        queries: float32 (q, d).
        stored: float32 (n, d); None: the queries, without each query itself.
        k: neighbours that are counted; more are returned, since some may be excluded.
    """
    if stored is not None:
        n_near = min(NEAR_FACTOR * k, len(stored))
        return _search(queries, stored, n_near, report)
    n_near = min(NEAR_FACTOR * k, len(queries) - 1)
    rows = _search(queries, queries, n_near + 1, report)
    is_own = rows == np.arange(len(queries))[:, None]
    order = np.argsort(is_own, axis=1, kind="stable")  # the query itself is last
    return np.take_along_axis(rows, order, axis=1)[:, :n_near]


def hubness(near: IntArray, is_kept: BoolArray, k: int) -> float:
    """Return the skewness of the k-occurrences N_k, which is 0 without hubs.

    N_k(x) counts the queries that have x among their k nearest; E (N − μ)³ / σ³
    (Radovanović et al. 2010, "Hubs in space"). 0 if all counts are equal.

    Args:
        near: int64 (n, more than k), stored rows, nearest first.
        is_kept: bool (n,), queries and stored rows to include.
        k: number of neighbours to count.
    """
    rows = near[is_kept]
    is_there = is_kept[rows]
    counts_so_far = np.cumsum(is_there, axis=1)
    is_counted = is_there & (counts_so_far <= k)
    counts = np.bincount(rows[is_counted], minlength=len(is_kept))[is_kept]
    centred = counts - counts.mean()
    spread = float(np.mean(centred**2))
    return float(np.mean(centred**3)) / spread**1.5 if spread else 0.0


def _search(
    queries: FloatArray, stored: FloatArray, k: int, report: Report
) -> IntArray:
    """Return the k nearest stored rows of each query, in blocks of queries."""
    found = []
    for start in range(0, len(queries), BLOCK_ROWS):
        report.step("Finding neighbours", start, len(queries))
        found.append(top_k(queries[start : start + BLOCK_ROWS], stored, k)[1])
    return np.concatenate(found)


def _spectra(vectors: FloatArray, distance: DistanceName) -> DoubleArray:
    """Return the Laplacian eigenvalues of samples: (s, k, d) -> float64 (s, k)."""
    wide = vectors.astype(np.float64)
    weights = distances_of(wide @ wide.transpose(0, 2, 1), distance)  # (s, k, k)
    diagonal = np.arange(weights.shape[1])
    weights[:, diagonal, diagonal] = 0
    laplacians = -weights
    laplacians[:, diagonal, diagonal] = weights.sum(axis=2)
    return np.linalg.eigvalsh(laplacians).astype(np.float64)
