"""kill -9 of the engine right after a judgement was said to be saved: none is lost."""

from pathlib import Path

import pytest

from app.engine.project.project import create_project, open_read_only
from app.engine.store.pairs.sets import first_pair_id
from app.protocol import commands, events
from app.protocol.edits import Change
from app.protocol.edits.general import Undo
from app.protocol.edits.pairs import JudgePairs, JudgeRange
from tests.engine.review.made import add_corpora, add_pairs, verdicts
from tests.process.harness import EngineProcess

N = 8


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with create_project(tmp_path / "coast.isogloss") as project:
        add_corpora(project, N)
        add_pairs(project, N)
        return project.folder


def judge_and_kill(engine: EngineProcess, change: Change) -> None:
    """Kill the engine as soon as its Changed is there, before its answer."""
    engine.send(commands.Edit(engine.ticket(), change, engine.project))
    engine.wait_for(events.Changed)
    engine.process.kill()
    engine.close()


def held(folder: Path) -> str:
    """Return the first letters of the verdicts that hold; a point where none does."""
    with open_read_only(folder) as project:
        return "".join(verdict[:1] or "." for verdict in verdicts(project, 1, N))


def test_no_judgement_is_lost_and_undo_goes_on_behind_the_kill(
    tmp_path: Path, folder: Path
) -> None:
    first = first_pair_id(1)
    accept = JudgePairs(pairs=(first,), verdict="accept")
    reject = JudgePairs(pairs=(first + 1,), verdict="reject")
    flag = JudgeRange(mining=1, verdict="flag")
    with EngineProcess(tmp_path) as engine:
        engine.open(folder)
        engine.edit(accept)
        engine.edit(reject)
        judge_and_kill(engine, flag)
    assert held(folder) == "arffffff"
    with EngineProcess(tmp_path) as engine:
        engine.open(folder)
        judge_and_kill(engine, Undo())
    assert held(folder) == "ar......"
    with EngineProcess(tmp_path) as engine:
        engine.open(folder)
        for _ in range(2):
            answer = engine.edit(Undo())
    assert held(folder) == "........"
    assert (answer.can_undo, answer.can_redo) == (False, True)
