"""Strip of tokens shaded by a score."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.languages import is_right_to_left
from app.number_format import format_score
from app.views.widgets.fonts import sentence_font
from app.views.widgets.number_format import format_badge
from app.views.widgets.theme import colours_of, mix, scaled

GAP, PADDING, BAR, PIXELS = 3, 4, 3, 12
MAX_LINES = 3


class ScoredToken(NamedTuple):
    """A piece of a text and its number: a similarity, −1…1, or another."""

    text: str
    similarity: float


class _Placed(NamedTuple):
    piece: ScoredToken
    place: QRectF


class TokenStrip(QWidget):
    """Pieces in a row: the shade and the length of the bar below say how alike.

    Attributes:
        pieces: the pieces to show.
        max_lines: what does not fit is left out.
    """

    max_lines = MAX_LINES

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.pieces: list[ScoredToken] = []
        self._language = ""
        self._scale, self._words = 1.0, ""
        self._placed: tuple[int, list[_Placed]] = (-1, [])
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_pieces(
        self,
        pieces: Sequence[ScoredToken],
        language: str,
        *,
        scale: float = 1.0,
        words: str = "",
    ) -> None:
        """Show the pieces of a text in a language.

        Args:
            pieces: what to show; a negative number has another hue.
            language: its code.
            scale: the number of the strongest shade.
            words: the text of the tooltip, with {text} and {value}; empty: a cosine.
        """
        self.pieces, self._language = list(pieces), language
        self._scale, self._words = scale or 1.0, words
        self._placed = (-1, [])
        numbers = [(one.text, format_badge(one.similarity)) for one in pieces[:40]]
        self.setAccessibleName(", ".join(f"{text} {n}" for text, n in numbers))
        self.updateGeometry()
        self.update()

    @property
    def _font(self) -> QFont:
        font = sentence_font(QFont(self.window().font()), self._language)
        font.setPixelSize(scaled(PIXELS))
        return font

    def _lay_out(self, width: int) -> list[_Placed]:
        if self._placed[0] == width:
            return self._placed[1]
        metrics = QFontMetricsF(self._font)
        height = metrics.height() + BAR + 3
        x = y = 0.0
        placed: list[_Placed] = []
        for piece in self.pieces:
            wide = min(metrics.horizontalAdvance(piece.text) + 2 * PADDING, width)
            if x and x + wide > width:
                x, y = 0.0, y + height + GAP
            if y >= self.max_lines * (height + GAP):
                break
            left = width - x - wide if is_right_to_left(self._language) else x
            placed.append(_Placed(piece, QRectF(left, y, wide, height)))
            x += wide + GAP
        self._placed = (width, placed)
        return placed

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the pieces."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        metrics, elide = QFontMetricsF(self._font), Qt.TextElideMode.ElideRight
        colours = colours_of(self)
        for piece, place in self._lay_out(self.width()):
            hue = "accent" if piece.similarity >= 0 or not self._words else "warning"
            share = piece.similarity / self._scale
            share = min(max(abs(share) if self._words else share, 0.0), 1.0)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(mix(colours, hue, 0.28 * share)))
            painter.drawRoundedRect(place, 4, 4)
            bar = QRectF(place.left(), place.bottom() - BAR, place.width() * share, BAR)
            painter.setBrush(QColor(getattr(colours, hue)))
            painter.drawRoundedRect(bar, BAR / 2, BAR / 2)
            painter.setPen(QColor(colours.text))
            text = place.adjusted(0, 0, 0, -BAR)
            words = metrics.elidedText(piece.text, elide, place.width() - 2 * PADDING)
            painter.drawText(text, Qt.AlignmentFlag.AlignCenter, words)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Return the similarity under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._show_tip(event.pos(), event.globalPos())
            return True
        return super().event(event)

    def _show_tip(self, place: QPoint, where: QPoint) -> None:
        for piece, rect in self._lay_out(self.width()):
            if rect.contains(place):
                words = self._words or self.tr(
                    "{text}: cosine {value} with the other sentence"
                )
                write = format_score if self._words else format_badge
                value = write(piece.similarity)
                QToolTip.showText(where, words.format(text=piece.text, value=value))
                return
        QToolTip.hideText()

    def hasHeightForWidth(self) -> bool:
        """Return True: the height depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Measure the strip in a width."""
        placed = self._lay_out(width)
        return round(placed[-1].place.bottom()) + 1 if placed else 0

    def sizeHint(self) -> QSize:
        """Ask for what the width needs."""
        return QSize(200, self.heightForWidth(max(self.width(), 200)))
