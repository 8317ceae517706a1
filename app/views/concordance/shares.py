"""Distribution of hits by corpus, language and document as bars."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.languages import language_name
from app.views.concordance.model import LineArray
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import describe, make_label
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import GRID, mix, scaled, tokens_of

ROW_HEIGHT, BAR_HEIGHT, MAX_BARS = 36, 6, 12
MAX_COUNTED_DOCUMENTS = 200_000  # hits whose documents are counted


class Share(NamedTuple):
    """A part of the hits.

    Attributes:
        n: number of hits.
        n_sentences: sentences of the part; 0 if they were not counted.
    """

    name: str
    n: int
    n_sentences: int = 0


class HitDistribution(NamedTuple):
    """The hits by corpus, language and document, the largest part first."""

    corpora: list[Share]
    languages: list[Share]
    documents: list[Share]


def count_shares(
    lines: LineArray, corpora: Sequence[CorpusRow], document_of: Callable[[int], str]
) -> HitDistribution:
    """Count the hits by corpus, language and document.

    Args:
        lines: int64 (m, 3), sentence id, start, end.
        corpora: of the project.
        document_of: returns the name of a sentence's document, or an empty string.
    """
    known = {row.id: row for row in corpora}
    ids, counts = np.unique(lines[:, 0] // first_sentence_id(1), return_counts=True)
    by_corpus, by_language = [], Counter[str]()
    for id_, n in zip(ids.tolist(), counts.tolist(), strict=True):
        if id_ in known:
            row = known[id_]
            by_corpus.append(Share(row.name, n, row.n_sentences))
            by_language[row.language] += n
    totals = Counter[str]()
    for row in corpora:
        totals[row.language] += row.n_sentences
    languages = [
        Share(language_name(code), n, totals[code]) for code, n in by_language.items()
    ]
    documents = Counter[str]()
    if len(lines) <= MAX_COUNTED_DOCUMENTS:
        documents.update(document_of(id_) for id_ in lines[:, 0].tolist())
    named = [Share(name, n) for name, n in documents.items() if name]
    return HitDistribution(_ranked(by_corpus), _ranked(languages), _ranked(named))


def _ranked(shares: list[Share]) -> list[Share]:
    return sorted(shares, key=lambda share: (-share.n, share.name))


class DistributionPanel(QScrollArea):
    """Panel with a section for each breakdown."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(
            self,
            self.tr("Breakdown of the hits"),
            self.tr("Number of hits by language, corpus and document."),
        )
        self.shown = HitDistribution([], [], [])

    def show_shares(self, shares: HitDistribution) -> None:
        """Show new counts."""
        self.shown = shares
        content = QWidget()
        content.setObjectName("scrolled")
        column = make_column(parent=content, gap=4, margins=(GRID, 0, GRID, GRID))
        for title, part in (
            (self.tr("Languages"), shares.languages),
            (self.tr("Corpora"), shares.corpora),
            (self.tr("Documents"), shares.documents),
        ):
            if part:
                column.addWidget(make_label(title, "section"))
                column.addWidget(ShareBars(part))
                column.addSpacing(GRID)
        column.addStretch(1)
        self.setWidget(content)

    def sizeHint(self) -> QSize:
        """Return the size of a narrow column."""
        return QSize(scaled(200, self), 300)


class ShareBars(QWidget):
    """Bars with names and counts."""

    def __init__(self, shares: Sequence[Share]):
        super().__init__()
        rest = sum(share.n for share in shares[MAX_BARS:])
        self._shares = list(shares[:MAX_BARS])
        if rest:
            n = len(shares) - MAX_BARS
            words = self.tr("{n} more").format(n=format_count(n))
            self._shares.append(Share(words, rest))
        self._total = sum(share.n for share in shares)
        parts = [f"{share.name}: {self._figures(share)}" for share in self._shares]
        self.setAccessibleName("; ".join(parts))
        self.setToolTip("\n".join(parts))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _figures(self, share: Share) -> str:
        text = format_count(share.n)
        if share.n_sentences:
            rate = f"{1000 * share.n / share.n_sentences:,.1f}"
            words = self.tr("{n} · {rate} per 1,000 sentences")
            return words.format(n=text, rate=rate)
        return text

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint name and count over each bar."""
        painter = QPainter(self)
        tokens, metrics = tokens_of(self), self.fontMetrics()
        most = max((share.n for share in self._shares), default=1)
        height = scaled(ROW_HEIGHT, self)
        middle = Qt.AlignmentFlag.AlignVCenter
        for number, share in enumerate(self._shares):
            row = QRectF(0, number * height, self.width(), height - scaled(10, self))
            count = format_count(share.n)
            wide = metrics.horizontalAdvance(count) + GRID
            painter.setPen(QColor(tokens.secondary))
            painter.drawText(row, middle | Qt.AlignmentFlag.AlignRight, count)
            elide = Qt.TextElideMode.ElideRight
            name = metrics.elidedText(share.name, elide, round(row.width() - wide))
            painter.setPen(QColor(tokens.text))
            painter.drawText(row, middle | Qt.AlignmentFlag.AlignLeft, name)
            bar = QRectF(0, row.bottom(), row.width(), scaled(BAR_HEIGHT, self))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.line))
            painter.drawRoundedRect(bar, 3, 3)
            bar.setWidth(max(bar.width() * share.n / most, 3))
            painter.setBrush(QColor(mix(tokens, "accent", 0.8)))
            painter.drawRoundedRect(bar, 3, 3)

    def sizeHint(self) -> QSize:
        """Return a height with a row for each bar."""
        return QSize(scaled(180, self), len(self._shares) * scaled(ROW_HEIGHT, self))
