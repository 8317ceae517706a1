"""A project with labels, and an engine that answers questions about them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.protocol.queries.classify import (
    LabelCountsQuery,
    LabelOrderQuery,
    PredictionsQuery,
)
from app.protocol.queries.encoders import EncodersQuery
from tests.views import classified
from tests.views.classify.opened import counts, ids_file
from tests.views.stage import Stage, build_project, copy_built, sentence_id

COUNTS = {"sea": 2, "wind": 1}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return copy_built(tmp_path / "p.isogloss", _build)


def _build(folder: Path) -> None:
    build_project(folder)
    for corpus in (1, 2, 3):
        classified.add_labels(folder, corpus)


@pytest.fixture
def stage(folder: Path) -> Iterator[Stage]:
    stage = Stage(folder)
    card = {"name": "isogloss-2", "fingerprint": "f" * 64, "folder": str(folder)}
    answers = stage.client.answers
    answers[EncodersQuery] = lambda _: {
        "encoders": [card],
        "chosen": "isogloss-2",
        "damaged": [],
    }
    answers[LabelCountsQuery] = lambda _: counts(dict.fromkeys((1, 2, 3), COUNTS))
    answers[LabelOrderQuery] = lambda _: ids_file(stage, [sentence_id(1, 1)])
    answers[PredictionsQuery] = lambda _: {
        **ids_file(stage, [sentence_id(2, n) for n in (0, 2, 1)]),
        "n_by_class": {"sea": 2, "wind": 1},
        "without": [],
    }
    yield stage
    stage.close()
