"""The note on a sentence: written as one types, undone like any change."""

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget
from shiboken6 import isValid

from app.views.widgets.controls import describe

SAVE_AFTER_MS = 800  # without a key
MAX_CHARACTERS = 20_000


class NoteEditor(QPlainTextEdit):
    """A small field that saves itself after a pause, and when it is left."""

    def __init__(
        self, save: Callable[[int, str], object], parent: QWidget | None = None
    ):
        """Make it; `save` takes the sentence's id and the text."""
        super().__init__(parent)
        self._save_note = save
        self._sentence: int | None = None
        self._saved = ""
        self._before: QWidget | None = None  # what had the keyboard
        self._timer = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(self.tr("Write a note (N)"))
        hint = self.tr("A note on this sentence (N). Escape goes back.")
        describe(self, self.tr("Note"), hint)
        self.textChanged.connect(self._on_text_changed)

    def show_note(self, sentence_id: int | None, text: str) -> None:
        """Show the note on another sentence; what was being written is saved."""
        if sentence_id == self._sentence and self.hasFocus() and self._is_dirty():
            return
        self.save()
        self._sentence, self._saved = sentence_id, text
        if text != self.toPlainText():
            self.blockSignals(True)
            self.setPlainText(text)
            self.blockSignals(False)
        self._timer.stop()

    def save(self) -> None:
        """Save the note if it has changed."""
        self._timer.stop()
        text = self.toPlainText()[:MAX_CHARACTERS]
        if self._sentence is not None and self._is_dirty():
            self._saved = text
            self._save_note(self._sentence, text)

    def begin(self) -> None:
        """Take the keyboard; Escape gives it back."""
        self._before = QApplication.focusWidget()
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _is_dirty(self) -> bool:
        return self.toPlainText()[:MAX_CHARACTERS] != self._saved

    def _on_text_changed(self) -> None:
        self._timer.start()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back by Escape to where the note was begun."""
        before = self._before
        if event.key() == Qt.Key.Key_Escape and before is not None and isValid(before):
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Save when the field is left."""
        super().focusOutEvent(event)
        self.save()

    def sizeHint(self) -> QSize:
        """Ask for four lines."""
        return QSize(200, self.fontMetrics().lineSpacing() * 4 + 16)
