"""The quality view: the list of checks and the findings of the selected check."""

from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.quality.controller import CHECK_ACTIONS, QualityController
from app.views.quality.finding_table import FindingTable
from app.views.quality.findings_page import FindingsPage
from app.views.quality.text import QualityCheck, list_checks
from app.views.widgets.controls import make_action_button, make_menu_button
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.list_and_pages import ListAndPages
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import lay_out_page
from app.views.widgets.run_results import ResultGate
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow


class QualityView(QWidget):
    """The page of quality checks.

    Attributes:
        list: finished checks.
        page: findings of the selected check.
        messages: shows the number of hidden sentences, with Undo.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Quality")
        self._state = state
        self._checks: list[QualityCheck] = []
        self.messages = MessageBar()
        table = FindingTable()
        self.controller = QualityController(state, table, self.messages, self)
        self.list = TwoLineList(
            self.tr("Checks"),
            self.tr("Select a check to see its findings."),
            is_newest_first=True,
        )
        self._body = ListAndPages(
            self.tr("Checks"), self.list, self._make_menu(), self, folds=True
        )
        actions = self.controller.actions
        self.page = FindingsPage(state, table, actions, self._body.pages)
        state.inspectable_made.emit(self.page)
        self.start = self._make_start()
        self._body.add_pages(self.start, self.page)
        lay_out_page(self, self.messages, self._body)
        self._body.folded.connect(self.page.fold_heading)
        self._gate = ResultGate(state, lambda: self.list.chosen, self)
        self.list.choice_changed.connect(self._on_check_selected)
        self.page.changed.connect(self.controller.refresh_actions)
        self.controller.check_finished.connect(self._on_check_finished)
        state.kinds_changed.connect(self._on_kinds_changed)
        state.texts_changed.connect(self.page.read_again)
        self.refresh()

    def show_run(self, run_id: int) -> None:
        """Select the check of a run."""
        self.refresh()
        self.list.choose(run_id)

    def _on_check_finished(self, run: RunState) -> None:
        if self._gate.may_show(run):
            self.show_run(run.id)
            self._gate.accept_shown()

    def refresh(self) -> None:
        """Read the list of checks again."""
        project = self._state.project
        if project is None:
            return
        self._checks = list_checks(project.store)
        rows = [TwoLineRow(one.id, one.name, one.facts) for one in self._checks]
        self._body.show_rows(rows)
        if rows and self.list.chosen is None:
            self.list.choose(rows[0].id)
            self._gate.accept_shown()
        self._on_check_selected()

    def show_ages(self) -> None:
        """Update the ages of the listed checks."""
        self.refresh()

    def _on_check_selected(self) -> None:
        run = self.list.chosen
        check = next((one for one in self._checks if one.id == run), None)
        self.controller.check = check
        self.page.show_check(check)
        self.controller.refresh_actions()

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & {"finding", "run"}:
            self.refresh()
        if kinds & {"hidden", "corpus"}:
            self.page.read_again()

    def _make_menu(self) -> QPushButton:
        hint = self.tr("Choose a check to run.")
        actions = [self.controller.actions[name] for name in CHECK_ACTIONS]
        return make_menu_button(self.tr("Find issues…"), hint, actions, kind="primary")

    def _make_start(self) -> EmptyState:
        check_all = make_action_button(self.controller.actions["check_all"])
        return EmptyState(
            self.tr("Check the quality of your corpora"),
            self.tr(
                "Find duplicates within and across languages, sentences in the wrong "
                "language, corrupted characters and boilerplate. “Find issues…” also "
                "finds wrong pairs in a parallel text and test sentences that leak "
                "into other corpora, and compares encoders. Each finding shows the "
                "reason. Hidden sentences take part in no task, and you can restore "
                "them at any time."
            ),
            [self._make_menu(), check_all],
            icon="quality",
        )

    # --- view protocol ---

    def actions(self) -> list[QAction]:
        """Return the view's actions."""
        return list(self.controller.actions.values())

    def save_state(self) -> dict[str, Any]:
        """Return the selected check and the state of its page."""
        check = self.page.check
        return {
            "run": self.list.chosen,
            "split": self._body.sizes,
            "summary": check.name if check is not None else "",
            **self.page.save_state(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Select the check of a saved state."""
        self._body.restore_sizes(state.get("split"))
        run = state.get("run")
        if isinstance(run, int) and self.list.choose(run):
            self.page.restore_state(state)

    def focus_first(self) -> None:
        """Focus the findings, or the start page."""
        if self._checks:
            self.page.focus_first()
        else:
            self.start.setFocus()
