"""A plot with its head: what is drawn, legend with values, scale, smoothing, export."""

import html
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.errors import ErrorInfo
from app.views.state import AppState
from app.views.theme import GRID, Tokens, tokens_of
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import ask_path
from app.views.widgets.plots import Curve, CurvePlot, curve_colour
from app.views.widgets.tsv import export_table

MARKS = ("━━", "╍╍", "┅┅", "━╍")  # of a legend, for the dashes of plots.DASHES
SMOOTHING = (1, 5, 15, 51)  # points
PNG_SCALE = 2  # pixels of a picture for one of the screen
Number = Callable[[float], str]


class PlotPanel(QWidget):
    """Shows one group of curves at a time.

    Attributes:
        plot: the plot.
    """

    group_changed = Signal()

    def __init__(self, state: AppState, title: str, parent: QWidget | None = None):
        super().__init__(parent)
        self._state, self._title = state, title
        self._number: Number = _plain
        self._wanted = ""
        self.plot = CurvePlot(title)
        self.plot.setMinimumHeight(18 * GRID)
        self.plot.cursor_moved.connect(self._show_legend)
        self._legend = make_label("", wraps=True)
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        self._figure = QWidget()
        figure = QVBoxLayout(self._figure)
        figure.setContentsMargins(0, 0, 0, 0)
        figure.setSpacing(4)
        figure.addWidget(self._legend)
        figure.addWidget(self.plot, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(self._make_head())
        layout.addWidget(self._figure, 1)

    @property
    def group(self) -> str:
        """The group of curves that is drawn; empty before there is one."""
        return str(self._groups.currentData() or "")

    @property
    def legend(self) -> str:
        """What the legend says, without colours."""
        return self._legend.accessibleName()

    def set_groups(self, groups: Sequence[tuple[str, str]]) -> None:
        """Offer groups of curves: pairs of key and title.

        The wanted one is drawn when it is among them, else the first.
        """
        keys = [self._groups.itemData(i) for i in range(self._groups.count())]
        if [key for key, _ in groups] == keys:
            return
        self._groups.blockSignals(True)
        self._groups.clear()
        for key, title in groups:
            self._groups.addItem(title, key)
        self._groups.setCurrentIndex(max(self._groups.findData(self._wanted), 0))
        self._groups.blockSignals(False)
        self.plot.show_all()

    def choose(self, group: str) -> None:
        """Want a group of curves: it is drawn as soon as there is one."""
        self._wanted = group
        place = self._groups.findData(group)
        if place >= 0:
            self._groups.setCurrentIndex(place)

    def show_curves(
        self, curves: Sequence[Curve], axis: str, number: Number | None = None
    ) -> None:
        """Draw curves.

        Args:
            curves: what to draw.
            axis: title of the axis of values, with the unit.
            number: writes a value for the legend.
        """
        self._number = number or _plain
        self.plot.set_titles(self.tr("step"), axis)
        self.plot.show_curves(curves)

    def save(self, file: Path) -> None:
        """Write the plot as a picture or a table, as the file's ending says."""
        match file.suffix.lower():
            case ".csv":
                export_table(self._state, file, self._table())
                return
            case ".svg":
                is_written = self._save_svg(file)
            case _:
                is_written = self._save_png(file)
        if is_written:
            words = self.tr("The plot was written to {file}.")
            self._state.notice_posted.emit(words.format(file=file))
        else:
            words = self.tr("{file} can't be written: choose another place.")
            self._state.error_posted.emit(
                ErrorInfo("resource", words.format(file=file))
            )

    # --- making ---

    def _make_head(self) -> QHBoxLayout:
        self._groups = QComboBox()
        self._groups.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        describe(self._groups, self._title, self.tr("Choose what is drawn."))
        self._groups.currentIndexChanged.connect(self._on_chosen)
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self._groups)
        head.addStretch()
        self._log = QCheckBox(self.tr("Log scale"))
        describe(
            self._log,
            self.tr("Log scale"),
            self.tr("Draw the values on a logarithmic scale."),
        )
        self._log.toggled.connect(self.plot.set_log)
        self._smoothing = QComboBox()
        for window in SMOOTHING:
            words = self.tr("Mean of {n}") if window > 1 else self.tr("Not smoothed")
            self._smoothing.addItem(words.format(n=window), window)
        describe(
            self._smoothing,
            self.tr("Smoothing"),
            self.tr("Draw means over so many neighbouring points."),
        )
        self._smoothing.currentIndexChanged.connect(
            lambda: self.plot.set_smoothing(self._smoothing.currentData())
        )
        for widget in (self._log, self._smoothing, self._make_menu()):
            head.addWidget(widget)
        return head

    def _make_menu(self) -> QPushButton:
        button = make_button(
            self.tr("Plot"), self.tr("Save the plot, or show all of it."), kind="quiet"
        )
        menu = QMenu(button)
        for words, suffix in (
            (self.tr("Save as PNG…"), ".png"),
            (self.tr("Save as SVG…"), ".svg"),
            (self.tr("Save the values as CSV…"), ".csv"),
        ):
            action = QAction(words, menu)
            action.triggered.connect(lambda _=False, s=suffix: self._ask(s))
            menu.addAction(action)
        menu.addSeparator()
        menu.addAction(self.tr("Show all"), self.plot.show_all)
        button.setMenu(menu)
        return button

    def _on_chosen(self) -> None:
        self._wanted = self.group
        self.plot.show_all()
        self.group_changed.emit()

    # --- legend ---

    def _show_legend(self) -> None:
        tokens = tokens_of(self)
        values = self.plot.values_at_cursor()
        parts, words = [], []
        for curve, value in zip(self.plot.curves, values, strict=True):
            number = "–" if value is None else self._number(value)
            parts.append(_legend_entry(curve, number, tokens))
            words.append(f"{curve.title} {number}")
        if self.plot.cursor is not None:
            step = self.tr("step {n}").format(n=f"{self.plot.cursor:,.0f}")
            parts.append(f'<span style="color:{tokens.secondary}">{step}</span>')
            words.append(step)
        self._legend.setText(" &nbsp; ".join(parts))
        describe(self._legend, ", ".join(words))
        self._legend.setToolTip("")

    # --- files ---

    def _ask(self, suffix: str) -> None:
        name = f"{self._title} {self.group}".strip().lower().replace(" ", "-")
        ask_path(
            self.window(),
            self.tr("Save the plot"),
            lambda path: self.save(path if path.suffix else path.with_suffix(suffix)),
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / f"{name}{suffix}",
            filters=f"*{suffix}",
        )

    def _save_png(self, file: Path) -> bool:
        from PySide6.QtGui import QPixmap

        picture = QPixmap(self._figure.size() * PNG_SCALE)
        picture.setDevicePixelRatio(PNG_SCALE)
        picture.fill(tokens_of(self).surface)
        self._figure.render(picture)
        return picture.save(str(file), "PNG")

    def _save_svg(self, file: Path) -> bool:
        generator = QSvgGenerator()
        generator.setFileName(str(file))
        size: QSize = self._figure.size()
        generator.setSize(size)
        generator.setViewBox(QRect(0, 0, size.width(), size.height()))
        generator.setTitle(self._title)
        painter = QPainter()
        if not painter.begin(generator):
            return False
        painter.fillRect(
            QRect(0, 0, size.width(), size.height()), tokens_of(self).surface
        )
        self._figure.render(painter, QPoint())
        return painter.end()

    def _table(self) -> Iterator[Sequence[str]]:
        """Give one row a step: the step, then each curve's value there or nothing."""
        curves = self.plot.curves
        yield ["step", *(curve.title for curve in curves)]
        steps = np.unique(np.concatenate([np.empty(0), *(c.steps for c in curves)]))
        columns = [dict(zip(c.steps, c.values, strict=True)) for c in curves]
        for step in steps:
            cells = (column.get(step) for column in columns)
            yield [f"{step:.0f}", *("" if v is None else f"{v:.9g}" for v in cells)]

    def changeEvent(self, event: QEvent) -> None:
        """Draw the legend again in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_legend"):
            self._show_legend()


def _plain(value: float) -> str:
    return f"{value:.4g}"


def _legend_entry(curve: Curve, number: str, tokens: Tokens) -> str:
    mark = MARKS[curve.dash % len(MARKS)]
    colour = curve_colour(curve, tokens)
    return (
        f'<span style="color:{colour}">{mark}</span>&nbsp;'
        f"{html.escape(curve.title).replace(' ', '&nbsp;')}&nbsp;<b>{number}</b>"
    )
