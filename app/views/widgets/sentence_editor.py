"""Edit the text of a sentence: a dialog, and the action that opens it."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QMimeData, Qt
from PySide6.QtGui import QAction, QFont, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from app.errors import ErrorInfo
from app.languages import is_right_to_left
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits.corpora import MAX_SENTENCE, EditSentence
from app.views.client.state import AppState
from app.views.widgets.controls import (
    ENTER_KEYS,
    describe,
    describe_action,
    make_button,
    make_label,
)
from app.views.widgets.dialogs import (
    fit_dialog,
    lay_out_buttons,
    lay_out_dialog,
    lay_out_field,
)
from app.views.widgets.fonts import sentence_font
from app.views.widgets.number_format import format_count
from app.views.widgets.submission import Submission
from app.views.widgets.theme import GRID, SENTENCE_PX, scaled

if TYPE_CHECKING:
    from app.engine.store.sentences import SentenceRow

_tr = partial(QCoreApplication.translate, "sentence_editor")

WIDTH, HEIGHT = 72 * GRID, 34 * GRID


def offer_sentence_actions(state: AppState, widget: QWidget) -> None:
    """Add actions that read and edit the selected sentence to the menu of a widget."""
    reading = QAction(_tr("Read with its translations"), widget)
    describe_action(reading, _tr("Show the sentence in the Read view."))
    reading.triggered.connect(lambda: state.view_requests.reading_requested.emit(None))
    widget.addActions([reading, make_edit_action(state, widget)])
    widget.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)


def make_edit_action(state: AppState, parent: QWidget) -> QAction:
    """Make an action that edits the selected sentence, for the menu of a widget."""
    action = QAction(_tr("Edit sentence…"), parent)
    describe_action(action, _tr("Correct the text of the sentence."))
    action.triggered.connect(lambda: ask_sentence_text(state, parent))
    return action


def ask_sentence_text(state: AppState, parent: QWidget) -> None:
    """Show the dialog that edits the selected sentence."""
    # The store imports sqlalchemy and numpy, which the first window does without.
    from app.engine.store.corpora import corpus_of
    from app.engine.store.sentences import read_sentences
    from app.views.widgets.hits import describe_place

    project, selected = state.project, state.selection
    if project is None:
        return
    if project.is_read_only:
        state.notice_posted.emit(_tr("This project is read-only."))
        return
    found = read_sentences(project.store, [] if selected is None else [selected])
    if not found or found[0] is None:
        state.notice_posted.emit(_tr("Select a sentence first."))
        return
    names = {row.id: row.name for row in project.corpora}
    place = describe_place(names.get(corpus_of(found[0].id), ""), found[0].line)
    SentenceDialog(state, found[0], place, parent.window()).open()


class SentenceDialog(QDialog):
    """Dialog that edits the text of a sentence; Enter or the button saves it.

    Attributes:
        field: the editor of the text.
        save_button: saves a changed text and closes the dialog.
    """

    def __init__(
        self, state: AppState, sentence: "SentenceRow", place: str, parent: QWidget
    ):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(_tr("Edit sentence"))
        self._state, self._sentence = state, sentence
        self.field = _LineEditor(sentence.text)
        set_editor_language(self.field, sentence.language, SENTENCE_PX)
        self.field.moveCursor(QTextCursor.MoveOperation.End)
        hint = _tr("The text of the sentence, on one line. Enter saves it.")
        describe(self.field, _tr("Sentence"), hint)
        self.save_button = make_button(
            _tr("Save sentence"),
            _tr("Save the text. You can undo this."),
            self.save,
            kind="primary",
        )
        self._problem = make_label("", "warning", wraps=True)
        self._problem.hide()
        self._submission = Submission(self, state, self._show_problem)
        self._lay_out(place)
        self.field.textChanged.connect(self._check)
        state.project_closed.connect(self.close)
        fit_dialog(self, WIDTH, HEIGHT)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def problem(self) -> str:
        """Why the text can't be saved, or an empty text."""
        text = self._text
        if not text:
            return _tr("A sentence can't be empty. Enter its text, or hide it.")
        if len(text) > MAX_SENTENCE:
            words = _tr("The text has {n} characters. Shorten it to {most} or fewer.")
            n, most = format_count(len(text)), format_count(MAX_SENTENCE)
            return words.format(n=n, most=most)
        return ""

    def save(self) -> None:
        """Save the text if it has changed, and close the dialog."""
        if self.problem:
            return
        if self._text == self._sentence.text:
            self.reject()
            return
        change = EditSentence(sentence=self._sentence.id, text=self._text)
        show_answer = partial(_show_answer, self._state)
        self._submission.submit(lambda: self._state.edit(change, show_answer))

    @property
    def _text(self) -> str:
        return self.field.toPlainText().replace("\n", " ").strip()

    def _check(self) -> None:
        self._show_problem(self.problem)
        self.save_button.setEnabled(not self.problem)

    def _show_problem(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))

    def _lay_out(self, place: str) -> None:
        follows = _tr(
            "Search, word lists and vectors follow the new text. Scores, maps and "
            "other results stay as they are until you make them again."
        )
        entry = lay_out_field(place, self.field)
        entry.setStretch(1, 1)
        entry.addWidget(self._problem)
        layout = lay_out_dialog(self)
        layout.addLayout(entry, 1)
        layout.addWidget(make_label(follows, "secondary", wraps=True))
        layout.addLayout(lay_out_buttons(self, self.save_button))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Save on Enter, including in the editor."""
        if event.key() in ENTER_KEYS:
            self.save()
        else:
            super().keyPressEvent(event)


class _LineEditor(QPlainTextEdit):
    """An editor of one line, which is wrapped; pasted line breaks become spaces."""

    def __init__(self, text: str):
        super().__init__(text)
        self.setTabChangesFocus(True)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste text as one line."""
        self.insertPlainText(" ".join(source.text().splitlines()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave Enter to the dialog."""
        if event.key() in ENTER_KEYS:
            event.ignore()
        else:
            super().keyPressEvent(event)


def set_editor_language(editor: QPlainTextEdit, language: str, size: int) -> None:
    """Set the font and the writing direction of an editor by a language.

    Args:
        language: stored code: ja, zh-Hans, ar.
        size: font size, in pixels for text of 13 pixels.
    """
    font = sentence_font(QFont(editor.window().font()), language)
    font.setPixelSize(scaled(size))
    editor.setFont(font)
    document = editor.document()
    document.setDefaultFont(font)
    option = document.defaultTextOption()
    if is_right_to_left(language):
        option.setTextDirection(Qt.LayoutDirection.RightToLeft)
        side = Qt.AlignmentFlag.AlignRight
    else:
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        side = Qt.AlignmentFlag.AlignLeft
    # Plain text is not mirrored by its direction alone.
    option.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute)
    document.setDefaultTextOption(option)


def _show_answer(state: AppState, answer: EditAnswer | ErrorInfo) -> None:
    if isinstance(answer, ErrorInfo):
        state.changes.refused.emit(answer)
    else:
        state.notice_posted.emit(answer.text)
