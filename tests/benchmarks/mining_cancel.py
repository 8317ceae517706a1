"""Time how soon Cancel is met in each stage of mining.

Run by hand: `python -m tests.benchmarks.mining_cancel [--lines 60000]`. One side has
made-up sentences, the other the same words turned round. Each line is one run, which is
cancelled as soon as its stage is shown (`--after` seconds later).
"""

import argparse
import random
import tempfile
import time
from pathlib import Path

from app.params.corpora import ImportCorpus
from app.params.mining import MinePairs
from app.params.vectors import Encode
from app.protocol import commands, events
from tests.benchmarks.engine_speed import show
from tests.process.harness import EngineProcess

MAX_CANCEL_S = 1.0
FILTERS = ("names min=0.4", "regex pattern=x+y", "numbers", "language")
EXACT = (
    "Reading sentences",
    "Reading vectors",
    "Comparing sentences",
    "Scoring neighbours",
)
BY_INDEX = ("Measuring the index", "Building the index", "Searching the index")
AFTER = ("Choosing pairs", "Filtering: names", "Filtering: language", "Writing pairs")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=60_000)
    parser.add_argument("--after", type=float, default=0.2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as made:
        folder = Path(made)
        with EngineProcess(folder) as engine:
            engine.open(folder / "p.isogloss", "create")
            for file in write_sides(folder, options.lines):
                names = (file.stem,)
                _finish(
                    engine, ImportCorpus(files=(file,), languages=("en",), names=names)
                )
            _finish(engine, Encode(corpora=("own", "other")))
            by_index = MinePairs(source="own", target="other", index="ivf")
            for stage in BY_INDEX:
                measure_cancel(engine, by_index, stage, options.after)
            mining = MinePairs(source="own", target="other", filters=FILTERS)
            for stage in (*EXACT, *AFTER):
                measure_cancel(engine, mining, stage, options.after)


def measure_cancel(
    engine: EngineProcess, params: MinePairs, stage: str, after_s: float
) -> None:
    """Cancel a run in a stage, and print how long that took."""
    run = engine.run(params)
    while not engine.wait_for(events.Progress).stage.startswith(stage):
        pass
    time.sleep(after_s)
    begun = time.monotonic()
    engine.send(commands.Cancel(run))
    while True:
        event = engine.next_event()
        if isinstance(event, events.Cancelled | events.Finished | events.Failed):
            break
    outcome = type(event).__name__
    show(f"{stage}: {outcome}", time.monotonic() - begun, MAX_CANCEL_S)


def write_sides(folder: Path, n: int) -> list[Path]:
    """Write two files of sentences."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abdegiklmnoprstu", k=6)) for _ in range(20_000)]
    own = [" ".join(rng.choices(words, k=9)) for _ in range(n)]
    other = [" ".join(reversed(line.split())) for line in own]
    files = []
    for name, lines in (("own", own), ("other", other)):
        file = folder / f"{name}.txt"
        file.write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
        files.append(file)
    return files


def _finish(engine: EngineProcess, params: ImportCorpus | Encode) -> None:
    engine.run(params)
    engine.wait_for(events.Finished)


if __name__ == "__main__":
    main()
