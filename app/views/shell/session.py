"""Save, list and restore window sessions, and close the window safely.

A project stores one row for each session, so that past sessions can be reopened.
"""

import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from app.errors import ErrorInfo
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits.general import SaveViewState
from app.views.client.state import AppState
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import (
    ask_question,
    fit_dialog,
    lay_out_buttons,
    lay_out_dialog,
)
from app.views.widgets.theme import GRID

log = logging.getLogger("window")
SAVE_EVERY_MS = 3_000
SAVE_TIMEOUT_MS = 8_000  # an engine that hangs must not keep the window open
MAX_WAITS = 10  # number of timeouts to wait for an engine that restarts
MAX_TRIES = 2  # tries of a save before closing: the engine may crash again


class SavedSession(NamedTuple):
    """A saved session: id of its row, time (seconds since 1970) and state."""

    id: int
    saved_at: float
    state: dict[str, Any]


class SessionAutosaver(QObject):
    """Saves the state from `collect` when it changes; restores it with `apply`."""

    def __init__(
        self,
        state: AppState,
        collect: Callable[[], dict[str, Any]],
        apply: Callable[[dict[str, Any]], None],
    ):
        super().__init__(state)
        self._state = state
        self._collect, self._apply = collect, apply
        self._id: int | None = None
        self._saved: dict[str, Any] = {}
        self._is_saving = False
        self._n_tries = 0
        self._waiting: list[Callable[[], object]] = []
        self._timer = QTimer(self, interval=SAVE_EVERY_MS)
        self._timer.timeout.connect(self._on_due)
        state.project_opening_changed.connect(self._on_opening_changed)

    def begin(self) -> None:
        """Restore the newest session of the project, and start a new session."""
        sessions = self.past_sessions()
        if sessions:
            self._apply(sessions[0].state)
        self._id = None
        self._saved = self._collect()
        if not sessions:
            self._saved = {}
        self._is_saving = False
        self._timer.start()

    def end(self) -> None:
        """Stop saving, since the project is closed."""
        self._timer.stop()
        self._id = None
        self._tell_waiting()

    def reopen(self, session: SavedSession) -> None:
        """Restore a past session; later changes are saved in the current one."""
        self._apply(session.state)

    def past_sessions(self) -> list[SavedSession]:
        """Return the sessions stored in the project, newest first."""
        if self._state.project is None:
            return []
        from app.engine.store.journal import list_view_states

        store = self._state.project.store
        return [SavedSession(*row) for row in list_view_states(store)]

    def save(self, on_saved: Callable[[], object] | None = None) -> None:
        """Save now if the state has changed.

        Args:
            on_saved: called when no save is pending, even if saving failed. An
                engine that has ended is restarted to save the state.
        """
        if on_saved is not None:
            self._waiting.append(on_saved)
        if not self._is_saving:
            self._n_tries = 0
            self._send()

    def _send(self) -> None:
        project = self._state.project
        state = self._collect() if project is not None else {}
        if project is None or project.is_read_only or state == self._saved:
            self._tell_waiting()
            return
        self._is_saving = True
        self._n_tries += 1
        change = SaveViewState(self._id, state)
        self._state.edit(change, partial(self._on_answer, state))

    def _on_answer(self, state: dict[str, Any], value: EditAnswer | ErrorInfo) -> None:
        """Handle the result of a save; save newer changes if a caller waits."""
        self._is_saving = False
        if not isinstance(value, ErrorInfo):
            self._id, self._saved = value.id, state
        else:
            log.warning("the session was not saved: %s", value.message)
            self._saved = {}
            if value.kind != "crash" or self._n_tries >= MAX_TRIES:
                self._tell_waiting()
        if self._waiting:
            self._send()

    def _tell_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for on_saved in waiting:
            on_saved()

    def _on_due(self) -> None:
        # While another project opens, the engine rejects edits of this project.
        if self._state.opening is None:
            self._save_if_running()

    def _on_opening_changed(self) -> None:
        """Save the session before another project opens."""
        if self._state.opening is not None:
            self._save_if_running()

    def _save_if_running(self) -> None:
        if not self._is_saving and self._state.client.is_running:
            self.save()


