"""The alignment board, two columns of linked sentences, and its overview strip."""

from typing import TYPE_CHECKING

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

from app.views.alignment.beads import ACCEPTED, BeadList
from app.views.alignment.layout import LINE_HEIGHT, BoardLayout, SentenceCache, Side
from app.views.alignment.painter import BeadPainter, BeadSelection, confidence_colour
from app.views.widgets.controls import describe
from app.views.widgets.theme import mix, scaled, tokens_of

if TYPE_CHECKING:
    from sqlalchemy import Engine


class AlignmentBoard(QAbstractScrollArea):
    """Shows the beads of a list, and the one that is chosen.

    Attributes:
        choice: the bead, the side and the sentence that are chosen.
    """

    chosen = Signal(object)  # id of the sentence that is chosen, or None
    scrolled = Signal()

    def __init__(self, beads: BeadList, parent: QWidget | None = None):
        super().__init__(parent)
        self._list = beads
        self._places = BoardLayout(beads)
        self._sentences = SentenceCache()
        self.choice = BeadSelection(0, "source", 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(
            self,
            self.tr("Links of the two documents"),
            self.tr("Each row is a link: the source left, the target right."),
        )
        beads.reset.connect(self._on_reset)
        beads.grown.connect(self._on_grown)
        beads.replaced.connect(self._on_replaced)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def set_store(self, store: "Engine | None") -> None:
        """Show where sentences are read."""
        self._sentences.open(store)

    @property
    def bead(self) -> int | None:
        """Id of the bead that is chosen."""
        ids = self._list.beads.ids
        return int(ids[self.choice.place]) if self.choice.place < len(ids) else None

    @property
    def sentence(self) -> int | None:
        """Id of the sentence that is chosen."""
        if self.choice.place >= len(self._list):
            return None
        ids = self._places.ids(self.choice.place, self.choice.side)
        return ids[min(self.choice.number, len(ids) - 1)] if ids else None

    @property
    def visible(self) -> range:
        """Places of the beads that can be seen."""
        return self._places.visible(self.viewport().height())

    def choose(self, place: int, side: Side | None = None, number: int = 0) -> None:
        """Choose a bead and one of its sentences, and bring it into view."""
        if not len(self._list):
            return
        place = min(max(place, 0), len(self._list) - 1)
        wanted = side or self.choice.side
        if not self._places.ids(place, wanted):
            wanted = "target" if wanted == "source" else "source"
        n = len(self._places.ids(place, wanted))
        self.choice = BeadSelection(place, wanted, min(max(number, 0), n - 1))
        self.reveal()
        self.viewport().update()
        self.chosen.emit(self.sentence)

    def reveal(self, *, in_middle: bool = False) -> None:
        """Bring the chosen bead into view, with one before and after where it fits."""
        bar, height = self.verticalScrollBar(), self.viewport().height()
        top, bottom = self._places.span(self.choice.place)
        room = scaled(LINE_HEIGHT)
        is_out = top < bar.value() or bottom > bar.value() + height
        if in_middle and is_out:
            bar.setValue((top + bottom - height) // 2)
        elif top - room < bar.value():
            bar.setValue(top - room)
        elif bottom + room > bar.value() + height:
            bar.setValue(bottom + room - height)

    def _measure(self) -> None:
        self._places.measure()
        self._set_range()
        self.viewport().update()

    def _set_range(self) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height()
        self._places.width = self.viewport().width()
        bar.setRange(0, max(self._places.height - height, 0))
        bar.setPageStep(max(height - scaled(LINE_HEIGHT), 1))
        bar.setSingleStep(scaled(LINE_HEIGHT) // 2)

    # --- the list ---

    def _on_reset(self) -> None:
        self.choice = BeadSelection(0, "source", 0)
        self._measure()
        self.verticalScrollBar().setValue(0)

    def _on_grown(self) -> None:
        self._measure()

    def _on_replaced(self, first: int, before: int, now: int) -> None:
        """Keep what is looked at where it is, while beads before it change."""
        bar = self.verticalScrollBar()
        anchor = self.visible.start
        offset = self._places.span(anchor)[0] - bar.value()
        place = self.choice.place
        if place >= first + before:
            place += now - before
        place = max(min(place, len(self._list) - 1), 0)
        self.choice = self.choice._replace(place=place)
        self._measure()
        if anchor >= first + before:
            anchor += now - before
        bar.setValue(self._places.span(anchor)[0] - offset)

    def _on_scrolled(self, value: int) -> None:
        self._places.top = value
        self.viewport().update()
        self.scrolled.emit()

    # --- Qt ---

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Paint anew instead of moving what is painted."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the beads that can be seen."""
        tokens = tokens_of(self)
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), QColor(tokens.window))
        beads = BeadPainter(painter, self._list, self._places, self._sentences, tokens)
        for place in self.visible:
            beads.paint(place, self.choice)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out in the new width."""
        super().resizeEvent(event)
        self._sentences.forget_layouts()
        self._set_range()

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew where the text has another size."""
        kinds = (QEvent.Type.FontChange, QEvent.Type.PaletteChange)
        if event.type() in kinds:
            self._sentences.forget_layouts()
            self._measure()
        super().changeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose what is pressed."""
        found = self._places.hit(event.position())
        if found is not None:
            self.choose(*found)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move by the arrows, Home, End and by pages."""
        n, n_page = len(self._list), max(len(self.visible) - 2, 1)
        moves: dict[int, int] = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: n_page,
            Qt.Key.Key_PageUp: -n_page,
            Qt.Key.Key_End: n,
            Qt.Key.Key_Home: -n,
        }
        sides: dict[int, Side] = {
            Qt.Key.Key_Left: "source",
            Qt.Key.Key_Right: "target",
        }
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers == Qt.KeyboardModifier.NoModifier and event.key() in moves:
            self.choose(self.choice.place + moves[event.key()])
        elif modifiers == Qt.KeyboardModifier.NoModifier and event.key() in sides:
            self.choose(*self.choice._replace(side=sides[event.key()]))
        else:
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show a sentence whole that may be too long for its place."""
        if isinstance(event, QHelpEvent):
            words = self._explain(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().viewportEvent(event)

    def _explain(self, point: QPointF) -> str:
        """Return the whole sentence at a point, or what a link's number says."""
        found = self._places.hit(point)
        if found is None:
            return ""
        place, side, number = found
        if side is not None:
            row = self._sentences.read(self._places.ids(place, side)[number])
            return row.text if row is not None else ""
        if np.isnan(self._list.beads.confidences[place]):
            return ""
        return self.tr(
            "Confidence {n} of 100: 0 is as near as any other sentences are, 100 is "
            "the same."
        ).format(n=round(100 * float(self._list.beads.confidences[place])))


