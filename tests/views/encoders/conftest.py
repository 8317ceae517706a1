"""The encoders view on a stage with two encoders, one of them measured."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import open_project
from app.engine.store import schema
from app.protocol.queries.encoders import EncodersQuery
from app.protocol.queries.search import NearestQuery
from app.results.coverage import CoverageResult
from app.views.encoders.view import EncodersView
from tests.views.encoders.cards import GERMAN, ISOGLOSS, LASER, RUNES, card
from tests.views.stage import Stage, build_project, copy_built, nearest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return copy_built(tmp_path / "p.isogloss", _build)


def _build(folder: Path) -> None:
    build_project(folder)
    result = CoverageResult(
        encoder="isogloss-2",
        fingerprint=ISOGLOSS,
        has_pieces=True,
        sentences_per_s=81_400.0,
        device="cpu",
        message="",
        languages=(GERMAN, RUNES),
    )
    values = {
        "task": "measure-coverage",
        "params": "{}",
        "state": "finished",
        "result": msgspec.json.encode(result).decode(),
        "started_at": 0.0,
        "ended_at": 1.0,
    }
    with open_project(folder) as project, project.store.begin() as connection:
        connection.execute(insert(schema.run).values(**values))


@pytest.fixture
def stage(folder: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(folder)
    laser = {"languages": ["en", "de"], "licence": "BSD\nmore", "origin": "laser2.pt"}
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [
            card("isogloss-2", ISOGLOSS, folder, bundled=True),
            card("laser2", LASER, folder, architecture="bilstm", **laser),
        ],
        "chosen": "isogloss-2",
        "damaged": [{"name": "broken", "why": "encoder.json is damaged."}],
    }
    stage.client.answers[NearestQuery] = nearest
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.open(qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, qtbot: QtBot) -> EncodersView:
    view = EncodersView(stage.state)
    qtbot.addWidget(view)
    view.resize(1000, 700)
    view.show()
    return view
