"""A concordance view over a made-up engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.queries.words import ConcordanceQuery, LineNeighboursQuery
from app.views.concordance.view import ConcordanceView
from tests.views.concordance.made import Client, Lines, near
from tests.views.stage import Stage, build_project


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    return Lines(tmp_path)


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot, lines: Lines) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "p.isogloss"), Client())
    stage.client.answers[ConcordanceQuery] = lines
    stage.client.answers[LineNeighboursQuery] = near
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, qtbot: QtBot) -> ConcordanceView:
    view = ConcordanceView(stage.state)
    qtbot.addWidget(view)
    view.resize(1100, 700)
    view.show()
    return view
