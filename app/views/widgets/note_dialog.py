"""Dialog that edits the note on a sentence or a pair."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QMessageBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.protocol.edits.general import MAX_NOTE, SetNote
from app.protocol.edits.pairs import JudgePairs
from app.views.client.state import AppState
from app.views.widgets.controls import ENTER_KEYS, describe, make_button, make_label
from app.views.widgets.dialogs import (
    ask_question,
    lay_out_buttons,
    lay_out_dialog,
    lay_out_field,
)
from app.views.widgets.number_format import format_count
from app.views.widgets.submission import Submission
from app.views.widgets.theme import GRID, scaled


class NoteField(QPlainTextEdit):
    """Text field of several lines; Ctrl+Enter saves the note."""

    saved = Signal()

    def __init__(self, text: str, parent: QWidget | None = None):
        super().__init__(text, parent)
        self._old = text.strip()
        self.setTabChangesFocus(True)
        hint = self.tr("Ctrl+Enter saves the note. Empty text removes it.")
        describe(self, self.tr("Note"), hint)
        self.moveCursor(QTextCursor.MoveOperation.End)

    @property
    def text(self) -> str:
        """The text of the note."""
        return self.toPlainText().strip()

    @property
    def is_changed(self) -> bool:
        """Whether the note differs from the saved one."""
        return self.text != self._old

    @property
    def problem(self) -> str:
        """Why the note can't be saved, or an empty text."""
        if len(self.text) <= MAX_NOTE:
            return ""
        words = self.tr("The note has {n} characters. Shorten it to {most} or fewer.")
        n, most = format_count(len(self.text)), format_count(MAX_NOTE)
        return words.format(n=n, most=most)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Save on Ctrl+Enter."""
        is_enter = event.key() in ENTER_KEYS
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.saved.emit()
        else:
            super().keyPressEvent(event)


def lay_out_note(title: str, field: NoteField) -> QVBoxLayout:
    """Lay out the field of a note below its label and its shortcut."""
    layout = lay_out_field(title, field)
    hint = make_label(field.accessibleDescription(), "secondary", wraps=True)
    layout.addWidget(hint)
    return layout


def ask_discard(dialog: QDialog, field: NoteField, discard: Callable[[], None]) -> None:
    """Discard a note; if it has changed, ask first, with Save as the default."""
    if not field.is_changed:
        discard()
        return
    tr = partial(QCoreApplication.translate, "note")
    choices: dict[str, Callable[[], object]] = {tr("Discard note"): discard}
    if not field.problem:
        choices = {tr("Save note"): field.saved.emit} | choices
    box = ask_question(dialog, tr("The note is not saved."), choices)
    if field.problem:
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)


class NoteDialog(QDialog):
    """Dialog that edits a note."""

    def __init__(
        self,
        state: AppState,
        title: str,
        text: str,
        save: Callable[[str], object],
        parent: QWidget,
    ):
        """Create the dialog.

        Args:
            save: called with the changed note.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Note"))
        self.setMinimumWidth(scaled(60 * GRID))
        self._save = save
        self.field = NoteField(text)
        self.field.saved.connect(self._finish)
        self.field.textChanged.connect(self._on_text_changed)
        hint = self.tr("Save the note (Ctrl+Enter). Empty text removes it.")
        self.done_button = make_button(
            self.tr("Save note"), hint, self._finish, kind="primary"
        )
        self._problem = make_label("", "warning", wraps=True)
        self._problem.hide()
        self._submission = Submission(self, state, self._show_problem)
        layout = lay_out_dialog(self)
        layout.addLayout(lay_out_note(title, self.field), 1)
        layout.addWidget(self._problem)
        layout.addLayout(lay_out_buttons(self, self.done_button))
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def reject(self) -> None:
        """Close the dialog; if the note has changed, ask first."""
        ask_discard(self, self.field, super().reject)

    def _show_problem(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))

    def _on_text_changed(self) -> None:
        problem = self.field.problem
        self._show_problem(problem)
        self.done_button.setEnabled(not problem)

    def _finish(self) -> None:
        if self.field.problem:
            return
        if not self.field.is_changed:
            super().reject()
            return
        self._submission.submit(lambda: self._save(self.field.text))


def ask_note(state: AppState, parent: QWidget, sentence: int) -> None:
    """Open the dialog for the note on a sentence."""
    # The store imports sqlalchemy and numpy, which the first window does without.
    from app.engine.store.sentences import read_note

    if (project := state.project) is not None and _can_write(state, parent):
        text = read_note(project.store, sentence)

        def save(note: str) -> None:
            state.edit(SetNote(sentence, note))

        title = parent.tr("Note on this sentence")
        NoteDialog(state, title, text, save, parent).open()


def ask_pair_note(state: AppState, parent: QWidget, pair: int, text: str) -> None:
    """Open the dialog for the note on a pair; `text`: the current note."""
    if _can_write(state, parent):

        def save(note: str) -> None:
            state.edit(JudgePairs(pairs=(pair,), note=note))

        title = parent.tr("Note on this pair")
        NoteDialog(state, title, text, save, parent).open()


def _can_write(state: AppState, parent: QWidget) -> bool:
    if not state.can_write:
        state.notice_posted.emit(parent.tr("This project is read-only."))
    return state.can_write
