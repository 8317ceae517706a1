"""A table model of findings of any number: places in order, and a few pages of rows."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QObject, Qt
from PySide6.QtGui import QColor, QGuiApplication
from sqlalchemy import Engine

from app.engine.store.document_rows import read_document_names
from app.engine.store.finding_rows import Finding, read_findings
from app.engine.store.hidden_rows import read_hidden
from app.engine.store.rows import SentenceRow, read_sentences
from app.languages import is_right_to_left
from app.views.finding_words import kind_words, meant_text, reason_text, state_words
from app.views.theme import tokens_of
from app.views.widgets.page_model import LANGUAGE_ROLE, MARKS_ROLE, MAX_ROWS, Index
from app.views.widgets.pages import Pages

PAGE_SIZE, N_PAGES = 128, 16
KIND, SENTENCE, OTHER, ALIKE, STATE = range(5)
N_COLUMNS = 5
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_MIRRORED = Qt.AlignmentFlag.AlignAbsolute | _RIGHT
NO_PLACES: NDArray[np.int64] = np.empty(0, np.int64)


class ShownFinding(NamedTuple):
    """A finding with its sentences.

    Attributes:
        finding: what was found.
        sentence: None where it is gone.
        other: the one it is compared with; None: there is none, or it is gone.
        state: hidden, removed, or empty: the sentence takes part.
        other_state: the same of the other one.
        document, other_document: their names; empty where they are in none.
    """

    finding: Finding
    sentence: SentenceRow | None
    other: SentenceRow | None
    state: str
    other_state: str
    document: str
    other_document: str

    @property
    def is_settled(self) -> bool:
        """Tell whether one of the two is left out."""
        return bool(self.state or self.other_state)

    @property
    def second_text(self) -> str:
        """What stands beside the sentence: the other one, what was meant, or why."""
        detail = self.finding.detail
        if self.other is not None and self.finding.kind != "changed":
            return self.other.text
        return meant_text(detail) or reason_text(detail)

    @property
    def second_language(self) -> str:
        """Language of what stands beside the sentence; empty for a reason."""
        if self.other is not None and self.finding.kind != "changed":
            return self.other.language
        if meant_text(self.finding.detail) and self.sentence is not None:
            return self.sentence.language
        return ""


class FindingModel(QAbstractTableModel):
    """Findings of a run.

    Attributes:
        places: of the findings in their run, those too that a table has no room for.
        n_reads: pages read from the store so far.
    """

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.n_reads = 0
        self._store: Engine | None = None
        self._run = 0
        self.places = NO_PLACES
        self._pages = Pages(self._read_page, N_PAGES)

    def show_places(
        self, store: Engine | None, run: int, places: NDArray[np.int64]
    ) -> None:
        """Show findings: int64 (n,), their places in the run."""
        self.beginResetModel()
        self._store, self._run, self.places = store, run, places
        self._pages.forget()
        self.endResetModel()

    def forget_rows(self) -> None:
        """Read what is shown again: sentences were hidden, or shown again."""
        self._pages.forget()
        if self.rowCount():
            last = self.index(self.rowCount() - 1, N_COLUMNS - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def finding_at(self, row: int) -> ShownFinding | None:
        """Read the finding in a row."""
        return self._pages[row // PAGE_SIZE][row % PAGE_SIZE]

    def _read_page(self, number: int) -> list[ShownFinding | None]:
        start = number * PAGE_SIZE
        places = self.places[start : start + PAGE_SIZE].tolist()
        if self._store is None:
            return [None] * len(places)
        self.n_reads += 1
        return read_shown(self._store, self._run, places)

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the findings, at most as many as a table can show."""
        if parent is not None and parent.isValid():
            return 0
        return min(len(self.places), MAX_ROWS)

    def columnCount(self, parent: Index | None = None) -> int:
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else N_COLUMNS

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Give what a cell shows."""
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
            case Qt.ItemDataRole.ForegroundRole if shown.is_settled or column == KIND:
                return QColor(tokens_of(QGuiApplication.palette()).secondary)
            case _ if role == LANGUAGE_ROLE:
                return _language(shown, column)
        return None

    def _text(self, shown: ShownFinding, column: int) -> str:
        match column:
            case 0:
                return kind_words(shown.finding.kind)
            case 1:
                return shown.sentence.text if shown.sentence else self.tr("(deleted)")
            case 2:
                return shown.second_text
            case 3:
                return _alike(shown.finding)
        return state_words(shown.state, shown.other_state)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = int(Qt.ItemDataRole.DisplayRole),
    ) -> Any:
        """Name the columns."""
        if orientation != Qt.Orientation.Horizontal or section >= N_COLUMNS:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                self.tr("Found"),
                self.tr("Sentence"),
                self.tr("Beside it"),
                self.tr("Alike"),
                self.tr("State"),
            )[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section == ALIKE else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole and section == ALIKE:
            return self.tr(
                "Share of equal letters in one language, cosine in two, and share of "
                "the neighbours that are kept."
            )
        return None


_ROLES = {
    int(Qt.ItemDataRole.DisplayRole),
    int(Qt.ItemDataRole.AccessibleTextRole),
    int(Qt.ItemDataRole.ToolTipRole),
    int(Qt.ItemDataRole.TextAlignmentRole),
    int(Qt.ItemDataRole.ForegroundRole),
    LANGUAGE_ROLE,
}


def read_shown(store: Engine, run: int, places: list[int]) -> list[ShownFinding | None]:
    """Read findings with their sentences, in the order of the places."""
    findings = read_findings(store, run, places)
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


def _alike(finding: Finding) -> str:
    if finding.similarity is not None:
        return f"{100 * finding.similarity:.0f} %"
    return "" if finding.cosine is None else f"{finding.cosine:.3f}"


def _language(shown: ShownFinding, column: int) -> str:
    if column == SENTENCE and shown.sentence is not None:
        return shown.sentence.language
    return shown.second_language if column == OTHER else ""


def _alignment(shown: ShownFinding, column: int) -> Qt.AlignmentFlag:
    if column == ALIKE:
        return _RIGHT
    language = _language(shown, column)
    return _MIRRORED if language and is_right_to_left(language) else _LEFT
