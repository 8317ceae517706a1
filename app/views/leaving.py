"""Leaving: ask when a job runs, save the session, end the engine, close the window."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.views.widgets.dialogs import ask_question

if TYPE_CHECKING:
    from app.views.main_window import MainWindow

SAVE_TIMEOUT_MS = 2_000  # an engine that hangs does not keep the window open
MAX_WAITS = 10  # of that length, for an engine that ended and is starting again


class Leaving(QObject):
    """The steps between a click on close and the end of the window.

    Attributes:
        may_close: everything is saved and the engine is gone.
    """

    def __init__(self, window: "MainWindow"):
        super().__init__(window)
        self.may_close = False
        self._window = window
        self._has_begun = False
        self._timer = QTimer(self, singleShot=True, interval=SAVE_TIMEOUT_MS)
        self._timer.timeout.connect(self._on_late)
        self._n_waits = 0
        self._starts_again = False  # the engine that saves is not the one of before

    def begin(self) -> None:
        """Ask, if a job runs; else leave."""
        if self._has_begun:
            return
        if not self._window.state.is_busy:
            self._save()
            return
        stage = self._window.run_strip.text
        ask_question(
            self._window,
            self.tr("A job is running ({stage}). Quit now?").format(stage=stage),
            {self.tr("Quit"): self._save},
            details=self.tr(
                "What it has done so far is kept, and it can be resumed when the "
                "project is opened again."
            ),
        )

    def _save(self) -> None:
        self._has_begun = True
        client = self._window.state.client
        self._starts_again = not client.is_ready
        client.engine_stopped.connect(self._on_engine_lost)
        self._window.keep_geometry()
        self._timer.start()
        self._window.session.save(self._end_engine)

    def _on_engine_lost(self) -> None:
        self._starts_again = True

    def _on_late(self) -> None:
        """Wait on for an engine that starts to save the session; else leave."""
        is_running = self._window.state.client.is_running
        self._n_waits += 1
        if self._starts_again and is_running and self._n_waits < MAX_WAITS:
            words = self.tr("The engine starts again to save where you are.")
            self._window.state.notice_posted.emit(words)
            self._timer.start()
        else:
            self._end_engine()

    def _end_engine(self) -> None:
        if not self._timer.isActive() and self._window.state.client.is_quitting:
            return
        self._timer.stop()
        client = self._window.state.client
        if client.is_running:
            client.engine_stopped.connect(self._close)
            client.quit()
        else:
            client.quit()  # nothing starts it again
            self._close()

    def _close(self) -> None:
        self.may_close = True
        self._window.close()
