"""Use: what classifiers said of corpora; mend it, retrain, see what changed."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.views.classifiers import Classifier
from app.views.classify_words import DOT
from app.views.panels.prediction_page import PredictionPage
from app.views.state import AppState
from app.views.widgets.controls import make_action_button, make_label
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.splits import LIST_AND_PAGE, make_split, put_heading
from app.views.widgets.two_lines import TwoLineList, TwoLines
from app.views.words import count_words


class UseStep(QWidget):
    """The classifiers that were used, and what one of them said.

    Attributes:
        page: the predictions that are shown.
        classifiers: the list.
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
        self._found: list[Classifier] = []
        self.page = PredictionPage(state, actions)
        self.classifiers = TwoLineList(
            self.tr("Classifiers in use"),
            self.tr("Choose the classifier whose predictions are shown."),
        )
        self._empty = EmptyState(
            self.tr("Nothing is classified yet"),
            self.tr(
                "A classifier that is trained here classifies corpora of any size, in "
                "every language: browse what it says by class and probability."
            ),
            [
                make_action_button(actions["apply"], kind="primary"),
                make_action_button(actions["new"]),
            ],
            icon="classify",
        )
        self._lay_out()
        self.classifiers.choice_changed.connect(self._on_chosen)
        self.page.place_wanted.connect(self.place_wanted)

    @property
    def shown(self) -> Classifier | None:
        """The classifier whose predictions are shown."""
        is_shown = self._pages.currentWidget() is self._full
        return self.page.shown_classifier if is_shown else None

    def refresh(self, found: list[Classifier]) -> None:
        """Show the classifiers that were used, of those there are."""
        self._found = [one for one in found if one.predictions]
        self.classifiers.show_rows(
            [
                TwoLines(one.row.id, one.row.name, self._describe(one))
                for one in self._found
            ]
        )
        self._pages.setCurrentWidget(self._full if self._found else self._empty)
        chosen = self.classifiers.chosen
        one = next((one for one in self._found if one.row.id == chosen), None)
        if one is None and self._found:
            self.classifiers.choose(self._found[0].row.id)
        elif one is not None and one != self.page.shown_classifier:
            self.page.show_classifier(one)
        self.shown_changed.emit()

    def choose(self, classifier_id: int) -> bool:
        """Show the predictions of a classifier; returns whether there are some."""
        return self.classifiers.choose(classifier_id)

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        if self.shown is not None:
            self.page.focus_first()

    def save_state(self) -> dict[str, Any]:
        """Give what is shown."""
        shown = self.shown
        return {"classifier": shown.row.id if shown is not None else None}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show again what was shown."""
        if isinstance(state.get("classifier"), int):
            self.choose(state["classifier"])

    def _describe(self, one: Classifier) -> str:
        n = sum(row.n_rows for row in one.predictions)
        sentences = count_words(n, self.tr("1 sentence"), self.tr("{n} sentences"))
        n = len(one.predictions)
        corpora = count_words(n, self.tr("1 corpus"), self.tr("{n} corpora"))
        return DOT.join([sentences, corpora])

    def _on_chosen(self) -> None:
        chosen = self.classifiers.chosen
        one = next((one for one in self._found if one.row.id == chosen), None)
        if one is not None:
            self.page.show_classifier(one)
            self.shown_changed.emit()

    def _lay_out(self) -> None:
        left = put_heading(self.tr("In use"), self.classifiers, make_label())
        self._full = make_split(left, self.page, sizes=LIST_AND_PAGE, growing=1)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._full)