class WindowCloser(QObject):
    """Saves the session and ends the engine before the window closes.

    Attributes:
        may_close: whether the session is saved and the engine has ended.
    """

    started = Signal()  # the user confirmed
    finished = Signal()  # the window can close now

    def __init__(self, state: AppState, session: SessionAutosaver, window: QWidget):
        super().__init__(window)
        self.may_close = False
        self._state, self._session, self._window = state, session, window
        self._has_started = False
        self._timer = QTimer(self, singleShot=True, interval=SAVE_TIMEOUT_MS)
        self._timer.timeout.connect(self._on_timeout)
        self._n_waits = 0
        self._is_restarting = False  # whether a restarted engine saves

    def begin(self, progress: str) -> None:
        """Close the window; if a job is running, ask first.

        Args:
            progress: progress of the running job, shown in the question.
        """
        if self._has_started:
            return
        if not self._state.is_busy:
            self._save()
            return
        ask_question(
            self._window,
            self.tr("A job is running ({progress}). Quit now?").format(
                progress=progress
            ),
            {self.tr("Quit"): self._save},
            details=self.tr(
                "Its progress is saved. You can resume it when you open the project "
                "again."
            ),
        )

    def _save(self) -> None:
        self._has_started = True
        client = self._state.client
        self._is_restarting = not client.is_ready
        client.engine_stopped.connect(self._on_engine_lost)
        self.started.emit()
        self._timer.start()
        self._session.save(self._end_engine)

    def _on_engine_lost(self) -> None:
        self._is_restarting = True

    def _on_timeout(self) -> None:
        """Keep waiting if the engine is restarting; otherwise close."""
        is_running = self._state.client.is_running
        self._n_waits += 1
        if self._is_restarting and is_running and self._n_waits < MAX_WAITS:
            words = self.tr("The engine is restarting to save your session.")
            self._state.notice_posted.emit(words)
            self._timer.start()
        else:
            self._end_engine()

    def _end_engine(self) -> None:
        client = self._state.client
        if not self._timer.isActive() and client.is_quitting:
            return
        self._timer.stop()
        if client.is_running:
            client.engine_stopped.connect(self._finish)
            client.quit()
        else:
            client.quit()  # prevents a restart of the engine
            self._finish()

    def _finish(self) -> None:
        self.may_close = True
        self.finished.emit()


class SessionDialog(QDialog):
    """Dialog that lists the sessions stored in the project."""

    def __init__(
        self, keeper: SessionAutosaver, titles: Mapping[str, str], parent: QWidget
    ):
        """Create the dialog; `titles`: titles of the views by name."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Past sessions"))
        fit_dialog(self, 70 * GRID, 50 * GRID)
        self._keeper = keeper
        self._sessions = keeper.past_sessions()
        self._list = QListWidget()
        describe(self._list, self.tr("Past sessions"), self.tr("Select a session."))
        for session in self._sessions:
            self._list.addItem(QListWidgetItem(describe_session(session, titles)))
        self._list.itemActivated.connect(self._reopen)
        self._reopen_button = make_button(
            self.tr("Reopen session"),
            self.tr("Restore this session."),
            self._reopen,
            kind="primary",
        )
        words = self.tr(
            "Restores the view, filters, query, scroll position and selection."
        )
        empty = self.tr("This project has no saved sessions yet.")
        layout = lay_out_dialog(self)
        layout.addWidget(make_label(self.windowTitle(), "heading"))
        layout.addWidget(make_label(words if self._sessions else empty, "secondary"))
        layout.addWidget(self._list, 1)
        cancel = self.tr("Close")
        layout.addLayout(lay_out_buttons(self, self._reopen_button, cancel=cancel))
        self._reopen_button.setEnabled(bool(self._sessions))
        self._list.setCurrentRow(0)
        self._list.setFocus(Qt.FocusReason.OtherFocusReason)

    def choose(self, row: int) -> None:
        """Restore the session of a row and close the dialog."""
        self.accept()
        self._keeper.reopen(self._sessions[row])

    def _reopen(self) -> None:
        if self._list.currentRow() >= 0:
            self.choose(self._list.currentRow())


def describe_session(session: SavedSession, titles: Mapping[str, str]) -> str:
    """Describe a session's time and view; `titles`: titles of the views."""
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(session.saved_at))
    name = str(session.state.get("view", ""))
    views = session.state.get("views", {})
    summary = str(views.get(name, {}).get("summary", ""))
    return " · ".join(part for part in (when, titles.get(name), summary) if part)
