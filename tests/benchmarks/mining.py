"""Time mining against the usual way, and against the bare matrix product.

Run by hand: `python -m tests.benchmarks.mining [--rows N] [--million]`. Each part runs
in a process of its own, one after the other on the same vectors, `--rounds` times; the
quickest of each counts. The usual way is that of LASER's mining script: two faiss flat
inner-product searches, then the candidates' scores in a Python loop. The bare product
is that of all blocks alone, in the same precision. `--million` measures a
pass over a million vectors a side for `--seconds`, and reckons the whole.
"""

import argparse
import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

K = 4
BOUNDS = {"float32": 1.6, "bfloat16": 2.5}  # times as fast as the usual way
MAX_PRODUCTS, MAX_PEAK_GB, MAX_MILLION_GB = 1.5, 1.5, 4.0
CLUSTERS, SHARE_TRANSLATED, NOISE = 500, 0.5, 0.6
CHUNK, END_ROWS = 50_000, 4_096
Vectors = NDArray[np.float32]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(json.dumps(_PARTS[options.part](options)))
        return
    if options.million:
        options.rows = 1_000_000
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as folder:
        options.folder = Path(folder)
        write_vectors(options.folder, options.rows, options.dim)
        report = _report_million if options.million else _report_ratios
        report(options)


def write_vectors(folder: Path, n: int, dim: int) -> None:
    """Write two sides: clusters, and in half of the targets a noisy source."""
    random = np.random.default_rng(1)
    centres = 0.7 * random.standard_normal((CLUSTERS, dim), np.float32)
    order = random.permutation(n)
    for name in ("source", "target"):
        np.lib.format.open_memmap(
            folder / f"{name}.npy", "w+", np.float32, (n, dim)
        ).flush()
    source, target = (np.load(folder / f"{s}.npy", "r+") for s in ("source", "target"))
    for start in range(0, n, CHUNK):
        end = min(start + CHUNK, n)
        own, other = (
            centres[random.integers(0, CLUSTERS, end - start)]
            + random.standard_normal((end - start, dim), np.float32)
            for _ in range(2)
        )
        n_translated = int((end - start) * SHARE_TRANSLATED)
        noise = NOISE * random.standard_normal((n_translated, dim), np.float32)
        other[:n_translated] = own[:n_translated] + noise
        source[start:end], target[order[start:end]] = _unit(own), _unit(other)
    for side in (source, target):
        side.flush()


def _report_ratios(options: argparse.Namespace) -> None:
    """Run the parts in turn, and print their ratios."""
    parts = ["usual", *(f"{what}-{p}" for p in BOUNDS for what in ("bare", "ours"))]
    found: dict[str, list[dict[str, Any]]] = {part: [] for part in parts}
    for _ in range(options.rounds):
        for part in parts:
            found[part].append(_run(options, part))
            told = found[part][-1]
            print(
                f"{part:<16} {told['seconds']:>8.1f} s, of the processors "
                f"{told['cpu_s']:.1f} s",
                flush=True,
            )
    best = {part: min(one["seconds"] for one in ones) for part, ones in found.items()}
    usual = set(map(tuple, np.load(options.folder / "usual.npy").tolist()))
    for precision, bound in BOUNDS.items():
        ours = best[f"ours-{precision}"]
        _print(f"{precision}: times as fast as the usual way", best["usual"] / ours)
        print(f"{'':<58}>= {bound}")
        _print(f"{precision}: bare products", ours / best[f"bare-{precision}"])
        print(f"{'':<58}<= {MAX_PRODUCTS}")
        peak = max(one["peak_gb"] for one in found[f"ours-{precision}"])
        _print(f"{precision}: peak memory, GB", peak)
        print(f"{'':<58}<= {MAX_PEAK_GB}")
        pairs = np.load(options.folder / f"ours-{precision}.npy")
        same = usual & set(map(tuple, pairs.tolist()))
        print(f"{precision}: {len(same):,} of {len(usual):,} pairs are the same")


def _report_million(options: argparse.Namespace) -> None:
    """Measure some panels of each precision, and reckon the whole pass."""
    for precision in BOUNDS:
        told = _run(options, f"million-{precision}")
        _print(f"{precision}: source rows a second", told["rows_per_s"])
        _print(
            f"{precision}: 1 million x 1 million, reckoned, minutes", told["minutes"]
        )
        _print(f"{precision}: peak memory, GB", told["peak_gb"])
        print(f"{'':<58}<= {MAX_MILLION_GB}")


