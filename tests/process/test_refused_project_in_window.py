"""A project that is refused: the window offers to copy its data into a new one."""

import sqlite3
from contextlib import closing
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from tests.process.windows import WAIT_MS, Windows


def test_the_data_of_a_refused_project_is_copied_and_the_copy_is_opened(
    windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    own, received = tmp_path / "own.isogloss", tmp_path / "received.isogloss"
    for folder in (own, received):
        create_project(folder).close()
    with closing(sqlite3.connect(received / "project.sqlite")) as connection:
        connection.execute(
            "INSERT INTO note (sentence_id, text, who, changed_at) "
            "VALUES (1, 'ferry', 'Ana', 0)"
        )
        connection.execute(
            "CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM note; END"
        )
        connection.commit()
    window = windows.open(own, "corpora")
    with qtbot.waitSignal(window.state.error_posted, timeout=WAIT_MS) as refused:
        window.state.open_project(received)
    assert "the trigger 't'" in refused.args[0].message
    (button,) = [
        found
        for found in window.findChildren(QPushButton)
        if found.text() == "Copy the data…"
    ]
    button.click()
    (dialog,) = window.findChildren(QFileDialog)
    with qtbot.waitSignal(window.state.project_opened, timeout=WAIT_MS):
        dialog.fileSelected.emit(str(tmp_path / "clean.isogloss"))
    dialog.reject()
    project = window.state.project
    assert project is not None
    assert project.folder == tmp_path / "clean.isogloss"
    with project.store.connect() as store:
        assert store.exec_driver_sql("SELECT text FROM note").scalar() == "ferry"
