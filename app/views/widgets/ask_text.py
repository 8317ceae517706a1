"""Small dialogs that ask for one line: a name, a language."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.views.theme import GRID
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.language_field import LanguageField


class AskText(QDialog):
    """Asks for a line of text; nothing is called when it is given up."""

    def __init__(
        self,
        question: str,
        done: tuple[str, Callable[[str], object]],
        field: QLineEdit,
        parent: QWidget,
    ):
        """Make it.

        Args:
            question: one sentence.
            done: words of the button, and what is called with the text.
            field: where it is typed, filled with what is so now.
            parent: the window.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Isogloss"))
        self.setMinimumWidth(52 * GRID)
        self.field = field
        words, self._call = done
        self._ok = make_button(words, question, self._finish, kind="primary")
        self._ok.setDefault(True)
        cancel = make_button(
            self.tr("Cancel"), self.tr("Go back and change nothing."), self.reject
        )
        box = QDialogButtonBox()
        box.addButton(self._ok, QDialogButtonBox.ButtonRole.ActionRole)
        box.addButton(cancel, QDialogButtonBox.ButtonRole.RejectRole)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addWidget(make_label(question, wraps=True))
        layout.addWidget(field)
        layout.addWidget(box)
        field.textChanged.connect(self._on_text_changed)
        field.selectAll()
        field.setFocus()
        self._on_text_changed()

    def _on_text_changed(self) -> None:
        self._ok.setEnabled(bool(self.field.text().strip()))

    def _finish(self) -> None:
        field = self.field
        text = field.code if isinstance(field, LanguageField) else field.text().strip()
        self.accept()
        self._call(text)


def ask_name(
    parent: QWidget,
    question: str,
    name: str,
    on_done: Callable[[str], object],
    *,
    words: str = "",
) -> AskText:
    """Ask for a name; `words`: of the button, else Rename."""
    field = QLineEdit(name)
    field.setMaxLength(200)
    field.setAccessibleName(question)
    dialog = AskText(question, (words or parent.tr("Rename"), on_done), field, parent)
    dialog.open()
    return dialog


def ask_language(
    parent: QWidget, question: str, code: str, on_done: Callable[[str], object]
) -> AskText:
    """Ask for a language."""
    field = LanguageField(question)
    field.set_code(code)
    dialog = AskText(question, (parent.tr("Set language"), on_done), field, parent)
    dialog.open()
    return dialog
