"""Paints a line of a concordance, and the sentences nearest to it below."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QApplication, QStyleOptionViewItem

from app.languages import is_right_to_left
from app.views.theme import Tokens, scaled, tokens_of
from app.views.widgets.hit_card import paint_badge, take
from app.views.widgets.kwic_layout import KwicLayout, KwicLook, lay_out_line
from app.views.widgets.kwic_model import ROW_ROLE, KwicRow
from app.views.widgets.page_model import ROW_HEIGHT
from app.views.widgets.text_delegate import PADDING, TextDelegate
from app.views.widgets.text_layout import Style, draw, lay_out

NEIGHBOUR_HEIGHT = 21  # pixels of a nearest sentence below its line
TAG_WIDTH, SCORE_WIDTH, MARK_SIZE = 34, 38, 16
N_LAYOUTS = 400  # that are kept


class NearSentence(NamedTuple):
    """A sentence near to that of a line, as it is shown."""

    id: int
    text: str
    language: str
    score: float | None
    is_translation: bool


class NearGiver(Protocol):
    """Knows the sentences near to others."""

    @property
    def n_languages(self) -> int:
        """Count the languages that are shown."""

    def near(self, sentence_id: int) -> Sequence[NearSentence] | None:
        """Give those near to a sentence; None: they are not known yet."""


class KwicDelegate(TextDelegate):
    """Paints the column of the hits."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.sort: tuple[str, ...] = ()
        self.giver: NearGiver | None = None
        self._layouts: OrderedDict[object, KwicLayout] = OrderedDict()

    @property
    def row_height(self) -> int:
        """The height of every row, in pixels."""
        n = self.giver.n_languages if self.giver is not None else 0
        return scaled(ROW_HEIGHT) + n * scaled(NEIGHBOUR_HEIGHT)

    def forget_layouts(self) -> None:
        """Lay out anew: the colours, the size or the words that sort are others."""
        self._layouts.clear()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint the cell."""
        row: KwicRow | None = index.data(ROW_ROLE)
        if row is None:
            super().paint(painter, option, index)
            return
        item, _ = self.paint_back(painter, option, index)
        tokens = tokens_of(QApplication.palette())
        place = QRectF(item.rect).adjusted(PADDING, 0, -PADDING, 0)
        line = QRectF(place)
        line.setHeight(scaled(ROW_HEIGHT))
        painter.save()
        painter.setClipRect(place)
        laid = self._lay_out(row, place.width(), KwicLook(item.font, tokens, self.sort))
        laid.draw(painter, line, QColor(tokens.text))
        if self.giver is not None and self.giver.n_languages:
            line.setTop(line.bottom())
            self._paint_near(painter, line, row, (item.font, tokens))
        painter.restore()

    def _lay_out(self, row: KwicRow, width: float, look: KwicLook) -> KwicLayout:
        key = (row.sentence.id, row.hit, round(width), look.font.pixelSize())
        if key not in self._layouts:
            language = row.sentence.language
            self._layouts[key] = lay_out_line(row.parts(), language, width, look)
            while len(self._layouts) > N_LAYOUTS:
                self._layouts.popitem(last=False)
        return self._layouts[key]

    def _paint_near(
        self, painter: QPainter, top: QRectF, row: KwicRow, look: tuple[QFont, Tokens]
    ) -> None:
        assert self.giver is not None
        near = self.giver.near(row.sentence.id)
        place = QRectF(top)
        place.setHeight(scaled(NEIGHBOUR_HEIGHT))
        place.translate(0, -scaled(5))
        font, tokens = QFont(look[0]), look[1]
        font.setPixelSize(scaled(12, look[0]))
        if near is None:
            return
        for one in near[: self.giver.n_languages]:
            paint_near(painter, place, one, (font, tokens))
            place.translate(0, place.height())

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Give a size that needs no text to be read: rows have one fixed height."""
        return QSize(320, self.row_height)


def paint_near(
    painter: QPainter, place: QRectF, near: NearSentence, look: tuple[QFont, Tokens]
) -> None:
    """Paint a nearest sentence: language, a mark or its cosine, and the text."""
    font, tokens = look
    is_mirrored = is_right_to_left(near.language)
    text = QRectF(place)
    tag = take(text, scaled(TAG_WIDTH, font), is_mirrored, gap=0)
    sign = take(text, scaled(SCORE_WIDTH, font), is_mirrored, gap=0)
    painter.setFont(font)
    painter.setPen(QColor(tokens.secondary))
    elide = Qt.TextElideMode.ElideRight
    code = QFontMetricsF(font).elidedText(near.language, elide, tag.width())
    painter.drawText(tag, _side(is_mirrored), code)
    _paint_sign(painter, sign, near, look)
    style = Style(font, QColor(tokens.secondary))
    layout, height = lay_out(near.text, near.language, text.width(), style)
    text.setTop(text.top() + max((text.height() - height) / 2, 0))
    draw(painter, layout, text, QColor(tokens.secondary))


def _paint_sign(
    painter: QPainter, place: QRectF, near: NearSentence, look: tuple[QFont, Tokens]
) -> None:
    """Paint the mark of a translation by a link, else the cosine."""
    font, tokens = look
    is_mirrored = is_right_to_left(near.language)
    if near.is_translation:
        size = scaled(MARK_SIZE, font)
        mark = QRectF(0, 0, size, size)
        mark.moveCenter(place.center())
        if is_mirrored:
            mark.moveRight(place.right())
        else:
            mark.moveLeft(place.left())
        colours = QColor(tokens.human_soft), QColor(tokens.human)
        paint_badge(painter, mark, colours, "✓", font)
    elif near.score is not None:
        painter.setPen(QColor(tokens.secondary))
        painter.drawText(place, _side(is_mirrored), f"{near.score:.2f}")


def _side(is_mirrored: bool) -> Qt.AlignmentFlag:
    flag = Qt.AlignmentFlag
    side = flag.AlignRight if is_mirrored else flag.AlignLeft
    return side | flag.AlignVCenter | flag.AlignAbsolute
