"""The column of the trainings: their list, with New above and Compare below."""

from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.views.panels.training_list import TrainingList
from app.views.theme import GRID
from app.views.training_runs import Training
from app.views.widgets.controls import make_action_button, make_label
from app.views.widgets.counted_heading import CountedHeading
from app.views.words import format_count


class TrainingColumn(QWidget):
    """Shows the trainings of the project, or that there is none.

    Attributes:
        list: the list.
    """

    def __init__(self, actions: dict[str, QAction], parent: QWidget | None = None):
        """Make the column; `actions`: the view's, by name."""
        super().__init__(parent)
        self.list = TrainingList()
        self._heading = CountedHeading(self.tr("Trainings"))
        self._none = make_label(
            self.tr(
                "No training yet. Choose a preset on the right, look at what it needs, "
                "and start it."
            ),
            "secondary",
            wraps=True,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self._heading)
        layout.addWidget(make_action_button(actions["new"]))
        layout.addWidget(self._none)
        layout.addWidget(self.list, 1)
        layout.addWidget(make_action_button(actions["compare"], kind="quiet"))

    def show_trainings(self, trainings: Sequence[Training]) -> None:
        """Show trainings; those chosen stay chosen."""
        self.list.show_trainings(trainings)
        self._heading.set_count(format_count(len(trainings)))
        self._none.setVisible(not trainings)
