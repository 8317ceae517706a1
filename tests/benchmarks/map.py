"""Time maps stage by stage, cancel each stage of the real engine, compare with a peer.

Run by hand: `python -m tests.benchmarks.map [--lines 100000] [--texts F] [--cancel]
[--peer PYTHON]`. The sentences are made up, or the lines of a UTF-8 file. Beside the
whole stands the bare matrix product of all sentences with all others, in the precision
that the engine takes here. `--cancel` cancels a run in each stage. `--peer` names a
Python that has umap-learn, which lays out the same vectors: its time (after a first run
on a few vectors, which compiles it) and the neighbours that it keeps, measured in the
same way.
"""

import argparse
import resource
import shutil
import subprocess
import tempfile
import time
from itertools import islice
from pathlib import Path

import numpy as np
import torch

from app.engine.mining.exact_search import ExactSide
from app.engine.mining.rounding import choose_precision
from app.engine.project.project import Project, create_project
from app.engine.projection.neighbour_preservation import MapQuality, measure_map
from app.engine.runtime.report import Report, SilentSink
from app.engine.store.projections import projection_file, read_projections
from app.engine.tasks.encode import encode
from app.engine.tasks.import_corpus import import_corpus
from app.engine.tasks.project_map import project_map
from app.params.corpora import ImportCorpus
from app.params.projection import MapMethod, ProjectMap
from app.params.vectors import Encode
from app.protocol import commands, events
from tests.benchmarks.engine_speed import show
from tests.benchmarks.mining_cancel import MAX_CANCEL_S, write_sides
from tests.process.harness import EngineProcess

MAX_S, MAX_PCA_S = 180.0, 15.0  # for 100,000 sentences on two idle cores
STAGES = (
    "Reading vectors",
    "Computing principal components",
    "Comparing sentences",
    "Weighting neighbours",
    "Computing the layout",
    "Finding clusters",
    "Measuring the map",
    "Describing clusters",
)
PEER = """
import sys, time, numpy as np, umap
vectors = np.load(sys.argv[1])
settings = dict(n_neighbors=15, min_dist=0.1, metric="cosine", init="pca")
umap.UMAP(random_state=1, **settings).fit(vectors[:1500])
begun = time.monotonic()
found = umap.UMAP(random_state=1, **settings).fit_transform(vectors)
print(time.monotonic() - begun)
np.save(sys.argv[2], found.astype(np.float32))
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--cancel", action="store_true")
    parser.add_argument("--peer", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as made:
        folder = Path(made)
        file = _texts(folder, options.texts, options.lines)
        with create_project(folder / "p.isogloss") as project:
            one = ImportCorpus(files=(file,), languages=("en",), names=("own",))
            import_corpus(project, one, Report())
            encode(project, Encode(corpora=("own",)), Report())
            _time(project, "pca", MAX_PCA_S)
            _time(project, "umap", MAX_S)
            vectors = np.load(next((project.folder / "arrays").glob("*.unit.npy")))
            _print_product(vectors)
            for row in read_projections(project.store):
                xy = np.load(projection_file(project.folder, row, "xy"))
                _print_quality(row.method, vectors, xy)
        if options.peer:
            _print_peer(options.peer, vectors, folder)
        if options.cancel:
            shutil.rmtree(project.folder / "arrays" / "maps")
            with EngineProcess(folder) as engine:
                engine.open(project.folder, "open")
                for stage in STAGES:
                    _measure_cancel(engine, stage)


def _texts(folder: Path, texts: Path | None, n: int) -> Path:
    """Write the sentences to be imported."""
    if texts is None:
        return write_sides(folder, n)[0]
    file = folder / "own.txt"
    with texts.open(encoding="utf-8") as stream:
        file.write_text("".join(islice(stream, n)), "utf-8", newline="\n")
    return file


class _StageSink(SilentSink):
    """Notes when each stage begins."""

    def __init__(self) -> None:
        self.begun: dict[str, float] = {}

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        """Note the first of a stage."""
        self.begun.setdefault(stage, time.monotonic())


def _time(project: Project, method: MapMethod, bound_s: float) -> None:
    """Make a map, and print how long each stage took, and the peak of memory so far."""
    sink, begun, cpu = _StageSink(), time.monotonic(), time.process_time()
    project_map(project, ProjectMap(corpora=("own",), method=method), Report(sink))
    end, cpu_end = time.monotonic(), time.process_time()
    ends = [*sink.begun.values(), end][1:]
    for (stage, since), until in zip(sink.begun.items(), ends, strict=True):
        print(f"{method}, {stage}: {until - since:.1f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{method}: {cpu_end - cpu:.1f} s of the processors, peak {peak:.2f} GB")
    show(f"{method}, the whole", end - begun, bound_s)


def _measure_cancel(engine: EngineProcess, stage: str) -> None:
    """Cancel a run in a stage, and print how long that took."""
    run = engine.run(ProjectMap(corpora=("own",), method="umap", n_epochs=20))
    while engine.wait_for(events.Progress).stage != stage:
        pass
    begun = time.monotonic()
    engine.send(commands.Cancel(run))
    while True:
        event = engine.next_event()
        if isinstance(event, events.Cancelled | events.Finished | events.Failed):
            break
    outcome = type(event).__name__
    show(f"{stage}: {outcome}", time.monotonic() - begun, MAX_CANCEL_S)


def _print_product(vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> None:
    """Time the product of all vectors with all, by a share of the rows."""
    precision = choose_precision(vectors.shape[1], "cpu")
    every = torch.from_numpy(vectors).to(getattr(torch, precision))
    n_rows = min(len(every), 4_096)
    begun, cpu = time.monotonic(), time.process_time()
    for start in range(0, n_rows, 1_024):
        every[start : start + 1_024] @ every.T
    share = len(every) / n_rows
    seconds = (time.monotonic() - begun) * share
    of_cpu = (time.process_time() - cpu) * share
    print(
        f"bare {precision} product of all with all: {seconds:.1f} s, {of_cpu:.1f} s of "
        "the processors"
    )


def _print_quality(
    name: str,
    vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    xy: np.ndarray[tuple[int, int], np.dtype[np.float32]],
) -> MapQuality | None:
    found = measure_map(ExactSide(vectors), xy, seed=1, report=Report())
    if found is not None:
        low, high = found.kept_interval
        print(
            f"{name}: {100 * found.kept:.1f} % of {found.k} neighbours kept (95 %: "
            f"{100 * low:.1f} to {100 * high:.1f}), trustworthiness "
            f"{found.trustworthiness:.3f}"
        )
    return found


def _print_peer(
    python: Path,
    vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    folder: Path,
) -> None:
    files = folder / "vectors.npy", folder / "peer.npy"
    np.save(files[0], vectors)
    command = [str(python), "-W", "ignore", "-c", PEER, *map(str, files)]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    print(f"umap-learn: {float(told.stdout):.1f} s")
    _print_quality("umap-learn", vectors, np.load(files[1]))


if __name__ == "__main__":
    main()
