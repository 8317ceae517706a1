"""Histogram of a column of numbers, on which a range is chosen."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views.map.colouring import Colouring
from app.views.map.legend import format_number
from app.views.map.number_steps import NumberSteps, find_steps
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import ElidedLabel, describe, make_button
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import GRID, colours_of, mix, scaled

MAX_WHOLE, MAX_OTHER = 120, 40  # number of bins for integers and other numbers
MOST_SPREAD = 4.0  # range of bins, in widths of the inner 99 %; others share a bin
Range = tuple[int, int]  # the first and the last bin


class NumberBins(NamedTuple):
    """Bins of equal width; the first and last also contain all outliers.

    Attributes:
        colouring: values of the column.
        codes: uint8 (n,), bin of each point; n_bins: no value.
        steps: bounds of the bins.
        low, high: lowest and highest number.
    """

    colouring: Colouring
    codes: NDArray[np.uint8]
    steps: NumberSteps
    low: float
    high: float

    @property
    def n_bins(self) -> int:
        """The number of bins."""
        return self.steps.n

    def describe(self, bins: Range) -> str:
        """Describe a range of bins: 1848 – 1871."""
        first, last = bins
        low, high = self.low, self.high
        if first:
            low = self.steps.start_of(first)
        if last < self.n_bins - 1:
            high = self.steps.start_of(last + 1) - self.colouring.is_whole
        ends = [self.format(end) for end in (low, high)]
        return " – ".join(ends if low < high else ends[:1])

    def format(self, value: float) -> str:
        """Return a number as text."""
        return format_number(self.colouring, value, self.steps)


def make_bins(colouring: Colouring) -> NumberBins | None:
    """Return the bins of a column; None if all numbers are the same."""
    values = colouring.numbers
    known = np.empty(0) if values is None else values[np.isfinite(values)]
    if values is None or not len(known) or known.min() == known.max():
        return None
    low, high = float(known.min()), float(known.max())
    inner = [float(end) for end in np.quantile(known, (0.005, 0.995))]
    first, last = low, high
    if high - low > MOST_SPREAD * (inner[1] - inner[0]) > 0:
        first, last = inner
    is_whole = colouring.is_whole
    most = MAX_WHOLE if is_whole else MAX_OTHER
    steps = find_steps(first, last, most, is_whole=is_whole)
    codes = np.full(len(values), steps.n, np.uint8)
    codes[np.isfinite(values)] = steps.places_of(known.astype(np.float64))
    return NumberBins(colouring, codes, steps, low, high)


BARS_HEIGHT = 7 * GRID
MIN_GAP_WIDTH = 4  # pixels; narrower bars have no gap between them
EDGE = 4  # pixels on both sides of a range end where it can be dragged
PALE, OUTSIDE = 0.35, 0.6  # opacities: all points, points outside the range
LEAST_HEIGHT = 2.0  # pixels, of a bar that is not empty
DragMode = Literal["new", "move"]


class RangeBars(QWidget):
    """Bars of all points, darker for matching points; dragging selects a range.

    Attributes:
        range: the selected bins; None: all.
        pointed: the bin under the mouse, or None.
    """

    range_changed = Signal()
    pointed_changed = Signal()

    def __init__(self, bins: NumberBins, parent: QWidget | None = None):
        super().__init__(parent)
        self._bins = bins
        counts = np.bincount(bins.codes, minlength=bins.n_bins + 1)
        self._totals: list[int] = counts[: bins.n_bins].tolist()
        self._passing = self._totals
        self.range: Range | None = None
        self.pointed: int | None = None
        self._mode: DragMode = "new"
        self._pressed: int | None = None  # the bin where the drag began
        self._anchor = 0  # that bin, or the fixed end of the range
        self._before: Range | None = None  # the range when the drag began
        self._is_click = False
        self._shows_range = False  # from its selection until the mouse leaves
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy.Policy
        self.setSizePolicy(policy.Expanding, policy.Fixed)

    def show_counts(self, passing: Sequence[int]) -> None:
        """Show the points of each bin that pass the filters of other columns."""
        self._passing = list(passing)
        self.update()

    def choose(self, bins: Range | None) -> None:
        """Select a range of bins; None: all."""
        if bins != self.range:
            self.range = bins
            self.update()
            self.range_changed.emit()

    @property
    def described(self) -> Range | None:
        """The bin under the mouse, or else the range, or else None."""
        return self.range if self.pointed is None else (self.pointed, self.pointed)

    def describe_counts(self, bins: Range) -> str:
        """Count the sentences of a range that match the other filters: 3 of 30, 30."""
        part = slice(bins[0], bins[1] + 1)
        n, total = sum(self._passing[part]), sum(self._totals[part])
        text = self.tr("{n} of {total}") if n < total else "{n}"
        return text.format(n=format_count(n), total=format_count(total))

    # --- geometry ---

    @property
    def _room(self) -> QRectF:
        """The rectangle of the bars, above the numbers of both ends."""
        bottom = self.height() - QFontMetrics(self._small_font).height() - 2
        return QRectF(1, 1, self.width() - 2, bottom - 1)

    @property
    def _small_font(self) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(scaled(11, self.font()))
        return font

    def _left_of(self, index: int) -> float:
        return self._room.left() + index * self._room.width() / self._bins.n_bins

    def _bin_at(self, x: float) -> int:
        share = (x - self._room.left()) / max(self._room.width(), 1)
        return min(max(int(share * self._bins.n_bins), 0), self._bins.n_bins - 1)

    def _end_at(self, x: float) -> int | None:
        """Return the bin of the opposite range end if one is at a position."""
        if self.range is not None:
            first, last = self.range
            if abs(x - self._left_of(last + 1)) <= EDGE:
                return first
            if abs(x - self._left_of(first)) <= EDGE:
                return last
        return None

    # --- painting ---

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the range, the bars, the numbers of both ends, and the counts."""
        colours, room = colours_of(self), self._room
        first, last = self.range or (0, self._bins.n_bins - 1)
        painter = QPainter(self)
        if self.range is not None:
            band = QRectF(room)
            band.setLeft(self._left_of(first))
            band.setRight(self._left_of(last + 1))
            painter.fillRect(band, QColor(colours.accent_soft))
            painter.setPen(QColor(colours.accent))
            for x in (band.left(), band.right()):
                painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        most, width = max(self._totals), room.width() / self._bins.n_bins
        gap = 1 if width >= MIN_GAP_WIDTH else 0
        for counts, share in ((self._totals, PALE), (self._passing, 1.0)):
            for index, n in enumerate(counts):
                name, strength = "accent", share
                if not first <= index <= last:
                    name, strength = "secondary", share * OUTSIDE
                height = max(room.height() * n / most, LEAST_HEIGHT) if n else 0.0
                bar = QRectF(self._left_of(index), 0, width - gap, height)
                bar.moveBottom(room.bottom())
                painter.fillRect(bar, QColor(mix(colours, name, strength)))
        painter.setPen(QColor(colours.accent if self.hasFocus() else colours.line))
        painter.drawLine(room.bottomLeft(), room.bottomRight())
        if self.hasFocus():
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        self._paint_ends(painter)
        painter.end()

    def _paint_ends(self, painter: QPainter) -> None:
        painter.setFont(self._small_font)
        painter.setPen(QColor(colours_of(self).secondary))
        ends = QRectF(self.rect()).adjusted(3, 0, -3, 0)
        ends.setTop(self._room.bottom() + 1)
        low, high = (
            self._bins.format(end) for end in (self._bins.low, self._bins.high)
        )
        painter.drawText(ends, Qt.AlignmentFlag.AlignLeft, low)
        painter.drawText(ends, Qt.AlignmentFlag.AlignRight, high)
        if (described := self.described) is not None:
            painter.setPen(QColor(colours_of(self).text))
            counts = self.describe_counts(described)
            painter.drawText(ends, Qt.AlignmentFlag.AlignHCenter, counts)

    # --- mouse ---

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start a range, or start to move the current range or one of its ends."""
        if event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        x = event.position().x()
        other_end, place = self._end_at(x), self._bin_at(x)
        self._pressed = self._anchor = place
        self._before, self._mode, self._is_click = self.range, "new", True
        if other_end is not None:
            self._anchor = other_end
        elif self.range is not None and self.range[0] <= place <= self.range[1]:
            self._mode = "move"

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Update the range, or show the number under the mouse."""
        x = event.position().x()
        place = self._bin_at(x)
        shows_range = self._shows_range and self.range is not None
        self._point_at(None if shows_range else place)
        if self._pressed is None:
            shapes = Qt.CursorShape
            is_end = self._end_at(x) is not None
            self.setCursor(shapes.SizeHorCursor if is_end else shapes.ArrowCursor)
            return
        self._is_click &= place == self._pressed
        if self._is_click:
            return
        if self._mode == "move" and self._before is not None:
            self.choose(self._moved(self._before, place - self._pressed))
        else:
            self.choose((min(place, self._anchor), max(place, self._anchor)))
        self._shows_range = True
        self._point_at(None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Finish the range; a click selects one bar or clears the range."""
        if self._pressed is not None and self._is_click:
            one = (self._pressed, self._pressed)
            self.choose(None if self.range == one else one)
            self._shows_range = True
            self._point_at(None if self.range is not None else self._pressed)
        self._pressed = None

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the bin under the mouse."""
        super().leaveEvent(event)
        self._shows_range = False
        self._point_at(None)

    def _point_at(self, index: int | None) -> None:
        if index != self.pointed:
            self.pointed = index
            self.update()
            self.pointed_changed.emit()

    def _moved(self, bins: Range, step: int) -> Range:
        """Return a range moved by some bins, limited to the existing bins."""
        first, last = bins
        step = min(max(step, -first), self._bins.n_bins - 1 - last)
        return first + step, last + step

    # --- keyboard ---

    def event(self, event: QEvent) -> bool:
        """Clear the range on Esc before the map's actions do; show no tooltip."""
        if event.type() == QEvent.Type.ToolTip:
            return True
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and self._range_by_key(event) != self.range
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the range or its ends with the arrow keys, and clear it with Del."""
        wanted = self._range_by_key(event)
        if wanted != self.range or event.key() in _ARROWS:
            self.choose(wanted)
        else:
            super().keyPressEvent(event)

    def _range_by_key(self, event: QKeyEvent) -> Range | None:
        """Return the range after a key press."""
        last_bin, key = self._bins.n_bins - 1, event.key()
        if key in _CLEARING:
            return None
        step = _ARROWS.get(key)
        if step is None:
            return self.range
        if self.range is None:
            return (0, 0) if step > 0 else (last_bin, last_bin)
        first, last = self.range
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            return first, min(max(last + step, first), last_bin)
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return min(max(first + step, 0), last), last
        return self._moved(self.range, step)

    # --- Qt ---

    def focusInEvent(self, event: QEvent) -> None:
        """Show the focus frame."""
        super().focusInEvent(event)  # type: ignore[arg-type] # Qt gives a QFocusEvent
        self.update()

    def focusOutEvent(self, event: QEvent) -> None:
        """Remove the focus frame."""
        super().focusOutEvent(event)  # type: ignore[arg-type] # Qt gives a QFocusEvent
        self.update()

    def sizeHint(self) -> QSize:
        """Return a low, wide size."""
        text = QFontMetrics(self._small_font).height()
        return QSize(16 * GRID, scaled(BARS_HEIGHT, self.font()) + text)


_ARROWS: dict[int, int] = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_CLEARING = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Escape)


class RangeHistogram(QWidget):
    """A histogram with a text of the selected range and a button that clears it.

    Attributes:
        bars: the bars.
        readout: describes the range just selected, or else the bar under the mouse.
        clear_button: clears the range.
    """

    range_changed = Signal()

    def __init__(self, bins: NumberBins, parent: QWidget | None = None):
        super().__init__(parent)
        self._bins, self._title = bins, bins.colouring.title
        self.bars = RangeBars(bins)
        self.readout = ElidedLabel("secondary")
        hint = self.tr("Clear the range of {column}.").format(column=self._title)
        self.clear_button = make_button("×", hint, self.clear, kind="quiet")
        describe(self.clear_button, self.tr("Clear the range"), hint)
        self.clear_button.setProperty("shape", "small")
        policy = self.clear_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # the bars do not move
        self.clear_button.setSizePolicy(policy)
        self.clear_button.hide()
        head = make_row((self.readout, 1), self.clear_button, gap=4)
        margins = (3, 0, 4, GRID // 2)
        make_column(head, self.bars, parent=self, gap=2, margins=margins)
        self.bars.range_changed.connect(self._on_range_changed)
        self.bars.pointed_changed.connect(self._show_readout)
        self._show_readout()

    @property
    def range(self) -> Range | None:
        """The selected bins; None: all."""
        return self.bars.range

    @property
    def ends(self) -> tuple[float, float] | None:
        """The lower bounds of the first and last bin of the range; None: all."""
        if self.range is None:
            return None
        first, last = self.range
        return self._bins.steps.start_of(first), self._bins.steps.start_of(last)

    def choose_ends(self, ends: Sequence[float] | None) -> None:
        """Select the range with these bounds, limited to existing bins; None: all."""
        if ends is None:
            self.clear()
            return
        first, last = self._bins.steps.places_of(np.array(ends, np.float64)).tolist()
        self.bars.choose((first, last))

    def show_counts(self, passing: Sequence[int]) -> None:
        """Show the points of each bin that pass the filters of other columns."""
        self.bars.show_counts(passing)
        self._show_readout()

    def clear(self) -> None:
        """Clear the range."""
        self.bars.choose(None)

    def _on_range_changed(self) -> None:
        self.clear_button.setVisible(self.range is not None)
        self._show_readout()
        self.range_changed.emit()

    def _show_readout(self) -> None:
        bars, name = self.bars, self._title
        if bars.range is not None:
            numbers, counts = (
                self._bins.describe(bars.range),
                bars.describe_counts(bars.range),
            )
            words = self.tr("{column}: {range}, {counts} sentences")
            name = words.format(column=name, range=numbers, counts=counts)
        hint = self.tr(
            "Drag to select a range. Left and Right move the range, with Shift only "
            "its end, with Ctrl only its start. Del clears it."
        )
        describe(bars, name, hint)
        shown = bars.described
        self.readout.setText(
            self.tr("Drag to filter") if shown is None else self._bins.describe(shown)
        )
