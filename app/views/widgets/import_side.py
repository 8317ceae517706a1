"""One side of an import: its column, its language, the name of its corpus."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QWidget

from app.languages import language_name
from app.views.theme import GRID, scaled
from app.views.widgets.controls import describe, make_label, restyle
from app.views.widgets.language_field import LanguageField
from app.views.widgets.preview import SURE, Side

LABEL_WIDTH = 72


class ImportSide(QWidget):
    """Fields of one side."""

    changed = Signal()  # the column
    language_changed = Signal()

    def __init__(self, number: int, parent: QWidget | None = None):
        super().__init__(parent)
        self._number = number
        self._is_touched = False  # the user has said the language
        self.column = QComboBox()
        describe(self.column, self.tr("Column"), self.tr("Where the sentences stand."))
        self.language = LanguageField()
        self.name = QLineEdit()
        describe(self.name, self.tr("Name"), self.tr("What the corpus is called."))
        self.name.setMaxLength(200)
        self._doubt = make_label("", "warning", wraps=True)
        self._rows = QFormLayout(self)
        self._rows.setContentsMargins(0, GRID // 2, 0, 0)
        self._rows.setSpacing(GRID)
        for title, field in (
            (self.tr("Column") if number == 0 else self.tr("Other side"), self.column),
            (self.tr("Language"), self.language),
            ("", self._doubt),
            (self.tr("Name"), self.name),
        ):
            label = make_label(title)
            label.setMinimumWidth(scaled(LABEL_WIDTH))
            label.setBuddy(field)
            self._rows.addRow(label, field)
        self.column.currentIndexChanged.connect(self.changed)
        self.language.textEdited.connect(self._on_language_edited)
        self.language.completer().activated.connect(self._on_language_edited)

    @property
    def chosen_column(self) -> str:
        """The column that was chosen; empty: the likeliest, or none."""
        return str(self.column.currentData() or "")

    @property
    def given_language(self) -> str:
        """The language as the user has said it; empty while it is only guessed."""
        return self.language.code if self._is_touched else ""

    def give_language(self, code: str) -> None:
        """Say the language."""
        self._is_touched = True
        self.language.set_code(code)

    def show_side(
        self, side: Side | None, columns: Sequence[str], *, is_fixed: bool
    ) -> None:
        """Show what was found.

        Args:
            side: facts of this side; None when it is not read.
            columns: to choose from; empty: there is no choice.
            is_fixed: the file says its languages.
        """
        self._rows.setRowVisible(self.column, bool(columns))
        self._show_columns(side, columns)
        is_used = side is not None
        self._rows.setRowVisible(self.language, is_used)
        self._rows.setRowVisible(self.name, is_used and not is_fixed)
        self.language.setReadOnly(is_fixed)
        self._show_guess(side, is_fixed=is_fixed)
        if side is None:
            return
        if is_fixed:
            self.language.set_code(side.language)
        elif not self._is_touched:
            code = side.language or (side.guess if side.confidence >= SURE else "")
            blocker = QSignalBlocker(self.language)
            self.language.set_code(code) if code else self.language.clear()
            blocker.unblock()

    def _show_guess(self, side: Side | None, *, is_fixed: bool) -> None:
        """Say what the text looks like; as a warning where that is not its language."""
        has_guess = side is not None and bool(side.mismatch or side.guess)
        self._rows.setRowVisible(self._doubt, has_guess and not is_fixed)
        if side is None:
            return
        words = self.tr("The text looks like {language} ({share} % sure).")
        name, share = language_name(side.guess), round(100 * side.confidence)
        text = side.mismatch or words.format(language=name, share=share)
        self._doubt.setText(text)
        restyle(self._doubt, "role", "warning" if side.mismatch else "secondary")

    def _show_columns(self, side: Side | None, columns: Sequence[str]) -> None:
        kept = self.chosen_column
        none = self.tr("found") if self._number == 0 else self.tr("none")
        if side is not None and side.column and not kept:
            none = self.tr("{column} (found)").format(column=side.column)
        blocker = QSignalBlocker(self.column)
        self.column.clear()
        self.column.addItem(none, "")
        for column in columns:
            self.column.addItem(column, column)
        self.column.setCurrentIndex(max(self.column.findData(kept), 0))
        blocker.unblock()

    def _on_language_edited(self) -> None:
        self._is_touched = True
        self.language_changed.emit()
