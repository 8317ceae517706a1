"""Views are imported early, but never beside the window's thread."""

import threading

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.views.client.state import AppState
from app.views.shell import view_registry
from app.views.shell.view_registry import ViewImporter, list_views


def test_modules_with_qt_classes_are_imported_in_the_window_s_thread(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, open_state: AppState
) -> None:
    imported: list[tuple[str, threading.Thread]] = []
    frozen: list[bool] = []

    def note(name: str) -> None:
        imported.append((name, threading.current_thread()))

    monkeypatch.setattr(view_registry, "import_module", note)
    monkeypatch.setattr("gc.freeze", lambda: frozen.append(True))
    owner = QObject()
    ViewImporter(owner).start()
    qtbot.waitUntil(lambda: bool(frozen), timeout=20_000)
    names = [name for name, _ in imported]
    assert names[:2] == ["app.views.corpora.view", "app.views.search.view"]
    views = {f"app.views.{entry.name}.view" for entry in list_views(open_state)}
    assert views <= {*names}
    assert {thread for _, thread in imported} == {threading.main_thread()}
