"""Command palette: find an action by a few letters of its name."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from app.views.widgets.cells import Index
from app.views.widgets.controls import ENTER_KEYS, SYNONYMS, describe, make_label
from app.views.widgets.tables import paint_back
from app.views.widgets.theme import (
    GRID,
    QUERY_PX,
    colours_of,
    scaled,
    set_text_size,
)

WIDTH, HEIGHT = 80 * GRID, 52 * GRID
ACTION_ROLE = Qt.ItemDataRole.UserRole
CATEGORY_ROLE = ACTION_ROLE + 1
ROW, PADDING, CATEGORY_WIDTH = 4 * GRID + 2, 2 * GRID, 11 * GRID


MAX_ABBREVIATION = 4  # letters; longer texts would match by chance


class Match(NamedTuple):
    """How well the typed words match an action; a larger match is better.

    Attributes:
        kind: 6 = the words are the name, or the category and the name; 5 = they begin
            the first words of the name, in order; 4 = each begins a word of the name;
            3 = each begins a word of the name, the category or a synonym; 2 = the name
            and the category contain all words; 1 = only the letters occur in order.
        score: orders matches of the same kind.
    """

    kind: int
    score: float


def match_score(
    typed: str, name: str, category: str = "", synonyms: str = ""
) -> Match | None:
    """Score how well typed letters match an action; return None if they don't.

    A few letters may abbreviate the name: each letter begins a word, or follows in a
    word whose first letter is typed. Consecutive letters and letters that begin a
    word score higher, and so do shorter names. Synonyms match from their beginning.
    """
    text = f"{name} {category}".casefold()
    # As in “View: Map” and “test-set leakage”.
    parts = typed.replace(":", " ").replace("-", " ").casefold().split()
    words = _words(f"{text} {synonyms}")
    score = _score_letters("".join(parts), text)
    named = _words(name)
    if named and parts in (named, [*_words(category), *named]):
        kind = 6
    elif parts and _begin_first_words(parts, named):
        kind = 5
    elif _begin_words(parts, named):
        kind = 4
    elif _begin_words(parts, words):
        kind = 3
    elif all(part in text for part in parts):
        kind = 2
    elif _abbreviates("".join(parts), _words(text)):
        kind = 1
    else:
        return None
    if score is None:  # words in another order, or synonyms
        return Match(kind, -len(text) / 100)
    return Match(kind, score)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _begin_words(parts: Sequence[str], words: Sequence[str]) -> bool:
    return all(any(word.startswith(part) for word in words) for part in parts)


def _begin_first_words(parts: Sequence[str], words: Sequence[str]) -> bool:
    firsts = words[: len(parts)]
    return len(firsts) == len(parts) and all(map(str.startswith, firsts, parts))


def _abbreviates(letters: str, words: Sequence[str]) -> bool:
    """Return whether the letters are parts of words that include their first letter."""
    if not letters:
        return True
    if len(letters) > MAX_ABBREVIATION:
        return False
    return any(
        word.startswith(letters[0])
        and _is_spread(letters[1:n], word[1:])
        and _abbreviates(letters[n:], words[index + 1 :])
        for index, word in enumerate(words)
        for n in range(len(letters), 0, -1)
    )


def _is_spread(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)


def _score_letters(letters: str, text: str) -> float | None:
    score, index, streak = 0.0, -1, 0
    for letter in letters:
        found = text.find(letter, index + 1)
        if found < 0:
            return None
        streak = streak + 1 if found == index + 1 and index >= 0 else 0
        begins_word = found == 0 or not text[found - 1].isalnum()
        score += 1 + 2 * streak + (3 if begins_word else 0) + (found == 0)
        index = found
    return score - len(text) / 100


class _RowDelegate(QStyledItemDelegate):
    """Paints the category of an action, its name, and its keys on the right."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint a cell: the category and name, or the keys."""
        item, text = paint_back(self, painter, option, index)
        colours = colours_of(QApplication.palette())
        is_usable = bool(item.state & QStyle.StateFlag.State_Enabled)
        rect = item.rect.adjusted(PADDING, 0, -PADDING, 0)
        side = Qt.AlignmentFlag.AlignVCenter
        painter.save()
        painter.setFont(item.font)
        painter.setPen(QColor(colours.secondary))
        category = index.data(CATEGORY_ROLE)
        if category is None:  # the keys
            painter.drawText(rect, side | Qt.AlignmentFlag.AlignRight, text)
        else:
            painter.drawText(rect, side, category)
            rect.setLeft(rect.left() + scaled(CATEGORY_WIDTH, item.font))
            name = text.removeprefix(f"{category}: ")
            elide = Qt.TextElideMode.ElideRight
            name = item.fontMetrics.elidedText(name, elide, rect.width())
            painter.setPen(QColor(colours.text if is_usable else colours.secondary))
            painter.drawText(rect, side, name)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the width of the keys, and the same height for every row."""
        width = super().sizeHint(option, index).width() + 2 * PADDING
        return QSize(width, scaled(ROW, option.font))


class CommandPalette(QDialog):
    """Dialog that finds an action by typed letters and runs it on Enter."""

    action_chosen = Signal(QAction)  # emitted just before the action is triggered

    def __init__(
        self,
        actions: Sequence[tuple[str, QAction]],
        parent: QWidget,
        *,
        recent: Sequence[str] = (),
        explain: Callable[[str, QAction], str] = lambda _category, _action: "",
    ):
        """Create the palette.

        Args:
            actions: the actions, each with its category.
            recent: names of actions that were recently chosen here, newest first.
            explain: returns why an action of a category is disabled.
        """
        super().__init__(parent, Qt.WindowType.Popup)
        self._recent = {name: index for index, name in enumerate(recent)}
        self._explain = explain
        self.setObjectName("palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(self.tr("All actions"))
        self._commands: list[tuple[str, QAction]] = []
        self._query = QLineEdit(placeholderText=self.tr("Find an action…"))
        set_text_size(self._query, QUERY_PX)
        describe(self._query, self.tr("Find an action"))
        self._model = QStandardItemModel(0, 2, self)
        self._list = QTreeView()
        self._list.setItemDelegate(_RowDelegate(self._list))
        self._list.setMouseTracking(True)  # highlights the row under the pointer
        self._list.setModel(self._model)
        self._list.setRootIsDecorated(False)
        self._list.setHeaderHidden(True)
        self._list.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self._list.setAllColumnsShowFocus(True)
        self._list.setUniformRowHeights(True)
        header = self._list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        describe(self._list, self.tr("Actions"))
        self._nothing = make_label("", "secondary", wraps=True)
        self._nothing.setMargin(2 * GRID)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(self._query)
        layout.addWidget(self._list, 1)
        layout.addWidget(self._nothing)
        layout.addStretch()
        self._query.textChanged.connect(self._fill)
        self._query.installEventFilter(self)
        self._list.activated.connect(self._trigger)
        self._list.clicked.connect(self._trigger)
        self.show_actions(actions)
        self._place(parent)

    @property
    def names(self) -> list[str]:
        """Names of the listed actions, best match first."""
        return [self._model.item(i, 0).text() for i in range(self._model.rowCount())]

    def show_actions(self, actions: Sequence[tuple[str, QAction]]) -> None:
        """List actions, each with its category, and keep the current one."""
        current = self._list.currentIndex().siblingAtColumn(0).data(ACTION_ROLE)
        self._commands = [pair for pair in actions if pair[1].isVisible()]
        self._fill(self._query.text())
        for row in range(self._model.rowCount()):
            if self._model.index(row, 0).data(ACTION_ROLE) is current:
                self._list.setCurrentIndex(self._model.index(row, 0))

    def _fill(self, typed: str) -> None:
        """List matching actions, best first; disabled actions are last."""
        ranked = []
        for index, (category, action) in enumerate(self._commands):
            synonyms = action.property(SYNONYMS) or ""
            match = match_score(typed, action.text(), category, synonyms)
            if match is not None:
                recency = self._recent.get(action.objectName(), len(self._recent))
                score = match.score if typed else 0.0
                rank = (not action.isEnabled(), -match.kind, recency, -score, index)
                ranked.append((rank, category, action))
        ranked.sort(key=lambda entry: entry[0])
        self._model.removeRows(0, self._model.rowCount())
        for _, category, action in ranked:
            self._model.appendRow(self._make_row(category, action))
        self._list.setCurrentIndex(self._model.index(0, 0))
        words = self.tr(
            "No action matches “{typed}”. Type a word of the name of an action, a menu "
            "or a view, such as import, mine, theme or undo."
        )
        self._nothing.setText(words.format(typed=typed.strip()))
        self._nothing.setVisible(not ranked)
        self._list.setVisible(bool(ranked))

    def _make_row(self, category: str, action: QAction) -> list[QStandardItem]:
        name = QStandardItem(f"{category}: {action.text()}".replace("&", ""))
        name.setData(action, ACTION_ROLE)
        name.setData(category.replace("&", ""), CATEGORY_ROLE)
        name.setToolTip(action.toolTip())
        last = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        if not action.isEnabled():
            last = self._explain(category, action)
        keys = QStandardItem(last)
        keys.setTextAlignment(
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        )
        for item in (name, keys):
            item.setEnabled(action.isEnabled())
        return [name, keys]

    def _trigger(self) -> None:
        index = self._list.currentIndex().siblingAtColumn(0)
        action = index.data(ACTION_ROLE)
        if isinstance(action, QAction) and action.isEnabled():
            self.accept()
            self.action_chosen.emit(action)
            action.trigger()

    def _move(self, step: int) -> None:
        row = self._list.currentIndex().row() + step
        if 0 <= row < self._model.rowCount():
            self._list.setCurrentIndex(self._model.index(row, 0))

    def _place(self, parent: QWidget) -> None:
        room = parent.size() - QSize(4 * GRID, 14 * GRID)
        self.resize(QSize(scaled(WIDTH), scaled(HEIGHT)).boundedTo(room))
        top = parent.mapToGlobal(parent.rect().topLeft())
        self.move(top.x() + (parent.width() - self.width()) // 2, top.y() + 10 * GRID)
        self._query.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the keys in the input line move in the list and select."""
        if watched is self._query and isinstance(event, QKeyEvent):
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
            if event.type() == QEvent.Type.KeyPress and event.key() in steps:
                self._move(steps[Qt.Key(event.key())])
                return True
            is_enter = event.key() in ENTER_KEYS
            if event.type() == QEvent.Type.KeyPress and is_enter:
                self._trigger()
                return True
        return super().eventFilter(watched, event)
