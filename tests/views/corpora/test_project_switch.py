"""The corpora view after a switch to another project."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.views.corpora.view import CorporaView
from tests.views.clipping import press_everything
from tests.views.stage import Stage, build_project


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "p.isogloss", is_encoded=False))
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, qtbot: QtBot) -> CorporaView:
    view = CorporaView(stage.state)
    qtbot.addWidget(view)
    view.resize(1100, 700)
    view.show()
    return view


def test_every_action_works_after_a_switch_to_another_project(
    view: CorporaView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    view.list.choose([3, 4])
    texts = {"Notes": ("en", ["One line.", "Another line."])}
    other = build_project(tmp_path / "other.isogloss", texts)
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(other)
    fresh = CorporaView(stage.state)  # as the window makes one for each project
    qtbot.addWidget(fresh)
    fresh.show()
    assert [row.name for row in fresh.chosen] == ["Notes"]
    assert fresh.page.table.page_model.rowCount() == 2
    errors: list[object] = []
    stage.state.error_posted.connect(errors.append)
    stage.state.corpora_changed.emit()  # reaches the old view too
    assert [row.name for row in view.chosen] == ["Notes"]
    press_everything(fresh)
    press_everything(view)
    assert not errors