WIDTH, ROW = 14, 2  # pixels
ALONE, BY_HAND = -1.0, 2.0  # what a row shows instead of a confidence


class AlignmentOverview(QWidget):
    """Shows the least confident link of each part of an alignment; a click goes there.

    A part with a link that no hand has judged shows its shade; one whose links a hand
    has all confirmed shows the colour of a decision.
    """

    def __init__(
        self, beads: BeadList, board: AlignmentBoard, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._list, self._board = beads, board
        self._rows = np.empty(0)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        describe(
            self,
            self.tr("Whole alignment"),
            self.tr("The palest link of each part: click to go there."),
        )
        for signal in (beads.reset, beads.grown, beads.replaced):
            signal.connect(self._forget)
        board.scrolled.connect(self.update)
        board.chosen.connect(self.update)

    def _forget(self) -> None:
        self._rows = np.empty(0)
        self.update()

    def _work_out(self) -> None:
        """Find what each row of pixels shows: float64 (rows,)."""
        beads, n_rows = self._list.beads, max(self.height() // ROW, 1)
        is_alone = (beads.n_sources == 0) | (beads.n_targets == 0)
        is_by_hand = beads.verdicts == ACCEPTED
        values = np.where(np.isnan(beads.confidences), 0.0, beads.confidences)
        values = np.where(is_alone, ALONE, values)
        values = np.where(is_by_hand, BY_HAND, values)
        n_rows = min(n_rows, len(values))
        starts = np.linspace(0, len(values), n_rows, endpoint=False).astype(np.int64)
        self._rows = np.minimum.reduceat(values, starts)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, and a frame around what the board shows."""
        if not len(self._list):
            return
        if not len(self._rows):
            self._work_out()
        tokens, painter = tokens_of(self), QPainter(self)
        height = self.height() / len(self._rows)
        alone = QColor(mix(tokens, "warning", 0.7))
        human = QColor(tokens.human)
        for number, value in enumerate(self._rows.tolist()):
            colour = alone if value == ALONE else human
            if 0 <= value <= 1:
                colour = confidence_colour(tokens, value)
            painter.fillRect(QRectF(3, number * height, WIDTH - 6, height), colour)
        seen, n = self._board.visible, len(self._list)
        top, bottom = (edge / n * self.height() for edge in (seen.start, seen.stop))
        painter.setPen(QColor(tokens.text))
        painter.drawRoundedRect(
            QRectF(0.5, top, WIDTH - 1, max(bottom - top, 6) - 0.5), 3, 3
        )
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the part that is pressed."""
        self._go(event.position().y())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go along while the mouse is held."""
        self._go(event.position().y())

    def _go(self, y: float) -> None:
        share = min(max(y / max(self.height(), 1), 0.0), 1.0)
        self._board.choose(int(share * len(self._list)))
        self._board.reveal(in_middle=True)

    def resizeEvent(self, event: QEvent) -> None:
        """Fit the rows into the new height."""
        self._forget()

    def sizeHint(self) -> QSize:
        """Ask for a narrow strip."""
        return QSize(WIDTH, 200)
