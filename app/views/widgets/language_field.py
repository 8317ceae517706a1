"""Language field with completion over ISO 639."""

from collections.abc import Sequence
from functools import cache

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtWidgets import QCompleter, QLineEdit, QPushButton, QWidget

from app.languages import language_name, list_languages, parse_language
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.theme import GRID


class LanguageField(QLineEdit):
    """A line whose text is a language: German, de, deu, zh-Hans."""

    language_changed = Signal()

    def __init__(self, name: str = "", parent: QWidget | None = None):
        super().__init__(parent)
        self.setPlaceholderText(self.tr("Name or code, for example Greek or el"))
        describe(
            self, name or self.tr("Language"), self.tr("A language's name or code.")
        )
        completer = QCompleter(self)
        completer.setModel(QStringListModel(_titles(), completer))
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setMaxVisibleItems(12)
        self.setCompleter(completer)
        self.textChanged.connect(self.language_changed)
        self.textEdited.connect(self._style_popup)  # before the list is shown

    @property
    def code(self) -> str:
        """The code, as it can be given to a task; empty where nothing is typed."""
        text = self.text().strip()
        if text.endswith(")") and "(" in text:
            inside = text.rsplit("(", 1)[1][:-1]
            if parse_language(inside).known:
                return inside
        if parse_language(text).known:  # "En" is a language's name, but "en" English
            return text
        return _codes().get(text.casefold(), text)

    @property
    def problem(self) -> str:
        """Why the text is no language; a language without a code begins with x-."""
        code = self.code
        if not code or self.is_known or code.startswith("x-"):
            return ""
        return self.tr(
            "ISO 639 has no language with this name or code. Select one of the list. "
            "For a language without a code, enter x- and a name."
        )

    @property
    def is_known(self) -> bool:
        """Return whether ISO 639 has the language."""
        return parse_language(self.code).known

    def set_code(self, code: str) -> None:
        """Show a language."""
        known = parse_language(code).known
        self.setText(f"{language_name(code)} ({code})" if known else code)
        self.setCursorPosition(0)

    def _style_popup(self) -> None:
        popup = self.completer().popup()
        assert popup is not None
        popup.setProperty("popup", True)


class LanguageList(QWidget):
    """Several languages: a field that adds one, and a button for each to remove it.

    Attributes:
        field: adds a language.
        codes: the languages that were added.
    """

    changed = Signal()

    def __init__(self, name: str, hint: str):
        """Make it empty; `name` and `hint` describe the languages."""
        super().__init__()
        self.codes: list[str] = []
        self.field = LanguageField(name)
        self.field.setToolTip(hint or name)
        self._buttons: list[QPushButton] = []
        self._row = WrappingRow(GRID // 2)
        self._problem = make_label("", "warning", wraps=True)
        self._problem.hide()
        add = make_button(
            self.tr("Add"), self.tr("Add this language to the list."), self._on_add
        )
        line = make_row((self.field, 1), add)
        make_column(line, self._problem, self._row, parent=self, gap=GRID // 2)
        self.setFocusProxy(self.field)
        self.field.language_changed.connect(self._on_changed)
        queued = Qt.ConnectionType.QueuedConnection  # after the line has the text
        self.field.completer().activated.connect(self._on_chosen, queued)

    def read(self) -> list[str]:
        """Return the codes, also that of a language that is not added yet."""
        return list(dict.fromkeys(filter(None, [*self.codes, self.field.code])))

    def write(self, codes: Sequence[str]) -> None:
        """Show these languages and no others."""
        self.codes = list(dict.fromkeys(codes))
        self.field.clear()
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = [self._make_button(code) for code in self.codes]
        self._on_changed()

    def _make_button(self, code: str) -> QPushButton:
        name = language_name(code) if parse_language(code).known else code
        button = make_button(
            f"{name} ×",
            self.tr("Remove {language}.").format(language=name),
            lambda: self.write([one for one in self.codes if one != code]),
        )
        button.setProperty("shape", "small")
        self._row.addWidget(button)
        return button

    def _on_add(self) -> None:
        if not self.field.problem:
            self.write(self.read())

    def _on_chosen(self, _text: str) -> None:
        self._on_add()

    def _on_changed(self) -> None:
        self._problem.setText(self.field.problem)
        self._problem.setVisible(bool(self.field.problem))
        self.changed.emit()


@cache
def _titles() -> list[str]:
    return [f"{name} ({code})" for code, name in list_languages()]


@cache
def _codes() -> dict[str, str]:
    return {name.casefold(): code for code, name in list_languages()}
