"""Hits as cards in one column per language, scrolled together."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QListView,
    QScrollArea,
    QScrollBar,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.engine.store.words.keyword_index import keyword_spans
from app.languages import language_name
from app.protocol.answers.reading import TranslatedWord
from app.results.coverage import LanguageCoverage
from app.views.widgets.boxes import as_widget, make_column, make_row
from app.views.widgets.cells import DISPLAY_ROLE, Index
from app.views.widgets.controls import ENTER_KEYS, ElidedLabel, make_label
from app.views.widgets.coverage_mark import CoverageMark
from app.views.widgets.hit_card import (
    CardStyle,
    measure_card,
    paint_card,
    whole_place,
)
from app.views.widgets.hits import Hit, describe_place
from app.views.widgets.number_format import format_badge, format_count
from app.views.widgets.text_layout import MAX_CHARACTERS, ColouredSpan
from app.views.widgets.theme import colours_of, mark_colour, scaled
from app.views.widgets.word_marks import colour_words, name_words

HIT_ROLE = int(Qt.ItemDataRole.UserRole)
MARKS_ROLE = HIT_ROLE + 1
WORDS_ROLE = HIT_ROLE + 2
CARD_GAP = 8  # pixels between cards
_MOVES = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_STEPS = (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Space)


class HitModel(QAbstractListModel):
    """The hits of one language in descending order of score."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.hits: list[Hit] = []
        self._marked = ""
        self._words: dict[int, list[TranslatedWord]] = {}
        self._encoder = ""

    def mark_words(self, words: dict[int, list[TranslatedWord]]) -> None:
        """Mark the words that translate the query, by sentence."""
        self._words = words
        if self.hits:
            self.dataChanged.emit(self.index(0), self.index(len(self.hits) - 1))

    def show_hits(self, hits: Sequence[Hit], marked: str, encoder: str) -> None:
        """Show hits with the scores of an encoder, and mark words in them."""
        self.beginResetModel()
        self._encoder = encoder
        self.hits, self._marked, self._words = list(hits), marked, {}
        self.endResetModel()

    def rowCount(
        self, parent: QModelIndex | QPersistentModelIndex | None = None
    ) -> int:
        """Return the number of hits."""
        return 0 if parent is not None and parent.isValid() else len(self.hits)

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return a hit, its text or its description for a screen reader."""
        if not index.isValid():
            return None
        hit = self.hits[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return hit.sentence.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._describe(hit)
            case _ if role == HIT_ROLE:
                return hit
            case _ if role == MARKS_ROLE:
                shown = hit.sentence.text[:MAX_CHARACTERS]
                return keyword_spans(shown, self._marked)
            case _ if role == WORDS_ROLE:
                return self._words.get(hit.sentence.id, [])
            case Qt.ItemDataRole.ToolTipRole:
                words = self._words.get(hit.sentence.id, [])
                marked = name_words(hit.sentence.text, words)
                lines = [*marked, whole_place(hit), self._score_of(hit)]
                return "\n".join(filter(None, lines)) or None
        return None

    def _score_of(self, hit: Hit) -> str:
        if hit.score is None or not self._encoder:
            return ""
        words = self.tr("Cosine {score} by {encoder}")
        return words.format(score=format_badge(hit.score), encoder=self._encoder)

    def _describe(self, hit: Hit) -> str:
        parts = [hit.sentence.text, describe_place(hit.source, hit.sentence.line)]
        if hit.score is not None:
            parts.append(self.tr("score {score}").format(score=format_badge(hit.score)))
        if hit.is_translation:
            parts.append(self.tr("known translation"))
        return ", ".join(parts)


class HitDelegate(QStyledItemDelegate):
    """Paints cards of different heights, which are cached by width."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._heights: dict[tuple[int, int, int], int] = {}

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the card."""
        tokens = colours_of(QApplication.palette())
        colours = QColor(mark_colour(tokens)), QColor(tokens.text)
        style = CardStyle(
            option.font,
            tokens,
            is_chosen=bool(option.state & QStyle.StateFlag.State_Selected),
            is_hovered=bool(option.state & QStyle.StateFlag.State_MouseOver),
            has_keyboard=bool(option.state & QStyle.StateFlag.State_HasFocus),
            marks=[
                *(
                    ColouredSpan(begin, end, *colours)
                    for begin, end in index.data(MARKS_ROLE)
                ),
                *colour_words(index.data(WORDS_ROLE) or (), tokens),
            ],
        )
        card = QRectF(option.rect).adjusted(1, 1, -1, 1 - CARD_GAP)
        paint_card(painter, card, index.data(HIT_ROLE), style)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the size of the card for the column width."""
        hit: Hit = index.data(HIT_ROLE)
        column = option.widget
        width = column.viewport().width() if isinstance(column, QListView) else 200
        key = (hit.sentence.id, width, option.font.pixelSize())
        if key not in self._heights:
            colours = colours_of(QApplication.palette())
            height = measure_card(hit, width - 2, option.font, colours)
            self._heights[key] = round(height) + CARD_GAP
        return QSize(width, self._heights[key])


