"""Care: what stands twice, is damaged, is in the wrong place or language, or leaks."""

from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QStackedLayout, QWidget

from app.views.care_actions import BEGINNING, make_actions, refresh_actions
from app.views.care_jobs import CareJobs
from app.views.finding_words import Search, list_searches
from app.views.panels.care_page import CarePage
from app.views.state import AppState
from app.views.widgets.controls import make_action_button, make_label, make_menu_button
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.splits import LIST_AND_PAGE, fill_page, make_split, put_heading
from app.views.widgets.two_lines import TwoLineList, TwoLines


class CareView(QWidget):
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
        self._searches: list[Search] = []
        self.messages = MessageBar()
        self.jobs = CareJobs(self)
        self.todo = make_actions(self)
        self.list = TwoLineList(
            self.tr("Searches"), self.tr("Choose one to see what it found.")
        )
        self.page = CarePage(state, self.todo)
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
        self._searches = list_searches(project.store)
        rows = [TwoLines(one.id, one.name, one.facts) for one in self._searches]
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
        actions = [self.todo[name] for name in BEGINNING]
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
        self._left = put_heading(
            self.tr("Searches"), self.list, self._count, self._make_menu()
        )
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(self.start)
        self._pages.addWidget(self.page)
        self.split = make_split(self._left, pages, sizes=LIST_AND_PAGE, growing=1)
        fill_page(self, self.messages, self.split)

    # --- what the window asks of a view ---

    def actions(self) -> list[QAction]:
        """Give the view's actions."""
        return list(self.todo.values())

    def save_state(self) -> dict[str, Any]:
        """Give what is shown."""
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
