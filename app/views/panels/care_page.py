"""What a search found: by kind, as a table, and the current finding whole."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.engine.store.arrays import map_array
from app.engine.store.finding_rows import places_of
from app.errors import ErrorInfo
from app.questions import FindingsQuery
from app.views.finding_words import Search, kind_words
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.action_row import ActionRow
from app.views.widgets.chips import Chips
from app.views.widgets.controls import make_action_button, make_button, make_label
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.finding_card import FindingCard
from app.views.widgets.finding_model import NO_PLACES
from app.views.widgets.finding_table import FindingTable
from app.views.widgets.splits import make_split
from app.views.words import format_count

FURTHER = ("hide_other", "remove", "show", "place", "place_other")
OF_ALL = ("hide_all", "remove_all", "show_all", "export", "again", "copy")
IN_MENU = ("hide", *FURTHER, *OF_ALL)
Places = NDArray[np.int64]


class CarePage(QWidget):
    """The page of a search.

    Attributes:
        search: the one that is shown; None: none.
        left: a switch to the findings of which no sentence is left out yet.
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
        self._nothing = make_label("", "secondary")
        self.kinds = Chips(self.tr("All"))
        hint = self.tr("Show what is left to do only; press again for all.")
        self.left = make_button(self.tr("Left to do"), hint, kind="quiet")
        self.left.setCheckable(True)
        self.left.hide()
        self.table, self.card = FindingTable(), FindingCard()
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.table.addActions([actions[name] for name in IN_MENU])
        self._shown_id = 0
        self._waits_for_left = False  # to show it, not only to count it
        self._lay_out(actions)
        self.kinds.changed.connect(self._show_findings)
        self.left.clicked.connect(self._show_findings)
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
        self.left.setChecked(False)
        self._show_findings()

    def choose_kinds(self, kinds: Sequence[str]) -> None:
        """Show findings of some kinds; of none: all."""
        self.kinds.choose(kinds)

    def read_again(self) -> None:
        """Show what sentences are now: hidden, or shown again."""
        self.table.findings.forget_rows()
        self._on_chosen()
        if not len(self.table.findings.places):  # perhaps there is something again
            self._waits_for_left = self.left.isChecked()
        self._ask_left()

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
        if not self.left.isChecked():
            self._show_places(places_of(search.run.counts, self.kinds.chosen))
        self._waits_for_left = self.left.isChecked()
        self._ask_left()

    def _show_places(self, places: Places) -> None:
        project, search = self._state.project, self.search
        if project is None or search is None:
            return
        self.table.show_places(project.store, search.id, places)
        self.table.setVisible(bool(len(places)))
        words = self.tr("Nothing of this kind was found.")
        if self.left.isChecked():
            words = self.tr("Nothing of this kind is left to do.")
        self._nothing.setText(words)
        self._nothing.setVisible(not len(places))
        self.changed.emit()

    def _ask_left(self) -> None:
        """Ask what is left to do, to count it and, where it is wanted, to show it."""
        if self.search is not None:
            query = FindingsQuery(run=self.search.id, kinds=tuple(self.kinds.chosen))
            self._state.ask(query, partial(self._on_left, query))

    def _on_left(
        self, query: FindingsQuery, answer: dict[str, Any] | ErrorInfo
    ) -> None:
        project, search = self._state.project, self.search
        if project is None or search is None or isinstance(answer, ErrorInfo):
            return
        if query.run == search.id and query.kinds == tuple(self.kinds.chosen):
            n, of = answer["n"], len(places_of(search.run.counts, query.kinds))
            words = self.tr("{n} left to do").format(n=format_count(n))
            if self.left.isChecked():
                words = self.tr("Show all findings")
            self.left.setText(words)
            self.left.setAccessibleName(self.left.text())
            self.left.setVisible(n < of or self.left.isChecked())
            if self._waits_for_left:
                self._waits_for_left = False
                self._show_places(map_array(project.folder / answer["file"]))

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
        which.addWidget(self.left)
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
