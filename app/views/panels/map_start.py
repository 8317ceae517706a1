"""The map view without a map: what a map is, and how to make the first one."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.views.state import AppState
from app.views.widgets.controls import make_action_button
from app.views.widgets.empty_state import EmptyState
from app.views.words import format_count


class MapStart(QWidget):
    """An empty page with a button that makes a map at once.

    Attributes:
        quick: the button.
    """

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make the page; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self.quick = make_action_button(actions["make_all"], kind="primary")
        other = make_action_button(actions["make"])
        self._page = EmptyState("", "", [self.quick, other], icon="map")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._page)

    @property
    def words(self) -> tuple[str, str]:
        """Heading and text."""
        return self._page.words

    def refresh(self) -> None:
        """Say what can be put on a map now, or that it is being done."""
        project = self._state.project
        if project is None:
            return
        heading = self.tr("No map yet")
        text = self.tr(
            "A map shows every sentence as a point, near those that mean the same. "
            "{n} sentences can be put on one."
        ).format(n=format_count(project.n_sentences))
        if not project.corpora:
            text = self.tr("A map shows the sentences of corpora: import texts first.")
        if any(run.task == "project-map" for run in self._state.runs):
            heading = self.tr("Making a map…")
            text = self.tr("The bar below says how far it is. The map comes here.")
        self._page.set_words(heading, text)

    def focus_first(self) -> None:
        """Put the keyboard on the button."""
        self.quick.setFocus(Qt.FocusReason.OtherFocusReason)
