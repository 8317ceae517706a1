"""Delegate that lays out and paints a line with its hit centred.

The hues follow the palette of Okabe and Ito (2008, "Color Universal Design"), made
darker or lighter until text in them is readable (WCAG 2.1, level AA) on both row
backgrounds. Colour is never the only sign: underlines show which word a line is sorted
by first, second and third.

The text before the hit is on its left, or on its right in right-to-left scripts. A
context that does not fit is elided at its far end, between two graphemes.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QApplication, QStyleOptionViewItem

from app.languages import is_right_to_left
from app.protocol.answers.reading import TranslatedWord
from app.views.concordance.context import (
    ELLIPSIS,
    MAX_CONTEXT,
    KwicParts,
    Mark,
    Part,
    shift_marks,
    utf16_length,
)
from app.views.concordance.model import ROW_ROLE, KwicRow
from app.views.concordance.neighbours import LineNeighbours, NeighbourSentence
from app.views.widgets.cells import ROW_HEIGHT, Index
from app.views.widgets.fonts import sentence_font
from app.views.widgets.hit_card import cut_leading, paint_badge
from app.views.widgets.number_format import format_badge
from app.views.widgets.tables import PADDING, TextDelegate, paint_back
from app.views.widgets.text_layout import TextStyle, draw_layout, lay_out_text
from app.views.widgets.theme import DARK, ThemeColours, colours_of, scaled
from app.views.widgets.word_marks import colour_words

LIGHT_COLOURS = {
    "L1": "#005F99",
    "L2": "#00664E",
    "L3": "#7A3B96",
    "N": "#0B6E75",
    "R1": "#A34200",
    "R2": "#755600",
    "R3": "#9C2C62",
}
DARK_COLOURS = {
    "L1": "#6FBEF2",
    "L2": "#4FCFA6",
    "L3": "#C6A2EA",
    "N": "#4DB6AC",
    "R1": "#F59A62",
    "R2": "#E8C94F",
    "R3": "#F08FBF",
}
_Lines = QTextCharFormat.UnderlineStyle
UNDERLINES = (_Lines.SingleUnderline, _Lines.DashUnderline, _Lines.DotLine)  # by rank


def position_colour(position: str, colours: ThemeColours) -> QColor:
    """Return the colour of the words at a position."""
    return QColor((DARK_COLOURS if colours is DARK else LIGHT_COLOURS)[position])


def word_format(position: str, rank: int, colours: ThemeColours) -> QTextCharFormat:
    """Return the format of a sort word; rank 0 is the first sort key."""
    colour = position_colour(position, colours)
    form = QTextCharFormat()
    form.setForeground(colour)
    form.setUnderlineStyle(UNDERLINES[rank % len(UNDERLINES)])
    form.setUnderlineColor(colour)
    return form


MAX_HIT_SHARE = 0.6  # of the width; longer hits are elided
HIT_KEY = "N"
UNLIMITED_WIDTH = 1e6  # pixels: prevents line breaks


@dataclass(frozen=True)
class KwicStyle:
    """The drawing style of lines.

    Attributes:
        font: base font of the fonts for each language.
        tokens: current colours.
        sort: positions of the marked sort words, in order.
    """

    font: QFont
    tokens: ThemeColours
    sort: Sequence[str] = ()


@dataclass(frozen=True)
class PlacedPart:
    """A part of a line with its layout, text and position."""

    layout: QTextLayout
    text: str
    left: float
    width: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width


@dataclass(frozen=True)
class KwicLayout:
    """The layout of a line; x counts from its left edge."""

    before: PlacedPart
    hit: PlacedPart
    after: PlacedPart

    def draw(self, painter: QPainter, rect: QRectF, colour: QColor) -> None:
        """Draw the parts on one baseline."""
        parts = (self.before, self.hit, self.after)
        ascents = [part.layout.lineAt(0).ascent() for part in parts if part.text]
        heights = [part.layout.lineAt(0).height() for part in parts if part.text]
        if not heights:
            return
        base = rect.top() + (rect.height() - max(heights)) / 2 + max(ascents)
        painter.setPen(colour)
        for part in parts:
            if part.text:
                y = base - part.layout.lineAt(0).ascent()
                part.layout.draw(painter, QPointF(rect.left() + part.left, y))


def lay_out_line(
    parts: KwicParts, language: str, width: float, style: KwicStyle
) -> KwicLayout:
    """Lay out a line with the hit centred."""
    font = sentence_font(style.font, language)
    is_mirrored = is_right_to_left(language)
    space = QFontMetricsF(font).horizontalAdvance(" ")
    hit = _lay_out_hit(parts.hit, font, is_mirrored, MAX_HIT_SHARE * width, style)
    left = (width - hit.width) / 2
    hit_part = hit.place(left)
    placed = []
    for part, is_before in ((parts.before, True), (parts.after, False)):
        gap = space * part.has_gap
        shown, marks = _elide(part, font, left - gap, is_before=is_before)
        one = _lay_out(shown, font, is_mirrored, _formats(marks, style))
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
    part: Part, font: QFont, is_mirrored: bool, width: float, style: KwicStyle
) -> _LaidOut:
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    elide = Qt.TextElideMode.ElideRight
    text = QFontMetricsF(bold).elidedText(part.text, elide, width)
    form = QTextCharFormat()
    if HIT_KEY in style.sort:
        form = word_format(HIT_KEY, list(style.sort).index(HIT_KEY), style.tokens)
    form.setForeground(QColor(style.tokens.accent))
    whole = _range(0, utf16_length(text), form)
    return _lay_out(text, bold, is_mirrored, [whole])


def _elide(
    part: Part, font: QFont, width: float, *, is_before: bool
) -> tuple[str, tuple[Mark, ...]]:
    """Elide a context at its far end, and shift its marks."""
    mode = Qt.TextElideMode.ElideLeft if is_before else Qt.TextElideMode.ElideRight
    shown = QFontMetricsF(font).elidedText(part.text, mode, max(width, 0.0))
    n, n_shown = utf16_length(part.text), utf16_length(shown)
    if shown == part.text:
        return shown, part.marks
    if is_before:
        return shown, shift_marks(part.marks, n_shown - n, (len(ELLIPSIS), n_shown))
    return shown, shift_marks(part.marks, 0, (0, n_shown - len(ELLIPSIS)))


def _formats(marks: Sequence[Mark], style: KwicStyle) -> list[QTextLayout.FormatRange]:
    places = list(style.sort)
    return [
        _range(
            mark.start,
            mark.length,
            word_format(mark.position, places.index(mark.position), style.tokens),
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
    """Lay out a text in one line."""
    layout = QTextLayout(text, font)
    way = Qt.LayoutDirection
    option = QTextOption(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
    option.setTextDirection(way.RightToLeft if is_mirrored else way.LeftToRight)
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    layout.setTextOption(option)
    layout.setFormats(list(formats))
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(UNLIMITED_WIDTH)
    line.setPosition(QPointF(0, 0))
    layout.endLayout()
    return _LaidOut(layout, text, line.naturalTextWidth())


NEIGHBOUR_HEIGHT = 21  # pixels of a nearest sentence below a line
TAG_WIDTH, SCORE_WIDTH, MARK_SIZE = 34, 38, 16
MAX_CACHED_LAYOUTS = 400


class KwicDelegate(TextDelegate):
    """Paints the column of hits in context."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.sort: tuple[str, ...] = ()
        self.neighbours: LineNeighbours | None = None
        self._layouts: OrderedDict[object, KwicLayout] = OrderedDict()

    @property
    def row_height(self) -> int:
        """The height of every row, in pixels."""
        n = self.neighbours.n_languages if self.neighbours is not None else 0
        return scaled(ROW_HEIGHT) + n * scaled(NEIGHBOUR_HEIGHT)

    def clear_layouts(self) -> None:
        """Clear the cached layouts after a change of colours, size or sort order."""
        self._layouts.clear()

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the cell."""
        row: KwicRow | None = index.data(ROW_ROLE)
        if row is None:
            super().paint(painter, option, index)
            return
        item, _ = paint_back(self, painter, option, index)
        colours = colours_of(QApplication.palette())
        rect = QRectF(item.rect).adjusted(PADDING, 0, -PADDING, 0)
        line = QRectF(rect)
        line.setHeight(scaled(ROW_HEIGHT))
        painter.save()
        painter.setClipRect(rect)
        laid = self._lay_out(
            row, rect.width(), KwicStyle(item.font, colours, self.sort)
        )
        laid.draw(painter, line, QColor(colours.text))
        if self.neighbours is not None and self.neighbours.n_languages:
            line.setTop(line.bottom())
            self._paint_near(painter, line, row, (item.font, colours))
        painter.restore()

    def _lay_out(self, row: KwicRow, width: float, style: KwicStyle) -> KwicLayout:
        key = (row.sentence.id, row.hit, round(width), style.font.pixelSize())
        if key not in self._layouts:
            language = row.sentence.language
            self._layouts[key] = lay_out_line(row.parts(), language, width, style)
            while len(self._layouts) > MAX_CACHED_LAYOUTS:
                self._layouts.popitem(last=False)
        return self._layouts[key]

    def _paint_near(
        self,
        painter: QPainter,
        top: QRectF,
        row: KwicRow,
        style: tuple[QFont, ThemeColours],
    ) -> None:
        assert self.neighbours is not None
        near = self.neighbours.near(row.sentence.id)
        rect = QRectF(top)
        rect.setHeight(scaled(NEIGHBOUR_HEIGHT))
        rect.translate(0, -scaled(5))
        font, tokens = QFont(style[0]), style[1]
        font.setPixelSize(scaled(12, style[0]))
        if near is None:
            return
        for one in near[: self.neighbours.n_languages]:
            words = self.neighbours.translated_words(row, one.id)
            paint_neighbour(painter, rect, one, (font, tokens), words)
            rect.translate(0, rect.height())

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return a size without reading the text: all rows have the same height."""
        return QSize(320, self.row_height)


