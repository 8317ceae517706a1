"""The board: sentences in rows and columns, and the column names."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import (
    QEvent,
    QPoint,
    QPointF,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QToolTip, QWidget
from sqlalchemy import Engine

from app.engine.store.labels import read_labels
from app.engine.store.sentences import SentenceRow, read_notes
from app.languages import language_name
from app.number_format import format_score
from app.views.read.layout import GAP, STEPS, ReadingLayout, SentenceCell, character_at
from app.views.read.model import Place, ReadingRows
from app.views.read.painter import (
    RowPainter,
    SentenceMarks,
    WordMark,
    mark_right_to_left,
)
from app.views.widgets.controls import ENTER_KEYS, describe
from app.views.widgets.text_layout import find_highlights
from app.views.widgets.theme import GRID, colours_of, interface_font, scaled

HEADER_HEIGHT = 28  # pixels
WHEEL_STEP = 54  # pixels per step of the wheel
CONTEXT = 40  # pixels shown above and below the selected row if there is space


class ColumnNames(QWidget):
    """The column names above the board."""

    def __init__(self, layout: ReadingLayout, parent: QWidget):
        super().__init__(parent)
        self._layout = layout
        describe(self, self.tr("Columns"))

    @property
    def names(self) -> list[str]:
        """The names, from left to right."""
        return [
            row.name
            if row.name == language_name(row.language)
            else f"{row.name} · {language_name(row.language)}"
            for row in self._layout.rows.corpora
        ]

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint each name above its column."""
        painter, metrics = QPainter(self), self.fontMetrics()
        font = interface_font(pixels=scaled(12))
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(colours_of(self).secondary))
        for column, name in enumerate(self.names):
            left, width = self._layout.column_span(column)
            rect = QRectF(left + 4, 0, width - 8, self.height())
            elided = metrics.elidedText(
                name, Qt.TextElideMode.ElideRight, int(width - GRID)
            )
            language = self._layout.rows.corpora[column].language
            painter.drawText(rect, mark_right_to_left(language), elided)
        painter.end()


