"""Where a recipe is taken from: the usual one, another set of pairs, a file."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.errors import ErrorInfo, UserError
from app.views.recipe_file import USUAL, read_recipe
from app.views.state import AppState
from app.views.widgets.controls import make_button
from app.views.widgets.dialogs import ask_path

MAX_SETS = 12  # in the menu

Take = Callable[[list[str]], object]


class RecipeSource(QObject):
    """Fills a menu with the recipes that there are."""

    def __init__(self, state: AppState, take: Take, parent: QWidget):
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
        usual = ", ".join(line.split()[0] for line in USUAL)
        words = self.tr("The usual ones ({names})").format(names=usual)
        menu.addAction(words, lambda: self._take(list(USUAL)))
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
