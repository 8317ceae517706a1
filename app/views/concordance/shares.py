"""Distribution of hits by corpus, language, document and field, shown as bars."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from app.arrays import IntArray
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
from app.views.widgets.controls import ENTER_KEYS, ElidedLabel, describe, make_label
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import GRID, colours_of, mix, scaled

ROW_HEIGHT, BAR_HEIGHT, MAX_BARS = 36, 6, 12
MAX_ORDERED_BARS = 100  # maximum for numbers and dates
_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?")
MAX_SECTIONS = 20_000  # documents of a corpus; more are not counted


class Share(NamedTuple):
    """A part of the hits.

    Attributes:
        n: number of hits.
        n_sentences: sentences of the part; 0 if not counted.
        n_words: searched words of the part; 0 if not counted.
    """

    name: str
    n: int
    n_sentences: int = 0
    n_words: int = 0


class HitDistribution(NamedTuple):
    """Hits by corpus, language, document and field, in descending order.

    Attributes:
        fields: parts for the values of each field, by field name.
    """

    corpora: Sequence[Share] = ()
    languages: Sequence[Share] = ()
    documents: Sequence[Share] = ()
    fields: Mapping[str, Sequence[Share]] = MappingProxyType({})


class SearchedCorpus(NamedTuple):
    """A corpus that was searched completely or in part.

    Attributes:
        words: int64 (n + 1,), cumulative count of searched words before each sentence;
        None: not known.
    """

    row: CorpusRow
    words: NDArray[np.int64] | None = None


def list_searched(
    project: ProjectReader, found: LoadedConcordance
) -> list[SearchedCorpus]:
    """Return the corpora that a query searched, with known word counts.

    Word counts are not known for saved lists or corpora without a saved word index.
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
    """Count the searched words before each sentence, cumulatively: int64 (n + 1,).

    Args:
        parts: searched sub-corpora; empty: the complete corpus.
        languages: codes of the searched languages; empty: all.
    """
    index = read_word_index(project.store, corpus.id)
    if index is None or index.is_outdated:
        return None
    file = word_index_file(project.folder, index.array, "starts")
    try:
        counts = np.diff(map_array(file))
        chosen = [subcorpus_ids(project.folder, part) for part in parts]
    except ResourceError:  # the index is being rewritten
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
    """Return ids of corpora in the languages of the hits without known word counts.

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
        self._unknown: set[str] = set()  # parts without known word counts

    def add(self, name: str, n: int, n_words: int | None, n_sentences: int = 0) -> None:
        """Add to the counts of a name."""
        one = self._shares.get(name, Share(name, 0))
        if n_words is None:
            self._unknown.add(name)
        self._shares[name] = Share(
            name, one.n + n, one.n_sentences + n_sentences, one.n_words + (n_words or 0)
        )

    def ranked(self) -> list[Share]:
        """Return the parts with hits, largest first; numbers and dates by value."""
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
    """Return whether the parts are numbers or dates, and few enough to show all."""
    is_short = len(shares) <= MAX_ORDERED_BARS
    return is_short and all(_number_of(share.name) is not None for share in shares)


def _number_of(name: str) -> float | None:
    """Parse a number, or the year of a date such as 2024-03 or 2024-03-31."""
    return parse_field_number(name[:4] if _DATE.fullmatch(name) else name)


def count_shares(
    lines: LineArray, searched: Sequence[SearchedCorpus], documents: DocumentCache
) -> HitDistribution:
    """Count the hits by corpus, language, document and fields of documents.

    Words of documents are counted only in the languages of the hits.

    Args:
        lines: int64 (m, 3), sentence id, start, end.
        searched: corpora of the query.
    """
    corpora, languages, named = _Parts(), _Parts(), _Parts()
    fields: dict[str, _Parts] = {}
    ids = np.sort(lines[:, 0])
    with_hits = set(np.unique(corpus_of(ids)).tolist())
    codes = {row.language for row, _ in searched if row.id in with_hits}
    for row, words in searched:
        first = first_sentence_id(row.id)
        begin, end = np.searchsorted(ids, (first, first_sentence_id(row.id + 1)))
        n_words = None if words is None else int(words[-1])
        n = int(end - begin)
        corpora.add(row.name, n, n_words, row.n_sentences)
        languages.add(language_name(row.language), n, n_words, row.n_sentences)
        sections = documents.sections(row.id)
        if len(sections) > MAX_SECTIONS or row.language not in codes:
            continue
        places = ids[begin:end] - first
        for section, n, n_own in _count_sections(sections, places, words):
            if section.name:
                named.add(section.name, n, n_own)
            for field, value in section.fields.items():
                fields.setdefault(field, _Parts()).add(value, n, n_own)
    ranked = {name: parts.ranked() for name, parts in sorted(fields.items())}
    return HitDistribution(corpora.ranked(), languages.ranked(), named.ranked(), ranked)


class ShareKey(NamedTuple):
    """The key of a bar in the breakdown.

    Attributes:
        kind: kind of the section.
        name: name of the bar.
        field: name of the document field; empty for other kinds.
    """

    kind: Literal["language", "corpus", "document", "field"]
    name: str
    field: str = ""


def select_share(
    ids: IntArray,
    key: ShareKey,
    corpora: Sequence[CorpusRow],
    documents: DocumentCache,
) -> NDArray[np.bool_]:
    """Return a mask of the sentences in a part of the hits: bool (n,)."""
    is_part = np.zeros(len(ids), np.bool_)
    for row in corpora:
        first = first_sentence_id(row.id)
        if key.kind in ("language", "corpus"):
            name = row.name if key.kind == "corpus" else language_name(row.language)
            sections = [(0, row.n_sentences)] if name == key.name else []
        else:
            sections = [
                (one.first, one.n_sentences)
                for one in documents.sections(row.id)
                if key.name == (one.fields.get(key.field) if key.field else one.name)
            ]
        for begin, n in sections:
            is_part |= (ids >= first + begin) & (ids < first + begin + n)
    return is_part


def _count_sections(
    sections: Sequence[DocumentRow],
    indices: NDArray[np.int64],
    words: NDArray[np.int64] | None,
) -> Iterator[tuple[DocumentRow, int, int | None]]:
    """Yield each section with its hits and searched words; None: words not known."""
    firsts = np.array([one.first for one in sections], np.int64)
    ends = firsts + np.array([one.n_sentences for one in sections], np.int64)
    n_hits = np.searchsorted(indices, ends) - np.searchsorted(indices, firsts)
    for index, section in enumerate(sections):
        n_words = None
        if words is not None:
            n_words = int(words[ends[index]] - words[firsts[index]])
        yield section, int(n_hits[index]), n_words


class DistributionPanel(QScrollArea):
    """A panel of breakdowns; a click on a bar filters the lines.

    Attributes:
        chosen: key of the part that filters the lines; None: all lines.
    """

    part_chosen = Signal(object)  # ShareKey, or None: all lines

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
        self.chosen: ShareKey | None = None
        self._bars: list[ShareBars] = []

    def choose(self, key: ShareKey | None) -> None:
        """Mark the bar of a part without a signal."""
        self.chosen = key
        for bars in self._bars:
            bars.mark(key)

    def _on_bar_pressed(self, key: ShareKey) -> None:
        self.choose(None if key == self.chosen else key)
        self.part_chosen.emit(self.chosen)

    def show_shares(self, shares: HitDistribution) -> None:
        """Show new counts."""
        self.shown = shares
        self._bars = []
        content = QWidget()
        content.setObjectName("scrolled")
        column = make_column(parent=content, gap=4, margins=(GRID, 0, GRID, GRID))
        # Reserve space for the line: the words may be counted later.
        has_rates = any(share.n_words for share in shares.corpora)
        unit = ElidedLabel("secondary")
        unit.setText(
            self.tr("Hits · per million words") if has_rates else self.tr("Hits")
        )
        column.addWidget(unit)
        hint = self.tr("Click a bar to show only its lines.")
        column.addWidget(make_label(hint, "secondary", wraps=True))
        column.addSpacing(GRID)
        sections: list[tuple[str, Sequence[Share], ShareKey]] = [
            (self.tr("Languages"), shares.languages, ShareKey("language", "")),
            (self.tr("Corpora"), shares.corpora, ShareKey("corpus", "")),
            *(
                (name, part, ShareKey("field", "", name))
                for name, part in shares.fields.items()
            ),
            (self.tr("Documents"), shares.documents, ShareKey("document", "")),
        ]
        for title, part, key in sections:
            if part:
                bars = ShareBars(part, key)
                bars.setAccessibleDescription(title)
                bars.mark(self.chosen)
                bars.pressed.connect(self._on_bar_pressed)
                self._bars.append(bars)
                column.addWidget(make_label(title, "section"))
                column.addWidget(bars)
                column.addSpacing(GRID)
        column.addStretch(1)
        self.setWidget(content)

    def sizeHint(self) -> QSize:
        """Return the size of a narrow side panel."""
        return QSize(scaled(200, self), 300)


class ShareBars(QWidget):
    """Bars with names and counts; a click or Enter selects a bar.

    Bars show hits per million words if the word counts of all parts are known.
    """

    pressed = Signal(object)  # ShareKey

    def __init__(self, shares: Sequence[Share], key: ShareKey):
        """Make the bars; `key`: key of the section, without a name."""
        super().__init__()
        self._key = key
        self._marked = -1  # row that filters the lines
        self._current = 0  # row with the keyboard focus
        n_bars = MAX_ORDERED_BARS if _is_ordered(shares) else MAX_BARS
        rest = shares[n_bars:]
        self._shares = list(shares[:n_bars])
        self._n_bars = len(self._shares)
        if rest:
            words = self.tr("{n} more").format(n=format_count(len(rest)))
            n = sum(one.n for one in rest)
            n_words = sum(one.n_words for one in rest)
            self._shares.append(Share(words, n, n_words=n_words))
        parts = [f"{share.name}: {self._figures(share)}" for share in self._shares]
        self.setAccessibleName("; ".join(parts))
        self.setToolTip("\n".join(parts))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mark(self, key: ShareKey | None) -> None:
        """Mark the bar of a part, if the section contains it."""
        names = [self._key._replace(name=one.name) for one in self._shares]
        self._marked = names.index(key) if key in names else -1
        self.update()

    def _press(self, row: int) -> None:
        if 0 <= row < self._n_bars:
            self._current = row
            self.pressed.emit(self._key._replace(name=self._shares[row].name))

    def _size_of(self, share: Share) -> float:
        has_rates = all(one.n_words for one in self._shares)
        return share.n / share.n_words if has_rates else share.n

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
        """Paint each bar with its name and count."""
        painter = QPainter(self)
        colours, metrics = colours_of(self), self.fontMetrics()
        most = max(map(self._size_of, self._shares), default=1)
        height = scaled(ROW_HEIGHT, self)
        middle = Qt.AlignmentFlag.AlignVCenter
        for number, share in enumerate(self._shares):
            row = QRectF(0, number * height, self.width(), height - scaled(10, self))
            count = format_count(share.n)
            if share.n_words:
                count = f"{count} · {_per_million(share)}"
            wide = metrics.horizontalAdvance(count) + GRID
            painter.setPen(QColor(colours.secondary))
            painter.drawText(row, middle | Qt.AlignmentFlag.AlignRight, count)
            elide = Qt.TextElideMode.ElideRight
            name = metrics.elidedText(share.name, elide, round(row.width() - wide))
            painter.setPen(QColor(colours.text))
            font = painter.font()
            font.setBold(number == self._marked)
            painter.setFont(font)
            painter.drawText(row, middle | Qt.AlignmentFlag.AlignLeft, name)
            font.setBold(False)
            painter.setFont(font)
            bar = QRectF(0, row.bottom(), row.width(), scaled(BAR_HEIGHT, self))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.line))
            painter.drawRoundedRect(bar, 3, 3)
            bar.setWidth(max(bar.width() * self._size_of(share) / most, 3))
            is_faint = self._marked not in (-1, number)
            painter.setBrush(QColor(mix(colours, "accent", 0.3 if is_faint else 0.8)))
            painter.drawRoundedRect(bar, 3, 3)
            if self.hasFocus() and number == self._current:
                painter.setPen(QColor(colours.accent))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                frame = QRectF(0, row.top(), self.width(), bar.bottom() - row.top())
                painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, 1), 3, 3)

    def sizeHint(self) -> QSize:
        """Return a height of one row per bar."""
        return QSize(scaled(180, self), len(self._shares) * scaled(ROW_HEIGHT, self))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the bar under the mouse."""
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._press(int(event.position().y()) // scaled(ROW_HEIGHT, self))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move with Up and Down, and select a bar with Enter or Space."""
        key = Qt.Key(event.key())
        if key in (*ENTER_KEYS, Qt.Key.Key_Space):
            self._press(self._current)
        elif key in _MOVES:
            moved = self._current + _MOVES[key]
            self._current = min(max(moved, 0), self._n_bars - 1)
            self.update()
        else:
            super().keyPressEvent(event)


_MOVES = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


def _per_million(share: Share) -> str:
    return format_count(round(1e6 * share.n / share.n_words))
