"""Table of findings and its model, which reads rows page by page."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget
from sqlalchemy import Engine

from app.engine.store.documents import read_document_names
from app.engine.store.findings import Finding, read_findings
from app.engine.store.hidden_sentences import read_hidden
from app.engine.store.sentences import SentenceRow, read_sentences
from app.languages import is_right_to_left
from app.number_format import format_percent, format_score
from app.views.quality.text import (
    describe_finding_kind,
    describe_state,
    extract_reason,
    extract_suggestion,
)
from app.views.widgets.cells import (
    ALIGN_LEFT,
    ALIGN_MIRRORED,
    ALIGN_RIGHT,
    DISPLAY_ROLE,
    LANGUAGE_ROLE,
    MARKS_ROLE,
    Index,
    TableModel,
)
from app.views.widgets.controls import ENTER_KEYS, describe
from app.views.widgets.page_model import PageCache
from app.views.widgets.tables import (
    ROW_HEIGHT_TWO,
    select_table_row,
    set_text_lines,
    set_up_large_table,
    set_up_two_texts,
    share_width,
)
from app.views.widgets.theme import colours_of, scaled

PAGE_SIZE, N_PAGES = 128, 16
KIND, SENTENCE, OTHER, SIMILARITY, STATE = range(5)
N_COLUMNS = 5
NO_PLACES: NDArray[np.int64] = np.empty(0, np.int64)


class ShownFinding(NamedTuple):
    """A finding and its sentences.

    Attributes:
        finding: the finding.
        sentence: None if it was deleted.
        other: the sentence compared with it; None if there is none or it was deleted.
        state: hidden, removed, or empty for an active sentence.
        other_state: state of the other sentence.
        document, other_document: names of the documents, or empty.
    """

    finding: Finding
    sentence: SentenceRow | None
    other: SentenceRow | None
    state: str
    other_state: str
    document: str
    other_document: str

    @property
    def is_resolved(self) -> bool:
        """Whether one of the two sentences is hidden or removed."""
        return bool(self.state or self.other_state)

    @property
    def second_text(self) -> str:
        """The text of the second column: other sentence, suggested text, or reason."""
        detail = self.finding.detail
        if self.other is not None and self.finding.kind != "changed":
            return self.other.text
        return extract_suggestion(detail) or extract_reason(detail)

    @property
    def second_language(self) -> str:
        """The language of the second column's text; empty for a reason."""
        if self.other is not None and self.finding.kind != "changed":
            return self.other.language
        if extract_suggestion(self.finding.detail) and self.sentence is not None:
            return self.sentence.language
        return ""


