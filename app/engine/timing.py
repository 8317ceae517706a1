"""Timers that say when the next partial result is due."""

import time


class SaveClock:
    """Tells when the next record is due."""

    def __init__(self, seconds: float):
        """Begin now."""
        self._seconds, self._last = seconds, time.monotonic()

    def is_due(self) -> bool:
        """Return whether so many seconds have gone since it last was."""
        now = time.monotonic()
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True
