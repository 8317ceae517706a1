"""Completion in a line of text, of what is known when the keyboard comes there."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit

N_SHOWN = 12


class Completions(QCompleter):
    """Completes a line, wherever in a choice the typed text is; Down shows all."""

    def __init__(self, line: QLineEdit, give: Callable[[], Sequence[str]]):
        """Complete a line.

        Args:
            line: that is completed.
            give: gives the choices.
        """
        super().__init__(line)
        self._give = give
        self._choices = QStringListModel(self)
        self.setModel(self._choices)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setMaxVisibleItems(N_SHOWN)
        line.setCompleter(self)
        line.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Learn the choices as the keyboard comes; show them all on Down."""
        line = self.widget()
        if watched is line and isinstance(line, QLineEdit):
            if event.type() == QEvent.Type.FocusIn:
                self._choices.setStringList(list(self._give()))
            is_down = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Down
            is_pressed = event.type() == QEvent.Type.KeyPress
            if is_pressed and is_down and not line.text():
                self.setCompletionPrefix("")
                self.complete()
                return True
        return super().eventFilter(watched, event)
