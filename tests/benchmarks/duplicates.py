"""Time the search for duplicates among a million sentences, with planted ones.

Run by hand: `python -m tests.benchmarks.duplicates [--rows N] [--cancel]`. The
sentences are random words of the samples; a share of them is said again: equal, in
capitals, with a word left out or with two letters exchanged. Beside the whole stands
the time that comparing every two would take, reckoned from a part. `--cancel` cancels
the search in each long stage.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from app.engine.mining.exact_search import ExactSide
from app.engine.mining.neighbours import PassSettings, find_own_neighbours
from app.engine.project.project import Project, create_project
from app.engine.project.runs import perform_run, queue_run
from app.engine.quality.neighbours import EXACT_PAIRS
from app.engine.runtime.report import Report, SilentSink
from app.engine.store.corpora import position_of
from app.engine.tasks.encode import encode
from app.engine.tasks.find_duplicates import find_duplicates
from app.engine.tasks.import_corpus import import_corpus
from app.errors import Cancelled
from app.params.corpora import ImportCorpus
from app.params.quality import FindDuplicates
from app.params.vectors import Encode
from app.paths import resource_dir
from tests.engine.quality.made import findings

SHARE = 0.02  # of the sentences, planted of each kind
KINDS = ("equal", "capitals", "word left out", "letters exchanged")
MAX_S, MAX_CANCEL_S = 600.0, 1.0
PART = 65_536  # rows whose comparison the exact way is reckoned from
STAGES = (
    "Reading sentences",
    "Making lists",
    "Measuring what is missed",
    "Comparing within lists",
    "Comparing letters",
    "Writing findings",
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--cancel", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as made:
        folder = Path(made)
        lines, planted = make_lines(options.rows)
        file = folder / "own.txt"
        file.write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
        del lines
        with create_project(folder / "p.isogloss") as project:
            one = ImportCorpus(files=(file,), languages=("en",), names=("own",))
            import_corpus(project, one, Report())
            encode(project, Encode(corpora=("own",)), Report())
            _measure(project, planted)
            _print_exact(project, options.rows)
            for stage in STAGES if options.cancel else ():
                _measure_cancel(project, stage)


def make_lines(n: int) -> tuple[list[str], list[tuple[int, int, str]]]:
    """Make n sentences, and give the planted doubles: place, place, kind."""
    draw = np.random.default_rng(1)
    text = (resource_dir() / "samples" / "en.tsv").read_text(encoding="utf-8")
    words = np.array(sorted({word for word in text.split() if word.isalpha()}))
    n_planted = int(SHARE * n) * len(KINDS)
    lengths = draw.integers(7, 20, n - n_planted)
    chosen = words[draw.integers(0, len(words), int(lengths.sum()))].tolist()
    ends = np.cumsum(lengths).tolist()
    lines = [
        " ".join(chosen[end - length : end])
        for end, length in zip(ends, lengths.tolist(), strict=True)
    ]
    sources = draw.permutation(len(lines))[:n_planted].tolist()
    planted = []
    for i, source in enumerate(sources):
        kind = KINDS[i % len(KINDS)]
        planted.append((len(lines), source, kind))
        lines.append(said_again(lines[source], kind, draw))
    return lines, planted


def said_again(line: str, kind: str, draw: np.random.Generator) -> str:
    """Return a line again: equal, in capitals, or with a mistake."""
    if kind == "equal":
        return line
    if kind == "capitals":
        return f"{line.upper()}!"
    words = line.split()
    if kind == "word left out" and len(words) > 1:
        shortest = min(range(len(words)), key=lambda one: len(words[one]))
        return " ".join(words[:shortest] + words[shortest + 1 :])
    index = int(draw.integers(len(line) - 1))
    return line[:index] + line[index + 1] + line[index] + line[index + 2 :]


class _StageSink(SilentSink):
    """Notes when each stage begins; asks to stop in one of them."""

    def __init__(self, cancelled: str = ""):
        self.report = Report(self)
        self.begun: dict[str, float] = {}
        self.asked: float | None = None
        self._cancelled = cancelled

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        """Note the first of a stage."""
        now = time.monotonic()
        self.begun.setdefault(stage, now)
        if stage == self._cancelled and self.asked is None:
            self.asked = now
            self.report.cancel()


def _measure(project: Project, planted: list[tuple[int, int, str]]) -> None:
    """Time a search, stage by stage, and count the planted doubles that it found."""
    params = FindDuplicates(corpora=("own",))
    run = queue_run(project, params)
    sink = _StageSink()
    sink.report.run = run
    begun = time.monotonic()
    result = perform_run(project, params, sink.report)
    seconds = time.monotonic() - begun
    order = sorted(sink.begun.items(), key=lambda pair: pair[1])
    ends = [start for _, start in order[1:]] + [begun + seconds]
    for (stage, start), end in zip(order, ends, strict=True):
        print(f"  {stage:<28} {end - start:>8.1f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    word = "reached" if seconds <= MAX_S else "MISSED"
    print(f"find-duplicates {seconds:.1f} s (of {MAX_S:.0f}: {word}), {peak:.2f} GB")
    print(result["message"])
    kept = {
        position_of(one.sentence_id): position_of(one.other_id or 0)
        for one in findings(project, run)
    }
    for kind in KINDS:
        pairs = [pair for pair in planted if pair[2] == kind]
        n_found = sum(
            kept.get(one, one) == kept.get(other, other) for one, other, _ in pairs
        )
        print(f"  planted, {kind:<20} {n_found:>8,} of {len(pairs):,} found")


def _print_exact(project: Project, n: int) -> None:
    """Reckon what comparing every two takes: by the square of the rows."""
    vectors = np.load(next((project.folder / "arrays").glob("*.unit.npy")), "r")
    some = ExactSide(np.array(vectors[:PART]))
    begun = time.monotonic()
    find_own_neighbours(some, PassSettings(17), Report())
    seconds = (time.monotonic() - begun) * (n / len(some)) ** 2
    print(
        f"every two compared: {seconds / 60:.1f} minutes, reckoned from {PART:,} rows"
    )
    print(f"(by lists from {int((2 * EXACT_PAIRS) ** 0.5):,} sentences of a language)")


def _measure_cancel(project: Project, stage: str) -> None:
    """Cancel a search in a stage, and time it until it ends."""
    sink = _StageSink(stage)
    sink.report.run = queue_run(project, FindDuplicates(corpora=("own",)))
    try:
        find_duplicates(project, FindDuplicates(corpora=("own",)), sink.report)
        print(f"cancel in {stage}: the stage did not come")
    except Cancelled:
        waited = time.monotonic() - (sink.asked or 0.0)
        word = "reached" if waited <= MAX_CANCEL_S else "MISSED"
        print(f"cancel in {stage:<24} {waited:>6.3f} s (of {MAX_CANCEL_S} s: {word})")


if __name__ == "__main__":
    main()
