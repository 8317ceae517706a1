"""kill -9 of the engine while it mines: the run resumes to the identical result."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.engine.mining.neighbours import STAGE as PASS_STAGE
from app.engine.store.pairs.sets import STAGE as WRITE_STAGE
from app.protocol import events
from tests.process.mining_kills import (
    finish,
    made_in,
    make_project,
    mined_whole,
    open_and_run,
    start_engine,
)

FILTER_STAGE = "Filtering: names min=0.1"


class Kill(NamedTuple):
    """When the engine is killed: a stage of so much."""

    stage: str
    done: int


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[Any]]:
    folder = tmp_path_factory.mktemp("mining")
    project = folder / "p.isogloss"
    make_project(project, folder)
    return folder, project, mined_whole(project, folder / "whole.isogloss", folder)


def test_mining_killed_at_every_stage_resumes_to_the_same_pairs(
    made: tuple[Path, Path, list[Any]],
) -> None:
    folder, project, whole = made
    kills = [
        Kill(PASS_STAGE, 500),
        Kill(PASS_STAGE, 3_000),
        Kill(FILTER_STAGE, 1),
        Kill(WRITE_STAGE, 400),
    ]
    begun: list[int] = []  # rows that were done when a pass was shown first
    for kill in kills:
        with start_engine(folder) as engine:
            open_and_run(engine, project)
            begun.append(_kill_at(engine, kill))
    with start_engine(folder) as engine:
        finish(engine, open_and_run(engine, project))
    assert made_in(project) == whole
    assert begun[0] < 400 < begun[1]  # the second pass went on where the first was


def _kill_at(engine: Any, kill: Kill) -> int:
    """Kill the engine; returns the first number of compared rows that it showed."""
    first = -1
    while True:
        event = engine.wait_for(events.Progress)
        if event.stage == PASS_STAGE and first < 0:
            first = event.done
        if event.stage == kill.stage and event.done >= kill.done:
            engine.process.kill()
            engine.close()
            return first
