"""The list of corpora: name, language, size and encoding status."""

from collections.abc import Collection, Iterable, Sequence
from typing import Literal, NamedTuple

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QApplication, QListView, QStyleOptionViewItem, QWidget

from app.engine.store.corpora import CorpusRow
from app.engine.store.embeddings import EmbeddingRow
from app.languages import language_name
from app.results.coverage import LanguageCoverage
from app.views.widgets.cells import Index
from app.views.widgets.coverage_mark import MARK_PX, describe_coverage, paint_mark
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import ThemeColours, colours_of
from app.views.widgets.two_line_list import (
    ROW_ROLE,
    RowDelegate,
    RowListModel,
    RowText,
    paint_two_lines,
    select_rows,
    selected_rows,
    set_up_list,
)

EncodingStatus = Literal["encoded", "encoding", "not encoded"]


class ListedCorpus(NamedTuple):
    """A corpus in the list.

    Attributes:
        corpus: the corpus.
        status: whether it is encoded.
        doubt: why the encoder in use may be unreliable for the corpus's language.
        encoder: name of the encoder in use.
        outdated: languages whose coverage was measured before later imports.
    """

    corpus: CorpusRow
    status: EncodingStatus
    doubt: LanguageCoverage | None
    encoder: str
    outdated: dict[str, float]


class CorpusList(QListView):
    """A list of corpora in which one or several are selected."""

    choice_changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._rows = RowListModel(_describe_row, self)
        self._corpora: Sequence[CorpusRow] = ()
        self._statuses: dict[int, EncodingStatus] = {}
        self._doubts: dict[str, LanguageCoverage] = {}
        self._outdated: dict[str, float] = {}
        self._encoder = ""
        self.setModel(self._rows)
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        set_up_list(
            self,
            RowDelegate(_paint_row, self),
            self.tr("Corpora"),
            self.tr("Select a corpus, or several with Ctrl or Shift."),
        )
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    @property
    def chosen(self) -> list[CorpusRow]:
        """The selected corpora in the order of the list."""
        return [self._corpora[row] for row in selected_rows(self)]

    def show_corpora(
        self, corpora: Sequence[CorpusRow], statuses: dict[int, EncodingStatus]
    ) -> None:
        """Show corpora; keep the selection, or the selected row of a deleted corpus."""
        kept, rows = {corpus.id for corpus in self.chosen}, selected_rows(self)
        self.selectionModel().blockSignals(True)
        self._corpora, self._statuses = corpora, statuses
        self._show_rows()
        self.selectionModel().blockSignals(False)
        if not self._select(kept) and corpora:
            index = min(rows[0], len(corpora) - 1) if rows else 0
            self._select({corpora[index].id})
        self.choice_changed.emit()

    def show_statuses(self, statuses: dict[int, EncodingStatus]) -> None:
        """Show the encoding status of each corpus."""
        self._statuses = statuses
        self._show_rows()

    def show_doubts(
        self,
        doubts: dict[str, LanguageCoverage],
        encoder: str,
        outdated: dict[str, float],
    ) -> None:
        """Mark the languages for which the encoder in use may be unreliable."""
        self._doubts, self._encoder, self._outdated = doubts, encoder, outdated
        self._show_rows()

    def choose(self, ids: Iterable[int]) -> None:
        """Select corpora."""
        if self._select(set(ids)):
            self.choice_changed.emit()

    def _show_rows(self) -> None:
        """Show the corpora; a corpus without a status is not encoded."""
        self._rows.show_rows(
            [
                ListedCorpus(
                    corpus,
                    self._statuses.get(corpus.id, "not encoded"),
                    self._doubts.get(corpus.language),
                    self._encoder,
                    self._outdated,
                )
                for corpus in self._corpora
            ]
        )

    def _select(self, ids: set[int]) -> bool:
        rows = [row for row, one in enumerate(self._corpora) if one.id in ids]
        if rows:
            select_rows(self, rows)
            self.scrollTo(self._rows.index(rows[0]))
        return bool(rows)

    def _on_selection_changed(self) -> None:
        if self.chosen:
            self.choice_changed.emit()