class ReadingBoard(QAbstractScrollArea):
    """Shows rows, and selects a sentence and one of its words.

    Attributes:
        layout_: geometry of the rows.
        selection: the selected sentence.
    """

    sentence_selected = Signal(object)  # sentence id, or None
    sentence_opened = Signal(object)  # id, on Enter or a double click
    word_pointed = Signal(object, int)  # sentence or None, UTF-16 offset of a letter
    digit_pressed = Signal(int)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.layout_ = ReadingLayout()
        self.selection = Place()
        self._store: Engine | None = None
        self._words: Mapping[int, Sequence[WordMark]] = {}
        self._find = ""
        self._pointed: tuple[int, int] | None = None
        # sentences with cached marks, labels, notes
        self._known: tuple[set[int], dict[int, str], dict[int, str]] = set(), {}, {}
        self.names = ColumnNames(self.layout_, self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        # always visible, so that the columns keep their width
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.viewport().setMouseTracking(True)
        describe(
            self,
            self.tr("Sentences side by side"),
            self.tr("Each row has the sentences that translate each other."),
        )
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.horizontalScrollBar().valueChanged.connect(self._on_moved_sideways)
        self._place_names()

    # --- content ---

    @property
    def rows(self) -> ReadingRows:
        """The displayed rows."""
        return self.layout_.rows

    @property
    def sentence(self) -> int | None:
        """The id of the selected sentence."""
        return self.rows.sentence_at(self.selection)

    @property
    def visible(self) -> list[int]:
        """The visible rows."""
        height = self.viewport().height()
        return [row for row, _ in self.layout_.visible(height)]

    def show_rows(
        self,
        store: Engine | None,
        rows: ReadingRows,
        headings: Mapping[int, str] | None = None,
    ) -> None:
        """Show new rows; keep the selected sentence in position if they contain it.

        Args:
            headings: document names by first row.
        """
        height = self.viewport().height()
        kept = self.sentence if store is self._store else None
        y = dict(self.layout_.visible(height)).get(self.selection.row, 0.0)
        if store is not self._store:
            self.layout_.sentences.open(store)
        self._store, self.layout_.rows = store, rows
        self.layout_.headings = dict(headings or {})
        place = rows.place_of(kept) if kept is not None else None
        self.selection, self.layout_.top = place or Place(), (0, 0.0)
        self._words, self._pointed = {}, None
        self._measure()
        if place is not None:
            self.layout_.top = place.row, 0.0
            self.layout_.move(-y)
            self._limit()
        self.names.update()

    def read_again(self) -> None:
        """Read texts and marks again after a change in the store."""
        self._known = set(), {}, {}
        self.layout_.sentences.open(self._store)
        self._measure()

    def mark_words(self, words: Mapping[int, Sequence[WordMark]]) -> None:
        """Mark words, by sentence."""
        self._words = words
        self.viewport().update()

    def mark_find(self, text: str) -> None:
        """Mark the occurrences of a text; empty: none."""
        self._find = text
        self.viewport().update()

    def read_sentence(self, sentence: int) -> SentenceRow | None:
        """Read a sentence; None if it was deleted."""
        return self.layout_.sentences.read(sentence)

    # --- selection ---

    def select(
        self, place: Place, *, in_middle: bool = False, at_top: bool = False
    ) -> None:
        """Select a sentence and scroll to it; the cell may be empty."""
        if not self.rows.n_rows:
            return
        row = min(max(place.row, 0), self.rows.n_rows - 1)
        column = min(max(place.column, 0), self.rows.n_columns - 1)
        n = len(self.rows.ids(row, column))
        number = min(max(place.number, 0), max(n - 1, 0))
        self.selection = Place(row, column, number)
        if at_top:
            self.layout_.top = row, 0.0
            self._limit()
        else:
            self._reveal(in_middle=in_middle)
        self.viewport().update()
        self.sentence_selected.emit(self.sentence)

    def show_selection(self) -> None:
        """Scroll to the selected row if it is not visible."""
        height, row = self.viewport().height(), self.selection.row
        y, own = (
            dict(self.layout_.visible(height)).get(row),
            self.layout_.height_of(row),
        )
        is_whole = y is not None and y >= 0 and y + own <= height
        if not is_whole and (y is None or own <= height):
            self._reveal(in_middle=True)

    def _reveal(self, *, in_middle: bool) -> None:
        """Scroll until the selected row is visible."""
        height, row = self.viewport().height(), self.selection.row
        tops = dict(self.layout_.visible(height))
        own, room = self.layout_.height_of(row), scaled(CONTEXT)
        y = tops.get(row)
        is_inside = y is not None and y >= 0 and y + own <= height
        if y is None or (in_middle and not is_inside):
            below = bool(tops) and row > max(tops)
            offset = height - own - room if below else room
            self.layout_.top = row, 0.0
            self.layout_.move(-((height - own) / 2 if in_middle else max(offset, 0)))
        elif y < room:
            self.layout_.move(y - room)
        elif y + own + room > height and own + room < height:
            self.layout_.move(y + own + room - height)
        elif y + own > height:  # no room for context: as much of the row as fits
            self.layout_.move(min(y + own - height, y))
        self._limit()
        left, width = self.layout_.column_span(self.selection.column)
        bar = self.horizontalScrollBar()
        if left < 0 or left + width > self.viewport().width():
            bar.setValue(int(bar.value() + left - GRID))

    # --- scrolling ---

    def _measure(self) -> None:
        """Lay out all rows again for the size of the viewport."""
        self.layout_.reset()
        self.layout_.width = self.viewport().width()
        over = max(self.layout_.content_width - self.layout_.width, 0)
        self.horizontalScrollBar().setRange(0, over)
        self.horizontalScrollBar().setPageStep(self.viewport().width())
        row, height = self.layout_.last_top(self.viewport().height())
        end = row * STEPS + self._steps(row, height)
        bar = self.verticalScrollBar()
        with QSignalBlocker(bar):
            bar.setRange(0, end)
            bar.setPageStep(max(len(self.visible) - 1, 1) * STEPS)
            bar.setSingleStep(STEPS // 2)
        self._limit()
        self.viewport().update()

    def _limit(self) -> None:
        """Limit the scroll position to the rows, and update the scroll bar."""
        if not self.rows.n_rows:
            self.layout_.top = 0, 0.0
        last = self.layout_.last_top(self.viewport().height())
        self.layout_.top = min(self.layout_.top, last)
        row, above = self.layout_.top
        bar = self.verticalScrollBar()
        with QSignalBlocker(bar):
            bar.setValue(row * STEPS + self._steps(row, above))
        self.viewport().update()

    def _steps(self, row: int, pixels: float) -> int:
        if not self.rows.n_rows:
            return 0
        return min(round(STEPS * pixels / self.layout_.height_of(row)), STEPS - 1)

    def _on_scrolled(self, value: int) -> None:
        if self.rows.n_rows:
            row, steps = divmod(value, STEPS)
            row = min(row, self.rows.n_rows - 1)
            self.layout_.top = row, steps / STEPS * self.layout_.height_of(row)
        self.viewport().update()

    def _on_moved_sideways(self, value: int) -> None:
        self.layout_.left = value
        self.names.update()
        self.viewport().update()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Repaint instead of scrolling pixels."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll by pixels: rows differ in height."""
        pixels = event.pixelDelta().y() or event.angleDelta().y() / 120 * WHEEL_STEP
        if event.modifiers() or not pixels:
            super().wheelEvent(event)
            return
        self.layout_.move(-pixels)
        self._limit()
        event.accept()

    # --- painting ---

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible rows."""
        colours = colours_of(self)
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), QColor(colours.window))
        shown = list(self.layout_.visible(self.viewport().height()))
        rows = RowPainter(painter, self.layout_, colours, self._marks(shown))
        for row, y in shown:
            rows.paint(row, y, self.selection)
        painter.end()

    def _marks(self, shown: Sequence[tuple[int, float]]) -> SentenceMarks:
        """Return the labels, notes and marked words of the visible sentences."""
        ids = [
            id_
            for row, _ in shown
            for column in range(self.rows.n_columns)
            for id_ in self.rows.ids(row, column)
        ]
        read, labels, notes = self._known
        if self._store is not None and not read.issuperset(ids):
            labels = read_labels(self._store, ids)
            notes = read_notes(self._store, ids)
            self._known = set(ids), labels, notes
        found: dict[int, list[WordMark]] = {}
        for id_ in ids if self._find else ():
            sentence = self.read_sentence(id_)
            if sentence is not None:
                places = find_highlights(sentence.text, [self._find])
                found[id_] = [WordMark(at, at + n) for at, n in places]
        words = {id_: list(marks) for id_, marks in self._words.items()}
        return SentenceMarks(labels, notes, words, found)

    def describe_marks(self, sentence: int) -> str:
        """Describe the label and the note of a visible sentence; empty: none."""
        _, labels, notes = self._known
        lines = []
        if label := labels.get(sentence):
            lines.append(self.tr("Label: {name}").format(name=label))
        if note := notes.get(sentence):
            lines.append(self.tr("Note: {text}").format(text=note))
        return "\n".join(lines)

    # --- Qt ---

    def _place_names(self) -> None:
        height = scaled(HEADER_HEIGHT)
        self.setViewportMargins(0, height, 0, 0)
        self.names.setGeometry(0, 0, self.width(), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the rows in the new width; keep a selected row visible."""
        super().resizeEvent(event)
        before = dict(self.layout_.visible(event.oldSize().height()))
        self._place_names()
        self._measure()
        if self.rows.n_rows and self.selection.row in before:
            self._reveal(in_middle=False)

    def changeEvent(self, event: QEvent) -> None:
        """Measure again after a change of font or theme."""
        kinds = (QEvent.Type.FontChange, QEvent.Type.PaletteChange)
        if event.type() in kinds:
            self._place_names()
            self._measure()
        super().changeEvent(event)

    def _cell_at(self, point: QPointF) -> SentenceCell | None:
        return self.layout_.hit(point, self.viewport().height())

    def point_below_selection(self) -> QPoint:
        """Return the screen position of a menu for the selected sentence."""
        tops = dict(self.layout_.visible(self.viewport().height()))
        row, y = self.selection.row, tops.get(self.selection.row, 0.0)
        cells = self.layout_.cells(row, y)
        frames = [cell.frame for cell in cells if cell.place == self.selection]
        corner = frames[0].bottomLeft() if frames else QPointF()
        inside = min(corner.y(), self.viewport().height())
        return self.viewport().mapToGlobal(QPointF(corner.x(), inside)).toPoint()

    def _place_at(self, point: QPointF) -> Place | None:
        """Return the location of the sentence or empty cell at a point."""
        cell = self._cell_at(point)
        if cell is not None:
            return cell.place
        for row, y in self.layout_.visible(self.viewport().height()):
            for column in range(self.rows.n_columns):
                frame = self.layout_.row_frame(row, column, y)
                if frame.contains(point):
                    n = len(self.rows.ids(row, column))
                    return Place(row, column, max(n - 1, 0))
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the sentence under the mouse."""
        found = self._place_at(event.position())
        if found is not None:
            self.select(found)
            self._point_at(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the sentence under the mouse."""
        if self._cell_at(event.position()) is not None and self.sentence is not None:
            self.sentence_opened.emit(self.sentence)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show a tooltip with the scores of a link, or a label and note."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            cell = self._cell_at(QPointF(event.pos()))
            if cell is not None and cell.sentence is not None:
                text = self.describe_marks(cell.sentence.id)
            else:
                text = self.describe_link(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), text, self.viewport())
            return True
        return super().viewportEvent(event)

    def describe_link(self, point: QPointF) -> str:
        """Describe the scores, or the ends, of the link at a point of the viewport.

        Returns:
            Empty for a link without scores between adjacent columns.
        """
        link = self.layout_.link_at(point, self.viewport().height())
        if link is None:
            return ""
        scores = self.rows.scores(*link)
        if scores is None:
            return self._describe_ends(*link)
        low, high = map(format_score, scores)
        if low == high:
            return self.tr("Score of the pair: {n}").format(n=low)
        words = self.tr("Scores of the pairs in this row: {low} to {high}")
        return words.format(low=low, high=high)

    def _describe_ends(self, row: int, column: int) -> str:
        """Name the columns linked with a cell, unless only the adjacent one is."""
        linked = self.rows.linked_columns(row, column)
        if column - 1 in linked or not self.rows.ids(row, column):
            return ""
        names = [corpus.name for corpus in self.rows.corpora]
        if not linked:
            words = self.tr("{name} has no link with the columns on its left.")
            return words.format(name=names[column])
        words = self.tr("{name} is linked with {others}, not with {neighbour}.")
        others = ", ".join(names[one] for one in linked)
        neighbour = names[column - 1]
        return words.format(name=names[column], others=others, neighbour=neighbour)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at the word under the mouse."""
        self._point_at(event.position())

    def leaveEvent(self, event: QEvent) -> None:
        """Stop pointing at a word."""
        self._set_pointed(None)
        super().leaveEvent(event)

    def _point_at(self, point: QPointF) -> None:
        cell = self._cell_at(point)
        at = character_at(cell, point) if cell is not None else None
        if cell is None or cell.sentence is None or at is None:
            self._set_pointed(None)
        else:
            self._set_pointed((cell.sentence.id, at))

    def _set_pointed(self, pointed: tuple[int, int] | None) -> None:
        if pointed != self._pointed:
            self._pointed = pointed
            self.word_pointed.emit(*(pointed or (None, 0)))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the menu of the sentence under the mouse."""
        found = self._place_at(QPointF(event.pos()))
        if event.reason() == QContextMenuEvent.Reason.Mouse and found is not None:
            self.select(found)
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.addActions(self.actions())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the arrow keys, Home, End, page keys, Enter and digits."""
        row, column, number = self.selection
        n, page = self.rows.n_rows, max(len(self.visible) - 2, 1)
        n_own = len(self.rows.ids(row, column)) if row < n else 0
        moves = {
            Qt.Key.Key_Down: Place(row, column, number + 1)
            if number + 1 < n_own
            else Place(row + 1, column),
            Qt.Key.Key_Up: Place(row, column, number - 1)
            if number
            else Place(row - 1, column, 1 << 20),
            Qt.Key.Key_Left: Place(row, column - 1),
            Qt.Key.Key_Right: Place(row, column + 1),
            Qt.Key.Key_PageDown: Place(row + page, column),
            Qt.Key.Key_PageUp: Place(row - page, column),
            Qt.Key.Key_Home: Place(0, column),
            Qt.Key.Key_End: Place(n, column),
        }
        key = Qt.Key(event.key())
        has_modifiers = bool(event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier)
        if has_modifiers:
            super().keyPressEvent(event)
        elif key in moves:
            self.select(moves[key])
        elif key in ENTER_KEYS and self.sentence is not None:
            self.sentence_opened.emit(self.sentence)
        elif event.text().isdecimal() and event.text().isascii():
            self.digit_pressed.emit(int(event.text()))
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        """Return a size for several rows."""
        return QSize(800, 20 * scaled(GAP + CONTEXT))
