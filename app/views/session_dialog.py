"""Past sessions: how the window looked before, to be brought back."""

import time

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.views.session import PastSession, SessionKeeper
from app.views.theme import GRID
from app.views.widgets.controls import describe, make_button, make_label


class SessionDialog(QDialog):
    """Lists the sessions that the project holds."""

    def __init__(self, keeper: SessionKeeper, parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Past sessions"))
        self.resize(70 * GRID, 50 * GRID)
        self._keeper = keeper
        self._sessions = keeper.past_sessions()
        self._list = QListWidget()
        describe(self._list, self.tr("Past sessions"), self.tr("Choose a session."))
        for session in self._sessions:
            self._list.addItem(QListWidgetItem(describe_session(session)))
        self._list.itemActivated.connect(self._reopen)
        self._reopen_button = make_button(
            self.tr("Reopen"),
            self.tr("Bring this session back."),
            self._reopen,
            kind="primary",
        )
        close = make_button(self.tr("Close"), self.tr("Close this."), self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(close)
        buttons.addWidget(self._reopen_button)
        words = self.tr("View, filters, query, scroll and selection come back.")
        empty = self.tr("No session has been kept in this project yet.")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addWidget(make_label(self.windowTitle(), "heading"))
        layout.addWidget(make_label(words if self._sessions else empty, "secondary"))
        layout.addWidget(self._list, 1)
        layout.addLayout(buttons)
        self._reopen_button.setEnabled(bool(self._sessions))
        self._list.setCurrentRow(0)
        self._list.setFocus(Qt.FocusReason.OtherFocusReason)

    def choose(self, row: int) -> None:
        """Bring the session of a row back and close."""
        self.accept()
        self._keeper.reopen(self._sessions[row])

    def _reopen(self) -> None:
        if self._list.currentRow() >= 0:
            self.choose(self._list.currentRow())


def describe_session(session: PastSession) -> str:
    """Say when a session was and what it showed."""
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(session.saved_at))
    name = str(session.state.get("view", ""))
    views = session.state.get("views", {})
    summary = str(views.get(name, {}).get("summary", ""))
    return " · ".join(part for part in (when, name.capitalize(), summary) if part)
