"""The left side of the mine view: heading, Mine, the sets of pairs, the evaluations."""

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.views.theme import GRID
from app.views.widgets.controls import make_action_button, make_label, make_menu_button
from app.views.widgets.two_lines import TwoLineList, TwoLines
from app.views.widgets.wrapping_row import WrappingRow

LEAST = 30 * GRID  # width: the heading is in two lines only where text is large
MAX_EVALUATIONS = 4  # rows before the list scrolls


class MiningColumn(QWidget):
    """The lists.

    Attributes:
        minings: sets of pairs.
        evaluations: evaluations of mining.
    """

    def __init__(self, actions: dict[str, QAction], parent: QWidget | None = None):
        """Make empty lists; `actions`: the view's, by name."""
        super().__init__(parent)
        self.setMinimumWidth(LEAST)
        self.minings = TwoLineList(
            self.tr("Sets of pairs"), self.tr("Choose the pairs to show.")
        )
        self.minings.addAction(actions["delete"])
        self.evaluations = TwoLineList(
            self.tr("Evaluations"), self.tr("Choose the evaluation to show.")
        )
        self._count = make_label("", "secondary")
        mine = make_action_button(actions["mine"], kind="primary")
        mine.setText(self.tr("Mine…"))
        actions["mine"].changed.connect(lambda: mine.setText(self.tr("Mine…")))
        more = make_menu_button(
            self.tr("More"),
            self.tr("Score a bitext, or evaluate mining."),
            [actions["score"], actions["evaluate"]],
        )
        head = WrappingRow()
        head.addWidget(make_label(self.tr("Pairs"), "heading"))
        head.addWidget(self._count)
        head.add_stretch()
        head.addWidget(more)
        head.addWidget(mine)
        self._title = make_label(self.tr("Evaluations"), "section")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self.minings, 1)
        layout.addWidget(self._title)
        layout.addWidget(self.evaluations)

    def show_minings(self, rows: list[TwoLines]) -> None:
        """Show the sets of pairs."""
        self.minings.show_rows(rows)
        self._count.setText(f"{len(rows):,}" if rows else "")

    def show_evaluations(self, rows: list[TwoLines]) -> None:
        """Show the evaluations; nothing is shown of none."""
        self.evaluations.show_rows(rows)
        self.evaluations.fit(MAX_EVALUATIONS)
        self._title.setVisible(bool(rows))
        self.evaluations.setVisible(bool(rows))
