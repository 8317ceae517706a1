"""A seeded random user in the real window; `tests.soak.random_user` runs longer.

The whole suite has to end within a quarter of an hour, so this is a share of what a run
by hand does: the same code, with three switches between two projects.
"""

import shutil
from pathlib import Path
from random import Random

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.engine.demo import build_demo
from app.engine.runtime.report import Report
from app.settings import Settings
from app.views.shell.application import begin, make_window
from app.views.widgets.theme import Theme
from tests.process.user import User
from tests.soak.random_user import act_at_random, count_rows

SEED = 2
N_SWITCHES, N_EACH = 3, 40


@pytest.mark.timeout(300)
def test_nothing_is_lost_and_no_fault_logged(
    qtbot: QtBot, qapp: QApplication, data_dir: Path, tmp_path: Path
) -> None:
    first = build_demo(tmp_path / "a.isogloss", Report())
    folders = [first, Path(shutil.copytree(first, tmp_path / "b.isogloss"))]
    before = [count_rows(folder) for folder in folders]
    settings = Settings(theme="light")
    theme = Theme(qapp, settings)
    window = make_window(settings, theme)
    window.show()
    begin(window)
    user = User(window, Random(SEED))

    faults, _ = act_at_random(user, folders, N_SWITCHES, N_EACH)

    window.close()
    qtbot.waitUntil(window.isHidden, timeout=60_000)
    window.deleteLater()
    theme.deleteLater()
    assert faults == [], user.last
    qtbot.waitUntil(lambda: not window.state.client.is_running, timeout=60_000)
    for old, new in zip(before, map(count_rows, folders), strict=True):
        assert new.sentences >= old.sentences
        assert new.judgements >= old.judgements
