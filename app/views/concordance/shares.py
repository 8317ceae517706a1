"""Distribution of hits by corpus, language, document and field as bars."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from app.engine.store.arrays import map_array
from app.engine.store.corpora import CorpusRow, corpus_of, first_sentence_id
from app.engine.store.documents import (
    DocumentCache,
    DocumentRow,
    parse_field_number,
)
from app.engine.store.hidden_sentences import hidden_ids
from app.engine.store.sentences import read_languages
from app.engine.store.subcorpora import SubcorpusRow, subcorpus_ids
from app.engine.store.words.indexes import read_word_index, word_index_file
from app.errors import ResourceError
from app.languages import language_name
from app.views.client.project_reader import ProjectReader
from app.views.concordance.model import LineArray
from app.views.concordance.session import LoadedConcordance
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import describe, make_label
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import GRID, mix, scaled, tokens_of

ROW_HEIGHT, BAR_HEIGHT, MAX_BARS = 36, 6, 12
MAX_ORDERED_BARS = 100  # of numbers and dates
_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?")
MAX_STRETCHES = 20_000  # of the documents of a corpus; more are not counted


class Share(NamedTuple):
    """A part of the hits.

    Attributes:
        n: number of hits.
        n_sentences: sentences of the part; 0 if they were not counted.
        n_words: searched words of the part; 0 if they were not counted.
    """

    name: str
    n: int
    n_sentences: int = 0
    n_words: int = 0


class HitDistribution(NamedTuple):
    """The hits by corpus, language, document and field, the largest part first.

    Attributes:
        fields: parts by the values of each field, by the name of the field.
    """

    corpora: Sequence[Share] = ()
    languages: Sequence[Share] = ()
    documents: Sequence[Share] = ()
    fields: Mapping[str, Sequence[Share]] = MappingProxyType({})


class SearchedCorpus(NamedTuple):
    """A corpus that was searched, whole or in part.

    Attributes:
        words: int64 (n + 1,), searched words before each sentence; None: not known.
    """

    row: CorpusRow
    words: NDArray[np.int64] | None = None


def list_searched(
    project: ProjectReader, found: LoadedConcordance
) -> list[SearchedCorpus]:
    """List the corpora that a query searched, with their words where these are known.

    They are not known for a saved list, and for corpora without a saved word index.
    """
    settings = found.settings
    if found.saved_list is not None:
        return [SearchedCorpus(row) for row in project.corpora]
    parts = [row for row in project.subcorpora if row.id in settings.subcorpora]
    texts = project.texts or project.corpora
    by_default = () if settings.corpora or parts else {row.id for row in texts}
    searched = []
    for row in project.corpora:
        is_whole = row.id in settings.corpora or row.id in by_default
        if row.id in found.not_indexed:
            continue
        if is_whole or any(row.id in part.counts for part in parts):
            own = [] if is_whole else parts
            words = _sum_words(project, row, own, settings.languages)
            searched.append(SearchedCorpus(row, words))
    return searched


def _sum_words(
    project: ProjectReader,
    corpus: CorpusRow,
    parts: Sequence[SubcorpusRow],
    languages: Sequence[str],
) -> NDArray[np.int64] | None:
    """Count the searched words before each sentence: int64 (n + 1,).

    Args:
        project: with the corpus.
        corpus: the corpus.
        parts: sub-corpora that were searched; none: the whole corpus.
        languages: codes of the sentences that were searched; none: all.
    """
    index = read_word_index(project.store, corpus.id)
    if index is None or index.is_outdated:
        return None
    file = word_index_file(project.folder, index.array, "starts")
    try:
        counts = np.diff(map_array(file))
        chosen = [subcorpus_ids(project.folder, part) for part in parts]
    except ResourceError:  # the index is being written again
        return None
    first = first_sentence_id(corpus.id)
    if chosen:
        ids = np.concatenate(chosen) - first
        is_chosen = np.zeros(len(counts), np.bool_)
        is_chosen[ids[(ids >= 0) & (ids < len(counts))]] = True
        counts[~is_chosen] = 0
    counts[hidden_ids(project.store, corpus.id) - first] = 0
    if languages:
        codes = read_languages(project.store, corpus.id)
        codes = np.array([corpus.language]) if codes is None else codes
        is_chosen = np.isin(codes, languages)
        for code in languages:
            is_chosen |= np.char.startswith(codes.astype(str), f"{code}-")
        counts *= is_chosen
    return np.concatenate(([0], np.cumsum(counts)))


def list_uncounted(lines: LineArray, searched: Sequence[SearchedCorpus]) -> list[int]:
    """List the ids of corpora in the languages of the hits whose words are not known.

    Args:
        lines: int64 (m, 3), sentence id, start, end.
        searched: corpora of the query.
    """
    with_hits = set(np.unique(corpus_of(lines[:, 0])).tolist())
    languages = {row.language for row, _ in searched if row.id in with_hits}
    return [
        row.id for row, words in searched if words is None and row.language in languages
    ]


class _Parts:
    """Counts hits, sentences and words by name."""

    def __init__(self) -> None:
        self._shares: dict[str, Share] = {}
        self._unknown: set[str] = set()  # parts with words that are not known

    def add(self, name: str, n: int, n_words: int | None, n_sentences: int = 0) -> None:
        """Add to the counts of a name."""
        one = self._shares.get(name, Share(name, 0))
        if n_words is None:
            self._unknown.add(name)
        self._shares[name] = Share(
            name, one.n + n, one.n_sentences + n_sentences, one.n_words + (n_words or 0)
        )

    def ranked(self) -> list[Share]:
        """Return the parts with hits, the largest first; numbers and dates in order."""
        shares = [
            share._replace(n_words=0) if share.name in self._unknown else share
            for share in self._shares.values()
            if share.n
        ]
        shares.sort(key=lambda share: (-share.n, share.name))
        if _is_ordered(shares):
            shares.sort(key=lambda share: (_number_of(share.name) or 0, share.name))
        return shares


def _is_ordered(shares: Sequence[Share]) -> bool:
    """Return whether the parts are numbers or dates, such as years, and all fit."""
    is_short = len(shares) <= MAX_ORDERED_BARS
    return is_short and all(_number_of(share.name) is not None for share in shares)


def _number_of(name: str) -> float | None:
    """Return a number, or the year of a date like 2024-03 or 2024-03-31."""
    return parse_field_number(name[:4] if _DATE.fullmatch(name) else name)


def count_shares(
    lines: LineArray, searched: Sequence[SearchedCorpus], documents: DocumentCache
) -> HitDistribution:
    """Count the hits by corpus, language, document and fields of documents.

    Args:
        lines: int64 (m, 3), sentence id, start, end.
        searched: corpora of the query.
        documents: of these corpora.
    """
    corpora, languages, named = _Parts(), _Parts(), _Parts()
    fields: dict[str, _Parts] = {}
    ids = np.sort(lines[:, 0])
    for row, words in searched:
        first = first_sentence_id(row.id)
        begin, end = np.searchsorted(ids, (first, first_sentence_id(row.id + 1)))
        n_words = None if words is None else int(words[-1])
        n = int(end - begin)
        corpora.add(row.name, n, n_words, row.n_sentences)
        languages.add(language_name(row.language), n, n_words, row.n_sentences)
        stretches = documents.stretches(row.id)
        if len(stretches) > MAX_STRETCHES:
            continue
        places = ids[begin:end] - first
        for stretch, n, n_own in _count_stretches(stretches, places, words):
            if stretch.name:
                named.add(stretch.name, n, n_own)
            for field, value in stretch.fields.items():
                fields.setdefault(field, _Parts()).add(value, n, n_own)
    ranked = {name: parts.ranked() for name, parts in sorted(fields.items())}
    return HitDistribution(corpora.ranked(), languages.ranked(), named.ranked(), ranked)


def _count_stretches(
    stretches: Sequence[DocumentRow],
    places: NDArray[np.int64],
    words: NDArray[np.int64] | None,
) -> Iterator[tuple[DocumentRow, int, int | None]]:
    """Yield each stretch with its hits and its searched words; None: not known."""
    firsts = np.array([one.first for one in stretches], np.int64)
    ends = firsts + np.array([one.n_sentences for one in stretches], np.int64)
    n_hits = np.searchsorted(places, ends) - np.searchsorted(places, firsts)
    for place, stretch in enumerate(stretches):
        n_words = None
        if words is not None:
            n_words = int(words[ends[place]] - words[firsts[place]])
        yield stretch, int(n_hits[place]), n_words


class DistributionPanel(QScrollArea):
    """Panel with a section for each breakdown."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(
            self,
            self.tr("Breakdown of the hits"),
            self.tr(
                "Hits by language, corpus, document and field, and per million words."
            ),
        )
        self.shown = HitDistribution()

    def show_shares(self, shares: HitDistribution) -> None:
        """Show new counts."""
        self.shown = shares
        content = QWidget()
        content.setObjectName("scrolled")
        column = make_column(parent=content, gap=4, margins=(GRID, 0, GRID, GRID))
        if any(share.n_words for share in shares.corpora):
            words = self.tr("Hits · per million words")
            column.addWidget(make_label(words, "secondary", wraps=True))
            column.addSpacing(GRID)
        for title, part in (
            (self.tr("Languages"), shares.languages),
            (self.tr("Corpora"), shares.corpora),
            *shares.fields.items(),
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
        n_bars = MAX_ORDERED_BARS if _is_ordered(shares) else MAX_BARS
        rest = shares[n_bars:]
        self._shares = list(shares[:n_bars])
        if rest:
            words = self.tr("{n} more").format(n=format_count(len(rest)))
            n = sum(one.n for one in rest)
            n_words = sum(one.n_words for one in rest)
            self._shares.append(Share(words, n, n_words=n_words))
        self._total = sum(share.n for share in shares)
        parts = [f"{share.name}: {self._figures(share)}" for share in self._shares]
        self.setAccessibleName("; ".join(parts))
        self.setToolTip("\n".join(parts))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _figures(self, share: Share) -> str:
        text = format_count(share.n)
        if share.n_words:
            words = self.tr("{n} · {rate} per million words")
            return words.format(n=text, rate=_per_million(share))
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
            if share.n_words:
                count = f"{count} · {_per_million(share)}"
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


def _per_million(share: Share) -> str:
    return format_count(round(1e6 * share.n / share.n_words))
