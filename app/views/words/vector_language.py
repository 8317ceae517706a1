"""Correct the language of a project's word vectors."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.engine.store.words.indexes import list_table_names, read_table_language
from app.languages import language_name
from app.protocol.edits.corpora import SetVectorsLanguage
from app.views.client.state import AppState
from app.views.widgets.controls import describe
from app.views.widgets.dialogs import TextInputDialog, lay_out_field
from app.views.widgets.fields import make_choice_box, replace_choices, select_choice
from app.views.widgets.language_field import LanguageField

_tr = partial(QCoreApplication.translate, "VectorLanguageDialog")


def list_vector_languages(folder: Path) -> list[str]:
    """List the languages of a project's word vectors; names if any is unknown."""
    names = list_table_names(folder)
    codes = [read_table_language(folder, name) for name in names]
    titles = [
        language_name(code) if code else name
        for name, code in zip(names, codes, strict=True)
    ]
    return list(dict.fromkeys(titles))


class VectorLanguageDialog(TextInputDialog):
    """Asks for the language of word vectors; the change can be undone.

    Attributes:
        box: selects the word vectors.
    """

    def __init__(self, state: AppState, folder: Path, chosen: str, parent: QWidget):
        """Make the dialog.

        Args:
            chosen: name of the initially selected word vectors; empty: the first.
        """
        self._edits, self._folder = state, folder
        title = _tr("Language")
        done = _tr("Set language"), self._set
        super().__init__(state, title, done, LanguageField(title), parent)
        self.box = make_choice_box()
        describe(
            self.box,
            _tr("Word vectors"),
            _tr("Word vectors of the project."),
        )
        replace_choices(self.box, [(one, one) for one in list_table_names(folder)])
        if chosen:
            select_choice(self.box, chosen)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertLayout(0, lay_out_field(_tr("Word vectors"), self.box))
        self.setTabOrder(self.box, self.field)
        self.box.currentIndexChanged.connect(self._show_language)
        self._show_language()

    def _show_language(self) -> None:
        language = read_table_language(self._folder, self.box.currentData())
        field = self.field
        assert isinstance(field, LanguageField)
        field.set_code(language)

    def _set(self, language: str) -> None:
        name = self.box.currentData()
        self._edits.edit(SetVectorsLanguage(vectors=name, language=language))
