"""Coverage mark of a language: symbol, colour and description."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QGuiApplication,
    QIcon,
    QPainter,
    QPaintEvent,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QWidget

from app.results.coverage import CoverageRating, LanguageCoverage
from app.views.widgets.number_format import format_age, pluralize
from app.views.widgets.theme import ThemeColours, colours_of

_tr = partial(QCoreApplication.translate, "coverage")

MARK_PX = 10
NONE: Mapping[str, float] = {}


class CoverageMark(QWidget):
    """The mark of one language, with the numbers in its tooltip."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._verdict: CoverageRating | None = None
        self.setFixedSize(MARK_PX + 4, MARK_PX + 4)
        self.hide()

    def show_coverage(
        self,
        coverage: LanguageCoverage | None,
        encoder: str,
        outdated: Mapping[str, float] = NONE,
    ) -> None:
        """Show the coverage by an encoder; None hides the mark."""
        self._verdict = coverage.verdict if coverage is not None else None
        self.setVisible(coverage is not None)
        if coverage is not None:
            text = describe_coverage(coverage, encoder, outdated)
            self.setToolTip(text)
            self.setAccessibleName(text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the mark in the centre."""
        if self._verdict is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        paint_mark(painter, rect, self._verdict, colours_of(self))
        painter.end()


def paint_mark(
    painter: QPainter, rect: QRectF, verdict: CoverageRating, colours: ThemeColours
) -> None:
    """Paint a verdict: green a dot, amber a triangle, red a square."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(verdict_colour(verdict, colours)))
    if verdict == "green":
        painter.drawEllipse(rect.adjusted(0.5, 0.5, -0.5, -0.5))
    elif verdict == "amber":
        top = QPointF(rect.center().x(), rect.top())
        corners = [top, rect.bottomRight(), rect.bottomLeft()]
        painter.drawPolygon(QPolygonF(corners))
    else:
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))


def mark_icon(verdict: CoverageRating, colours: ThemeColours) -> QIcon:
    """Draw the mark as an icon for a button or an item."""
    screen = QGuiApplication.primaryScreen()
    ratio = screen.devicePixelRatio() if screen else 1.0
    side = 16
    pixmap = QPixmap(round(side * ratio), round(side * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    margin = (side - MARK_PX) / 2
    rect = QRectF(margin, margin, MARK_PX, MARK_PX)
    paint_mark(painter, rect, verdict, colours)
    painter.end()
    icon = QIcon()
    for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected, QIcon.Mode.Disabled):
        icon.addPixmap(pixmap, mode)
    return icon


def mark_size() -> QSize:
    """Return the icon size of marks."""
    return QSize(16, 16)


def verdict_colour(verdict: CoverageRating, colours: ThemeColours) -> QColor:
    """Return the colour of a verdict."""
    names = {"green": colours.good, "amber": colours.caution, "red": colours.bad}
    return QColor(names[verdict])


def verdict_name(verdict: CoverageRating) -> str:
    """Return a short text for a verdict."""
    return {
        "green": _tr("covered"),
        "amber": _tr("uncertain"),
        "red": _tr("not covered"),
    }[verdict]


def describe_coverage(
    coverage: LanguageCoverage, encoder: str, outdated: Mapping[str, float] = NONE
) -> str:
    """Return the verdict, its reason and the measurements.

    Args:
        outdated: when languages were measured whose texts were imported later.
    """
    words = {
        "green": _tr("{encoder} covers this language, as far as measured."),
        "amber": _tr("{encoder} may not cover this language."),
        "red": _tr("{encoder} does not cover this language."),
    }[coverage.verdict].format(encoder=encoder)
    first = f"{words} {coverage.why}".strip()
    if (measured_at := outdated.get(coverage.language)) is not None:
        words = _tr(
            "This was measured {ago}, before the last import in this language. Measure "
            "again."
        )
        first = f"{first} {words.format(ago=format_age(measured_at))}"
    return "\n".join([first, *describe_numbers(coverage)])


def describe_numbers(coverage: LanguageCoverage) -> list[str]:
    """Return each measurement with its unit."""
    one, many = _tr("Measured on 1 sentence:"), _tr("Measured on {n} sentences:")
    lines = [pluralize(coverage.n, one, many)]
    if coverage.unknown is not None:
        what = _tr("pieces") if coverage.pieces is not None else _tr("words")
        words = _tr("{share} of {what} unknown")
        share = format_small_percent(coverage.unknown)
        lines.append(words.format(share=share, what=what))
    if coverage.pieces is not None:
        words = _tr("{n} pieces per character")
        if coverage.per == "word":
            words = _tr("{n} pieces per word")
        lines.append(words.format(n=f"{coverage.pieces:.2f}"))
    if coverage.script is not None:
        words = _tr("{share} of letters in the vocabulary")
        lines.append(words.format(share=format_small_percent(coverage.script)))
    if coverage.hubs is not None and coverage.skewness is not None:
        words = _tr("{share} of sentences are hubs (skewness {skewness})")
        share, skewness = (
            format_small_percent(coverage.hubs),
            f"{coverage.skewness:.2f}",
        )
        lines.append(words.format(share=share, skewness=skewness))
    words = _tr("{share} of sentences without a vector")
    lines.append(words.format(share=format_small_percent(coverage.zero)))
    return lines


def format_small_percent(share: float) -> str:
    """Format a share with significant digits: 0 %, 0.4 %, 12 %, 100 %."""
    percent = 100 * share
    if percent == 0 or percent >= 9.95:
        # 99.96 % is not all
        percent = min(percent, 99) if share < 1 and percent > 99 else percent
        return f"{percent:.0f}\u00a0%"
    return f"{percent:.1f}\u00a0%"
