"""Hits side by side: one column of cards a language, scrolled together."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QScrollBar,
    QVBoxLayout,
    QWidget,
)

from app.coverage import LanguageCoverage
from app.languages import language_name
from app.views.theme import scaled
from app.views.widgets.controls import make_label
from app.views.widgets.coverage_mark import CoverageMark
from app.views.widgets.hit_column import HitColumn
from app.views.widgets.hits import Hit
from app.views.words import format_count

MIN_WIDTH, MAX_WIDTH, GAP = 192, 440, 12  # pixels of a column
SPACING = 2  # between the columns and the scroll bar


class HitBoard(QWidget):
    """Columns of hits with one scroll bar; headers stay in sight."""

    hit_selected = Signal(object)  # Hit
    hit_chosen = Signal(object)  # Hit
    digit_pressed = Signal(int)  # 0 … 9: label the hit that is selected

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.columns: list[HitColumn] = []
        self._headers: list[QLabel] = []
        self._boxes: list[QWidget] = []
        self._marks: list[CoverageMark] = []
        self._doubts: dict[str, LanguageCoverage] = {}
        self._encoder = ""
        self._is_syncing = False
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._bar.valueChanged.connect(self._on_bar_moved)
        policy = self._bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # the columns keep their widths
        self._bar.setSizePolicy(policy)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACING)
        layout.addWidget(self._area)
        layout.addWidget(self._bar)
        self._set_content([])

    @property
    def hits(self) -> list[Hit]:
        """All hits, column by column."""
        return [hit for column in self.columns for hit in column.hits]

    @property
    def selected(self) -> Hit | None:
        """The selected hit."""
        for column in self.columns:
            for index in column.selectionModel().selectedIndexes():
                return column.hits[index.row()]
        return None

    @property
    def scroll_position(self) -> int:
        """How far the columns are scrolled, in pixels."""
        return self._bar.value()

    def show_hits(
        self, groups: dict[str, list[Hit]], marks: Sequence[str] = ()
    ) -> None:
        """Show hits grouped by language, in the order given."""
        if [column.language for column in self.columns] != list(groups):
            left = self._area.horizontalScrollBar().value()
            self._set_content([HitColumn(language) for language in groups])
            self._area.horizontalScrollBar().setValue(left)
        for column, header in zip(self.columns, self._headers, strict=True):
            hits = groups[column.language]
            column.show_hits(hits, marks)
            header.setText(self._count(len(hits)))
        for box in self._boxes:  # the headings are whole in the first picture
            layout = box.layout()
            assert layout is not None
            layout.activate()
        self._bar.setValue(0)
        self._on_range_changed()

    def show_doubts(self, doubts: dict[str, LanguageCoverage], encoder: str) -> None:
        """Mark the languages that the encoder in use should not be trusted with."""
        self._doubts, self._encoder = doubts, encoder
        for column, mark in zip(self.columns, self._marks, strict=True):
            mark.show_coverage(doubts.get(column.language), encoder)

    def scroll_to(self, value: int) -> None:
        """Scroll all columns."""
        self._bar.setValue(value)

    def focus_first(self) -> None:
        """Give the keyboard to the selected card, or to the first."""
        if not self.columns:
            return
        column = next(
            (c for c in self.columns if c.selectionModel().hasSelection()),
            self.columns[0],
        )
        if not column.currentIndex().isValid():
            column.select_row(0)
        column.setFocus(Qt.FocusReason.OtherFocusReason)

    def select_hit(self, sentence_id: int) -> bool:
        """Select the card of a sentence; returns whether it is there."""
        for column in self.columns:
            for row, hit in enumerate(column.hits):
                if hit.sentence.id == sentence_id:
                    column.select_row(row)
                    return True
        return False

    def _set_content(self, columns: list[HitColumn]) -> None:
        content = QWidget()
        content.setObjectName("scrolled")
        row = QHBoxLayout(content)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        self._headers = [make_label("", "secondary") for _ in columns]
        self._marks = [CoverageMark() for _ in columns]
        self._boxes.clear()
        for number, column in enumerate(columns):
            head = (self._headers[number], self._marks[number])
            self._boxes.append(_make_box(column, head))
            row.addWidget(self._boxes[-1])
            column.hit_selected.connect(self._on_hit_selected)
            column.hit_chosen.connect(self.hit_chosen)
            column.digit_pressed.connect(self.digit_pressed)
            column.left.connect(lambda step, n=number: self._on_left(n, step))
            bar = column.verticalScrollBar()
            bar.valueChanged.connect(self._on_column_scrolled)
            bar.rangeChanged.connect(self._on_range_changed)
        row.addStretch(1)
        self.columns = columns
        self.show_doubts(self._doubts, self._encoder)
        self._area.setWidget(content)
        self._set_widths()

    def _count(self, n: int) -> str:
        words = self.tr("1 hit") if n == 1 else self.tr("{n} hits")
        return words.format(n=format_count(n))

    def _set_widths(self) -> None:
        least, most = scaled(MIN_WIDTH, self), scaled(MAX_WIDTH, self)
        room = max(self.width() - self._bar.sizeHint().width() - SPACING, least)
        n_fit = max((room + GAP) // (least + GAP), 1)
        n_shown = max(min(n_fit, len(self.columns)), 1)
        width = (room - (n_shown - 1) * GAP) // n_shown
        for column in self.columns:
            column.setFixedWidth(min(width, most))
        for box in self._boxes:
            box.setFixedWidth(min(width, most))
        # Columns that are not on screen yet do not tell their layout of a new width.
        content = self._area.widget()
        layout = content.layout() if content is not None else None
        if content is not None and layout is not None:
            layout.invalidate()
            content.setMinimumWidth(layout.minimumSize().width())

    def _on_hit_selected(self, hit: Hit) -> None:
        chosen = self.sender()
        for column in self.columns:
            if column is not chosen:
                column.clear_choice()
        self.hit_selected.emit(hit)

    def _on_left(self, number: int, step: int) -> None:
        """Go to the nearest column sideways, to the card at about the same height."""
        target = number + step
        if not 0 <= target < len(self.columns):
            return
        old, new = self.columns[number], self.columns[target]
        middle = old.visualRect(old.currentIndex()).center()
        middle.setX(new.viewport().width() // 2)
        index = new.indexAt(middle)
        new.select_row(index.row() if index.isValid() else len(new.hits) - 1)
        new.setFocus(Qt.FocusReason.OtherFocusReason)
        self._area.ensureWidgetVisible(new, 0, 0)

    def _on_column_scrolled(self, value: int) -> None:
        if not self._is_syncing:
            self._bar.setValue(value)

    def _on_bar_moved(self, value: int) -> None:
        self._is_syncing = True
        for column in self.columns:
            column.verticalScrollBar().setValue(value)
        self._is_syncing = False

    def _on_range_changed(self) -> None:
        longest = max(
            (c.verticalScrollBar().maximum() for c in self.columns), default=0
        )
        page = max((c.viewport().height() for c in self.columns), default=1)
        self._bar.setRange(0, longest)
        self._bar.setPageStep(page)
        self._bar.setSingleStep(24)
        self._bar.setVisible(longest > 0)
        self._on_bar_moved(self._bar.value())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns into the new width."""
        super().resizeEvent(event)
        self._set_widths()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll all columns, also from a short one."""
        if event.angleDelta().y():
            self._bar.setValue(self._bar.value() - event.angleDelta().y() // 2)
            event.accept()
        else:
            super().wheelEvent(event)

    def sizeHint(self) -> QSize:
        """Ask for most of the window."""
        return QSize(900, 600)


def _make_box(column: HitColumn, head: tuple[QLabel, CoverageMark]) -> QWidget:
    """Put a header over a column: its language, the count of hits, a mark."""
    count, mark = head
    header = QHBoxLayout()
    header.setContentsMargins(2, 0, 0, 0)
    header.setSpacing(8)
    header.addWidget(make_label(language_name(column.language), "section"))
    header.addWidget(count)
    header.addWidget(mark)
    header.addStretch(1)
    box = QWidget()
    layout = QVBoxLayout(box)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(6)
    layout.addLayout(header)
    layout.addWidget(column, 1)
    return box
