"""Lay out sentences for painting: direction, font, highlights, elision."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)

from app.languages import is_right_to_left
from app.views.widgets.fonts import sentence_font

MAX_CHARACTERS = 2_000  # more is never on screen at once
ELISION_STEP = 4  # pixels


@dataclass(frozen=True)
class TextStyle:
    """Text style of a sentence.

    Attributes:
        font: base font; the language's font is made of it.
        colour: colour of the text.
        mark: colour behind marked words; None: no marks.
        max_lines: lines before the text is elided.
        spacing: height of a line in line heights of the font.
    """

    font: QFont
    colour: QColor
    mark: QColor | None = None
    max_lines: int = 1
    spacing: float = 1.0


class ColouredSpan(NamedTuple):
    """A part of a text in its own colours: begin and end in code points."""

    begin: int
    end: int
    background: QColor
    foreground: QColor


def lay_out_text(
    text: str,
    language: str,
    width: float,
    style: TextStyle,
    marks: Sequence[str | ColouredSpan] = (),
) -> tuple[QTextLayout, float]:
    """Lay out a sentence in a width.

    Args:
        language: its code.
        width: in pixels.
        style: how it is set.
        marks: words, marked wherever they occur, and parts with their own colours.

    Returns:
        The layout, ready to draw at (0, 0), and its height in pixels.
    """
    font = sentence_font(style.font, language)
    shown = text[:MAX_CHARACTERS].replace("\n", " ")
    if style.max_lines == 1:
        metrics = QFontMetricsF(font)
        shown = metrics.elidedText(shown, Qt.TextElideMode.ElideRight, width)
    layout = _make_layout(shown, language, font, style, marks)
    last_start, n_used, height = _place_lines(layout, width, style)
    head, tail = _split_utf16(shown, last_start)
    room = width
    while n_used < _utf16(layout.text()) and room > 0:
        last = QFontMetricsF(font).elidedText(tail, Qt.TextElideMode.ElideRight, room)
        layout = _make_layout(head + last, language, font, style, marks)
        _, n_used, height = _place_lines(layout, width, style)
        room -= ELISION_STEP  # marks can make a text wider than it was measured
    return layout, height


def draw_layout(
    painter: QPainter, layout: QTextLayout, rect: QRectF, colour: QColor
) -> None:
    """Draw a layout with its first line at the top left of a rectangle."""
    painter.setPen(colour)
    layout.draw(painter, QPointF(rect.topLeft()))


def find_highlights(text: str, marks: Sequence[str]) -> list[tuple[int, int]]:
    """Find the marked words in a text, without regard to case.

    Returns:
        Pairs of (start, length) in UTF-16 units, as Qt counts.
    """
    found: list[tuple[int, int]] = []
    for word in marks:
        if word:
            for match in re.finditer(re.escape(word), text, re.IGNORECASE):
                start = _utf16(text[: match.start()])
                found.append((start, _utf16(match.group())))
    return found


def _utf16(text: str) -> int:
    return len(text) + sum(1 for character in text if ord(character) > 0xFFFF)


def _split_utf16(text: str, index: int) -> tuple[str, str]:
    """Split a text at an index in UTF-16 units."""
    raw = text.encode("utf-16-le")
    return raw[: 2 * index].decode("utf-16-le"), raw[2 * index :].decode("utf-16-le")


def _make_layout(
    text: str,
    language: str,
    font: QFont,
    style: TextStyle,
    marks: Sequence[str | ColouredSpan],
) -> QTextLayout:
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    if is_right_to_left(language):
        option.setTextDirection(Qt.LayoutDirection.RightToLeft)
        option.setAlignment(
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute
        )
    else:
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
    layout.setTextOption(option)
    if style.mark is not None and marks:
        words = [mark for mark in marks if isinstance(mark, str)]
        spans = [mark for mark in marks if isinstance(mark, ColouredSpan)]
        formats = [_mark(place, style.mark) for place in find_highlights(text, words)]
        formats += [
            _mark(
                (_utf16(text[: span.begin]), _utf16(text[span.begin : span.end])),
                span.background,
                span.foreground,
            )
            for span in spans
            if span.end <= len(text)
        ]
        layout.setFormats(formats)
    return layout


def _mark(
    place: tuple[int, int], colour: QColor, foreground: QColor | None = None
) -> QTextLayout.FormatRange:
    mark = QTextLayout.FormatRange()
    mark.start, mark.length = place
    form = QTextCharFormat()
    form.setBackground(QBrush(colour))
    form.setFontUnderline(True)  # colour is never the only sign
    if foreground is not None:
        form.setForeground(QBrush(foreground))
    mark.format = form
    return mark


def _place_lines(
    layout: QTextLayout, width: float, style: TextStyle
) -> tuple[int, int, float]:
    """Place the lines; returns start of the last, end of the text placed, height."""
    step = QFontMetricsF(style.font).height() * style.spacing
    y, start, end = 0.0, 0, 0
    layout.beginLayout()
    for _ in range(style.max_lines):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        line.setPosition(QPointF(0, y))
        y += max(line.height(), step)
        start, end = line.textStart(), line.textStart() + line.textLength()
    layout.endLayout()
    return start, end, y


def find_free(rooms: Sequence[QRectF]) -> list[int]:
    """Return the indices of the rectangles that overlap no earlier one of these."""
    free: list[int] = []
    for index, room in enumerate(rooms):
        if not room.isEmpty() and not any(room.intersects(rooms[i]) for i in free):
            free.append(index)
    return free


def elide_name(name: str, width: float, metrics: QFontMetricsF) -> str:
    """Elide a name in its least informative part.

    That is the middle if its end distinguishes it, as in comparison-1 2 (Layers 3) or
    in a file name, otherwise the end.
    """
    *others, last = name.split() or [name]
    is_distinct = not others or any(one.isdigit() or one in ")]" for one in last)
    mode = Qt.TextElideMode
    return metrics.elidedText(
        name, mode.ElideMiddle if is_distinct else mode.ElideRight, width
    )


def direction_language(text: str) -> str:
    """Return a language to set a text of unknown language in, by its first letter."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("L", "R", "AL"):
            return {"R": "he", "AL": "ar"}.get(kind, "")
    return ""
