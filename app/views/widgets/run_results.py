"""Showing the result of a run only to a user who has waited for it."""

from collections.abc import Callable
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject

from app.views.client.runs import RunState
from app.views.client.state import AppState


class ResultGate(QObject):
    """Compares what a view shows when a run ends with what it showed at its start.

    A result may take the place of this only. Users who have gone on to something else
    stay there.
    """

    def __init__(
        self, state: AppState, read_shown: Callable[[], object], parent: QObject
    ):
        """Watch runs; `read_shown` returns what the view shows, to compare."""
        super().__init__(parent)
        self._read_shown = read_shown
        self._shown: WeakKeyDictionary[RunState, object] = WeakKeyDictionary()
        state.run_started.connect(self._on_run_started)

    def may_show(self, run: RunState) -> bool:
        """Return whether the view shows the same as at the start of a run."""
        shown = self._read_shown()
        return self._shown.get(run, shown) == shown

    def accept_shown(self) -> None:
        """Let results of the open runs replace what the program shows now."""
        for run in list(self._shown):
            self._shown[run] = self._read_shown()

    def _on_run_started(self, run: RunState) -> None:
        self._shown[run] = self._read_shown()
