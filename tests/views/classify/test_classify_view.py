"""The classify view as a whole: names of controls, its session, an empty project."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.views.classify.labels import LabelsStep
from app.views.classify.predictions import PredictionStep
from app.views.classify.steps import PAUSE_MS
from app.views.classify.view import ClassifyView
from tests.views import classified
from tests.views.classify.opened import button, open_view
from tests.views.shell.test_accessibility import faults
from tests.views.stage import Stage, build_project


def test_every_control_has_a_name_and_what_is_shown_comes_back(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    classified.add_transfer(folder, {"en": 3, "de": 2})
    classified.add_predictions(folder, classified.add_trained(folder), 2)
    view = open_view(stage, qtbot)
    assert faults(view) == []
    view.steps.show_step(view.steps.predictions)
    state = view.save_state()
    other = ClassifyView(stage.state)
    qtbot.addWidget(other)
    other.restore_state(state)
    assert other.save_state() == state
    assert state["summary"] == "English → 2 languages"


def test_an_empty_project_says_what_to_do(tmp_path: Path, qtbot: QtBot) -> None:
    stage = Stage(build_project(tmp_path / "e.isogloss", {}))
    stage.open(qtbot)
    view = ClassifyView(stage.state)
    qtbot.addWidget(view)
    view.show()
    assert "Import a table with a label column" in view.steps.transfer.texts[1]
    assert not view.steps.transfer.quick.isEnabled()
    view.steps.show_step(view.steps.labels)
    with qtbot.waitSignal(stage.state.view_requests.import_requested):
        button(view, "Import texts…").click()
    stage.close()


def test_texts_without_labels_begin_with_labelling(
    tmp_path: Path, qtbot: QtBot
) -> None:
    stage = Stage(build_project(tmp_path / "e.isogloss", is_encoded=False))
    stage.open(qtbot)
    view = ClassifyView(stage.state)
    qtbot.addWidget(view)
    assert view.steps.current is view.steps.labels
    stage.close()


def test_the_steps_that_are_not_shown_are_made_later(
    stage: Stage, qtbot: QtBot
) -> None:
    stage.open(qtbot)
    view = ClassifyView(stage.state)
    qtbot.addWidget(view)
    assert not view.findChildren(LabelsStep)
    assert not view.steps.is_complete
    view.restore_state({"tab": 0, "labels": {"corpus": 2}})
    assert len(view.findChildren(LabelsStep)) == 1
    assert view.steps.current is view.steps.labels
    assert not view.findChildren(PredictionStep)
    with qtbot.waitSignal(view.steps.completed):
        view.show()
    assert len(view.findChildren(PredictionStep)) == 1
    assert view.steps.labels.corpora.chosen == 2


def test_no_step_is_made_once_the_state_is_deleted(folder: Path, qtbot: QtBot) -> None:
    stage = Stage(folder)
    stage.open(qtbot)
    view = ClassifyView(stage.state)
    qtbot.addWidget(view)
    view.show()
    stage.close()
    with (
        qtbot.captureExceptions() as exceptions,
        qtbot.assertNotEmitted(view.steps.completed, wait=3 * PAUSE_MS),
    ):
        pass
    assert exceptions == []
    assert not view.steps.is_complete
