"""The column beside a pair: threshold, annotators, history."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.views.panels.agreement_panel import AgreementPanel
from app.views.panels.history_panel import HistoryPanel
from app.views.panels.threshold_panel import ThresholdPanel
from app.views.state import AppState
from app.views.theme import GRID, scaled
from app.views.widgets.scrolled import make_scrolled

LEAST_WIDTH = 34 * GRID
LEAST_HISTORY = 18  # in steps of the grid; lower than this, the column scrolls


class ReviewSide(QWidget):
    """Three panels, one below the other."""

    pair_chosen = Signal(object)  # id
    conflicts_wanted = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.setObjectName("reviewSide")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(max(LEAST_WIDTH, scaled(30 * GRID)))
        self.threshold = ThresholdPanel(state)
        self.agreement = AgreementPanel(state)
        self.history = HistoryPanel(state)
        self.history.pair_chosen.connect(self.pair_chosen)
        self.agreement.conflicts_wanted.connect(self.conflicts_wanted)
        self.history.setMinimumHeight(scaled(LEAST_HISTORY * GRID))
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(3 * GRID)
        layout.addWidget(self.threshold)
        layout.addWidget(self.agreement)
        layout.addWidget(self.history, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(make_scrolled(page))

    def show_mining(self, mining: int | None) -> None:
        """Show what is known of another set of pairs."""
        self.threshold.show_mining(mining)
        self.agreement.show_mining(mining)
        self.history.refresh()

    def refresh_soon(self) -> None:
        """Follow a judgement, in a moment and without blocking."""
        self.threshold.ask_soon()
        self.agreement.ask_soon()
        self.history.refresh_soon()
