"""Watches the window's thread: a step over 50 ms is logged and counted."""

import logging
import time

from PySide6.QtCore import QObject, Qt, QTimer

log = logging.getLogger("window")
LIMIT_S = 0.05
BEAT_MS = 10


class Watchdog(QObject):
    """A heartbeat: what it is late by is the time that a step held the thread.

    Attributes:
        n_beats: beats since `reset`.
        n_late: those late by more than 50 ms.
        slowest_s: the longest delay, in seconds.
    """

    def __init__(self, parent: QObject, *, beat_ms: int = BEAT_MS):
        super().__init__(parent)
        self._timer = QTimer(self, timerType=Qt.TimerType.PreciseTimer)
        self._timer.setInterval(beat_ms)
        self._timer.timeout.connect(self._on_beat)
        self.reset()

    def start(self) -> None:
        """Begin to watch."""
        self.reset()
        self._timer.start()

    def stop(self) -> None:
        """Watch no more."""
        self._timer.stop()

    def reset(self) -> None:
        """Count from zero."""
        self.n_beats = self.n_late = 0
        self.slowest_s = 0.0
        self._last = time.perf_counter()

    def _on_beat(self) -> None:
        now = time.perf_counter()
        late = now - self._last - self._timer.interval() / 1000
        self._last = now
        self.n_beats += 1
        self.slowest_s = max(self.slowest_s, late)
        if late > LIMIT_S:
            self.n_late += 1
            log.info("a step held the window's thread for %.0f ms", 1000 * late)
