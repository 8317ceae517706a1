"""The page of one set of pairs: what it is, its pairs, its recipe, its record."""

from functools import cached_property
from typing import Any

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from app.engine.store.pair_rows import MiningRow
from app.views.mining_record import figures_of, groups_of
from app.views.mining_words import describe_making, describe_sides
from app.views.panels.recipe_editor import RecipeEditor
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.action_row import ActionRow
from app.views.widgets.controls import make_action_button
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.figure_row import FigureRow
from app.views.widgets.pairs_page import PairsPage
from app.views.widgets.record_tree import RecordTree

RECIPE_TAB = 1


class MiningPage(QWidget):
    """Shows a set of pairs.

    Attributes:
        row: the set; None before the first.
    """

    pair_opened = Signal(object)  # id: review it
    recipe_wanted = Signal(object)  # lines: mine again with these filters

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make an empty page; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self.row: MiningRow | None = None
        self._name = ElidedLabel("heading")
        self._sides = ElidedLabel("secondary")
        self.figures = FigureRow()
        self.pairs = PairsPage(state)
        self._recipe_tab = QWidget()
        QVBoxLayout(self._recipe_tab).setContentsMargins(0, 0, 0, 0)
        self.record = RecordTree(self.tr("Record"), [self.tr("What"), self.tr("Value")])
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        for widget, title in (
            (self.pairs, self.tr("Pairs")),
            (self._recipe_tab, self.tr("Recipe")),
            (self.record, self.tr("Record")),
        ):
            self.tabs.addTab(widget, title)
        self._lay_out(actions)
        self.pairs.counts_changed.connect(self._show_figures)
        self.pairs.table.pair_opened.connect(self.pair_opened)
        self.tabs.currentChanged.connect(lambda _: self._show_tab())

    @cached_property
    def recipe(self) -> RecipeEditor:
        """The editor; made when its tab is first shown."""
        editor = RecipeEditor(self._state)
        editor.pair_opened.connect(self.pair_opened)
        editor.apply_wanted.connect(self.recipe_wanted)
        layout = self._recipe_tab.layout()
        assert layout is not None
        layout.addWidget(editor)
        return editor

    @property
    def words(self) -> tuple[str, str]:
        """Name and facts, as they are shown."""
        return self._name.text(), self._sides.text()

    def show_mining(self, row: MiningRow) -> None:
        """Show a set of pairs, or the same one as it is now."""
        project = self._state.project
        is_other = self.row is None or self.row.id != row.id
        before, self.row = self.row, row
        self._name.setText(row.name)
        corpora = project.corpora if project is not None else []
        sides, making = describe_sides(row, corpora), describe_making(row)
        is_told = row.name.startswith(sides)
        self._sides.setText(making if is_told else f"{sides} · {making}")
        if is_other or before != row:
            self.pairs.show_mining(row)
            self._show_figures()
            self.tabs.setTabVisible(RECIPE_TAB, row.kind == "mined")
            self._show_tab()

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        if self.tabs.currentWidget() is self.pairs:
            self.pairs.focus_table()
        else:
            self.tabs.tabBar().setFocus()

    def find(self) -> None:  # type: ignore[override] # QWidget's is about windows
        """Put the keyboard into the field that finds."""
        self.tabs.setCurrentWidget(self.pairs)
        self.pairs.filters.find_field.setFocus()
        self.pairs.filters.find_field.selectAll()

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self._name, 1)
        head.addWidget(make_action_button(actions["review"], kind="primary"))
        buttons = ActionRow()
        words = {
            "again": self.tr("Mine again…"),
            "export": self.tr("Export…"),
            "rename": self.tr("Rename…"),
            "copy": self.tr("Copy as command"),
            "delete": self.tr("Delete"),
        }
        buttons.set_actions([(actions[name], text) for name, text in words.items()])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self._sides)
        layout.addWidget(buttons)
        layout.addSpacing(GRID // 2)
        layout.addWidget(self.figures)
        layout.addSpacing(GRID // 2)
        layout.addWidget(self.tabs, 1)

    def _show_figures(self) -> None:
        if self.row is not None:
            self.figures.show_figures(figures_of(self.row, self.pairs.counts))

    def _show_tab(self) -> None:
        """Fill the tab that is shown; the others when they are."""
        if self.row is None:
            return
        widget = self.tabs.currentWidget()
        if widget is self._recipe_tab:
            self.recipe.show_mining(self.row)
        elif widget is self.record:
            self.record.show_groups(groups_of(self.row))

    # --- session ---

    def save_state(self) -> dict[str, Any]:
        """Give the tab and what is shown of the pairs."""
        return {"tab": self.tabs.currentIndex(), "pairs": self.pairs.save_state()}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Bring back what `save_state` gave."""
        self.tabs.setCurrentIndex(int(state.get("tab", 0)))
        self.pairs.restore_state(state.get("pairs", {}))

    def changeEvent(self, event: QEvent) -> None:
        """Draw the record again in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show_tab()
