"""Card of a search hit: painting, score badge and clickable widget."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.languages import is_right_to_left, language_name
from app.protocol.answers.reading import TranslatedWord
from app.views.widgets.controls import ENTER_KEYS
from app.views.widgets.hits import (
    Hit,
    describe_place,
    elide_source,
    without_language_code,
)
from app.views.widgets.number_format import format_badge
from app.views.widgets.text_layout import (
    ColouredSpan,
    TextStyle,
    draw_layout,
    lay_out_text,
)
from app.views.widgets.theme import (
    RADIUS,
    ThemeColours,
    colours_of,
    mark_colour,
    scaled,
    score_colours,
)
from app.views.widgets.word_marks import colour_words, name_words

PADDING, BADGE_WIDTH, BADGE_HEIGHT, FOOTER_GAP, BADGE_GAP = 12, 46, 20, 6, 8
MAX_LINES = 7
MIN_SOURCE_WIDTH = 24  # pixels of the names of corpus and document
PLACE_SLACK = 4  # pixels around the text of a location
_V_PADDING = PADDING - 2


class CardStyle(NamedTuple):
    """Style of a card; `marks` are words to mark, `max_lines` limits the text."""

    font: QFont
    tokens: ThemeColours
    is_chosen: bool = False
    is_hovered: bool = False
    has_keyboard: bool = False
    marks: Sequence[str | ColouredSpan] = ()
    max_lines: int = MAX_LINES


def measure_card(
    hit: Hit,
    width: float,
    font: QFont,
    colours: ThemeColours,
    max_lines: int = MAX_LINES,
) -> float:
    """Measure the height of a card in a width."""
    _, height = lay_out_text(
        hit.sentence.text,
        hit.sentence.language,
        width - 2 * PADDING,
        _text_style(font, colours, max_lines),
    )
    footer = scaled(BADGE_HEIGHT, font)
    if _has_two_rows(hit, width - 2 * PADDING, font):
        footer *= 2
    return height + FOOTER_GAP + footer + 2 * _V_PADDING


def paint_card(painter: QPainter, card: QRectF, hit: Hit, look: CardStyle) -> None:
    """Paint a card."""
    font, tokens, is_chosen, is_hovered, has_keyboard, marks, max_lines = look
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
    layout, _ = lay_out_text(
        hit.sentence.text,
        hit.sentence.language,
        inner.width(),
        _text_style(font, tokens, max_lines),
        marks,
    )
    draw_layout(painter, layout, inner, QColor(tokens.text))
    _paint_footer(painter, inner, hit, font, tokens)
    painter.restore()


def _text_style(font: QFont, colours: ThemeColours, max_lines: int) -> TextStyle:
    mark = QColor(mark_colour(colours))
    return TextStyle(
        font, QColor(colours.text), mark, max_lines=max_lines, spacing=1.08
    )


def _paint_footer(
    painter: QPainter, inner: QRectF, hit: Hit, font: QFont, tokens: ThemeColours
) -> None:
    """Paint the badges and the place: from the right in right-to-left languages."""
    height = scaled(BADGE_HEIGHT, font)
    row = QRectF(inner.left(), inner.bottom() - height, inner.width(), height)
    is_mirrored = is_right_to_left(hit.sentence.language)
    small = _small(font)
    if _has_two_rows(hit, inner.width(), font):
        _paint_place(painter, QRectF(row), hit, small, tokens)
        row.translate(0, -height)
    if hit.score is not None:
        rect = cut_leading(row, scaled(BADGE_WIDTH, font), is_mirrored)
        colours = score_colours(tokens, hit.score)
        paint_badge(painter, rect, colours, format_badge(hit.score), small)
    if hit.is_translation:
        rect = cut_leading(row, height, is_mirrored)
        colours = QColor(tokens.human_soft), QColor(tokens.human)
        paint_badge(painter, rect, colours, "✓", small)
    if not _has_two_rows(hit, inner.width(), font):
        _paint_place(painter, row, hit, small, tokens)


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPixelSize(scaled(12, font))
    return small


def _has_two_rows(hit: Hit, width: float, font: QFont) -> bool:
    """Return whether the source needs the row below the badges."""
    badges = (hit.score is not None) * (scaled(BADGE_WIDTH, font) + BADGE_GAP)
    badges += hit.is_translation * (scaled(BADGE_HEIGHT, font) + BADGE_GAP)
    shown = whole_place(_short_hit(hit))
    place = QFontMetricsF(_small(font)).horizontalAdvance(shown)
    return badges > 0 and place > width - badges - PLACE_SLACK


def _paint_place(
    painter: QPainter, row: QRectF, hit: Hit, font: QFont, colours: ThemeColours
) -> None:
    """Paint language, corpus, document and line."""
    layout, height = lay_out_text(
        elide_place(hit, row.width(), font),
        hit.sentence.language if is_right_to_left(hit.sentence.language) else "",
        row.width(),
        TextStyle(font, QColor(colours.secondary)),
    )
    row.setTop(row.top() + (row.height() - height) / 2)
    draw_layout(painter, layout, row, QColor(colours.secondary))


def _short_hit(hit: Hit) -> Hit:
    """Return a hit with the corpus without the language, which is shown elsewhere."""
    corpus = without_language_code(hit.corpus, hit.sentence.language)
    return hit._replace(corpus=corpus)


def whole_place(hit: Hit) -> str:
    """Return language, corpus, document and line."""
    name = " · ".join(part for part in (hit.language, hit.source) if part)
    return describe_place(name, hit.sentence.line)


def elide_place(hit: Hit, width: float, font: QFont) -> str:
    """Return language, corpus, document and line in a width.

    If room is short, corpus and document are elided, but not the language.
    """
    hit, metrics = _short_hit(hit), QFontMetricsF(font)
    rest = describe_place(
        f"{hit.language} · " if hit.language else "", hit.sentence.line
    )
    room = width - metrics.horizontalAdvance(rest) - PLACE_SLACK
    source = elide_source(
        hit.corpus, hit.document, max(room, MIN_SOURCE_WIDTH), metrics
    )
    if hit.language and room < MIN_SOURCE_WIDTH:
        source = ""
    name = " · ".join(part for part in (hit.language, source) if part)
    return describe_place(name, hit.sentence.line)


def cut_leading(
    row: QRectF, width: float, is_mirrored: bool, *, gap: float = BADGE_GAP
) -> QRectF:
    """Cut a piece and a gap from the beginning of a row."""
    rect = QRectF(row)
    rect.setWidth(width)
    if is_mirrored:
        rect.moveRight(row.right())
        row.setRight(row.right() - width - gap)
    else:
        row.setLeft(row.left() + width + gap)
    return rect


def paint_badge(
    painter: QPainter,
    rect: QRectF,
    colours: tuple[QColor, QColor],
    text: str,
    font: QFont,
) -> None:
    """Paint a small rounded badge; `colours` are background and text."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours[0])
    painter.drawRoundedRect(rect, 4, 4)
    painter.setPen(colours[1])
    painter.setFont(font)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