class FindingModel(TableModel):
    """Table model of the findings of a run.

    Attributes:
        places: indices of the findings in the run; may exceed the row limit of a table.
    """

    numbers = (SIMILARITY,)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._store: Engine | None = None
        self._run = 0
        self.places = NO_PLACES
        self.pages = PageCache(self._read_page, N_PAGES)

    def show_places(
        self, store: Engine | None, run: int, indices: NDArray[np.int64]
    ) -> None:
        """Show the findings with these indices in the run, int64 (n,)."""
        self.beginResetModel()
        self._store, self._run, self.places = store, run, indices
        self.pages.forget()
        self.endResetModel()

    def forget_rows(self) -> None:
        """Clear the cache of rows after sentences were hidden or restored."""
        self.pages.forget()
        self.emit_all_changed()

    def finding_at(self, row: int) -> ShownFinding | None:
        """Read the finding in a row."""
        return self.pages[row // PAGE_SIZE][row % PAGE_SIZE]

    def _read_page(self, number: int) -> list[ShownFinding | None]:
        start = number * PAGE_SIZE
        places = self.places[start : start + PAGE_SIZE].tolist()
        if self._store is None:
            return [None] * len(places)
        return read_shown_findings(self._store, self._run, places)

    def n_rows(self) -> int:
        """Return the number of findings."""
        return len(self.places)

    def n_columns(self) -> int:
        """Return the number of columns."""
        return N_COLUMNS

    def title(self, column: int) -> str:
        """Return the title of a column."""
        return (
            self.tr("Found"),
            self.tr("Sentence"),
            self.tr("Other sentence"),
            self.tr("Similarity"),
            self.tr("State"),
        )[column]

    def title_hint(self, column: int) -> str | None:
        """Return the tooltip of the similarity column."""
        if column != SIMILARITY:
            return None
        return self.tr(
            "Share of equal characters within a language, cosine across languages, "
            "or share of neighbours that stay the same."
        )

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return the content of a cell for a role."""
        if not index.isValid() or role == MARKS_ROLE:
            return None
        if role not in _ROLES:
            return None
        shown, column = self.finding_at(index.row()), index.column()
        if shown is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return self._text(shown, column)
            case Qt.ItemDataRole.ToolTipRole:
                return shown.finding.detail
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(shown, column)
            case Qt.ItemDataRole.ForegroundRole if shown.is_resolved or column == KIND:
                return QColor(colours_of(QGuiApplication.palette()).secondary)
            case _ if role == LANGUAGE_ROLE:
                return _language(shown, column)
        return None

    def _text(self, shown: ShownFinding, column: int) -> str:
        match column:
            case 0:
                return describe_finding_kind(shown.finding.kind)
            case 1:
                return shown.sentence.text if shown.sentence else self.tr("(deleted)")
            case 2:
                return shown.second_text
            case 3:
                return _format_similarity(shown.finding)
        return describe_state(shown.state, shown.other_state)


_ROLES = {
    int(Qt.ItemDataRole.DisplayRole),
    int(Qt.ItemDataRole.AccessibleTextRole),
    int(Qt.ItemDataRole.ToolTipRole),
    int(Qt.ItemDataRole.TextAlignmentRole),
    int(Qt.ItemDataRole.ForegroundRole),
    LANGUAGE_ROLE,
}


def read_shown_findings(
    store: Engine, run: int, indices: list[int]
) -> list[ShownFinding | None]:
    """Read findings with their sentences, in the order of the indices."""
    findings = read_findings(store, run, indices)
    ids = [one.sentence_id for one in findings if one is not None]
    ids += [one.other_id for one in findings if one is not None and one.other_id]
    wanted = list(dict.fromkeys(ids))
    sentences = {row.id: row for row in read_sentences(store, wanted) if row}
    hidden, documents = read_hidden(store, wanted), read_document_names(store, wanted)
    return [
        None
        if one is None
        else ShownFinding(
            one,
            sentences.get(one.sentence_id),
            sentences.get(one.other_id or -1),
            hidden.get(one.sentence_id, ("", ""))[0],
            hidden.get(one.other_id or -1, ("", ""))[0],
            documents.get(one.sentence_id, ""),
            documents.get(one.other_id or -1, ""),
        )
        for one in findings
    ]


def _format_similarity(finding: Finding) -> str:
    if finding.similarity is not None:
        return format_percent(finding.similarity)
    return "" if finding.cosine is None else format_score(finding.cosine)


def _language(shown: ShownFinding, column: int) -> str:
    if column == SENTENCE and shown.sentence is not None:
        return shown.sentence.language
    return shown.second_language if column == OTHER else ""


def _alignment(shown: ShownFinding, column: int) -> Qt.AlignmentFlag:
    if column == SIMILARITY:
        return ALIGN_RIGHT
    language = _language(shown, column)
    return ALIGN_MIRRORED if language and is_right_to_left(language) else ALIGN_LEFT


COLUMN_WIDTHS = {KIND: 164, SIMILARITY: 80, STATE: 104}
# The card below the table repeats these columns. In this order, they are hidden if both
# texts have fewer pixels than this; resolved rows are also grey.
HIDEABLE_COLUMNS = {SIMILARITY: 280, KIND: 280, STATE: 200}
TEXT_COLUMNS = (SENTENCE, OTHER)
N_VISIBLE, WIDE_TEXT = 6, 180  # rows; width for one-line texts if fewer fit


class FindingTable(QTableView):
    """Table of the findings of one run, with multiple selection."""

    chosen = Signal()  # the current row or the selection changed
    opened = Signal(object)  # id of the sentence to show in its corpus

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.findings = FindingModel(self)
        self.setModel(self.findings)
        set_up_large_table(self)
        set_up_two_texts(self, TEXT_COLUMNS, COLUMN_WIDTHS)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.horizontalHeader().setSectionsClickable(False)
        describe(
            self,
            self.tr("Findings"),
            self.tr("Enter shows the sentence in its corpus, H hides it."),
            has_tooltip=False,
        )
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())
        self.selectionModel().currentRowChanged.connect(lambda *_: self.chosen.emit())
        self.clicked.connect(lambda _: self.chosen.emit())  # also for the current row
        self.doubleClicked.connect(lambda index: self._open(index))

    @property
    def current(self) -> ShownFinding | None:
        """The finding in the current row."""
        row = self.currentIndex().row()
        return self.findings.finding_at(row) if row >= 0 else None

    @property
    def chosen_places(self) -> NDArray[np.int64]:
        """The indices of the selected findings in the run: int64 (n,)."""
        parts = [np.arange(top, end + 1) for top, end in self._selected_ranges()]
        rows = np.concatenate([np.empty(0, np.int64), *parts])
        places: NDArray[np.int64] = self.findings.places[rows]
        return places

    def show_places(
        self, store: Engine | None, run: int, indices: NDArray[np.int64]
    ) -> None:
        """Show findings and select the first one."""
        model = self.selectionModel()
        model.blockSignals(True)
        self.findings.show_places(store, run, indices)
        self.choose_row(0)
        model.blockSignals(False)
        self.chosen.emit()

    def choose_row(self, row: int) -> None:
        """Select a row if it exists."""
        if 0 <= row < self.findings.rowCount():
            select_table_row(self, row, SENTENCE)
            self.scrollTo(self.currentIndex())

    def step_on(self) -> None:
        """Select the row after the last selected one."""
        last = max((end for _, end in self._selected_ranges()), default=-1)
        self.choose_row(min(last + 1, self.findings.rowCount() - 1))

    def _selected_ranges(self) -> list[tuple[int, int]]:
        """Return the first and last row of each selected range, sorted."""
        chosen = self.selectionModel().selection()
        parts = (chosen.at(i) for i in range(chosen.count()))
        return sorted((part.top(), part.bottom()) for part in parts)

    def _open(self, index: QModelIndex) -> None:
        shown = self.findings.finding_at(index.row()) if index.isValid() else None
        if shown is not None and shown.sentence is not None:
            self.opened.emit(shown.sentence.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show the current sentence in its corpus on Enter."""
        if event.key() in ENTER_KEYS and self.currentIndex().isValid():
            self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width between both texts; hide other columns if space is short.

        If few rows fit, texts have one line instead of two.
        """
        super().resizeEvent(event)
        wanted, width = dict(COLUMN_WIDTHS), self.viewport().width()
        is_low = self.viewport().height() < N_VISIBLE * scaled(ROW_HEIGHT_TWO)
        hideable = dict(HIDEABLE_COLUMNS)
        if is_low:
            hideable[STATE] = 2 * WIDE_TEXT
        for column, least in hideable.items():
            if width - sum(map(scaled, wanted.values())) < scaled(least):
                del wanted[column]
        for column in COLUMN_WIDTHS:
            self.setColumnHidden(column, column not in wanted)
        share_width(self, TEXT_COLUMNS)
        is_wide = self.columnWidth(SENTENCE) >= scaled(WIDE_TEXT)
        set_text_lines(self, SENTENCE, 1 if is_low and is_wide else 2)