def find_statuses(
    corpora: Sequence[CorpusRow],
    embeddings: Sequence[EmbeddingRow],
    encoding: Collection[str],
) -> dict[int, EncodingStatus]:
    """Return the encoding status of each corpus; `encoding`: corpora in progress."""
    encoded = {row.corpus_id for row in embeddings if row.n_done == row.n_rows}
    statuses: dict[int, EncodingStatus] = {}
    for corpus in corpora:
        in_work = str(corpus.id) in encoding or corpus.name in encoding
        rest: EncodingStatus = "encoding" if in_work else "not encoded"
        statuses[corpus.id] = "encoded" if corpus.id in encoded else rest
    return statuses


def describe_size(corpus: CorpusRow) -> str:
    """Return the language and size: German · 240 sentences."""
    words = QApplication.translate("CorpusList", "{language} · {n} sentences")
    if corpus.n_sentences == 1:
        words = QApplication.translate("CorpusList", "{language} · 1 sentence")
    if corpus.is_word_list:
        words = QApplication.translate("CorpusList", "{language} · {n} words")
    language, n = language_name(corpus.language), format_count(corpus.n_sentences)
    sentence = words.format(language=language, n=n)
    return sentence.partition(" · ")[2] if language == corpus.name else sentence


def describe_encoding_status(status: EncodingStatus) -> str:
    """Return a status in words."""
    return {
        "encoded": QApplication.translate("CorpusList", "encoded"),
        "encoding": QApplication.translate("CorpusList", "encoding…"),
        "not encoded": QApplication.translate("CorpusList", "not encoded"),
    }[status]


def _describe_row(row: ListedCorpus) -> RowText:
    corpus = row.corpus
    size, encoding = describe_size(corpus), describe_encoding_status(row.status)
    words = f"{corpus.name}, {size}, {encoding}"
    if row.doubt is not None:
        words = f"{words}\n{describe_coverage(row.doubt, row.encoder, row.outdated)}"
    return RowText(corpus.id, corpus.name, words)


def _paint_row(
    painter: QPainter, rect: QRectF, item: QStyleOptionViewItem, index: Index
) -> None:
    colours = colours_of(QApplication.palette())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    row: ListedCorpus = index.data(ROW_ROLE)
    paint_two_lines(painter, rect, item, (row.corpus.name, ""))
    marks = rect.adjusted(0, rect.height() / 2, 0, 0)  # next to the second line
    _paint_status(painter, marks, row.status, colours)
    if row.doubt is not None:
        _paint_warning(painter, marks, row.doubt, colours)
    rect.setRight(marks.right())
    paint_two_lines(painter, rect, item, ("", describe_size(row.corpus)))


def _paint_status(
    painter: QPainter, rect: QRectF, status: EncodingStatus, colours: ThemeColours
) -> None:
    """Paint a dot to the right of the facts: full, half or hollow."""
    size = 8.0
    dot = QRectF(rect.right() - size, rect.center().y() - size / 2, size, size)
    is_hollow = status == "not encoded"
    painter.setPen(
        QPen(QColor(colours.secondary if is_hollow else colours.accent), 1.5)
    )
    painter.setBrush(QColor(colours.surface))
    painter.drawEllipse(dot)
    painter.setBrush(QColor(colours.accent))
    if status == "encoded":
        painter.drawEllipse(dot)
    elif status == "encoding":
        painter.drawPie(dot, 90 * 16, 180 * 16)
    rect.setRight(dot.left() - 8)


def _paint_warning(
    painter: QPainter, rect: QRectF, doubt: LanguageCoverage, colours: ThemeColours
) -> None:
    """Paint the warning about the language to the left of the status."""
    size = float(MARK_PX)
    mark = QRectF(rect.right() - size, rect.center().y() - size / 2, size, size)
    paint_mark(painter, mark, doubt.verdict, colours)
    rect.setRight(mark.left() - 8)
