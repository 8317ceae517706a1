"""Folds changes that come together, so that the store is read once for them."""

from PySide6.QtCore import QObject, QTimer, Signal

RELOAD_MS = 60


class ChangeFold(QObject):
    """Collects the kinds of rows that changed; `due` tells them a moment later."""

    due = Signal(object)  # set of kinds

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._kinds: set[str] = set()
        self._timer = QTimer(self, singleShot=True, interval=RELOAD_MS)
        self._timer.timeout.connect(self._on_timeout)

    def note(self, kind: str) -> None:
        """Take note of a change."""
        self._kinds.add(kind)
        if not self._timer.isActive():
            self._timer.start()

    def _on_timeout(self) -> None:
        kinds, self._kinds = self._kinds, set()
        self.due.emit(kinds)
