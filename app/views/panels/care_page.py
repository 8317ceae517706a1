"""What a search found: by kind, as a table, and the current finding whole."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.engine.store.finding_rows import places_of
from app.views.finding_words import Search, kind_words
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.action_row import ActionRow
from app.views.widgets.chips import Chips
from app.views.widgets.controls import make_action_button, make_label
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.finding_card import FindingCard
from app.views.widgets.finding_model import NO_PLACES
from app.views.widgets.finding_table import FindingTable
from app.views.widgets.splits import make_split
from app.views.words import format_count

FURTHER = ("hide_other", "remove", "show", "place", "place_other")
OF_ALL = ("hide_all", "remove_all", "show_all", "export", "again", "copy")
IN_MENU = ("hide", *FURTHER, *OF_ALL)


class CarePage(QWidget):
    """The page of a search.

    Attributes:
        search: the one that is shown; None: none.
        table: its findings.
        card: the current finding.
    """

    changed = Signal()  # something else is shown or chosen

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make an empty page; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self.search: Search | None = None
        self._name = ElidedLabel("heading")
        self._message = make_label("", "secondary", wraps=True)
        self._nothing = make_label(
            self.tr("Nothing of this kind was found."), "secondary"
        )
        self.kinds = Chips(self.tr("All"))
        self.table, self.card = FindingTable(), FindingCard()
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.table.addActions([actions[name] for name in IN_MENU])
        self._shown_id = 0
        self._lay_out(actions)
        self.kinds.changed.connect(self._show_findings)
        self.table.chosen.connect(self._on_chosen)
        self.table.opened.connect(state.place_wanted)

    def show_search(self, search: Search | None) -> None:
        """Show what a search found; the same one again keeps the chosen row."""
        is_same = search is not None and self.search is not None
        is_same = is_same and search is not None and search.id == self._shown_id
        self.search = search
        if search is None or is_same:
            if search is None:
                self.table.show_places(None, 0, NO_PLACES)
            return
        self._name.setText(search.name)
        self._message.setText(search.run.message)
        words = "{kind} {n}"
        counts = search.run.counts.items()
        self.kinds.blockSignals(True)
        self.kinds.choose(())
        self.kinds.set_choices(
            [
                (kind, words.format(kind=kind_words(kind), n=format_count(n)))
                for kind, n in counts
            ]
        )
        self.kinds.blockSignals(False)
        self._shown_id = search.id
        self._show_findings()

    def choose_kinds(self, kinds: Sequence[str]) -> None:
        """Show findings of some kinds; of none: all."""
        self.kinds.choose(kinds)

    def read_again(self) -> None:
        """Show what sentences are now: hidden, or shown again."""
        self.table.findings.forget_rows()
        self._on_chosen()

    def save_state(self) -> dict[str, Any]:
        """Give what is shown."""
        return {
            "kinds": list(self.kinds.chosen),
            "row": self.table.currentIndex().row(),
            "parts": self.split.sizes(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show again what was shown."""
        kinds, row, parts = (state.get(key) for key in ("kinds", "row", "parts"))
        if isinstance(kinds, list):
            self.choose_kinds([kind for kind in kinds if isinstance(kind, str)])
        if isinstance(row, int):
            self.table.choose_row(row)
        if isinstance(parts, list) and len(parts) == self.split.count():
            self.split.setSizes(parts)

    def _show_findings(self) -> None:
        project, search = self._state.project, self.search
        if project is None or search is None:
            return
        places = places_of(search.run.counts, self.kinds.chosen)
        self.table.show_places(project.store, search.id, places)
        self.table.setVisible(bool(len(places)))
        self._nothing.setVisible(not len(places))
        self.changed.emit()

    def _on_chosen(self) -> None:
        project, shown = self._state.project, self.table.current
        corpora = project.corpora if project is not None else []
        self.card.show_finding(shown, corpora)
        if shown is not None and shown.sentence is not None and self.isVisible():
            self._state.select_sentence(shown.sentence.id)
        self.changed.emit()

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        of_all = ActionRow()
        of_all.set_actions([(actions[name], actions[name].text()) for name in OF_ALL])
        which = QHBoxLayout()
        which.setSpacing(2 * GRID)
        which.addWidget(self.kinds, 3)
        which.addWidget(of_all, 2)
        further = ActionRow()
        further.set_actions([(actions[name], actions[name].text()) for name in FURTHER])
        hiding = QHBoxLayout()
        hiding.setSpacing(GRID)
        hiding.addWidget(make_action_button(actions["hide"], kind="primary"))
        hiding.addWidget(further, 1)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        column.addWidget(self.card, 1)
        column.addLayout(hiding)
        self.split = make_split(
            self.table, below, sizes=(46 * GRID, 26 * GRID), growing=0, is_vertical=True
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self._name)
        layout.addWidget(self._message)
        layout.addLayout(which)
        layout.addWidget(self._nothing)
        layout.addWidget(self.split, 1)
