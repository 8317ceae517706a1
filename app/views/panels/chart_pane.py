"""Charts of which one is drawn, with what is pointed at, and its file."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.charts import Chart
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.chart_figures import Figure, make_figure
from app.views.widgets.controls import describe
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.plot_file import PlotFile

LEAST = 18 * GRID  # height of what is seen of a chart


class ChartPane(QWidget):
    """A list of charts, and the chosen one.

    Attributes:
        charts: all of them.
        figure: the one that is drawn; None: there is none.
        file: saves it.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self.charts: list[Chart] = []
        self.figure: Figure | None = None
        self.file: PlotFile | None = None
        self._menu: QPushButton | None = None
        self.choice = QComboBox()
        self.choice.setSizePolicy(
            QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed
        )
        self.choice.setMinimumContentsLength(12)
        describe(self.choice, self.tr("Chart"), self.tr("Choose what is drawn."))
        self.choice.currentIndexChanged.connect(self._on_chosen)
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._told = ElidedLabel("secondary")
        self._head = QHBoxLayout()
        self._head.setSpacing(GRID)
        self._head.addWidget(self.choice, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(self._head)
        self._scroll.setMinimumHeight(LEAST)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(self._told)

    @property
    def told(self) -> str:
        """What is said of the place that is pointed at, else of the chart."""
        return self._told.text()

    @property
    def title(self) -> str:
        """Title of the chart that is drawn."""
        return self.choice.currentText()

    def show_charts(self, charts: Sequence[Chart], wanted: str = "") -> None:
        """Offer charts; one of the same title as before, or as wanted, is drawn."""
        wanted = wanted or self.title
        self.charts = list(charts)
        self.choice.blockSignals(True)
        self.choice.clear()
        self.choice.addItems([chart.title for chart in charts])
        self.choice.setCurrentIndex(max(self.choice.findText(wanted), 0))
        self.choice.setMaxVisibleItems(20)
        self.choice.blockSignals(False)
        self._on_chosen()

    def choose(self, title: str) -> None:
        """Draw the chart of a title, if there is one."""
        place = self.choice.findText(title)
        if place >= 0:
            self.choice.setCurrentIndex(place)

    def focus_first(self) -> None:
        """Put the keyboard on the chart, whose keys tell the values."""
        if self.figure is not None:
            self._focused(self.figure.widget).setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_chosen(self) -> None:
        place = self.choice.currentIndex()
        if self._menu is not None:
            self._head.removeWidget(self._menu)
            self._menu.deleteLater()
            self._menu = None
        self.figure = self.file = None
        if not 0 <= place < len(self.charts):
            self._scroll.setWidget(QWidget())
            self._on_told_changed()
            return
        chart = self.charts[place]
        figure = make_figure(chart)
        self.figure = figure
        self._scroll.setWidget(_hold(figure))
        self.file = PlotFile(
            self._state,
            figure.widget,
            chart.title,
            figure.table,
            full_size=figure.full_size,
        )
        self._menu = self.file.make_menu(figure.show_all)
        self._head.addWidget(self._menu)
        if figure.told_changed is not None:
            figure.told_changed.connect(self._on_told_changed)
        self._on_told_changed()

    def _on_told_changed(self) -> None:
        """Tell what is pointed at, else what the chart shows."""
        told = self.figure.told() if self.figure is not None else ""
        place = self.choice.currentIndex()
        note = self.charts[place].note if 0 <= place < len(self.charts) else ""
        self._told.setText(told or note)

    def _focused(self, widget: QWidget) -> QWidget:
        """Give the part of a figure that takes the keys."""
        plot = getattr(widget, "plot", widget)
        assert isinstance(plot, QWidget), "a figure is its plot or holds one"
        return plot


def _hold(figure: Figure) -> QWidget:
    """Put a figure at the top of the page that scrolls."""
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(figure.widget, 100 if figure.grows else 0)
    layout.addStretch(1)  # for what a figure does not take
    return page
