"""A field that narrows a table down to rows with a word, shown when it is asked for."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.views.theme import GRID
from app.views.widgets.controls import describe, make_label

FIND_AFTER_MS = 200  # without another key


class FindRow(QWidget):
    """The field, and how many rows are left; hidden until it is begun."""

    changed = Signal(str)  # what is looked for; empty: every row is shown again
    entered = Signal()  # Enter: go on to the rows
    left = Signal()  # Escape: what was looked for is forgotten

    def __init__(self, words: str, hint: str, parent: QWidget | None = None):
        """Make it; `words`: what stands in the empty field."""
        super().__init__(parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText(words)
        self.field.setClearButtonEnabled(True)
        describe(self.field, words, hint)
        self._count = make_label("", "secondary")
        self._timer = QTimer(self, singleShot=True, interval=FIND_AFTER_MS)
        self._timer.timeout.connect(self._tell)
        self.field.textChanged.connect(lambda _text: self._timer.start())
        self.field.returnPressed.connect(self._on_entered)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(self.field, 2)
        row.addWidget(self._count, 1)
        self.hide()

    @property
    def text(self) -> str:
        """What is looked for."""
        return self.field.text().strip()

    @property
    def count(self) -> str:
        """What is said of the rows that are left."""
        return self._count.text()

    def begin(self) -> None:
        """Show the field with the keyboard in it."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def say(self, text: str) -> None:
        """Say how many rows are left."""
        self._count.setText(text)

    def forget(self) -> None:
        """Look for nothing any more, without telling it."""
        self.field.blockSignals(True)
        self.field.clear()
        self.field.blockSignals(False)
        self._timer.stop()
        self._count.setText("")
        self.hide()

    def _tell(self) -> None:
        self._timer.stop()
        self.changed.emit(self.text)

    def _on_entered(self) -> None:
        if self._timer.isActive():
            self._tell()
        self.entered.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End by Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.forget()
            self.changed.emit("")
            self.left.emit()
        else:
            super().keyPressEvent(event)
