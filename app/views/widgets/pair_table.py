"""The table of pairs: any number of rows, texts side by side, reviewed by a key."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget
from sqlalchemy import Engine

from app.engine.store.pair_texts import PairTexts
from app.views.theme import scaled
from app.views.widgets.controls import describe
from app.views.widgets.id_order import IdOrder
from app.views.widgets.large_table import (
    choose_row,
    set_up_large_table,
    set_up_two_texts,
    share_room,
)
from app.views.widgets.pair_model import (
    SCORE,
    SOURCE,
    TARGET,
    VERDICT,
    PairModel,
    PairSort,
)
from app.views.widgets.verdict_mark import VerdictDelegate

WIDTHS = {SCORE: 76, VERDICT: 36}
TEXTS = (SOURCE, TARGET)
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class PairTable(QTableView):
    """Pairs of one set."""

    pair_selected = Signal(object)  # id
    pair_opened = Signal(object)  # id: review it
    sort_changed = Signal(object)  # PairSort

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.pairs = PairModel(self)
        self.setModel(self.pairs)
        set_up_large_table(self)
        header = self.horizontalHeader()
        header.setMinimumSectionSize(scaled(WIDTHS[VERDICT]))
        set_up_two_texts(self, TEXTS, WIDTHS)
        self.setItemDelegateForColumn(VERDICT, VerdictDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header.sectionClicked.connect(self._on_section_clicked)
        describe(self, self.tr("Pairs"))
        self.setToolTip("")
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)
        self.doubleClicked.connect(lambda index: self._open(index))

    @property
    def current_id(self) -> int | None:
        """Id of the pair in the current row."""
        row = self.currentIndex().row()
        return self.pairs.id_at(row) if row >= 0 else None

    @property
    def current_pair(self) -> PairTexts | None:
        """The pair in the current row."""
        row = self.currentIndex().row()
        return self.pairs.pair_at(row) if row >= 0 else None

    def show_ids(self, store: Engine | None, order: IdOrder, *, find: str = "") -> None:
        """Show other pairs; the current one stays so where it is among them."""
        kept = self.current_id
        model = self.selectionModel()
        model.blockSignals(True)
        self.pairs.show_ids(store, order, find=find)
        if kept is not None:
            self.select_row(self.pairs.row_of(kept))
        model.blockSignals(False)

    def select_pair(self, pair_id: int) -> bool:
        """Make a pair current and scroll to it; returns whether it is shown."""
        row = self.pairs.row_of(pair_id)
        if row < 0:
            return False
        self.select_row(row)
        hint = QAbstractItemView.ScrollHint.PositionAtCenter
        self.scrollTo(self.currentIndex(), hint)
        return True

    def select_row(self, row: int) -> None:
        """Make the pair in a row current, if there is such a row."""
        if 0 <= row < self.pairs.rowCount():
            choose_row(self, row, SOURCE)

    def _open(self, index: QModelIndex) -> None:
        if index.isValid():
            self.pair_opened.emit(self.pairs.id_at(index.row()))

    def _on_section_clicked(self, section: int) -> None:
        """Sort by score, best or worst first, or as the source is."""
        old = self.pairs.sorting
        if section == SCORE:
            was_score = old is not None and old.column == SCORE
            is_falling = old is not None and was_score and old.is_descending
            self.sort_changed.emit(PairSort(SCORE, is_descending=not is_falling))
        elif section == SOURCE:
            self.sort_changed.emit(PairSort(SOURCE, is_descending=False))

    def _on_current_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self.pair_selected.emit(self.pairs.id_at(current.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Review the current pair by Enter."""
        if event.key() in _OPENING and self.currentIndex().isValid():
            self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give both texts half of the room."""
        super().resizeEvent(event)
        share_room(self, TEXTS)
