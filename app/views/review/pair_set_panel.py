"""Base class of panels that show results computed from judgements."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.errors import ErrorInfo
from app.views.client.state import AppState


class PairSetPanel(QWidget):
    """A panel on the judgements of one pair set, updated while judging.

    Attributes:
        delay_ms: delay after a judgement, to combine several in one update.
    """

    shown = Signal()  # an answer was shown
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
        """Schedule an update that covers several changes."""
        if not self._timer.isActive():
            self._timer.start()

    def ask(self) -> None:
        """Update now if there is a pair set and the engine is running."""
        self._timer.stop()
        if self._state.client.is_running:
            self.ask_now()

    def ask_now(self) -> None:
        """Update now if there is a pair set, starting the engine if necessary."""
        if self._mining is not None and self._state.project is not None:
            self.request(self._mining)

    def on_answered(self, answer: object) -> None:
        """Retry if the engine stopped, but only once in a row."""
        is_lost = isinstance(answer, ErrorInfo) and answer.kind == "crash"
        if is_lost and not self._has_retried:
            QTimer.singleShot(0, self, self.ask_now)
        self._has_retried = is_lost

    def request(self, mining: int) -> None:
        """Request the figures of a pair set."""
        raise NotImplementedError

    def show_nothing(self) -> None:
        """Clear the panel."""
        raise NotImplementedError
