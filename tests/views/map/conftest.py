"""The map view on a stage: its project, its engine, one map."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.queries.classify import LabelCountsQuery
from app.protocol.queries.encoders import EncodersQuery
from app.views.map.view import MapView
from tests.views.map import mapped
from tests.views.map.opened import N_EACH, add_map, open_view, wait_ready
from tests.views.stage import Stage


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return mapped.build_corpora(tmp_path / "p.isogloss", N_EACH)


@pytest.fixture
def stage(folder: Path) -> Iterator[Stage]:
    stage = Stage(folder)
    card = {"name": "isogloss-2", "fingerprint": "f" * 64, "folder": str(folder)}
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card],
        "chosen": "isogloss-2",
        "damaged": [],
    }
    stage.client.answers[LabelCountsQuery] = lambda _: {
        "corpora": [
            {
                "id": 1,
                "n_labelled": 2,
                "n_classes": 2,
                "classes": [["sea", 1], ["wind", 1]],
            }
        ]
    }
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, folder: Path, qtbot: QtBot) -> MapView:
    """The view with one map, drawn."""
    add_map(folder)
    view = open_view(stage, qtbot)
    wait_ready(view, qtbot)
    return view
