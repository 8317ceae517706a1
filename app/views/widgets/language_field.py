"""Language field with completion over ISO 639."""

from functools import cache

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from app.languages import language_name, list_languages, parse_language
from app.views.widgets.controls import describe
from app.views.widgets.list_inputs import ItemList


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
        """The code for a task; empty if the field is empty."""
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
        """Why the text is not a language; a language without a code begins with x-."""
        code = self.code
        if not code or self.is_known or code.startswith("x-"):
            return ""
        return self.tr(
            "ISO 639 has no language with this name or code. Choose one of the list. "
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


class LanguageList(ItemList):
    """Several languages: a field that adds one, and a button for each to remove it.

    Attributes:
        field: adds a language.
    """

    field: LanguageField

    def __init__(self, name: str, hint: str):
        """Make an empty list; `name` and `hint` describe the languages."""
        field = LanguageField(name)
        field.setToolTip(hint or name)
        super().__init__(field, self.tr("Add this language to the list."))

    @property
    def entered(self) -> list[str]:
        """The code of the language in the field."""
        return [self.field.code] if self.field.code else []

    @property
    def problem(self) -> str:
        """Why the text in the field is not a language."""
        return self.field.problem

    def title_of(self, item: str) -> str:
        """Return the name of a language, or its code if it has no name."""
        return language_name(item) if parse_language(item).known else item


@cache
def _titles() -> list[str]:
    return [f"{name} ({code})" for code, name in list_languages()]


@cache
def _codes() -> dict[str, str]:
    return {name.casefold(): code for code, name in list_languages()}
