"""Panel with the log of the engine and the window."""

import time

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from app.views.client.state import AppState
from app.views.widgets.boxes import as_widget, make_row
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import copy_text
from app.views.widgets.theme import GRID

N_LINES = 2_000


class LogPanel(QWidget):
    """Shows the last lines of the log; hidden by default."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.setMinimumWidth(40 * GRID)
        self._lines = QPlainTextEdit()
        self._lines.setReadOnly(True)
        self._lines.setMaximumBlockCount(N_LINES)
        self._lines.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._lines.setFont(
            QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        )
        describe(self._lines, self.tr("Log"), self.tr("Lines of the engine's log."))
        copy = make_button(
            self.tr("Copy all"),
            self.tr("Copy the log."),
            lambda: copy_text(self.text),
            kind="quiet",
        )
        clear = make_button(
            self.tr("Clear"),
            self.tr("Clear this panel."),
            self._lines.clear,
            kind="quiet",
        )
        head = as_widget(
            make_row((make_label(self.tr("Log"), "section"), 1), copy, clear)
        )
        head.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(head)
        layout.addWidget(self._lines)
        state.log_added.connect(self._on_log_added)

    @property
    def text(self) -> str:
        """The lines that are shown."""
        return self._lines.toPlainText()

    def _on_log_added(self, level: str, logger: str, text: str) -> None:
        now = time.strftime("%H:%M:%S")
        self._lines.appendPlainText(f"{now} {level:<7} {logger}: {text}")
