"""A timer for periodic saving and reporting."""

import time


class SaveClock:
    """Reports when an interval has passed."""

    def __init__(self, seconds: float):
        """Start the first interval."""
        self._seconds, self._last = seconds, time.monotonic()

    def is_due(self) -> bool:
        """Return whether the interval has passed, and if so start the next one."""
        now = time.monotonic()
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True
