"""A line of a concordance laid out: the hit in the middle, its contexts on its sides.

The text before the hit stands to its left, in scripts from the right to its right. A
context that has no room is elided at its far end, between two graphemes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)

from app.languages import is_right_to_left
from app.views.fonts import sentence_font
from app.views.theme import Tokens
from app.views.widgets.kwic_colours import word_format
from app.views.widgets.kwic_text import (
    ELLIPSIS,
    KwicParts,
    Mark,
    Part,
    shift_marks,
    utf16_length,
)

MOST_HIT = 0.6  # of the width: a longer hit is elided
HIT = "N"
ENDLESS = 1e6  # pixels: a width in which no line is broken


@dataclass(frozen=True)
class KwicLook:
    """How lines are set.

    Attributes:
        font: base font; a language's own is made of it.
        tokens: the colours in use.
        sort: places of the words that lines are sorted by, in order: they are marked.
    """

    font: QFont
    tokens: Tokens
    sort: Sequence[str] = ()


@dataclass(frozen=True)
class PlacedPart:
    """A part of a line: its layout, ready to draw, its text and where it stands."""

    layout: QTextLayout
    text: str
    left: float
    width: float

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.left + self.width


@dataclass(frozen=True)
class KwicLayout:
    """A line laid out; x counts from the left of its place."""

    before: PlacedPart
    hit: PlacedPart
    after: PlacedPart

    def draw(self, painter: QPainter, place: QRectF, colour: QColor) -> None:
        """Draw it with the baselines of its parts in one line."""
        parts = (self.before, self.hit, self.after)
        ascents = [part.layout.lineAt(0).ascent() for part in parts if part.text]
        heights = [part.layout.lineAt(0).height() for part in parts if part.text]
        if not heights:
            return
        base = place.top() + (place.height() - max(heights)) / 2 + max(ascents)
        painter.setPen(colour)
        for part in parts:
            if part.text:
                y = base - part.layout.lineAt(0).ascent()
                part.layout.draw(painter, QPointF(place.left() + part.left, y))


def lay_out_line(
    parts: KwicParts, language: str, width: float, look: KwicLook
) -> KwicLayout:
    """Lay a line out in a width, its hit in the middle."""
    font = sentence_font(look.font, language)
    is_mirrored = is_right_to_left(language)
    space = QFontMetricsF(font).horizontalAdvance(" ")
    hit = _lay_out_hit(parts.hit, font, is_mirrored, MOST_HIT * width, look)
    left = (width - hit.width) / 2
    hit_part = hit.place(left)
    placed = []
    for part, is_before in ((parts.before, True), (parts.after, False)):
        gap = space * part.has_gap
        shown, marks = _elide(part, font, left - gap, is_before=is_before)
        one = _lay_out(shown, font, is_mirrored, _formats(marks, look))
        is_left = is_before != is_mirrored
        x = left - gap - one.width if is_left else hit_part.right + gap
        placed.append(one.place(x))
    return KwicLayout(placed[0], hit_part, placed[1])


class _LaidOut(NamedTuple):
    layout: QTextLayout
    text: str
    width: float

    def place(self, left: float) -> PlacedPart:
        return PlacedPart(self.layout, self.text, left, self.width)


def _lay_out_hit(
    part: Part, font: QFont, is_mirrored: bool, width: float, look: KwicLook
) -> _LaidOut:
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    elide = Qt.TextElideMode.ElideRight
    text = QFontMetricsF(bold).elidedText(part.text, elide, width)
    form = QTextCharFormat()
    if HIT in look.sort:
        form = word_format(HIT, list(look.sort).index(HIT), look.tokens)
    form.setForeground(QColor(look.tokens.accent))
    whole = _range(0, utf16_length(text), form)
    return _lay_out(text, bold, is_mirrored, [whole])


def _elide(
    part: Part, font: QFont, width: float, *, is_before: bool
) -> tuple[str, tuple[Mark, ...]]:
    """Cut a context at its far end; the marks that are left move along."""
    mode = Qt.TextElideMode.ElideLeft if is_before else Qt.TextElideMode.ElideRight
    shown = QFontMetricsF(font).elidedText(part.text, mode, max(width, 0.0))
    n, n_shown = utf16_length(part.text), utf16_length(shown)
    if shown == part.text:
        return shown, part.marks
    if is_before:
        return shown, shift_marks(part.marks, n_shown - n, (len(ELLIPSIS), n_shown))
    return shown, shift_marks(part.marks, 0, (0, n_shown - len(ELLIPSIS)))


def _formats(marks: Sequence[Mark], look: KwicLook) -> list[QTextLayout.FormatRange]:
    places = list(look.sort)
    return [
        _range(
            mark.start,
            mark.length,
            word_format(mark.position, places.index(mark.position), look.tokens),
        )
        for mark in marks
        if mark.position in places
    ]


def _range(start: int, length: int, form: QTextCharFormat) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length, found.format = start, length, form
    return found


def _lay_out(
    text: str,
    font: QFont,
    is_mirrored: bool,
    formats: Sequence[QTextLayout.FormatRange],
) -> _LaidOut:
    """Set a text in one line, drawn from its left edge on."""
    layout = QTextLayout(text, font)
    way = Qt.LayoutDirection
    option = QTextOption(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
    option.setTextDirection(way.RightToLeft if is_mirrored else way.LeftToRight)
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    layout.setTextOption(option)
    layout.setFormats(list(formats))
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(ENDLESS)
    line.setPosition(QPointF(0, 0))
    layout.endLayout()
    return _LaidOut(layout, text, line.naturalTextWidth())
