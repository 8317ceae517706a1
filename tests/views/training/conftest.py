"""The training view on a stage: its project, its engine, linked corpora."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.queries.encoders import EncodersQuery
from tests.views.stage import Stage, build_project, link, sentence_id


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return build_project(tmp_path / "p.isogloss", is_encoded=False)


@pytest.fixture
def stage(folder: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(folder)
    stage.client.answers[EncodersQuery] = lambda query: {
        "encoders": [
            {"name": name, "architecture": "static"}
            for name in ("isogloss-2", "quick-1")
        ]
    }
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def linked(folder: Path) -> None:
    link(folder, [(sentence_id(1, n), sentence_id(2, n)) for n in range(3)])
