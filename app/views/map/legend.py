"""Legend of a map: entries, colours, and a list that filters by entry."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QItemSelectionModel, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QListView,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from app.views.map.colouring import (
    CLUSTER,
    DENSITY,
    FIELD,
    Colouring,
    step_shades,
)
from app.views.map.drawing.palettes import (
    N_SHADES,
    Palette,
    other_colour,
    shade_palette,
    to_name,
    to_rows,
)
from app.views.map.number_steps import MIN_DECIMALS, NumberSteps
from app.views.widgets.cells import ALIGN_LEFT, ALIGN_RIGHT, Index
from app.views.widgets.class_colours import class_colours
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.theme import ThemeColours, colours_of, scaled
from app.views.widgets.two_line_list import (
    ROW_ROLE,
    RowDelegate,
    RowListModel,
    RowText,
    selected_rows,
    set_up_list,
)


class LegendRow(NamedTuple):
    """An entry of the legend.

    Attributes:
        title: a class or a range of numbers; also the key of the entry.
        n: number of points.
        colour: #RRGGBB.
        codes: codes of the colouring that the entry represents.
    """

    title: str
    n: int
    colour: str
    codes: tuple[int, ...]


def legend_rows(
    colouring: Colouring, chosen: Collection[str], tokens: ThemeColours
) -> list[LegendRow]:
    """Return the entries of a colouring.

    Args:
        chosen: chosen titles. A chosen class without a colour of its own gets the
            colour of a class that isn't chosen, because that class is grey.
        tokens: colours of the window.
    """
    if colouring.key == DENSITY:
        return []
    if colouring.is_number:
        return [*_number_rows(colouring, tokens), *_none_rows(colouring, tokens)]
    colours = _colours_of(colouring, chosen, tokens)
    entries = zip(colouring.names, colouring.counts, colours, strict=True)
    return [
        LegendRow(name, n, colour, (code,))
        for code, (name, n, colour) in enumerate(entries)
    ]


def count_passing(
    rows: Sequence[LegendRow], colouring: Colouring, passing: NDArray[np.bool_]
) -> list[LegendRow]:
    """Return the entries with their number of points that match the filters.

    Args:
        passing: bool (n,), the points that match.
    """
    counts = np.bincount(colouring.codes[passing], minlength=256)
    return [row._replace(n=int(counts[list(row.codes)].sum())) for row in rows]


def colouring_palette(
    colouring: Colouring, rows: Sequence[LegendRow], colours: ThemeColours
) -> Palette:
    """Return the colour of each code: uint8 (256, 3).

    Args:
        colouring: the colouring of a map, which may differ from the legend's.
        colours: colours of the window.
    """
    palette = np.empty((256, 3), np.uint8)
    palette[:] = to_rows([other_colour(colours)])[0]
    if colouring.is_number:
        palette[:N_SHADES] = shade_palette(colours)
        return palette
    by_title = {row.title: row.colour for row in rows}
    for code, name in enumerate(colouring.names):
        if name in by_title:
            palette[code] = to_rows([by_title[name]])[0]
    return palette


def highlighted_points(
    colouring: Colouring, rows: Sequence[LegendRow], chosen: Collection[str]
) -> NDArray[np.bool_] | None:
    """Return a mask of the points in the chosen entries: bool (n,); None: all."""
    if not chosen:
        return None
    is_wanted = np.zeros(256, np.bool_)
    for row in rows:
        if row.title in chosen and colouring.is_number:
            is_wanted[list(row.codes)] = True
    for code, name in enumerate(colouring.names):
        is_wanted[code] = name in chosen
    return is_wanted[colouring.codes]


def _colours_of(
    colouring: Colouring, chosen: Collection[str], tokens: ThemeColours
) -> list[str]:
    own, n = class_colours(tokens), len(colouring.names)
    rest = other_colour(tokens)
    if colouring.key == CLUSTER:  # distinguished by their numbers on the map
        colours = [own[index % len(own)] for index in range(n)]
    else:
        colours = [own[index] if index < len(own) else rest for index in range(n)]
    if colouring.has_none:
        colours[-1] = rest
    is_chosen = [name in chosen for name in colouring.names]
    free = [
        own[index]
        for index in range(min(n - colouring.has_none, len(own)))
        if not is_chosen[index]
    ]
    for index in range(len(own), n - colouring.has_none):
        if is_chosen[index] and free and colouring.key != CLUSTER:
            colours[index] = free.pop(0)
    return colours


def _number_rows(colouring: Colouring, colours: ThemeColours) -> list[LegendRow]:
    shades, steps = shade_palette(colours), colouring.steps
    if steps is None:
        return _one_row(colouring, to_name(shades[0]))
    counts = np.bincount(colouring.codes, minlength=N_SHADES + 1)
    rows = []
    for index in range(steps.n):
        codes = step_shades(steps, index)
        low, high = _ends(colouring, steps, index)
        ends = [format_number(colouring, end, steps) for end in (low, high)]
        title = " – ".join(ends if low < high else ends[:1])
        colour = to_name(shades[codes[len(codes) // 2]])
        rows.append(LegendRow(title, int(counts[codes].sum()), colour, tuple(codes)))
    return rows


def _one_row(colouring: Colouring, colour: str) -> list[LegendRow]:
    """Return one entry if all numbers are equal, or none if there are no numbers."""
    codes = tuple(range(N_SHADES))
    n = int((colouring.codes < N_SHADES).sum())
    title = format_number(colouring, colouring.low, None)
    return [LegendRow(title, n, colour, codes)] if n else []


def _none_rows(colouring: Colouring, colours: ThemeColours) -> list[LegendRow]:
    """Return the entry for points without a number, if there are any."""
    n = int((colouring.codes == N_SHADES).sum())
    kind, _, field = colouring.key.partition(":")
    title = QCoreApplication.translate("map", "No value")
    if kind == FIELD:
        title = QCoreApplication.translate("map", "No {field}").format(field=field)
    return [LegendRow(title, n, other_colour(colours), (N_SHADES,))] if n else []


def _ends(colouring: Colouring, steps: NumberSteps, index: int) -> tuple[float, float]:
    """Return the lowest and highest number of a legend entry."""
    low, high = steps.start_of(index), steps.start_of(index + 1) - colouring.is_whole
    if colouring.numbers is not None:  # include outliers in the first and last entry
        if index == 0:
            low = min(low, float(np.nanmin(colouring.numbers)))
        if index == steps.n - 1:
            high = max(high, float(np.nanmax(colouring.numbers)))
    return low, high


def format_number(colouring: Colouring, value: float, steps: NumberSteps | None) -> str:
    """Format a number of a column with the precision of the step bounds."""
    if not colouring.is_whole:
        decimals = MIN_DECIMALS if steps is None else steps.decimals
        return f"{value:,.{decimals}f}"
    is_year = colouring.key.startswith(FIELD) and abs(value) < NO_YEAR
    return str(round(value)) if is_year else format_count(round(value))


NO_YEAR = 10_000  # lower numbers may be years: 2009, not 2,009
ROW_HEIGHT, SWATCH, PADDING = 28, 12, 8


class LegendList(QListView):
    """The legend as a filter; a click selects an entry or clears the selection."""

    chosen_changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._model = RowListModel(_describe_row, self)
        self.setModel(self._model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.MultiSelection)
        set_up_list(
            self,
            RowDelegate(self._paint_row, self, ROW_HEIGHT),
            self.tr("Legend"),
            self.tr("Select what keeps its colour; other points turn grey."),
        )
        self.selectionModel().selectionChanged.connect(self._on_changed)

    @property
    def rows(self) -> list[LegendRow]:
        """The entries of the legend."""
        return self._model.rows

    @property
    def chosen(self) -> tuple[str, ...]:
        """Titles of the chosen entries; empty means all are in colour."""
        return tuple(self.rows[index].title for index in selected_rows(self))

    def show_rows(self, rows: Sequence[LegendRow]) -> None:
        """Show entries, and keep the selected titles that they contain."""
        kept = self.chosen
        self.blockSignals(True)
        self.selectionModel().blockSignals(True)
        self._model.show_rows(rows)
        self._select(kept)
        self.selectionModel().blockSignals(False)
        self.blockSignals(False)
        self.viewport().update()

    def choose(self, titles: Iterable[str]) -> None:
        """Select these entries only."""
        before = self.chosen
        self.show_choice(titles)
        if self.chosen != before:
            self.chosen_changed.emit()

    def show_choice(self, titles: Iterable[str]) -> None:
        """Show these entries as selected, without emitting a signal."""
        self.selectionModel().blockSignals(True)
        self._select(titles)
        self.selectionModel().blockSignals(False)
        self.viewport().update()

    def clear_choice(self) -> None:
        """Clear the selection, so that all points are in colour."""
        self.choose(())

    def _select(self, titles: Iterable[str]) -> None:
        wanted = set(titles)
        model = self.selectionModel()
        model.clearSelection()
        flag = QItemSelectionModel.SelectionFlag.Select
        for index, row in enumerate(self.rows):
            if row.title in wanted:
                model.select(self._model.index(index), flag)

    def _on_changed(self) -> None:
        self.viewport().update()
        self.chosen_changed.emit()

    def _paint_row(
        self, painter: QPainter, _: QRectF, item: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint colour, name and number; entries that aren't chosen are pale."""
        is_chosen = bool(item.state & QStyle.StateFlag.State_Selected)
        is_pale = bool(self.chosen) and not is_chosen
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row: LegendRow = index.data(ROW_ROLE)
        _paint_entry(painter, QRectF(item.rect), row, item.font, is_pale=is_pale)


