"""Read and write filter recipes: files, presets, menu and form field."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from app.errors import ErrorInfo, UserError
from app.params.filters import format_filter, parse_recipe
from app.views.client.state import AppState
from app.views.widgets.controls import describe, make_button
from app.views.widgets.dialogs import ask_path
from app.views.widgets.fields import Field
from app.views.widgets.theme import GRID

KEY = "isogloss-recipe"
VERSION = 1
# Lengths of a sentence, no copies, and the same numbers: safe in any two languages.
DEFAULT_RECIPE = ("length min=3 max=400", "identity", "numbers")


def write_recipe(file: Path, lines: Sequence[str]) -> None:
    """Write a recipe.

    Raises:
        OSError: the file can't be written.
    """
    values = {KEY: VERSION, "filters": list(lines)}
    text = json.dumps(values, ensure_ascii=False, indent=2)
    file.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def read_recipe(file: Path) -> list[str]:
    """Read a recipe: its lines, each as it is written by default.

    Raises:
        UserError: the file is no recipe, or names a filter that there is not.
    """
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{file} can't be read as a recipe: {error}.") from error
    lines = values.get("filters") if isinstance(values, dict) else None
    if not isinstance(lines, list) or KEY not in values:
        raise UserError(
            f"{file} is no recipe: it has no list of filters. Choose a file that was "
            "exported from a recipe."
        )
    return normalize_lines([str(line) for line in lines])


def normalize_lines(lines: Sequence[str]) -> list[str]:
    """Write lines as they are by default.

    Raises:
        UserError: one is no filter.
    """
    return [format_filter(one) for one in parse_recipe(lines)]


MAX_SETS = 12  # in the menu

RecipeCallback = Callable[[list[str]], object]


class RecipeSource(QObject):
    """Fills a menu with the recipes that there are."""

    def __init__(self, state: AppState, take: RecipeCallback, parent: QWidget):
        """Make it; `take` gets the lines that are chosen."""
        super().__init__(parent)
        self._state, self._take, self._parent = state, take, parent

    def make_button(self, words: str) -> QPushButton:
        """Make a button with the menu."""
        hint = self.tr("Take the filters of another set of pairs, or of a file.")
        button = make_button(words, hint)
        menu = QMenu(button)
        menu.aboutToShow.connect(lambda: self.fill(menu))
        button.setMenu(menu)
        return button

    def fill(self, menu: QMenu) -> None:
        """Offer what there is now."""
        menu.clear()
        menu.addAction(self.tr("No filters"), lambda: self._take([]))
        usual = ", ".join(line.split()[0] for line in DEFAULT_RECIPE)
        words = self.tr("The usual ones ({names})").format(names=usual)
        menu.addAction(words, lambda: self._take(list(DEFAULT_RECIPE)))
        project = self._state.project
        known = [row for row in project.minings if row.filters] if project else []
        if known:
            menu.addSection(self.tr("As in"))
        for row in known[:MAX_SETS]:
            menu.addAction(row.name, partial(self._take, list(row.filters)))
        menu.addSeparator()
        menu.addAction(self.tr("From a file…"), self.ask_file)

    def ask_file(self) -> None:
        """Ask for a file with a recipe."""
        ask_path(
            self._parent.window(),
            self.tr("Choose the file of a recipe"),
            self.take_file,
            filters=self.tr("Recipes (*.json);;All files (*)"),
        )

    def take_file(self, file: Path) -> None:
        """Take the recipe of a file."""
        try:
            lines = read_recipe(file)
        except UserError as error:
            self._state.error_posted.emit(ErrorInfo("user", str(error)))
            return
        self._take(lines)


N_LINES = 3


class RecipeField(QWidget):
    """Lines of filters, and a button that fills them in."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.edit = QPlainTextEdit()
        self.edit.setPlaceholderText(self.tr("No filters: one a line, such as length"))
        self.edit.setTabChangesFocus(True)
        describe(self.edit, self.tr("Recipe"), self.tr("Filters, one a line."))
        height = self.edit.fontMetrics().lineSpacing()
        self.edit.setFixedHeight(N_LINES * height + 3 * GRID)
        self.source = RecipeSource(state, self.write, self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(self.edit, 1)
        button = self.source.make_button(self.tr("Choose"))
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self.setFocusProxy(self.edit)

    @property
    def lines(self) -> list[str]:
        """The filters."""
        lines = (line.strip() for line in self.edit.toPlainText().splitlines())
        return [line for line in lines if line]

    def write(self, lines: Any) -> None:
        """Show other filters."""
        self.edit.setPlainText("\n".join(lines or ()))

    def as_field(self) -> Field:
        """Return what a form wants of an input."""
        return Field(
            self,
            lambda: self.lines,
            self.write,
            lambda f: self.edit.textChanged.connect(lambda: f()),
        )
