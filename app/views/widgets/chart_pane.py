"""Chart pane: list of charts, the selected one, and its export."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from app.results.charts import (
    PERCENT_UNITS,
    RHO,
    BarChart,
    Chart,
    HeatMapChart,
    LineChart,
    chart_table,
    format_figure,
)
from app.views.client.state import AppState
from app.views.widgets import heat_map
from app.views.widgets.bar_chart import BarChartFigure
from app.views.widgets.boxes import Stretch, as_widget, make_column, make_row
from app.views.widgets.controls import ElidedLines, describe
from app.views.widgets.curve_chart import CurveChart
from app.views.widgets.curve_plot import Curve
from app.views.widgets.heat_map import HeatMapData, short_value
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.theme import GRID, scaled


class ChartFigure(NamedTuple):
    """A chart that is drawn.

    Attributes:
        widget: the widget to paint.
        table: returns the values, the header first.
        cursor_text: describes the place under the cursor; empty: the legend does.
        told_changed: the place under the cursor has changed; None: see the legend.
        show_all: zooms out; None: nothing is zoomed.
        grows: expands to the available space.
        full_size: gives a copy at its best size, for a file; None: it has that.
        activated: the row and the column of a cell that was activated; None: no cells.
    """

    widget: QWidget
    table: Callable[[], Iterator[Sequence[str]]]
    cursor_text: Callable[[], str]
    told_changed: SignalInstance | None = None
    show_all: Callable[[], object] | None = None
    grows: bool = True
    full_size: Callable[[], QWidget] | None = None
    activated: SignalInstance | None = None


def make_chart_figure(chart: Chart) -> ChartFigure:
    """Draw a chart."""
    match chart:
        case BarChart():
            bars = BarChartFigure(chart)
            changed = bars.told_changed
            show_all = bars.show_all
            return ChartFigure(
                bars, bars.table, bars.cursor_text, changed, show_all, grows=False
            )
        case HeatMapChart():
            return _make_map(chart)
        case LineChart():
            return _make_curves(chart)


def _make_map(chart: HeatMapChart) -> ChartFigure:
    cells = [[np.nan if v is None else v for v in row] for row in chart.values]
    write = partial(format_figure, unit=chart.unit)
    unit = "" if chart.unit == RHO else chart.unit
    heat = HeatMapData(
        np.array(cells, np.float64).reshape(len(chart.rows), len(chart.columns)),
        chart.rows,
        chart.columns,
        top=_top(chart),
        low=0.0 if chart.middle is not None else chart.low,
        writers=(write, _whole if chart.unit in PERCENT_UNITS else short_value),
        title=RHO if chart.unit == RHO else "",
        precise=lambda value: f"{write(value)} {unit}".rstrip(),
        signs=chart.signs,
        details=chart.details,
        is_directed=chart.is_directed,
    )
    figure = heat_map.HeatMap(chart.title)
    figure.show_heat(heat)
    full_size = partial(_make_full_size, chart.title, heat)
    return ChartFigure(
        figure,
        partial(_table, chart),
        figure.cursor_text,
        figure.pointed_changed,
        full_size=full_size,
        activated=figure.activated,
    )


def _make_full_size(title: str, heat: HeatMapData) -> heat_map.HeatMap:
    """Draw a heat map with the largest cells."""
    figure = heat_map.HeatMap(title)
    figure.show_heat(heat)
    figure.resize(figure.sizeHint())
    figure.resize(figure.sizeHint())  # in that width the names may lie
    return figure


def _top(chart: HeatMapChart) -> float:
    """Return the value of the deepest shade; around a middle, of both hues."""
    return chart.high if chart.middle is None else max(-chart.low, chart.high)


def _make_curves(chart: LineChart) -> ChartFigure:
    figure = CurveChart(chart.title, place=chart.x)
    curves = []
    for number, (name, points) in enumerate(chart.lines.items()):
        steps, values = np.array(points, np.float64).reshape(-1, 2).T
        curves.append(Curve(name, steps, values, number))
    figure.show_curves(curves, chart.y)
    figure.plot.show_all()
    return ChartFigure(figure, figure.table, lambda: "", None, figure.plot.show_all)


def _table(chart: Chart) -> Iterator[Sequence[str]]:
    head, rows = chart_table(chart)
    yield head
    yield from (["" if v is None else str(v) for v in row] for row in rows)


def _whole(value: float) -> str:
    return f"{value:.0f}"


MAX_CHART_HEIGHT = 10_000  # more than any screen
MIN_CHART_HEIGHT = 32 * GRID  # of what is seen of a chart: a dozen rows of a matrix


MAX_NOTE_LINES = 4


class _NoteLabel(ElidedLines):
    """A note in as many lines as it needs.

    What is shown in its place has the same lines, so that nothing moves.
    """

    height_changed = Signal()

    def __init__(self) -> None:
        super().__init__("secondary", max_lines=MAX_NOTE_LINES)
        self._note = ""
        self._fit()

    def show_note(self, note: str) -> None:
        """Show a note, and keep its lines from now on."""
        self._note = note
        self.setText(note)

    @property
    def max_lines(self) -> int:
        """The number of lines that the note needs."""
        counts = range(1, self._max_lines)
        note, width = self._note, self.width()
        whole = (n for n in counts if self._lay_out(note, width, n)[0] == note)
        return next(whole, self._max_lines)

    def _fit(self) -> None:
        super()._fit()
        texts, n_lines = (self._note, "A"), self.max_lines
        height = max(self._lay_out(one, self.width(), n_lines)[1] for one in texts)
        if height != self.maximumHeight():
            self.setFixedHeight(height)
            self.height_changed.emit()


class ChartPane(QWidget):
    """A list of charts, and the chosen one.

    Attributes:
        charts: all of them.
        hint: text before the note of a chart.
        cell_hint: the same of a matrix: what the activation of a cell does.
        figure: the one that is drawn; None: there is none.
        file: saves it.
    """

    cell_activated = Signal(str, str, str)  # title of the chart, row and column

    def __init__(
        self,
        state: AppState,
        parent: QWidget | None = None,
        *,
        min_chart_height: int = MIN_CHART_HEIGHT,
        fits_content: bool = False,
    ):
        """Make an empty pane.

        Args:
            min_chart_height: of the part of a chart that is seen, in pixels.
            fits_content: the pane is no higher than its chart.
        """
        super().__init__(parent)
        self._state, self._min_chart_height = state, min_chart_height
        self._fits_content = fits_content
        self.charts: list[Chart] = []
        self.hint = self.cell_hint = ""
        self.figure: ChartFigure | None = None
        self.file: PlotExporter | None = None
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
        self._cursor_label = _NoteLabel()
        self._head = make_row((self.choice, 1))
        layout = make_column(self._head, parent=self)
        self._keep_room()
        layout.addWidget(self._scroll, 1)
        layout.addWidget(self._cursor_label)
        self._cursor_label.height_changed.connect(self._keep_room)

    @property
    def cursor_text(self) -> str:
        """The description of the place under the cursor, otherwise of the chart."""
        return self._cursor_label.text()

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
        self.choice.setVisible(bool(charts))
        self._on_chosen()

    def choose(self, title: str) -> None:
        """Draw the chart of a title, if there is one."""
        index = self.choice.findText(title)
        if index >= 0:
            self.choice.setCurrentIndex(index)

    def focus_first(self) -> None:
        """Focus the chart, where the arrow keys show the values."""
        if self.figure is not None:
            self._focused(self.figure.widget).setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_chosen(self) -> None:
        index = self.choice.currentIndex()
        if self._menu is not None:
            self._head.removeWidget(self._menu)
            self._menu.deleteLater()
            self._menu = None
        self.figure = self.file = None
        if not 0 <= index < len(self.charts):
            self._scroll.setWidget(QWidget())
            self._on_told_changed()
            return
        chart = self.charts[index]
        figure = make_chart_figure(chart)
        self.figure = figure
        self._scroll.setWidget(_make_page(figure))
        self.file = PlotExporter(
            self._state,
            figure.widget,
            chart.title,
            figure.table,
            full_size=figure.full_size,
        )
        self.file.note = chart.note
        self._menu = self.file.make_menu(figure.show_all)
        self._head.addWidget(self._menu)
        if figure.told_changed is not None:
            figure.told_changed.connect(self._on_told_changed)
        if figure.activated is not None:
            figure.activated.connect(self._on_activated)
        self._on_told_changed()
        self._fit_chart()

    def _on_told_changed(self) -> None:
        """Describe the place under the cursor, otherwise the chart."""
        text = self.figure.cursor_text() if self.figure is not None else ""
        index = self.choice.currentIndex()
        chart = self.charts[index] if 0 <= index < len(self.charts) else None
        notes = [self.cell_hint if isinstance(chart, HeatMapChart) else self.hint]
        notes += [chart.note] if chart is not None else []
        self._cursor_label.show_note(" ".join(filter(None, notes)))
        if text:
            self._cursor_label.setText(text)

    def _on_activated(self, row: int, column: int) -> None:
        chart = self.charts[self.choice.currentIndex()]
        assert isinstance(chart, HeatMapChart), "only its cells can be activated"
        self.cell_activated.emit(chart.title, chart.rows[row], chart.columns[column])

    def _fit_chart(self) -> None:
        """Let the chart be as large as its text asks for, and keep room for it."""
        figure = self.figure
        if figure is not None and figure.full_size is not None:
            figure.widget.setMinimumSize(figure.widget.minimumSizeHint())
            figure.widget.setMaximumSize(figure.full_size().size())
        self._keep_room()

    def _keep_room(self) -> None:
        """Keep room for a part of the chart."""
        height = scaled(self._min_chart_height)
        if self._fits_content:
            most = self._chart_height()
            height = min(height, most)
            others = self._head.sizeHint().height() + self._cursor_label.maximumHeight()
            self.setMaximumHeight(most + others + 2 * GRID)
        self._scroll.setMinimumHeight(height)

    def _chart_height(self) -> int:
        """Return the largest height that the chart can use, with a scroll bar."""
        if self.figure is None:
            return 0
        chart, bar = self.figure.widget, self._scroll.horizontalScrollBar()
        most = chart.maximumHeight() if self.figure.grows else chart.sizeHint().height()
        return min(most, MAX_CHART_HEIGHT) + bar.sizeHint().height()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the room that another size of text asks for."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_chart()

    def _focused(self, widget: QWidget) -> QWidget:
        """Return the part of a figure that takes the keys."""
        plot = getattr(widget, "plot", widget)
        assert isinstance(plot, QWidget), "a figure is its plot or holds one"
        return plot


def _make_page(figure: ChartFigure) -> QWidget:
    """Put a figure at the top of the page that scrolls."""
    return as_widget(
        make_column((figure.widget, 100 if figure.grows else 0), Stretch(1), gap=None)
    )  # for what a figure does not take
