"""The alignment board, two columns of linked sentences, and its overview strip."""

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QSizePolicy, QToolTip, QWidget
from sqlalchemy import Engine

from app.number_format import format_percent
from app.views.alignment.layout import (
    GAP,
    LINE_HEIGHT,
    SMALL_GAP,
    AlignmentLayout,
    Side,
)
from app.views.alignment.model import ACCEPTED, AlignmentModel
from app.views.alignment.painter import BeadPainter, BeadSelection, confidence_colour
from app.views.widgets.controls import describe
from app.views.widgets.sentence_cache import SentenceCache
from app.views.widgets.theme import colours_of, mix, scaled


class AlignmentBoard(QAbstractScrollArea):
    """Shows the beads of an alignment.

    Attributes:
        selection: the selected bead, side and sentence.
    """

    sentence_selected = Signal(object)  # sentence id, or None
    scrolled = Signal()

    def __init__(self, model: AlignmentModel, parent: QWidget | None = None):
        super().__init__(parent)
        self._model = model
        self._layout = AlignmentLayout(model)
        self._sentences = SentenceCache()
        self.selection = BeadSelection(0, "source", 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(
            self,
            self.tr("Links between the two documents"),
            self.tr("Each row is a link: source on the left, target on the right."),
        )
        model.reset.connect(self._on_reset)
        model.grown.connect(self._measure)
        model.replaced.connect(self._on_replaced)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def set_store(self, store: Engine | None) -> None:
        """Read sentences from another store."""
        self._sentences.open(store)

    def set_dense(self, is_dense: bool) -> None:
        """Reduce the space between links, or restore it."""
        gap = SMALL_GAP if is_dense else GAP
        if gap != self._layout.gap:
            self._layout.gap = gap
            self._measure_again()

    def read_again(self, store: Engine | None) -> None:
        """Read the sentences again after a change of texts."""
        self._sentences.open(store)
        self.viewport().update()

    @property
    def bead(self) -> int | None:
        """The id of the selected bead."""
        ids = self._model.beads.ids
        return (
            int(ids[self.selection.place]) if self.selection.place < len(ids) else None
        )

    @property
    def sentence(self) -> int | None:
        """The id of the selected sentence."""
        if self.selection.place >= len(self._model):
            return None
        ids = self._layout.ids(self.selection.place, self.selection.side)
        return ids[min(self.selection.number, len(ids) - 1)] if ids else None

    @property
    def visible(self) -> range:
        """The indices of the visible beads."""
        return self._layout.visible(self.viewport().height())

    def select(self, index: int, side: Side | None = None, number: int = 0) -> None:
        """Select a bead and one of its sentences, and scroll to it."""
        if not len(self._model):
            self.sentence_selected.emit(None)
            return
        self.selection = self._nearest(index, side or self.selection.side, number)
        self.reveal()
        self.viewport().update()
        self.sentence_selected.emit(self.sentence)

    def _nearest(self, index: int, side: Side, number: int) -> BeadSelection:
        """Return the selectable position nearest to a selection."""
        index = min(max(index, 0), len(self._model) - 1)
        if not self._layout.ids(index, side):
            side = "target" if side == "source" else "source"
        n = len(self._layout.ids(index, side))
        return BeadSelection(index, side, min(max(number, 0), n - 1))

    def reveal(self, *, in_middle: bool = False) -> None:
        """Scroll to the selected bead and, if possible, its neighbours."""
        bar, height = self.verticalScrollBar(), self.viewport().height()
        top, bottom = self._layout.span(self.selection.place)
        room = scaled(LINE_HEIGHT)
        is_out = top < bar.value() or bottom > bar.value() + height
        if in_middle and is_out:
            bar.setValue((top + bottom - height) // 2)
        elif top - room < bar.value():
            bar.setValue(top - room)
        elif bottom + room > bar.value() + height:
            bar.setValue(bottom + room - height)

    def _measure(self) -> None:
        self._layout.measure()
        self._set_range()
        self.viewport().update()

    def _measure_again(self) -> None:
        """Measure again for a new text size; keep the selected link in position.

        If it is not visible, keep the first visible link in position.
        """
        bar, height = self.verticalScrollBar(), self.viewport().height()
        is_seen = self._is_seen(height)
        place = self.selection.place if is_seen else self.visible.start
        offset = self._layout.span(place)[0] - bar.value()
        self._measure()
        bar.setValue(self._layout.span(place)[0] - offset)
        if is_seen:
            self.reveal()

    def _is_seen(self, height: int) -> bool:
        """Return whether the selected bead is visible in a board of a height."""
        return self.selection.place in self._layout.visible(height)

    def _set_range(self) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height()
        self._layout.width = self.viewport().width()
        bar.setRange(0, max(self._layout.height - height, 0))
        bar.setPageStep(max(height - scaled(LINE_HEIGHT), 1))
        bar.setSingleStep(scaled(LINE_HEIGHT) // 2)

    # --- changes of beads ---

    def _on_reset(self) -> None:
        self.selection = BeadSelection(0, "source", 0)
        self._measure()
        self.verticalScrollBar().setValue(0)

    def _on_replaced(self, first: int, before: int, now: int) -> None:
        """Keep the position of visible beads when preceding beads change.

        The sentence of the selected bead may have changed.
        """
        bar = self.verticalScrollBar()
        anchor = self.visible.start
        offset = self._layout.span(anchor)[0] - bar.value()
        place, side, number = self.selection
        if place >= first + before:
            place += now - before
        self._measure()
        if len(self._model):
            self.selection = self._nearest(place, side, number)
        if anchor >= first + before:
            anchor += now - before
        bar.setValue(self._layout.span(anchor)[0] - offset)
        self.sentence_selected.emit(self.sentence)

    def _on_scrolled(self, value: int) -> None:
        self._layout.top = value
        self.viewport().update()
        self.scrolled.emit()

    # --- Qt ---

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Repaint instead of scrolling pixels."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible beads."""
        colours = colours_of(self)
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), QColor(colours.window))
        beads = BeadPainter(
            painter, self._model, self._layout, self._sentences, colours
        )
        for place in self.visible:
            beads.paint(place, self.selection)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the beads in the new width."""
        super().resizeEvent(event)
        is_seen = self._is_seen(event.oldSize().height())
        self._sentences.forget_layouts()
        self._set_range()
        if is_seen:
            self.reveal()

    def changeEvent(self, event: QEvent) -> None:
        """Measure again after a change of font or theme."""
        kinds = (QEvent.Type.FontChange, QEvent.Type.PaletteChange)
        if event.type() in kinds:
            self._sentences.forget_layouts()
            self._measure_again()
        super().changeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the sentence under the mouse."""
        found = self._layout.hit(event.position())
        if found is not None:
            self.select(*found)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the arrow keys, Home, End and page keys."""
        n, n_page = len(self._model), max(len(self.visible) - 2, 1)
        moves: dict[int, int] = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: n_page,
            Qt.Key.Key_PageUp: -n_page,
            Qt.Key.Key_End: n,
            Qt.Key.Key_Home: -n,
        }
        sides: dict[int, Side] = {Qt.Key.Key_Left: "source", Qt.Key.Key_Right: "target"}
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers == Qt.KeyboardModifier.NoModifier and event.key() in moves:
            self.select(self.selection.place + moves[event.key()])
        elif modifiers == Qt.KeyboardModifier.NoModifier and event.key() in sides:
            self.select(*self.selection._replace(side=sides[event.key()]))
        else:
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the full sentence, which may exceed its box, as a tooltip."""
        if isinstance(event, QHelpEvent):
            words = self._explain(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().viewportEvent(event)

    def _explain(self, point: QPointF) -> str:
        """Return the full sentence at a point, or an explanation of a link's number."""
        found = self._layout.hit(point)
        if found is None:
            return ""
        index, side, number = found
        if side is not None:
            row = self._sentences.read(self._layout.ids(index, side)[number])
            return row.text if row is not None else ""
        if np.isnan(self._model.beads.confidences[index]):
            return ""
        return self.tr(
            "Confidence {n}: (cosine − chance) / (1 − chance). Chance is the mean "
            "cosine of both sides with the whole other text. At 0\u00a0%, the "
            "sentences are as similar as unrelated ones; at 100\u00a0%, they are "
            "identical. The inspector shows the cosine itself."
        ).format(n=format_percent(float(self._model.beads.confidences[index])))


WIDTH, ROW_HEIGHT = 14, 2  # pixels
UNLINKED, CONFIRMED = -1.0, 2.0  # instead of a confidence


class AlignmentOverview(QWidget):
    """Shows the least confident link of each part of an alignment; a click goes there.

    A part with unjudged links has the shade of their lowest confidence. A part with
    only confirmed links has the colour of human decisions.
    """

    def __init__(
        self,
        model: AlignmentModel,
        board: AlignmentBoard,
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self._model, self._board = model, board
        self._rows = np.empty(0)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        describe(
            self,
            self.tr("Whole alignment"),
            self.tr("The least confident link of each part. Click to go there."),
        )
        for signal in (model.reset, model.grown, model.replaced):
            signal.connect(self._forget)
        board.scrolled.connect(self.update)
        board.sentence_selected.connect(self.update)

    def _forget(self) -> None:
        self._rows = np.empty(0)
        self.update()

    def _compute_rows(self) -> None:
        """Compute the value of each pixel row: float64 (rows,)."""
        beads, n_rows = self._model.beads, max(self.height() // ROW_HEIGHT, 1)
        is_unlinked = (beads.n_sources == 0) | (beads.n_targets == 0)
        is_confirmed = beads.verdicts == ACCEPTED
        values = np.where(np.isnan(beads.confidences), 0.0, beads.confidences)
        values = np.where(is_unlinked, UNLINKED, values)
        values = np.where(is_confirmed, CONFIRMED, values)
        n_rows = min(n_rows, len(values))
        starts = np.linspace(0, len(values), n_rows, endpoint=False).astype(np.int64)
        self._rows = np.minimum.reduceat(values, starts)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, and a frame around the visible part of the board."""
        if not len(self._model):
            return
        if not len(self._rows):
            self._compute_rows()
        colours, painter = colours_of(self), QPainter(self)
        height = self.height() / len(self._rows)
        unlinked = QColor(mix(colours, "warning", 0.7))
        human = QColor(colours.human)
        for number, value in enumerate(self._rows.tolist()):
            colour = unlinked if value == UNLINKED else human
            if 0 <= value <= 1:
                colour = confidence_colour(colours, value)
            painter.fillRect(QRectF(3, number * height, WIDTH - 6, height), colour)
        seen, n = self._board.visible, len(self._model)
        top, bottom = (edge / n * self.height() for edge in (seen.start, seen.stop))
        painter.setPen(QColor(colours.text))
        painter.drawRoundedRect(
            QRectF(0.5, top, WIDTH - 1, max(bottom - top, 6) - 0.5), 3, 3
        )
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Scroll to the part under the mouse."""
        self._go(event.position().y())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the mouse while a button is pressed."""
        self._go(event.position().y())

    def _go(self, y: float) -> None:
        share = min(max(y / max(self.height(), 1), 0.0), 1.0)
        self._board.select(int(share * len(self._model)))
        self._board.reveal(in_middle=True)

    def resizeEvent(self, event: QEvent) -> None:
        """Recompute the rows for the new height."""
        self._forget()

    def sizeHint(self) -> QSize:
        """Return the size of a narrow strip."""
        return QSize(WIDTH, 200)
