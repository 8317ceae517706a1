"""The program as it is started: display, imports, the last resort for errors."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtTest import QSignalSpy

from app.settings import Settings
from app.views.client.engine_client import EngineClient
from app.views.shell import application
from app.views.shell.application import (
    fit_to_screen,
    install_hook,
    make_window,
    read_settings,
)
from app.views.shell.main_window import MainWindow
from app.views.widgets.theme import Theme

ROOT = Path(__file__).resolve().parents[3]
DRAW = """
import sys
from PySide6.QtCore import QTimer
from app.settings import Settings
from app.views.shell import application
from app.views.widgets.theme import Theme

app = application.make_application()
settings = Settings()
window = application.make_window(settings, Theme(app, settings))
window.show()
window.grab()
heavy = {"torch", "faiss", "sentencepiece", "pyqtgraph", "sqlalchemy", "numpy"}
print(sorted(heavy & set(sys.modules)))
"""


def run(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    return subprocess.run(
        [sys.executable, *words],
        env=inherited | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="always a display")
def test_without_a_display_one_sentence_and_exit_code_3() -> None:
    done = run("-m", "app")
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith("isogloss: there is no display")
    assert len(done.stderr.splitlines()) == 1


def test_window_is_drawn_without_heavy_libraries(tmp_path: Path) -> None:
    done = run("-c", DRAW, QT_QPA_PLATFORM="offscreen", ISOGLOSS_DATA=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_damaged_settings_give_the_defaults_and_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"theme": "pink"}')
    settings, complaint = read_settings(file)
    assert settings == Settings()
    assert "Delete the file" in str(complaint)


def test_error_that_nobody_caught_is_shown(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    install_hook(window)
    spy = QSignalSpy(window.state.error_posted)
    sys.excepthook(KeyError, KeyError("pairs"), None)
    assert spy.at(0)[0].kind == "bug"
    assert "KeyError" in window.message_bar.text


def test_window_is_put_together_with_the_views_that_exist(
    client: EngineClient, theme: Theme
) -> None:
    window = make_window(Settings(theme="light"), theme, client=client)
    names = [entry.name for entry in window.entries]
    assert names == [
        *("corpora", "search", "read", "concordance", "words", "mining", "review"),
        *("alignment", "classify", "evaluate", "map", "quality"),
        *("training", "encoders"),
    ]
    window.deleteLater()


def test_a_window_is_not_larger_than_its_screen(window: MainWindow) -> None:
    window.resize(4000, 3000)
    fit_to_screen(window)
    room = window.screen().availableGeometry().size()
    assert window.height() < room.height()
    assert window.width() <= max(room.width(), window.minimumSizeHint().width())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_only_this_account_can_read_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = logging.Logger("root")
    monkeypatch.setattr(logging, "root", root)
    application._log_to_file(tmp_path / "logs")
    root.info("started")
    for handler in root.handlers:
        handler.close()
    log = tmp_path / "logs" / "window.log"
    assert "started" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o777 == 0o600
    assert log.parent.stat().st_mode & 0o777 == 0o700