def _run(options: argparse.Namespace, part: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.mining", "--part", part]
    for name in ("rows", "dim", "folder", "seconds"):
        command += [f"--{name}", str(getattr(options, name))]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def _ours(options: argparse.Namespace, precision: Any) -> dict[str, Any]:
    """Mine as the program does, and write the pairs."""
    from app.engine.mining.exact_search import ExactSide
    from app.engine.mining.neighbours import PassSettings, find_neighbours
    from app.engine.mining.pairs import choose_pairs, list_candidates
    from app.engine.runtime.report import Report

    source, target = (ExactSide(side) for side in _sides(options.folder))
    begun = time.perf_counter()
    near = find_neighbours(source, target, PassSettings(K, precision), Report())
    candidates = list_candidates(*near, "ratio")
    taken = choose_pairs(candidates, "max")
    seconds = time.perf_counter() - begun
    pairs = np.stack([candidates.sources[taken], candidates.targets[taken]], axis=1)
    np.save(options.folder / f"ours-{precision}.npy", pairs)
    return {"seconds": seconds, **_used()}


def _bare(options: argparse.Namespace, precision: str) -> dict[str, Any]:
    """Multiply all blocks, and nothing else."""
    import torch

    panel, strip = 1_024, 2_048
    dtype = getattr(torch, precision)
    source, target = (
        torch.from_numpy(side).to(dtype) for side in _sides(options.folder)
    )
    out = torch.empty((panel, strip), dtype=dtype)
    n = options.rows
    begun = time.perf_counter()
    for start in range(0, n, panel):
        rows = source[start : start + panel]
        for first in range(0, n, strip):
            columns = target[first : first + strip]
            torch.mm(rows, columns.T, out=out[: len(rows), : len(columns)])
    return {"seconds": time.perf_counter() - begun, **_used()}


def _usual(options: argparse.Namespace) -> dict[str, Any]:
    """Mine as LASER's script does: faiss both ways, a loop over the candidates."""
    import faiss

    source, target = _sides(options.folder)
    begun = time.perf_counter()
    forward_scores, forward = _search(faiss, target, source)
    backward_scores, backward = _search(faiss, source, target)
    source_means = forward_scores.mean(axis=1)
    target_means = backward_scores.mean(axis=1)
    forward_margins = _margins(source, target, forward, (source_means, target_means))
    backward_margins = _margins(target, source, backward, (target_means, source_means))
    n = len(source)
    rows = np.arange(n)
    best_targets = forward[rows, forward_margins.argmax(axis=1)]
    best_sources = backward[rows, backward_margins.argmax(axis=1)]
    sources = np.concatenate([rows, best_sources])
    targets = np.concatenate([best_targets, rows])
    scores = np.concatenate([forward_margins.max(axis=1), backward_margins.max(axis=1)])
    used_sources: set[int] = set()
    used_targets: set[int] = set()
    pairs = []
    for index in np.argsort(-scores, kind="stable"):
        one, other = int(sources[index]), int(targets[index])
        if one not in used_sources and other not in used_targets:
            used_sources.add(one)
            used_targets.add(other)
            pairs.append((one, other))
    seconds = time.perf_counter() - begun
    np.save(options.folder / "usual.npy", np.array(pairs))
    return {"seconds": seconds, **_used()}


def _search(faiss: Any, stored: Vectors, queries: Vectors) -> tuple[Any, Any]:
    index = faiss.IndexFlatIP(stored.shape[1])
    index.add(stored)
    scores, rows = index.search(queries, K)
    return scores, rows


def _margins(
    own: Vectors,
    other: Vectors,
    near: NDArray[np.int64],
    means: tuple[Vectors, Vectors],
) -> NDArray[np.float64]:
    """Score every candidate by itself, as the script does."""
    scores = np.zeros(near.shape)
    for i in range(near.shape[0]):
        for j in range(near.shape[1]):
            k = near[i, j]
            scores[i, j] = own[i].dot(other[k]) / ((means[0][i] + means[1][k]) / 2)
    return scores


def _million(options: argparse.Namespace, precision: Any) -> dict[str, Any]:
    """Compare for some seconds, and reckon the time of all.

    The first panels find most: the later half of the time stands for the rest.
    """
    from app.engine.mining.exact_search import ExactSide
    from app.engine.mining.neighbours import STAGE, PassSettings, find_neighbours
    from app.engine.runtime.report import Report
    from app.errors import Cancelled

    begun = time.perf_counter()
    seen: list[tuple[float, int]] = []

    class Watch(Report):
        def step(self, stage: str, done: int, total: int, note: str = "") -> None:
            if stage == STAGE:
                seen.append((time.perf_counter(), done))
            if seen and seen[-1][0] > begun + options.seconds and done > 0:
                self.cancel()
            super().step(stage, done, total, note)

    source, target = (ExactSide(side) for side in _sides(options.folder))
    with contextlib.suppress(Cancelled):
        find_neighbours(source, target, PassSettings(K, precision), Watch())
    # to its end with fewer rows: that needs memory for all targets too
    some = ExactSide(source.vectors, np.arange(END_ROWS))
    find_neighbours(some, target, PassSettings(K, precision), Report())
    half = seen[len(seen) // 2 :]
    rows_per_s = (half[-1][1] - half[0][1]) / (half[-1][0] - half[0][0])
    minutes = options.rows / rows_per_s / 60
    return {"rows_per_s": rows_per_s, "minutes": minutes, **_used()}


def _sides(folder: Path) -> tuple[Vectors, Vectors]:
    # mode c: torch warns on read-only memory
    source, target = (np.load(folder / f"{s}.npy", "c") for s in ("source", "target"))
    return source, target


def _unit(vectors: Vectors) -> Vectors:
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths


def _used() -> dict[str, float]:
    """Return the processors' time and the peak memory of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu_s = usage.ru_utime + usage.ru_stime
    return {"cpu_s": cpu_s, "peak_gb": usage.ru_maxrss / 1e6}


def _print(name: str, value: float) -> None:
    print(f"{name:<58} {value:>8.2f}", flush=True)


_PARTS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {"usual": _usual}
for _precision in BOUNDS:
    for _name, _part in (("ours", _ours), ("bare", _bare), ("million", _million)):
        _PARTS[f"{_name}-{_precision}"] = partial(_part, precision=_precision)

if __name__ == "__main__":
    main()
