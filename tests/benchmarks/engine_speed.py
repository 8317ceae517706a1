"""Time the engine process: its first line, and how soon Cancel is met in each task.

Run by hand: `python -m tests.benchmarks.engine_speed`.
"""

import random
import statistics
import tempfile
import time
from pathlib import Path

from app.params.base import TaskParams
from app.params.corpora import ImportCorpus
from app.params.training.encoder import TrainEncoder, TrainVocabulary
from app.params.vectors import Encode
from app.protocol import commands, events
from tests.process.harness import EngineProcess

MAX_HELLO_S, MAX_CANCEL_S = 0.3, 1.0
N_STARTS, N_LINES = 10, 400_000
STAGES = {
    "import-corpus": "",
    "encode": "Encoding ",
    "train-vocabulary": "Training the vocabulary",
    "train-encoder": "Training",
}


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as parent:
        folder = Path(parent)
        measure_hello(folder)
        table = make_table(folder / "pairs.tsv")
        with EngineProcess(folder) as engine:
            engine.open(folder / "p.isogloss", "create")
            whole = importing(table, "whole")
            engine.run(whole)
            engine.wait_for(events.Finished)
            for params in (
                importing(table, "again"),
                Encode(corpora=("whole",)),
                TrainVocabulary(out=folder / "v", pairs=(table,), n_pieces=8_000),
                TrainEncoder(name="e", pairs=(table,), n_pieces=2_000, n_steps=10_000),
            ):
                measure_cancel(engine, params)


def measure_hello(folder: Path) -> None:
    """Time processes from their start to their first line."""
    times = []
    for _ in range(N_STARTS):
        with EngineProcess(folder) as engine:
            times.append(engine.hello_s)
    show("first line of the engine, median", statistics.median(times), MAX_HELLO_S)


def measure_cancel(engine: EngineProcess, params: TaskParams) -> None:
    """Cancel a run in the midst of its longest stage."""
    name = str(type(params).__struct_config__.tag)
    run = engine.run(params)
    while not engine.wait_for(events.Progress).stage.startswith(STAGES[name]):
        pass
    time.sleep(1.0)
    started = time.monotonic()
    engine.send(commands.Cancel(run))
    while True:
        event = engine.next_event()
        if isinstance(event, events.Cancelled | events.Finished | events.Failed):
            break
    outcome = type(event).__name__
    show(f"{name}: {outcome}", time.monotonic() - started, MAX_CANCEL_S)


def make_table(file: Path) -> Path:
    """Write pairs of made-up words."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abdegiklmnoprstu", k=6)) for _ in range(20_000)]
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        for _ in range(N_LINES):
            chosen = rng.choices(words, k=7)
            foreign = " ".join(word[::-1] for word in chosen)
            stream.write(f"{' '.join(chosen)}\t{foreign}\tmade\n")
    return file


def importing(table: Path, name: str) -> ImportCorpus:
    """Import the first column of the table."""
    return ImportCorpus(
        files=(table,),
        languages=("en",),
        names=(name,),
        columns=("1",),
        header="no",
        format="tsv",
    )


def show(what: str, seconds: float, bound_s: float) -> None:
    """Print a time beside its bound."""
    verdict = "ok" if seconds <= bound_s else "TOO SLOW"
    print(f"{what}: {seconds:.3f} s (bound {bound_s:.1f} s): {verdict}")


if __name__ == "__main__":
    main()
