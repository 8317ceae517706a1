"""Read and write filter recipes: files, presets, menu and form field."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.errors import ErrorInfo, UserError
from app.params.filters import (
    ALL_FILTERS,
    filter_name,
    format_filter,
    parse_recipe,
)
from app.views.client.state import AppState
from app.views.widgets.boxes import Stretch, make_column, make_row
from app.views.widgets.controls import make_button
from app.views.widgets.dialogs import ask_path
from app.views.widgets.fields import Field
from app.views.widgets.filter_list import (
    FilterCard,
    FilterList,
    filter_title,
    make_menu_button,
)

KEY = "isogloss-recipe"
VERSION = 1
# Sentence lengths, no copies, equal numbers: safe for all language pairs.
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
    """Read the normalised lines of a recipe.

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
    """Menu of recipes: the default, recipes of other pair sets, and a file."""

    def __init__(self, state: AppState, on_chosen: RecipeCallback, parent: QWidget):
        """Initialise; `on_chosen` receives the lines of a recipe."""
        super().__init__(parent)
        self._state, self._on_chosen, self._parent = state, on_chosen, parent

    def make_button(self, words: str) -> QPushButton:
        """Create a button with the menu."""
        hint = self.tr("Replace the filters with those of another pair set or a file.")
        button = make_button(words, hint)
        menu = QMenu(button)
        menu.aboutToShow.connect(lambda: self.fill(menu))
        button.setMenu(menu)
        return button

    def fill(self, menu: QMenu) -> None:
        """Fill the menu."""
        menu.clear()
        menu.addAction(self.tr("No filters"), lambda: self._on_chosen([]))
        usual = ", ".join(
            filter_title(filter_name(one)) for one in parse_recipe(DEFAULT_RECIPE)
        )
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
        """Ask for a recipe file."""
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


class RecipeCard(FilterCard):
    """The card of a filter for a future mining run."""

    def keys_hint(self) -> str:
        """Return a hint on the card's shortcuts."""
        return self.tr("Alt+Up and Alt+Down move the filter, Del removes it.")


class RecipeCards(FilterList):
    """The filter cards for a future mining run."""

    make_card: ClassVar[type[FilterCard]] = RecipeCard

    def empty_words(self) -> str:
        """Return the text shown without cards."""
        return self.tr("No filters: every pair is kept.")


class RecipeField(QWidget):
    """Filter cards, with buttons that add a filter or choose a recipe."""

    changed = Signal()
    list_changed = Signal()  # the filters or their order changed

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.list = RecipeCards()
        self._unknown: list[str] = []  # lines from another version, until a change
        titles = {filter_title(filter_name(kind)): kind for kind in ALL_FILTERS}
        self.add_button = make_menu_button(
            self.tr("Add filter"), self.tr("Add a filter."), titles, self.list.add
        )
        source = RecipeSource(state, self.write, self)
        self._choose = source.make_button(self.tr("Load filters"))
        buttons = make_row(self.add_button, self._choose, Stretch(1))
        make_column(buttons, self.list, parent=self)
        self._shown: list[FilterCard] = []
        self.setFocusProxy(self.add_button)
        self.list.changed.connect(self._on_changed)

    @property
    def lines(self) -> list[str]:
        """The filters, except those that lack a value."""
        return self._unknown or [line for line in self.list.lines if line is not None]

    @property
    def unfinished(self) -> str:
        """The title of the first filter that lacks a value, or an empty text."""
        titles = (card.title for card in self.list.cards if card.line() is None)
        return next(titles, "")

    def write(self, lines: Sequence[str] | None) -> None:
        """Replace the filters."""
        try:
            filters, self._unknown = parse_recipe(lines or ()), []
        except UserError:
            filters, self._unknown = [], list(lines or ())
        self.list.show_filters(filters)
        self._show_change()

    def as_field(self) -> Field:
        """Return an adapter for use in a form."""
        return Field(
            self,
            lambda: self.lines,
            self.write,
            lambda f: self.changed.connect(lambda: f()),
        )

    def _on_changed(self) -> None:
        self._unknown = []
        self._show_change()

    def _show_change(self) -> None:
        if self._shown != self.list.cards:
            self._shown = list(self.list.cards)
            self.list.order_after(self._choose)
            self.list_changed.emit()
        self.changed.emit()
