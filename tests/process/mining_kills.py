"""Mining in a real engine process that can be killed at any moment."""

import random
import shutil
from pathlib import Path
from typing import Any

from sqlalchemy import text

from app.engine.project.project import open_read_only
from app.engine.store.pairs.sets import first_pair_id, list_pair_sets
from app.params.base import TaskParams
from app.params.corpora import ImportCorpus
from app.params.mining import MinePairs
from app.params.vectors import Encode
from app.protocol import events
from tests.process.harness import EngineProcess

# An engine that records every panel, and has small ones: a kill meets it at work.
SLOWLY = """
import sys
from app.engine.mining import neighbours, recipe
from app.engine.mining.block_scan import BlockShape
from app.engine.store.pairs import sets
neighbours.SAVE_S, recipe.BLOCK, sets.SHARD = 0.0, 200, 200
neighbours.choose_shape = lambda *_: BlockShape(128, 512, 2)
from app.__main__ import main
main(["engine"])
"""
N_LINES = 4_000
PARAMS = MinePairs(
    source="left",
    target="right",
    retrieval="max",
    candidates=True,
    filters=("length min=3", "numbers max=2", "names min=0.1", "ratio max=4"),
)


def start_engine(data_dir: Path) -> EngineProcess:
    """Start an engine that works in small parts."""
    return EngineProcess(data_dir, ("-c", SLOWLY))


def make_project(folder: Path, data_dir: Path) -> None:
    """Make a project of two encoded corpora, half of which are translations."""
    words = [f"{a}{b}{c}" for a in "bdfgkm" for b in "aeiou" for c in "lmnrst"]
    rng = random.Random(7)
    left = [" ".join(rng.choices(words, k=7)) for _ in range(N_LINES)]
    right = [" ".join(rng.choices(words, k=7)) for _ in range(N_LINES)]
    for i in range(0, N_LINES, 2):
        right[i] = left[N_LINES - 1 - i].replace("a", "e", 2)
    with start_engine(data_dir) as engine:
        engine.open(folder, "create")
        for name, lines in (("left", left), ("right", right)):
            file = data_dir / f"{name}.txt"
            file.write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
            importing = ImportCorpus(files=(file,), languages=("en",), names=(name,))
            finish(engine, engine.run(importing))
        finish(engine, engine.run(Encode(corpora=("left", "right"))))


def finish(engine: EngineProcess, run: int) -> dict[str, Any]:
    """Wait for the end of a run."""
    while True:
        event = engine.next_event()
        engine.events.append(event)
        if isinstance(event, events.Failed):
            raise AssertionError(event.error.message + event.error.traceback)
        if isinstance(event, events.Finished) and event.run == run:
            result: dict[str, Any] = event.result
            return result


def open_and_run(
    engine: EngineProcess, folder: Path, params: TaskParams = PARAMS
) -> int:
    """Open the project and begin, or resume what a kill interrupted."""
    interrupted = engine.open(folder).interrupted
    return engine.run(params, interrupted[0] if interrupted else None)


def mined_whole(folder: Path, copy: Path, data_dir: Path) -> list[Any]:
    """Mine in a copy of the project without a kill, and give what was made."""
    shutil.copytree(folder, copy)
    with start_engine(data_dir) as engine:
        finish(engine, open_and_run(engine, copy))
    return made_in(copy)


def made_in(folder: Path) -> list[Any]:
    """Return all of the one mining that is shown, but its id, run and time."""
    with open_read_only(folder) as project:
        (row,) = list_pair_sets(project.store)
        sql = "SELECT * FROM pair ORDER BY id"
        with project.store.connect() as connection:
            rows = connection.execute(text(sql)).all()
    first = first_pair_id(row.id)
    told = row._replace(id=0, run_id=None, created_at=0.0)
    # whether a filter had looked at the pairs before is the only thing that may differ
    for step in told.report["filters"]:
        step.pop("was_known")
    return [told, [(pair.id - first, *pair[1:]) for pair in rows]]
