"""The list of corpora: name, language, size and encoding status."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelection,
    QItemSelectionModel,
    QObject,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QApplication, QListView, QStyleOptionViewItem, QWidget

from app.engine.store.corpora import CorpusRow
from app.engine.store.embeddings import EmbeddingRow
from app.languages import language_name
from app.results.coverage import LanguageCoverage
from app.views.widgets.cells import DISPLAY_ROLE, Index
from app.views.widgets.controls import describe
from app.views.widgets.coverage_mark import MARK_PX, describe_coverage, paint_mark
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import Tokens, tokens_of
from app.views.widgets.two_line_list import RowDelegate, paint_two_lines

CORPUS_ROLE = int(Qt.ItemDataRole.UserRole)
STATUS_ROLE = CORPUS_ROLE + 1
WARNING_ROLE = STATUS_ROLE + 1

EncodingStatus = Literal["encoded", "encoding", "not encoded"]


class CorpusListModel(QAbstractListModel):
    """The corpora of the project, in the order they were made."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.corpora: list[CorpusRow] = []
        self._statuses: dict[int, EncodingStatus] = {}
        self._doubts: dict[str, LanguageCoverage] = {}
        self._encoder = ""

    def show_doubts(self, doubts: dict[str, LanguageCoverage], encoder: str) -> None:
        """Mark the languages that the encoder in use should not be trusted with."""
        self._doubts, self._encoder = doubts, encoder
        self._emit_all_changed()

    def show_corpora(
        self, corpora: Sequence[CorpusRow], statuses: dict[int, EncodingStatus]
    ) -> None:
        """Show corpora; those without a status are not encoded."""
        self.beginResetModel()
        self.corpora, self._statuses = list(corpora), statuses
        self.endResetModel()

    def show_statuses(self, statuses: dict[int, EncodingStatus]) -> None:
        """Show other statuses of the same corpora."""
        self._statuses = statuses
        self._emit_all_changed()

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the corpora."""
        return 0 if parent is not None and parent.isValid() else len(self.corpora)

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return a corpus, its name, or its words for a screen reader."""
        if not index.isValid():
            return None
        corpus = self.corpora[index.row()]
        status = self._statuses.get(corpus.id, "not encoded")
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return corpus.name
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.ToolTipRole:
                return self._describe(corpus, status)
            case _ if role == WARNING_ROLE:
                return self._doubts.get(corpus.language)
            case _ if role == CORPUS_ROLE:
                return corpus
            case _ if role == STATUS_ROLE:
                return status
        return None

    def _describe(self, corpus: CorpusRow, status: EncodingStatus) -> str:
        size, encoding = describe_size(corpus), describe_encoding_status(status)
        words = f"{corpus.name}, {size}, {encoding}"
        doubt = self._doubts.get(corpus.language)
        if doubt is None:
            return words
        return f"{words}\n{describe_coverage(doubt, self._encoder)}"

    def _emit_all_changed(self) -> None:
        if self.corpora:
            self.dataChanged.emit(self.index(0), self.index(len(self.corpora) - 1))


