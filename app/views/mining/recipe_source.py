"""Read and write filter recipes: files, presets, menu and form field."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QPushButton, QSizePolicy, QWidget

from app.errors import ErrorInfo, UserError
from app.params.filters import format_filter, parse_recipe
from app.views.client.state import AppState
from app.views.widgets.boxes import make_row
from app.views.widgets.controls import describe, make_button
from app.views.widgets.dialogs import ask_path
from app.views.widgets.fields import Field
from app.views.widgets.theme import GRID

KEY = "isogloss-recipe"
VERSION = 1
# Sentence lengths, no copies, equal numbers: safe for any two languages.
DEFAULT_RECIPE = ("length min=3 max=400", "identity", "numbers")


def write_recipe(file: Path, lines: Sequence[str]) -> None:
    """Write a recipe.

    Raises:
        OSError: the file can't be written.
    """
    values = {KEY: VERSION, "filters": list(lines)}
    text = json.dumps(values, ensure_ascii=False, indent=2)
    part = file.with_name(f"{file.name}.part")
    try:
        part.write_text(f"{text}\n", encoding="utf-8", newline="\n")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def read_recipe(file: Path) -> list[str]:
    """Read the lines of a recipe, normalised.

    Raises:
        UserError: the file is not a recipe, or has an unknown filter.
    """
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"Can't read the filters in {file}: {error}.") from error
    lines = values.get("filters") if isinstance(values, dict) else None
    if not isinstance(lines, list) or KEY not in values:
        raise UserError(
            f"{file} has no list of filters. Choose a file of exported filters."
        )
    return normalize_lines([str(line) for line in lines])


def normalize_lines(lines: Sequence[str]) -> list[str]:
    """Normalise the lines of a recipe.

    Raises:
        UserError: a line is not a filter.
    """
    return [format_filter(one) for one in parse_recipe(lines)]


MAX_SETS = 12  # in the menu

RecipeCallback = Callable[[list[str]], object]


class RecipeSource(QObject):
    """Offers recipes in a menu: the default, those of other pair sets, and a file."""

    def __init__(self, state: AppState, on_chosen: RecipeCallback, parent: QWidget):
        """Make the source; `on_chosen` receives the lines of a recipe."""
        super().__init__(parent)
        self._state, self._on_chosen, self._parent = state, on_chosen, parent

    def make_button(self, words: str) -> QPushButton:
        """Make a button with the menu."""
        hint = self.tr("Use the filters of another pair set, or of a file.")
        button = make_button(words, hint)
        menu = QMenu(button)
        menu.aboutToShow.connect(lambda: self.fill(menu))
        button.setMenu(menu)
        return button

    def fill(self, menu: QMenu) -> None:
        """List the recipes."""
        menu.clear()
        menu.addAction(self.tr("No filters"), lambda: self._on_chosen([]))
        usual = ", ".join(line.split()[0] for line in DEFAULT_RECIPE)
        words = self.tr("Default filters ({names})").format(names=usual)
        menu.addAction(words, lambda: self._on_chosen(list(DEFAULT_RECIPE)))
        project = self._state.project
        known = [row for row in project.minings if row.filters] if project else []
        if known:
            menu.addSection(self.tr("Same as"))
        for row in known[:MAX_SETS]:
            menu.addAction(row.name, partial(self._on_chosen, list(row.filters)))
        menu.addSeparator()
        menu.addAction(self.tr("From a file…"), self.ask_file)

    def ask_file(self) -> None:
        """Ask for a file with a recipe."""
        ask_path(
            self._parent.window(),
            self.tr("Open filters"),
            self.open_file,
            filters=self.tr("Filters (*.json);;All files (*)"),
        )

    def open_file(self, file: Path) -> None:
        """Use the recipe of a file."""
        try:
            lines = read_recipe(file)
        except UserError as error:
            self._state.error_posted.emit(ErrorInfo("user", str(error)))
            return
        self._on_chosen(lines)


N_LINES = 3


class RecipeField(QWidget):
    """A text field for filters, and a button with recipes."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.edit = QPlainTextEdit()
        self.edit.setPlaceholderText(
            self.tr("No filters. Write one per line, such as length")
        )
        self.edit.setTabChangesFocus(True)
        describe(self.edit, self.tr("Filters"), self.tr("Filters, one per line."))
        height = self.edit.fontMetrics().lineSpacing()
        self.edit.setFixedHeight(N_LINES * height + 3 * GRID)
        self.source = RecipeSource(state, self.write, self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button = self.source.make_button(self.tr("Choose"))
        make_row((self.edit, 1), (button, 0, Qt.AlignmentFlag.AlignTop), parent=self)
        self.setFocusProxy(self.edit)

    @property
    def lines(self) -> list[str]:
        """The filters."""
        lines = (line.strip() for line in self.edit.toPlainText().splitlines())
        return [line for line in lines if line]

    def write(self, lines: Any) -> None:
        """Replace the filters."""
        self.edit.setPlainText("\n".join(lines or ()))

    def as_field(self) -> Field:
        """Return the input for a form."""
        return Field(
            self,
            lambda: self.lines,
            self.write,
            lambda f: self.edit.textChanged.connect(lambda: f()),
        )