class Anchor(NamedTuple):
    """A card with a fixed position: its sentence, and its top in the column."""

    sentence: int
    top: int


class HitColumn(QListView):
    """The cards of one language.

    Attributes:
        language: code of the language.
    """

    hit_selected = Signal(object)  # Hit
    hit_chosen = Signal(object)  # Hit: on a double click or Enter, becomes the query
    digit_pressed = Signal(int)  # 0 … 9: labels the hit or the query
    exited = Signal(int)  # -1 or 1: to the previous or next column

    def __init__(self, language: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.language = language
        self._hits = HitModel(self)
        self.setObjectName("hitColumn")
        self.setModel(self._hits)
        self.setItemDelegate(HitDelegate(self))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMouseTracking(True)
        self.setAccessibleName(
            self.tr("Hits in {language}").format(language=language_name(language))
        )
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    @property
    def hits(self) -> list[Hit]:
        """The hits, best first."""
        return self._hits.hits

    def show_hits(
        self, hits: Sequence[Hit], marked: str = "", encoder: str = ""
    ) -> None:
        """Show hits with the scores of an encoder, and mark words in them."""
        self._hits.show_hits(hits, marked, encoder)

    def mark_words(self, words: dict[int, list[TranslatedWord]]) -> None:
        """Mark the words that translate the query, by sentence."""
        self._hits.mark_words(words)

    @property
    def _has_selection(self) -> bool:
        return self.selectionModel().hasSelection()

    def select_row(self, row: int) -> None:
        """Select a card, and make it the current one."""
        index = self._hits.index(min(row, self._hits.rowCount() - 1))
        flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(index, flag)

    @property
    def anchor(self) -> "Anchor | None":
        """The selected card, or the first card, if it is visible."""
        rows = [index.row() for index in self.selectionModel().selectedIndexes()]
        for row in (*rows, self.indexAt(QPoint(self.viewport().width() // 2, 0)).row()):
            place = self.visualRect(self._hits.index(row))
            if place.intersects(self.viewport().rect()):
                return Anchor(self.hits[row].sentence.id, place.top())
        return None

    def position_of(self, anchor: "Anchor") -> int | None:
        """Return the scroll position for an anchor; None if its card was removed."""
        self.doItemsLayout()  # layout of the current hits
        for row, hit in enumerate(self.hits):
            if hit.sentence.id == anchor.sentence:
                top = self.visualRect(self._hits.index(row)).top()
                return self.verticalScrollBar().value() + top - anchor.top
        return None

    def select_again(self, sentence: int) -> None:
        """Select the card of a sentence again without a signal, if it exists."""
        self.blockSignals(True)
        for row, hit in enumerate(self.hits):
            if hit.sentence.id == sentence:
                self.select_row(row)
        self.blockSignals(False)

    def clear_selection(self) -> None:
        """Clear the selection because another column has it."""
        self.selectionModel().clearSelection()

    def _on_selection_changed(self, selected: QItemSelection) -> None:
        for index in selected.indexes():
            self.hit_selected.emit(index.data(HIT_ROLE))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle arrow keys, Enter and digits."""
        key = Qt.Key(event.key())
        current = self.currentIndex()
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            event.ignore()
        elif key in _MOVES:
            self.exited.emit(_MOVES[key])
        elif key in _STEPS and current.isValid() and not self._has_selection:
            self.select_row(current.row())
        elif key in ENTER_KEYS and current.isValid():
            self.hit_chosen.emit(current.data(HIT_ROLE))
        elif Qt.Key.Key_0 <= key <= Qt.Key.Key_9:
            self.digit_pressed.emit(key - Qt.Key.Key_0)
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Use the card under the mouse as the query."""
        super().mouseDoubleClickEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            self.hit_chosen.emit(index.data(HIT_ROLE))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Measure the cards again after a change of width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def minimumSizeHint(self) -> QSize:
        """Allow any height."""
        return QSize(80, 80)


# Pixels of a column. The minimum width does not scale with the text, so that three or
# four languages can be compared in a small window.
MIN_WIDTH, MAX_WIDTH, COLUMN_GAP = 192, 440, 12
SPACING = 2  # between the columns and the scroll bar


class HitColumns(QWidget):
    """Columns of hits with a common scroll bar and fixed headers.

    Attributes:
        encoder: name of the encoder that scores the next hits.
    """

    hit_selected = Signal(object)  # Hit
    hit_chosen = Signal(object)  # Hit
    digit_pressed = Signal(int)  # 0 … 9: labels the selected hit

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.columns: list[HitColumn] = []
        self.encoder = ""
        self._headers: list[ElidedLabel] = []
        self._boxes: list[QWidget] = []
        self._marks: list[CoverageMark] = []
        self._coverage: dict[str, LanguageCoverage] = {}
        self._encoder = ""
        self._outdated: dict[str, float] = {}
        self._is_syncing = False
        # Offset of each column from the scroll bar after new hits, in pixels.
        self._lags: dict[str, int] = {}
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._bar.valueChanged.connect(self._on_bar_moved)
        policy = self._bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # the columns keep their widths
        self._bar.setSizePolicy(policy)
        make_row(self._area, self._bar, parent=self, gap=SPACING)
        self._set_content([])

    @property
    def hits(self) -> list[Hit]:
        """All hits in the order of the columns."""
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
        """The scroll position of the columns in pixels."""
        return self._bar.value()

    def show_hits(
        self,
        groups: dict[str, list[Hit]],
        marked: str = "",
        n_found: Mapping[str, int] | None = None,
        *,
        keeps_place: bool = False,
    ) -> None:
        """Show hits in one column per language, in the given order.

        Args:
            marked: words, prefixes and phrases to mark in the hits.
            n_found: number of all hits per language, if known.
            keeps_place: keep visible hits in position, and the selection.
        """
        selected = self.selected if keeps_place else None
        value, anchors = 0, dict[str, Anchor | None]()
        if keeps_place:
            value = self._bar.value()
            anchors = {column.language: column.anchor for column in self.columns}
        if [column.language for column in self.columns] != list(groups):
            left = self._area.horizontalScrollBar().value()
            focused = [one.language for one in self.columns if one.hasFocus()]
            self._set_content([HitColumn(language) for language in groups])
            self._area.horizontalScrollBar().setValue(left)
            for column in self.columns:
                if column.language in focused:
                    column.setFocus(Qt.FocusReason.OtherFocusReason)
        for column, header in zip(self.columns, self._headers, strict=True):
            hits = groups[column.language]
            column.show_hits(hits, marked, self.encoder)
            n = (n_found or {}).get(column.language, len(hits))
            header.setText(self._count(len(hits), n))
        for box in self._boxes:  # so that headings are not cut off initially
            layout = box.layout()
            assert layout is not None
            layout.activate()
        if selected is not None:
            for column in self.columns:
                column.select_again(selected.sentence.id)
        self._scroll_to_anchors(anchors, value)

    def _scroll_to_anchors(
        self, anchors: Mapping[str, Anchor | None], value: int
    ) -> None:
        """Scroll each column to the previous position of its anchor."""
        wanted: dict[str, int] = {}
        for column in self.columns:
            anchor = anchors.get(column.language)
            index = column.position_of(anchor) if anchor is not None else None
            if index is not None:
                wanted[column.language] = index
        value = max(value, *wanted.values()) if wanted else value
        self._lags = {language: value - index for language, index in wanted.items()}
        with QSignalBlocker(self._bar):
            self._fit_bar()
            self._bar.setValue(value)
        self._on_bar_moved(self._bar.value())

    def mark_words(self, words: dict[int, list[TranslatedWord]]) -> None:
        """Mark the words that translate the query, by sentence."""
        for column in self.columns:
            column.mark_words(words)

    def show_coverage(
        self,
        coverage: dict[str, LanguageCoverage],
        encoder: str,
        outdated: dict[str, float],
    ) -> None:
        """Mark the languages with poor coverage by the encoder."""
        self._coverage, self._encoder = coverage, encoder
        self._outdated = outdated
        for column, mark in zip(self.columns, self._marks, strict=True):
            mark.show_coverage(coverage.get(column.language), encoder, outdated)

    def scroll_to(self, value: int) -> None:
        """Scroll all columns."""
        self._bar.setValue(value)

    def focus_first(self) -> None:
        """Focus the selected card, or the first one."""
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
        """Select the card of a sentence; return whether it exists."""
        for column in self.columns:
            for row, hit in enumerate(column.hits):
                if hit.sentence.id == sentence_id:
                    column.select_row(row)
                    return True
        return False

    def _set_content(self, columns: list[HitColumn]) -> None:
        content = QWidget()
        content.setObjectName("scrolled")
        row = make_row(parent=content, gap=COLUMN_GAP)
        self._headers = [ElidedLabel("secondary") for _ in columns]
        self._marks = [CoverageMark() for _ in columns]
        self._boxes.clear()
        for number, column in enumerate(columns):
            head = (self._headers[number], self._marks[number])
            self._boxes.append(_make_column_header(column, head))
            row.addWidget(self._boxes[-1])
            column.hit_selected.connect(self._on_hit_selected)
            column.hit_chosen.connect(self.hit_chosen)
            column.digit_pressed.connect(self.digit_pressed)
            column.exited.connect(lambda step, n=number: self._on_exited(n, step))
            bar = column.verticalScrollBar()
            bar.valueChanged.connect(
                lambda value, language=column.language: self._on_column_scrolled(
                    value + self._lags.get(language, 0)
                )
            )
            bar.rangeChanged.connect(self._on_range_changed)
        row.addStretch(1)
        self.columns = columns
        self.show_coverage(self._coverage, self._encoder, self._outdated)
        self._area.setWidget(content)
        self._set_widths()

    def _count(self, n: int, n_found: int) -> str:
        words = self.tr("1 hit") if n == 1 else self.tr("{n} hits")
        if n < n_found:
            words = self.tr("{n} of {found} hits")
        return words.format(n=format_count(n), found=format_count(n_found))

    def _set_widths(self) -> None:
        least, most = MIN_WIDTH, scaled(MAX_WIDTH, self)
        room = max(self.width() - self._bar.sizeHint().width() - SPACING, least)
        n_fit = max((room + COLUMN_GAP) // (least + COLUMN_GAP), 1)
        n_shown = max(min(n_fit, len(self.columns)), 1)
        width = (room - (n_shown - 1) * COLUMN_GAP) // n_shown
        for column in self.columns:
            column.setFixedWidth(min(width, most))
        for box in self._boxes:
            box.setFixedWidth(min(width, most))
        # Hidden columns do not notify their layout of a new width.
        content = self._area.widget()
        layout = content.layout() if content is not None else None
        if content is not None and layout is not None:
            layout.invalidate()
            content.setMinimumWidth(layout.minimumSize().width())

    def _on_hit_selected(self, hit: Hit) -> None:
        chosen = self.sender()
        for column in self.columns:
            if column is not chosen:
                column.clear_selection()
        self.hit_selected.emit(hit)

    def _on_exited(self, number: int, step: int) -> None:
        """Select the card at about the same height in the adjacent column."""
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
        if value == 0 and self._lags:
            self._lags = {}
            self._on_range_changed()
        self._is_syncing = True
        for column in self.columns:
            lag = self._lags.get(column.language, 0)
            column.verticalScrollBar().setValue(value - lag)
        self._is_syncing = False

    def _on_range_changed(self) -> None:
        self._fit_bar()
        self._on_bar_moved(self._bar.value())

    def _fit_bar(self) -> None:
        longest = max(
            (
                c.verticalScrollBar().maximum() + self._lags.get(c.language, 0)
                for c in self.columns
                if c.verticalScrollBar().maximum()
            ),
            default=0,
        )
        page = max((c.viewport().height() for c in self.columns), default=1)
        self._bar.setRange(0, longest)
        self._bar.setPageStep(page)
        self._bar.setSingleStep(24)
        self._bar.setVisible(longest > 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        self._set_widths()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll all columns, even over a short one."""
        if event.angleDelta().y():
            self._bar.setValue(self._bar.value() - event.angleDelta().y() // 2)
            event.accept()
        else:
            super().wheelEvent(event)

    def sizeHint(self) -> QSize:
        """Return a large size, because hits fill the window."""
        return QSize(900, 600)


def _make_column_header(
    column: HitColumn, head: tuple[ElidedLabel, CoverageMark]
) -> QWidget:
    """Make a column header: language, number of hits, coverage mark."""
    count, mark = head
    header = make_row(
        make_label(language_name(column.language), "section"),
        mark,
        (count, 1),  # last, because it changes
        gap=8,
        margins=(2, 0, 0, 0),
    )
    return as_widget(make_column(header, (column, 1), gap=6))