class CorpusList(QListView):
    """Corpora of which one or several are chosen."""

    choice_changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._corpora = CorpusListModel(self)
        self.setModel(self._corpora)
        self.setItemDelegate(RowDelegate(_paint_row, self))
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(
            self,
            self.tr("Corpora"),
            self.tr("Choose one corpus, or several with Ctrl or Shift."),
        )
        self.setToolTip("")
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    @property
    def chosen(self) -> list[CorpusRow]:
        """The corpora that are chosen, in the order of the list."""
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        return [self._corpora.corpora[row] for row in rows]

    def show_corpora(
        self, corpora: Sequence[CorpusRow], statuses: dict[int, EncodingStatus]
    ) -> None:
        """Show corpora; those chosen stay chosen, or the first is."""
        kept = {corpus.id for corpus in self.chosen}
        self.selectionModel().blockSignals(True)
        self._corpora.show_corpora(corpora, statuses)
        self.selectionModel().blockSignals(False)
        if not self._select(kept) and corpora:
            self._select({corpora[0].id})
        self.choice_changed.emit()

    def show_statuses(self, statuses: dict[int, EncodingStatus]) -> None:
        """Show which corpora are encoded."""
        self._corpora.show_statuses(statuses)

    def show_doubts(self, doubts: dict[str, LanguageCoverage], encoder: str) -> None:
        """Mark the languages that the encoder in use should not be trusted with."""
        self._corpora.show_doubts(doubts, encoder)

    def choose(self, ids: Iterable[int]) -> None:
        """Choose corpora."""
        if self._select(set(ids)):
            self.choice_changed.emit()

    def _select(self, ids: set[int]) -> bool:
        selection = QItemSelection()
        for row, corpus in enumerate(self._corpora.corpora):
            if corpus.id in ids:
                index = self._corpora.index(row)
                selection.select(index, index)
        if selection.isEmpty():
            return False
        model = self.selectionModel()
        model.blockSignals(True)
        flag = QItemSelectionModel.SelectionFlag
        model.select(selection, flag.ClearAndSelect)
        model.setCurrentIndex(selection.indexes()[0], flag.NoUpdate)
        model.blockSignals(False)
        self.viewport().update()
        return True

    def _on_selection_changed(self) -> None:
        if self.chosen:
            self.choice_changed.emit()


def find_statuses(
    corpora: Sequence[CorpusRow],
    embeddings: Sequence[EmbeddingRow],
    encoding: Collection[str],
) -> dict[int, EncodingStatus]:
    """Return for each corpus whether it is encoded; `encoding`: those in progress."""
    encoded = {row.corpus_id for row in embeddings if row.n_done == row.n_rows}
    statuses: dict[int, EncodingStatus] = {}
    for corpus in corpora:
        in_work = str(corpus.id) in encoding or corpus.name in encoding
        rest: EncodingStatus = "encoding" if in_work else "not encoded"
        statuses[corpus.id] = "encoded" if corpus.id in encoded else rest
    return statuses


def describe_size(corpus: CorpusRow) -> str:
    """Return language and size: German · 240 sentences."""
    words = QApplication.translate("CorpusList", "{language} · {n} sentences")
    if corpus.n_sentences == 1:
        words = QApplication.translate("CorpusList", "{language} · 1 sentence")
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


def _paint_row(
    painter: QPainter, place: QRectF, item: QStyleOptionViewItem, index: Index
) -> None:
    tokens = tokens_of(QApplication.palette())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_status(painter, place, index.data(STATUS_ROLE), tokens)
    doubt: LanguageCoverage | None = index.data(WARNING_ROLE)
    if doubt is not None:
        _paint_warning(painter, place, doubt, tokens)
    corpus: CorpusRow = index.data(CORPUS_ROLE)
    paint_two_lines(painter, place, item, (corpus.name, describe_size(corpus)))


def _paint_status(
    painter: QPainter, place: QRectF, status: EncodingStatus, tokens: Tokens
) -> None:
    """Paint a dot on the right: full, half or hollow."""
    size = 8.0
    dot = QRectF(place.right() - size, place.center().y() - size / 2, size, size)
    is_hollow = status == "not encoded"
    painter.setPen(QPen(QColor(tokens.secondary if is_hollow else tokens.accent), 1.5))
    painter.setBrush(QColor(tokens.surface))
    painter.drawEllipse(dot)
    painter.setBrush(QColor(tokens.accent))
    if status == "encoded":
        painter.drawEllipse(dot)
    elif status == "encoding":
        painter.drawPie(dot, 90 * 16, 180 * 16)
    place.setRight(dot.left() - 8)


def _paint_warning(
    painter: QPainter, place: QRectF, doubt: LanguageCoverage, tokens: Tokens
) -> None:
    """Paint the mark of a language in doubt, left of the status."""
    size = float(MARK_PX)
    mark = QRectF(place.right() - size, place.center().y() - size / 2, size, size)
    paint_mark(painter, mark, doubt.verdict, tokens)
    place.setRight(mark.left() - 8)