class ScoreBadge(QWidget):
    """A cosine as a number on a shade."""

    def __init__(self) -> None:
        super().__init__()
        self._cosine = 0.0

    def show_cosine(self, cosine: float) -> None:
        """Show another cosine, −1…1."""
        self._cosine = cosine
        self.setAccessibleName(format_badge(cosine))
        self.setToolTip(self.tr("Cosine of the two sentences' vectors."))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the badge."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(self.font())
        font.setBold(True)
        colours = score_colours(colours_of(self), self._cosine)
        paint_badge(
            painter, QRectF(self.rect()), colours, format_badge(self._cosine), font
        )
        painter.end()

    def sizeHint(self) -> QSize:
        """Return the size of a badge."""
        return QSize(scaled(50), scaled(24))

    def minimumSizeHint(self) -> QSize:
        """Return the size of a badge as the minimum."""
        return self.sizeHint()


class SentenceCard(QAbstractButton):
    """A card of a hit, chosen by a click, Enter or Space."""

    chosen = Signal(object)  # Hit

    def __init__(self, hit: Hit, hint: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.hit = hit
        self._hint, self._words = hint, list[TranslatedWord]()
        self._is_hovered = False
        self._heights: dict[tuple[int, str], int] = {}  # by width and font
        self.mark_words(())
        name = language_name(hit.sentence.language)
        self.setAccessibleName(f"{hit.sentence.text} ({name})")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.clicked.connect(lambda: self.chosen.emit(self.hit))

    @property
    def marked(self) -> list[str]:
        """The marked words with their confidences."""
        return name_words(self.hit.sentence.text, self._words)

    def mark_words(self, words: Sequence[TranslatedWord]) -> None:
        """Mark words of the sentence, and list them in the tooltip."""
        self._words = list(words)
        self.setToolTip("\n".join([*self.marked, whole_place(self.hit), self._hint]))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the card, with a frame if it has focus."""
        painter = QPainter(self)
        colours = colours_of(self)
        marks = colour_words(self._words, colours)
        look = CardStyle(
            self.font(), colours, self.hasFocus(), self._is_hovered, marks=marks
        )
        card = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        paint_card(painter, card, self.hit, look)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the card with Enter, as with Space."""
        if event.key() in ENTER_KEYS:
            self.click()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Highlight the card."""
        self._is_hovered = True
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Remove the highlight."""
        self._is_hovered = False
        self.update()
        super().leaveEvent(event)

    def heightForWidth(self, width: int) -> int:
        """Measure the card in a width, cached since Qt often repeats the call."""
        key = width, self.font().key()
        if key not in self._heights:
            height = measure_card(self.hit, width - 2, self.font(), colours_of(self))
            self._heights[key] = round(height) + 2
        return self._heights[key]

    def hasHeightForWidth(self) -> bool:
        """Return True: the height depends on the width."""
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the height for the new width."""
        super().resizeEvent(event)
        self.setMinimumHeight(self.heightForWidth(self.width()))

    def sizeHint(self) -> QSize:
        """Return the size of a card of the usual width."""
        return QSize(280, self.heightForWidth(280))
