"""The third step: the tests that were made, and the board of one of them."""

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.params import command_name
from app.params.classify import EvaluateTransfer
from app.views.panels.transfer_page import TransferPage
from app.views.state import AppState
from app.views.transfer_proposals import describe_suggestion, suggest_transfer
from app.views.transfers import Transfer, describe_transfer, list_transfers
from app.views.widgets.controls import make_action_button, make_button, make_label
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.splits import LIST_AND_PAGE, make_split, put_heading
from app.views.widgets.two_lines import TwoLineList, TwoLines

TRANSFER = command_name(EvaluateTransfer)


class TransferBoard(QWidget):
    """The list of tests, and the page of one.

    Attributes:
        page: the test that is shown.
        tests: the list.
    """

    shown_changed = Signal()
    place_wanted = Signal(object)  # id of a sentence

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make it; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self._found: list[Transfer] = []
        self.page = TransferPage(state, actions)
        self.tests = TwoLineList(
            self.tr("Tests"), self.tr("Choose the test whose board is shown.")
        )
        self.quick = make_action_button(actions["suggested"], kind="primary")
        self._importing = make_button(
            self.tr("Import labelled texts…"),
            self.tr("Import tables with a column of labels."),
            state.import_wanted.emit,
            kind="primary",
        )
        self._empty = EmptyState(
            "",
            "",
            [self.quick, self._importing, make_action_button(actions["test"])],
            icon="classify",
        )
        self._lay_out(actions)
        self.tests.choice_changed.connect(self._on_chosen)
        self.page.place_wanted.connect(self.place_wanted)

    @property
    def shown(self) -> Transfer | None:
        """The test that is shown."""
        is_shown = self._pages.currentWidget() is self._full
        return self.page.shown if is_shown else None

    @property
    def transfers(self) -> list[Transfer]:
        """All tests, the newest first."""
        return self._found

    @property
    def words(self) -> tuple[str, str]:
        """Heading and text of the empty page."""
        return self._empty.words

    def refresh(self) -> None:
        """Show the tests that there are now; the newest where none was chosen."""
        project = self._state.project
        if project is None:
            return
        self._found = list_transfers(project.store)
        self.tests.show_rows(
            [TwoLines(one.id, one.name, describe_transfer(one)) for one in self._found]
        )
        self._count.setText(f"{len(self._found):,}" if self._found else "")
        self._pages.setCurrentWidget(self._full if self._found else self._empty)
        if self.page.shown is not None:
            self.page.behind.comparison.offer(self._found)
        if self._found and self.tests.chosen is None:
            self.tests.choose(self._found[0].id)
        if not self._found:
            self._say_what_is_next()
        self.shown_changed.emit()

    def choose(self, run_id: int) -> bool:
        """Show the test of a run; returns whether it is there."""
        return self.tests.choose(run_id)

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        if self.shown is not None:
            self.page.focus_first()
        else:
            self.quick.setFocus(Qt.FocusReason.OtherFocusReason)

    def save_state(self) -> dict[str, Any]:
        """Give what is shown."""
        one = self.shown
        return {} if one is None else {"test": one.id, "language": self.page.language}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show again what was shown."""
        if isinstance(state.get("test"), int) and self.choose(state["test"]):
            self.page.table.choose(str(state.get("language", "")))

    def _on_chosen(self) -> None:
        chosen = self.tests.chosen
        one = next((one for one in self._found if one.id == chosen), None)
        if one is not None:
            self.page.show_transfer(one, self._found)
            self.shown_changed.emit()

    def _say_what_is_next(self) -> None:
        project = self._state.project
        assert project is not None
        suggestion = suggest_transfer(project, self._state.labels.counts)
        heading = self.tr("Label in one language, use in all")
        text = self.tr(
            "A classifier that is trained on the labels of one language also works in "
            "the others: the board shows how well, with intervals, the worst first."
        )
        if suggestion is None:
            text = self.tr(
                "A test takes labelled sentences in two languages: import a table with "
                "a label column, or label sentences by the keys 1 to 9."
            )
        if any(run.task == TRANSFER for run in self._state.runs):
            heading = self.tr("Training and testing…")
            text = self.tr("The bar below says how far it is. The board comes here.")
        self._empty.set_words(heading, text)
        self.quick.setVisible(suggestion is not None)
        self._importing.setVisible(suggestion is None)
        if suggestion is not None:
            self.quick.setText(describe_suggestion(suggestion))
            self.quick.setAccessibleName(self.quick.text())

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        self._count = make_label("", "secondary")
        test = make_action_button(actions["test"], kind="primary")
        test.setText(self.tr("Test…"))
        actions["test"].changed.connect(lambda: test.setText(self.tr("Test…")))
        left = put_heading(self.tr("Tests"), self.tests, self._count, test)
        self._full = make_split(left, self.page, sizes=LIST_AND_PAGE, growing=1)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._full)