def _describe_row(row: LegendRow) -> RowText:
    one = QCoreApplication.translate("LegendModel", "1 sentence")
    many = QCoreApplication.translate("LegendModel", "{n} sentences")
    return RowText(row.title, row.title, f"{row.title}, {pluralize(row.n, one, many)}")


def _paint_entry(
    painter: QPainter, rect: QRectF, row: LegendRow, font: QFont, *, is_pale: bool
) -> None:
    colours = colours_of(QApplication.palette())
    size = scaled(SWATCH, font)
    swatch = QRectF(rect.left() + PADDING, 0, size, size)
    swatch.moveTop(rect.center().y() - size / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    colour = QColor(row.colour)
    if is_pale:
        colour.setAlpha(70)
    painter.setBrush(colour)
    painter.drawRoundedRect(swatch, 3, 3)
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    count = format_count(row.n)
    room = rect.adjusted(2 * PADDING + size, 0, -PADDING, 0)
    painter.setPen(QColor(colours.secondary))
    painter.drawText(room, ALIGN_RIGHT, count)
    room.setRight(room.right() - metrics.horizontalAdvance(count) - PADDING)
    painter.setPen(QColor(colours.secondary if is_pale else colours.text))
    elide = Qt.TextElideMode.ElideRight
    painter.drawText(
        room, ALIGN_LEFT, metrics.elidedText(row.title, elide, room.width())
    )
