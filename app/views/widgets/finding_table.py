"""The table of findings: any number of rows, both sentences side by side."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget
from sqlalchemy import Engine

from app.views.theme import scaled
from app.views.widgets.controls import describe
from app.views.widgets.finding_model import (
    ALIKE,
    KIND,
    OTHER,
    SENTENCE,
    STATE,
    FindingModel,
    ShownFinding,
)
from app.views.widgets.large_table import (
    choose_row,
    set_up_large_table,
    set_up_two_texts,
    share_room,
)

WIDTHS = {KIND: 164, ALIKE: 60, STATE: 104}
LEAST = 280  # pixels of both texts; below, other columns give way
GIVING_WAY = (ALIKE, KIND)  # the line below the table tells of them
TEXTS = (SENTENCE, OTHER)
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class FindingTable(QTableView):
    """Findings of one run; several can be chosen."""

    chosen = Signal()  # another row is current, or others are chosen
    opened = Signal(object)  # id of the sentence: show it in its corpus

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.findings = FindingModel(self)
        self.setModel(self.findings)
        set_up_large_table(self)
        set_up_two_texts(self, TEXTS, WIDTHS)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.horizontalHeader().setSectionsClickable(False)
        describe(
            self,
            self.tr("Findings"),
            self.tr("Enter shows the sentence in its corpus, H hides it."),
        )
        self.setToolTip("")
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())
        self.selectionModel().currentRowChanged.connect(lambda *_: self.chosen.emit())
        self.doubleClicked.connect(lambda index: self._open(index))

    @property
    def current(self) -> ShownFinding | None:
        """The finding in the current row."""
        row = self.currentIndex().row()
        return self.findings.finding_at(row) if row >= 0 else None

    @property
    def chosen_places(self) -> NDArray[np.int64]:
        """Places of all findings that are chosen, in their run: int64 (n,)."""
        parts = [np.arange(top, end + 1) for top, end in self._chosen_stretches()]
        rows = np.concatenate([np.empty(0, np.int64), *parts])
        places: NDArray[np.int64] = self.findings.places[rows]
        return places

    def show_places(
        self, store: Engine | None, run: int, places: NDArray[np.int64]
    ) -> None:
        """Show other findings, the first of them chosen."""
        model = self.selectionModel()
        model.blockSignals(True)
        self.findings.show_places(store, run, places)
        self.choose_row(0)
        model.blockSignals(False)
        self.chosen.emit()

    def choose_row(self, row: int) -> None:
        """Choose one row, if there is such a row."""
        if 0 <= row < self.findings.rowCount():
            choose_row(self, row, SENTENCE)
            self.scrollTo(self.currentIndex())

    def step_on(self) -> None:
        """Go from the last chosen row to the next one."""
        last = max((end for _, end in self._chosen_stretches()), default=-1)
        self.choose_row(min(last + 1, self.findings.rowCount() - 1))

    def _chosen_stretches(self) -> list[tuple[int, int]]:
        """Give first and last row of each stretch that is chosen, downwards."""
        chosen = self.selectionModel().selection()
        parts = (chosen.at(i) for i in range(chosen.count()))
        return sorted((part.top(), part.bottom()) for part in parts)

    def _open(self, index: QModelIndex) -> None:
        shown = self.findings.finding_at(index.row()) if index.isValid() else None
        if shown is not None and shown.sentence is not None:
            self.opened.emit(shown.sentence.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show the current sentence in its corpus by Enter."""
        if event.key() in _OPENING and self.currentIndex().isValid():
            self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give both texts half of the room, and enough of it."""
        super().resizeEvent(event)
        wanted, width = dict(WIDTHS), self.viewport().width()
        for column in GIVING_WAY:
            if width - sum(map(scaled, wanted.values())) < scaled(LEAST):
                del wanted[column]
        for column in WIDTHS:
            self.setColumnHidden(column, column not in wanted)
        share_room(self, TEXTS)