def paint_neighbour(
    painter: QPainter,
    rect: QRectF,
    near: NeighbourSentence,
    style: tuple[QFont, ThemeColours],
    words: Sequence[TranslatedWord] = (),
) -> None:
    """Paint a nearest sentence: language, link mark or cosine, and text."""
    font, tokens = style
    is_mirrored = is_right_to_left(near.language)
    text = QRectF(rect)
    tag = cut_leading(text, scaled(TAG_WIDTH, font), is_mirrored, gap=0)
    sign = cut_leading(text, scaled(SCORE_WIDTH, font), is_mirrored, gap=0)
    painter.setFont(font)
    painter.setPen(QColor(tokens.secondary))
    elide = Qt.TextElideMode.ElideRight
    code = QFontMetricsF(font).elidedText(near.language, elide, tag.width())
    painter.drawText(tag, _side(is_mirrored), code)
    _paint_sign(painter, sign, near, style)
    accent = QColor(tokens.accent)
    text_style = TextStyle(font, QColor(tokens.secondary), accent)
    shown, language = near.text, near.language
    if near.is_similar:
        metrics = QFontMetricsF(sentence_font(font, language))
        shown, words = elide_around(shown, words, metrics, text.width())
    else:
        tr = QCoreApplication.translate
        shown, words, language = tr("concordance", "no similar sentence"), (), "en"
    layout, height = lay_out_text(
        shown, language, text.width(), text_style, colour_words(words, tokens)
    )
    text.setTop(text.top() + max((text.height() - height) / 2, 0))
    draw_layout(painter, layout, text, QColor(tokens.secondary))


