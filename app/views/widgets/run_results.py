"""Show the result of a run only if the user has waited for it."""

from collections.abc import Callable
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject

from app.views.client.runs import RunState
from app.views.client.state import AppState


class ResultGate(QObject):
    """Compares the content of a view at the start and the end of a run.

    A result is shown only if the content is the same. Otherwise the user has moved on,
    and the view is left unchanged.
    """

    def __init__(
        self, state: AppState, read_shown: Callable[[], object], parent: QObject
    ):
        """Watch runs; `read_shown` returns the content of the view to compare."""
        super().__init__(parent)
        self._read_shown = read_shown
        self._shown: WeakKeyDictionary[RunState, object] = WeakKeyDictionary()
        state.run_started.connect(self._on_run_started)

    def may_show(self, run: RunState) -> bool:
        """Return whether the view shows the same as at the start of a run."""
        shown = self._read_shown()
        return self._shown.get(run, shown) == shown

    def accept_shown(self) -> None:
        """Let results of the open runs replace the current content."""
        for run in list(self._shown):
            self._shown[run] = self._read_shown()

    def _on_run_started(self, run: RunState) -> None:
        self._shown[run] = self._read_shown()
