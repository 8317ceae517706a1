"""The mine view without pairs: what mining is, and what to mine first."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.views.mining_sides import suggest_sides
from app.views.state import AppState
from app.views.widgets.controls import make_action_button, make_button
from app.views.widgets.empty_state import EmptyState


class MiningStart(QWidget):
    """An empty page with a button that mines at once.

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
        self.quick = make_button(
            self.tr("Mine"),
            self.tr("Mine these two with the usual settings."),
            actions["mine_suggested"].trigger,
            kind="primary",
        )
        mine = make_action_button(actions["mine"])
        self._page = EmptyState("", "", [self.quick, mine], icon="mining")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._page)

    @property
    def words(self) -> tuple[str, str]:
        """Heading and text."""
        return self._page.words

    def refresh(self) -> None:
        """Say what can be mined now, or that it is being mined."""
        project = self._state.project
        if project is None:
            return
        sides = suggest_sides(project)
        self.quick.setVisible(sides is not None)
        if sides is not None:
            names = " – ".join(side.name for side in sides)
            self.quick.setText(self.tr("Mine {names}").format(names=names))
            self.quick.setAccessibleName(self.quick.text())
        is_busy = any(run.task == "mine-pairs" for run in self._state.runs)
        self.quick.setEnabled(not is_busy and not project.is_read_only)
        heading = self.tr("No pairs yet")
        text = self.tr(
            "Mining finds sentences of two corpora that are translations of each "
            "other, and scores how sure each pair is."
        )
        if not project.corpora:
            text = self.tr("Mining compares corpora: import texts first.")
        if is_busy:
            heading = self.tr("Mining…")
            text = self.tr("The bar below says how far it is. The pairs come here.")
        self._page.set_words(heading, text)

    def focus_first(self) -> None:
        """Put the keyboard on the button."""
        self.quick.setFocus(Qt.FocusReason.OtherFocusReason)