def elide_around(
    text: str, words: Sequence[TranslatedWord], metrics: QFontMetricsF, width: float
) -> tuple[str, Sequence[TranslatedWord]]:
    """Cut the beginning of a text if its most confident word would be hidden.

    Returns:
        The text, and the words in the text that remains.
    """
    if not words:
        return text, words
    best = max(words, key=lambda word: word.confidence)
    if metrics.horizontalAdvance(text[: best.end] + ELLIPSIS) <= width:
        return text, words
    room = (width - metrics.horizontalAdvance(text[best.begin : best.end])) / 2
    low = max(best.begin - MAX_CONTEXT, 0)
    mode = Qt.TextElideMode.ElideLeft
    head = metrics.elidedText(text[low : best.begin], mode, max(room, 0.0))
    shift = len(head) - best.begin
    kept = [
        msgspec.structs.replace(word, begin=word.begin + shift, end=word.end + shift)
        for word in words
        if word.begin + shift >= len(ELLIPSIS)
    ]
    return head + text[best.begin :], kept


def _paint_sign(
    painter: QPainter,
    rect: QRectF,
    near: NeighbourSentence,
    style: tuple[QFont, ThemeColours],
) -> None:
    """Paint the mark of a linked translation, or the cosine."""
    font, tokens = style
    is_mirrored = is_right_to_left(near.language)
    if near.is_translation:
        size = scaled(MARK_SIZE, font)
        mark = QRectF(0, 0, size, size)
        mark.moveCenter(rect.center())
        if is_mirrored:
            mark.moveRight(rect.right())
        else:
            mark.moveLeft(rect.left())
        colours = QColor(tokens.human_soft), QColor(tokens.human)
        paint_badge(painter, mark, colours, "✓", font)
    elif near.score is not None:
        painter.setPen(QColor(tokens.secondary))
        painter.drawText(rect, _side(is_mirrored), format_badge(near.score))


def _side(is_mirrored: bool) -> Qt.AlignmentFlag:
    flag = Qt.AlignmentFlag
    side = flag.AlignRight if is_mirrored else flag.AlignLeft
    return side | flag.AlignVCenter | flag.AlignAbsolute
