"""A project with evaluations, and the evaluate view on a stage."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.engine.store.runs import write_measurements
from app.params.evaluation import EvaluateRetrieval
from app.params.probing import Probe
from app.protocol.queries.encoders import EncodersQuery
from app.results.measurements import Measurement, Probed, Retrieved
from app.views.evaluate.view import EvaluateView
from tests.views.mined import add_run
from tests.views.stage import Stage, build_project, copy_built

NAMES = ("Arabic", "German", "Greek")


def retrieved(source: str, target: str, error: float) -> Retrieved:
    return Retrieved(
        encoder="one",
        source=source,
        target=target,
        n=60,
        n_pool=60,
        error=error,
        error_interval=(error / 2, error + 0.1),
        error_margin=error / 2,
        precision_at={"1": 1 - error},
    )


def probed(encoder: str, task: str, accuracy: float) -> Probed:
    return Probed(
        encoder=encoder,
        data=f"de.{task}.txt",
        task=task,
        language="de",
        classifier="logistic",
        n=100,
        n_train=500,
        n_classes=2,
        accuracy=accuracy,
        accuracy_interval=(accuracy - 0.1, accuracy + 0.1),
        accuracies=(accuracy, accuracy),
        selectivity=-0.05,
        baselines={"majority": 0.5},
    )


def keep(folder: Path, run: int, rows: list[Measurement]) -> None:
    with open_project(folder) as project:
        write_measurements(project.store, run, rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Run 1 measured retrieval, runs 2 and 3 probed; 2 skipped a file."""
    return copy_built(tmp_path / "p.isogloss", _build)


def _build(folder: Path) -> None:
    build_project(folder)
    notes = {"notes": ["Measured on 60 sentences."]}
    run = add_run(folder, EvaluateRetrieval(corpora=NAMES, matrix=True), notes)
    keep(
        folder,
        run,
        [
            retrieved(one, other, 0.1 * index)
            for index, one in enumerate(NAMES)
            for other in NAMES
            if one != other
        ],
    )
    for encoder, notes in (("one", {"notes": ["bad.txt has no split."]}), ("two", {})):
        params = Probe(data=(Path("de.tense.txt"), Path("bad.txt")))
        run = add_run(folder, params, notes)
        keep(folder, run, [probed(encoder, "tense", 0.7), probed(encoder, "WC", 0.3)])


@pytest.fixture
def stage(folder: Path) -> Iterator[Stage]:
    stage = Stage(folder)
    card = {"name": "one", "fingerprint": "f" * 64, "folder": str(folder)}
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card, {**card, "name": "two"}],
        "chosen": "one",
        "damaged": [],
    }
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, qtbot: QtBot) -> EvaluateView:
    stage.open(qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    view = EvaluateView(stage.state)
    qtbot.addWidget(view)
    view.resize(900, 640)
    view.show()
    return view
