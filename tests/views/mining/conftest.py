"""The mine view on a stage: its project, its engine, three pairs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.answers.pairs import FilterStep, MiningPlan, RecipePreview
from app.protocol.queries.encoders import EncodersQuery
from app.protocol.queries.pairs import MiningPlanQuery, RecipeQuery
from app.views.mining.view import MiningView
from tests.views import mined
from tests.views.mining.opened import open_view
from tests.views.stage import Stage, build_project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return build_project(tmp_path / "p.isogloss")


@pytest.fixture
def stage(folder: Path) -> Iterator[Stage]:
    stage = Stage(folder)
    card = {"name": "isogloss-2", "fingerprint": "f" * 64, "folder": str(folder)}
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card],
        "chosen": "isogloss-2",
        "damaged": [],
    }
    stage.client.answers[RecipeQuery] = lambda query: RecipePreview(
        3, [FilterStep(line, 3, 0, 0, [], False) for line in query.filters]
    )
    stage.client.answers[MiningPlanQuery] = lambda _: MiningPlan(
        1.0, 10**8, 3, 3, "About 1 s."
    )
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, folder: Path, qtbot: QtBot) -> MiningView:
    """The view with three pairs of English and Arabic, the second one accepted."""
    mined.add_mining(folder)
    mined.judge(folder, 1, {1: "accept"})
    return open_view(stage, qtbot)
