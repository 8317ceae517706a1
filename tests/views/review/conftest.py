"""Fixtures of the review's tests: six pairs, and the view over them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.views.review.view import ReviewView
from tests.views.review.reviewed import N, Reviewed
from tests.views.reviewing import make_pairs, wait_for_queue
from tests.views.stage import add_document


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Reviewed]:
    make_pairs(tmp_path / "p.isogloss", N, report=json.dumps({"scores": [N]}))
    add_document(tmp_path / "p.isogloss", (2, 0), "May")
    stage = Reviewed(tmp_path / "p.isogloss")
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Reviewed, qtbot: QtBot) -> ReviewView:
    view = ReviewView(stage.state)
    qtbot.addWidget(view)
    view.resize(1200, 800)
    view.show()
    wait_for_queue(view, qtbot.waitUntil)
    return view
