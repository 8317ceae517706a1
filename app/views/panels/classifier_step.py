"""The second step: classifiers that were trained, and the form of a new one."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app.views.classifiers import Classifier, describe_classifier, read_classifiers
from app.views.panels.classifier_page import ClassifierPage
from app.views.panels.classifier_setup import ClassifierSetup
from app.views.state import AppState
from app.views.widgets.controls import make_action_button, make_label
from app.views.widgets.splits import LIST_AND_PAGE, make_split, put_heading
from app.views.widgets.two_lines import TwoLineList, TwoLines


class ClassifierStep(QWidget):
    """The list of classifiers, and the page of one or the form.

    Attributes:
        found: the classifiers, the newest first.
        setup: the form.
        page: the classifier that is shown.
        classifiers: the list.
    """

    shown_changed = Signal()

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make it; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self.found: list[Classifier] = []
        self.setup = ClassifierSetup(state)
        self.page = ClassifierPage(state, actions)
        self.classifiers = TwoLineList(
            self.tr("Classifiers"), self.tr("Choose the classifier to show.")
        )
        self.classifiers.addAction(actions["delete"])
        self._lay_out(actions)
        self.classifiers.choice_changed.connect(self._on_chosen)
        state.labels.changed.connect(lambda: self.setup.offer(self.found))

    @property
    def shown(self) -> Classifier | None:
        """The classifier that is shown; None: the form is."""
        is_page = self._pages.currentWidget() is self.page
        return self.page.shown if is_page else None

    def refresh(self) -> None:
        """Show the classifiers that there are now."""
        project = self._state.project
        if project is None:
            return
        self.found = read_classifiers(project.store)
        self.classifiers.show_rows(
            [
                TwoLines(one.row.id, one.row.name, describe_classifier(one))
                for one in self.found
            ]
        )
        self._count.setText(f"{len(self.found):,}" if self.found else "")
        self.setup.offer(self.found)
        shown = self.shown
        if shown is not None:
            now = next((o for o in self.found if o.row.id == shown.row.id), None)
            if now is None:
                self.begin_new()
            else:
                self.page.show_classifier(now)
        self.shown_changed.emit()

    def begin_new(self) -> None:
        """Show the form."""
        self.classifiers.choose(None)
        self._pages.setCurrentWidget(self.setup)
        self.setup.focus_first()
        self.shown_changed.emit()

    def choose(self, classifier_id: int) -> bool:
        """Show a classifier; returns whether it is there."""
        return self.classifiers.choose(classifier_id)

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        if self.shown is None:
            self.setup.focus_first()
        else:
            self.page.focus_first()

    def save_state(self) -> dict[str, Any]:
        """Give what is shown, and the form."""
        shown = self.shown
        return {
            "classifier": shown.row.id if shown is not None else None,
            "setup": self.setup.save_state(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show again what was shown."""
        self.setup.restore_state(state.get("setup", {}))
        if isinstance(state.get("classifier"), int):
            self.choose(state["classifier"])

    def _on_chosen(self) -> None:
        chosen = self.classifiers.chosen
        one = next((one for one in self.found if one.row.id == chosen), None)
        if one is not None:
            self.page.show_classifier(one)
            self._pages.setCurrentWidget(self.page)
            self.shown_changed.emit()

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        self._count = make_label("", "secondary")
        new = make_action_button(actions["new"], kind="primary")
        new.setText(self.tr("New…"))
        actions["new"].changed.connect(lambda: new.setText(self.tr("New…")))
        left = put_heading(self.tr("Classifiers"), self.classifiers, self._count, new)
        right = QWidget()
        self._pages = QStackedLayout(right)
        self._pages.addWidget(self.setup)
        self._pages.addWidget(self.page)
        split = make_split(left, right, sizes=LIST_AND_PAGE, growing=1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)
