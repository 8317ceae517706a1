"""The watchdog counts what held the window's thread."""

import time

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from app.views.shell.application import Watchdog


def test_step_over_50_ms_is_counted_and_logged(
    qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    parent = QObject()
    watchdog = Watchdog(parent, beat_ms=5)
    watchdog.start()
    QTimer.singleShot(0, parent, lambda: time.sleep(0.08))
    with caplog.at_level("INFO", "window"):
        qtbot.waitUntil(lambda: watchdog.n_late > 0, timeout=2_000)
    watchdog.stop()
    assert watchdog.slowest_s >= 0.05
    assert "held the window's thread" in caplog.text
