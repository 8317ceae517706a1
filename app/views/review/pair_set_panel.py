"""Base of the panels that show what the engine computes from judgements."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.errors import ErrorInfo
from app.views.client.state import AppState


class PairSetPanel(QWidget):
    """A panel about the judgements of one pair set, updated while judging.

    Attributes:
        delay_ms: after a judgement; what is judged meanwhile is one update.
    """

    shown = Signal()  # an answer is shown
    delay_ms = 250

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._mining: int | None = None
        self._timer = QTimer(self, singleShot=True, interval=self.delay_ms)
        self._timer.timeout.connect(self.ask)
        self._has_retried = False
        state.engine_reopened.connect(self.ask)

    def show_mining(self, mining: int | None) -> None:
        """Show another pair set."""
        if mining != self._mining:
            self._mining = mining
            self.show_nothing()
        self.ask()

    def ask_soon(self) -> None:
        """Update in a moment, once for many changes."""
        if not self._timer.isActive():
            self._timer.start()

    def ask(self) -> None:
        """Update now, if there is a pair set and the engine runs."""
        self._timer.stop()
        if self._state.client.is_running:
            self.ask_now()

    def ask_now(self) -> None:
        """Update now, if there is a pair set; the engine is started for it."""
        if self._mining is not None and self._state.project is not None:
            self.request(self._mining)

    def on_answered(self, answer: object) -> None:
        """Ask again if the engine stopped, but only once in a row."""
        is_lost = isinstance(answer, ErrorInfo) and answer.kind == "crash"
        if is_lost and not self._has_retried:
            QTimer.singleShot(0, self, self.ask_now)
        self._has_retried = is_lost

    def request(self, mining: int) -> None:
        """Request the figures of a pair set."""
        raise NotImplementedError

    def show_nothing(self) -> None:
        """Remove what is shown of another pair set."""
        raise NotImplementedError
