"""Bars with intervals and their legend above: what is saved as a picture."""

import html
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.charts import BarChart, chart_table
from app.views.theme import tokens_of
from app.views.widgets.bar_plot import SIGNS, BarPlot, palette_of
from app.views.widgets.controls import describe, make_label

NO_HYPHEN = "&#8209;"  # no line ends at it


class BarFigure(QWidget):
    """A chart of bars with its legend.

    Attributes:
        plot: the plot.
    """

    told_changed = Signal()

    def __init__(self, chart: BarChart, parent: QWidget | None = None):
        super().__init__(parent)
        self._chart = chart
        self.plot = BarPlot()
        self.plot.pointed_changed.connect(self.told_changed)
        self._legend = make_label("", wraps=True)
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._legend)
        layout.addWidget(self.plot)
        self.plot.show_chart(chart)
        self._show_legend()

    @property
    def legend(self) -> str:
        """What the legend says, without colours."""
        return self._legend.accessibleName()

    def told(self) -> str:
        """Tell the figures that are pointed at; empty: nothing is."""
        return self.plot.told()

    def show_all(self) -> None:
        """Zoom out."""
        self.plot.show_all()

    def table(self) -> Iterator[Sequence[str]]:
        """Give the values, the header first."""
        head, rows = chart_table(self._chart)
        yield head
        yield from (["" if v is None else str(v) for v in row] for row in rows)

    def _show_legend(self) -> None:
        palette, ink = palette_of(tokens_of(self)), tokens_of(self).text
        entries = [
            ("■", palette[place % len(palette)], name)
            for place, name in enumerate(self._chart.series)
        ]
        entries += [
            (SIGNS[place % len(SIGNS)][1], ink, name)
            for place, name in enumerate(self._chart.marks)
        ]
        self._legend.setText(
            " &nbsp; ".join(
                f'<span style="color:{colour}">{sign}</span>&nbsp;'
                + html.escape(name).replace(" ", "&nbsp;").replace("-", NO_HYPHEN)
                for sign, colour, name in entries
            )
        )
        describe(self._legend, ", ".join(name for _, _, name in entries))
        self._legend.setToolTip("")

    def changeEvent(self, event: QEvent) -> None:
        """Draw the legend again in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_legend"):
            self._show_legend()
