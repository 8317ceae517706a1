"""The quality view: the list of checks and the findings of the selected one."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from app.engine.store.arrays import map_array
from app.engine.store.findings import finding_places
from app.errors import ErrorInfo
from app.protocol.queries.general import FindingsQuery
from app.views.client.state import AppState
from app.views.quality.controller import (
    START_ACTIONS,
    QualityController,
    make_actions,
    refresh_actions,
)
from app.views.quality.finding_card import FindingCard
from app.views.quality.finding_table import NO_PLACES, FindingTable
from app.views.quality.text import QualityCheck, describe_finding_kind, list_checks
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.chips import Chips
from app.views.widgets.controls import (
    ElidedLabel,
    make_action_button,
    make_button,
    make_label,
    make_menu_button,
)
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count
from app.views.widgets.page_layout import (
    LIST_AND_PAGE,
    add_heading,
    lay_out_page,
    make_split,
)
from app.views.widgets.theme import GRID
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow

OTHER_ACTIONS = ("hide_other", "remove", "show", "place", "place_other")
LIST_ACTIONS = ("hide_all", "remove_all", "show_all", "export", "again", "copy")
MENU_ACTIONS = ("hide", *OTHER_ACTIONS, *LIST_ACTIONS)
Places = NDArray[np.int64]


class FindingsPage(QWidget):
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
        self.search: QualityCheck | None = None
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
        self.table.addActions([actions[name] for name in MENU_ACTIONS])
        self._shown_id = 0
        self._waits_for_left = False  # to show it, not only to count it
        self._lay_out(actions)
        self.kinds.changed.connect(self._show_findings)
        self.left.clicked.connect(self._show_findings)
        self.table.chosen.connect(self._on_chosen)
        self.table.opened.connect(state.place_wanted)

    def show_search(self, search: QualityCheck | None) -> None:
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
                (
                    kind,
                    words.format(kind=describe_finding_kind(kind), n=format_count(n)),
                )
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
        """Return what is shown."""
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
            self._show_places(finding_places(search.run.counts, self.kinds.chosen))
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
            n, of = answer["n"], len(finding_places(search.run.counts, query.kinds))
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
        of_all.set_actions(
            [(actions[name], actions[name].text()) for name in LIST_ACTIONS]
        )
        which = QHBoxLayout()
        which.setSpacing(2 * GRID)
        which.addWidget(self.kinds, 3)
        which.addWidget(self.left)
        which.addWidget(of_all, 2)
        further = ActionRow()
        further.set_actions(
            [(actions[name], actions[name].text()) for name in OTHER_ACTIONS]
        )
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


class QualityView(QWidget):
    """The care page.

    Attributes:
        todo: the actions, by name.
        list: the searches that were made.
        page: what the chosen one found.
        messages: what was hidden, with a button to undo it.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Care")
        self.state = state
        self._searches: list[QualityCheck] = []
        self.messages = MessageBar()
        self.jobs = QualityController(self)
        self.todo = make_actions(self)
        self.list = TwoLineList(
            self.tr("Searches"), self.tr("Choose one to see what it found.")
        )
        self.page = FindingsPage(state, self.todo)
        self.start = self._make_start()
        self._lay_out()
        self.list.choice_changed.connect(self._on_chosen)
        self.page.changed.connect(lambda: refresh_actions(self))
        state.kinds_changed.connect(self._on_kinds_changed)
        self.refresh()

    def show_search(self, run: int) -> None:
        """Show what a run found."""
        self.refresh()
        self.list.choose(run)

    def refresh(self) -> None:
        """Show the list as it is now."""
        project = self.state.project
        if project is None:
            return
        self._searches = list_checks(project.store)
        rows = [TwoLineRow(one.id, one.name, one.facts) for one in self._searches]
        self.list.show_rows(rows)
        self._count.setText(f"{len(rows):,}" if rows else "")
        self._pages.setCurrentWidget(self.page if rows else self.start)
        self._left.setVisible(bool(rows))
        if rows and self.list.chosen is None:
            self.list.choose(rows[0].id)
        self._on_chosen()

    def _on_chosen(self) -> None:
        chosen = self.list.chosen
        search = next((one for one in self._searches if one.id == chosen), None)
        self.page.show_search(search)
        refresh_actions(self)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & {"finding", "run"}:
            self.refresh()
        if kinds & {"hidden", "corpus"}:
            self.page.read_again()

    # --- making ---

    def _make_menu(self) -> QPushButton:
        """Make the button whose menu asks what to look for."""
        hint = self.tr("Choose what to look for.")
        actions = [self.todo[name] for name in START_ACTIONS]
        return make_menu_button(self.tr("Look for…"), hint, actions, kind="primary")

    def _make_start(self) -> EmptyState:
        return EmptyState(
            self.tr("Keep corpora in order"),
            self.tr(
                "Find sentences that are said twice, in one language or two, sentences "
                "in the wrong language, damaged characters, boilerplate, and test "
                "sentences that leak into other corpora. Each finding says why; what "
                "you hide takes no part in anything, and one key brings it back."
            ),
            [self._make_menu(), make_action_button(self.todo["check_all"])],
            icon="care",
        )

    def _lay_out(self) -> None:
        self._count = make_label("", "secondary")
        self._left = add_heading(
            self.tr("Searches"), self.list, self._count, self._make_menu()
        )
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(self.start)
        self._pages.addWidget(self.page)
        self.split = make_split(self._left, pages, sizes=LIST_AND_PAGE, growing=1)
        lay_out_page(self, self.messages, self.split)

    # --- what the window asks of a view ---

    def actions(self) -> list[QAction]:
        """Return the view's actions."""
        return list(self.todo.values())

    def save_state(self) -> dict[str, Any]:
        """Return what is shown."""
        search = self.page.search
        return {
            "run": self.list.chosen,
            "split": self.split.sizes(),
            "summary": search.name if search is not None else "",
            **self.page.save_state(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show again what was shown."""
        sizes, run = state.get("split"), state.get("run")
        if isinstance(sizes, list) and len(sizes) == self.split.count():
            self.split.setSizes(sizes)
        if isinstance(run, int) and self.list.choose(run):
            self.page.restore_state(state)

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        if self._searches:
            self.page.table.setFocus()
        else:
            self.start.setFocus()
