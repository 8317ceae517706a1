"""Time each way to find neighbours, and how many of the true ones an index finds.

Run by hand: `python -m tests.benchmarks.mining_index [--rows N] [--only ivf]`. All
compare the same made vectors (`mining.write_vectors`), one way after the other.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import get_args

import numpy as np

from app.engine.mining.approximate_search import (
    IndexSettings,
    MappedSide,
    find_approximate_neighbours,
)
from app.engine.mining.exact_search import ExactSide
from app.engine.mining.neighbours import PassSettings, find_neighbours
from app.engine.runtime.report import Report
from app.params.mining import IndexName
from tests.benchmarks.mining import K, write_vectors


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--only", choices=get_args(IndexName), action="append")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as made:
        folder = Path(made)
        write_vectors(folder, options.rows, options.dim)
        for kind in options.only or get_args(IndexName):
            seconds, text = _measure(folder, kind)
            print(f"{kind:<8} {seconds:>8.1f} s   {text}", flush=True)


def _measure(folder: Path, kind: IndexName) -> tuple[float, str]:
    """Find all neighbours one way; returns the seconds, and what was found."""
    source, target = (
        MappedSide(ExactSide(np.load(file, "c")), file)
        for file in (folder / "source.npy", folder / "target.npy")
    )
    begun = time.perf_counter()
    text = "all of the true neighbours"
    if kind == "exact":
        find_neighbours(source.exact, target.exact, PassSettings(K), Report())
    else:
        settings = IndexSettings(kind, K, folder / kind)
        text = find_approximate_neighbours(source, target, settings, Report())[2].text
    return time.perf_counter() - begun, text


if __name__ == "__main__":
    main()
