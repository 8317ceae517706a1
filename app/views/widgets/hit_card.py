"""A hit as a card: the sentence, its score as a shade, and where it stands."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.languages import is_right_to_left
from app.views.theme import RADIUS, Tokens, mix, scaled, score_colours, tokens_of
from app.views.widgets.hits import Hit, describe_place
from app.views.widgets.text_layout import Style, draw, lay_out

PADDING, BADGE_WIDTH, BADGE_HEIGHT, FOOTER_GAP = 12, 46, 20, 6
MAX_LINES = 7
_V_PADDING = PADDING - 2


class CardLook(NamedTuple):
    """How a card is painted; `marks` are words to mark."""

    font: QFont
    tokens: Tokens
    is_chosen: bool = False
    is_hovered: bool = False
    has_keyboard: bool = False
    marks: Sequence[str] = ()


def measure_card(hit: Hit, width: float, font: QFont, tokens: Tokens) -> float:
    """Measure the height of a card in a width."""
    _, height = lay_out(
        hit.sentence.text,
        hit.sentence.language,
        width - 2 * PADDING,
        _text_style(font, tokens),
    )
    return height + FOOTER_GAP + scaled(BADGE_HEIGHT, font) + 2 * _V_PADDING


def paint_card(painter: QPainter, card: QRectF, hit: Hit, look: CardLook) -> None:
    """Paint a card."""
    font, tokens, is_chosen, is_hovered, has_keyboard, marks = look
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(
        QPen(
            QColor(tokens.accent if is_chosen or has_keyboard else tokens.line),
            1 + is_chosen,
        )
    )
    painter.setBrush(QColor(tokens.hover if is_hovered else tokens.surface))
    painter.drawRoundedRect(card, RADIUS, RADIUS)
    inner = card.adjusted(PADDING, _V_PADDING, -PADDING, -_V_PADDING)
    layout, _ = lay_out(
        hit.sentence.text,
        hit.sentence.language,
        inner.width(),
        _text_style(font, tokens),
        marks,
    )
    draw(painter, layout, inner, QColor(tokens.text))
    _paint_footer(painter, inner, hit, font, tokens)
    painter.restore()


def _text_style(font: QFont, tokens: Tokens) -> Style:
    mark = QColor(mix(tokens, "accent", 0.25))
    return Style(font, QColor(tokens.text), mark, max_lines=MAX_LINES, spacing=1.08)


def _paint_footer(
    painter: QPainter, inner: QRectF, hit: Hit, font: QFont, tokens: Tokens
) -> None:
    """Paint the badges and the place: from the right in right-to-left languages."""
    height = scaled(BADGE_HEIGHT, font)
    row = QRectF(inner.left(), inner.bottom() - height, inner.width(), height)
    is_mirrored = is_right_to_left(hit.sentence.language)
    small = QFont(font)
    small.setPixelSize(scaled(12, font))
    if hit.score is not None:
        place = take(row, scaled(BADGE_WIDTH, font), is_mirrored)
        colours = score_colours(tokens, hit.score)
        paint_badge(painter, place, colours, f"{hit.score:.2f}", small)
    if hit.is_translation:
        place = take(row, height, is_mirrored)
        colours = QColor(tokens.human_soft), QColor(tokens.human)
        paint_badge(painter, place, colours, "✓", small)
    _paint_place(painter, row, hit, small, tokens)


def _paint_place(
    painter: QPainter, row: QRectF, hit: Hit, font: QFont, tokens: Tokens
) -> None:
    """Paint corpus, document and line; where room is short the names are elided."""
    metrics = QFontMetricsF(font)
    rest = metrics.horizontalAdvance(describe_place("", hit.sentence.line)) + 4
    elide = Qt.TextElideMode.ElideMiddle
    name = metrics.elidedText(hit.source, elide, max(row.width() - rest, 24))
    layout, height = lay_out(
        describe_place(name, hit.sentence.line),
        hit.sentence.language if is_right_to_left(hit.sentence.language) else "",
        row.width(),
        Style(font, QColor(tokens.secondary)),
    )
    row.setTop(row.top() + (row.height() - height) / 2)
    draw(painter, layout, row, QColor(tokens.secondary))


def take(row: QRectF, width: float, is_mirrored: bool, *, gap: float = 8) -> QRectF:
    """Cut a piece with a gap off the beginning of a row."""
    place = QRectF(row)
    place.setWidth(width)
    if is_mirrored:
        place.moveRight(row.right())
        row.setRight(row.right() - width - gap)
    else:
        row.setLeft(row.left() + width + gap)
    return place


def paint_badge(
    painter: QPainter,
    place: QRectF,
    colours: tuple[QColor, QColor],
    text: str,
    font: QFont,
) -> None:
    """Paint a small rounded field; `colours` are of the field and of the text."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours[0])
    painter.drawRoundedRect(place, 4, 4)
    painter.setPen(colours[1])
    painter.setFont(font)
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)


class ScoreBadge(QWidget):
    """A cosine as a number on a shade."""

    def __init__(self) -> None:
        super().__init__()
        self._cosine = 0.0

    def show_cosine(self, cosine: float) -> None:
        """Show another cosine, −1…1."""
        self._cosine = cosine
        self.setAccessibleName(f"{cosine:.2f}")
        self.setToolTip(self.tr("Cosine of the two sentences' vectors."))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the badge."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(self.font())
        font.setBold(True)
        colours = score_colours(tokens_of(self), self._cosine)
        paint_badge(painter, QRectF(self.rect()), colours, f"{self._cosine:.2f}", font)
        painter.end()

    def sizeHint(self) -> QSize:
        """Ask for a badge."""
        return QSize(scaled(50), scaled(24))

    def minimumSizeHint(self) -> QSize:
        """Never be smaller."""
        return self.sizeHint()
