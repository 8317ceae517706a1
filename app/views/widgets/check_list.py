"""List with check boxes as a form field."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QElapsedTimer, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QListWidget, QListWidgetItem, QStyle

from app.views.widgets.chips import SUBCORPUS_SIGN
from app.views.widgets.controls import describe
from app.views.widgets.fields import Field
from app.views.widgets.theme import GRID, scaled

N_SHOWN = 5  # rows before the list scrolls
CELL = (148, 26)  # pixels; wider where a title is
PADDING = 24  # pixels around the cells: frame, scroll bar
NO_ALIASES: Mapping[str, str] = {}
KEY_ROLE = Qt.ItemDataRole.UserRole


class CheckList(QListWidget):
    """Names with check boxes; Space or a click checks one, Ctrl+A all.

    A checked key that is not offered (yet) stays checked.
    """

    changed = Signal()

    def __init__(self, name: str, hint: str):
        super().__init__()
        describe(self, name, hint)
        self._ticked: list[str] = []
        self._aliases: Mapping[str, str] = {}
        self._typed, self._clock = "", QElapsedTimer()  # keys, and since when
        self.setFlow(QListWidget.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setGridSize(QSize(*(scaled(pixels) for pixels in CELL)))
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemChanged.connect(self._on_item_changed)
        self._ticked_before: list[str] = []  # when the mouse was pressed
        self.itemClicked.connect(self._on_item_clicked)
        self._add_actions()
        self._fit()

    @property
    def keys(self) -> list[str]:
        """Every key that is offered."""
        return [self.item(row).data(KEY_ROLE) for row in range(self.count())]

    @property
    def ticked(self) -> list[str]:
        """Keys that are ticked, in the order of the list."""
        keys = self.keys
        rest = [key for key in self._ticked if key not in keys]
        return [key for key in keys if key in self._ticked] + rest

    def set_choices(
        self,
        choices: Sequence[tuple[str, str]],
        aliases: Mapping[str, str] = NO_ALIASES,
    ) -> None:
        """Offer other choices; ticked keys stay ticked.

        Args:
            choices: pairs of key and title.
            aliases: other names of keys, for values from elsewhere.
        """
        self._aliases = aliases
        self._ticked = self._resolve(self._ticked)
        self.blockSignals(True)
        self.clear()
        for key, title in choices:
            item = QListWidgetItem(title)
            item.setData(KEY_ROLE, key)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setToolTip(title)
            self.addItem(item)
        self._fit()
        self.blockSignals(False)
        self._show_ticks()

    def tick(self, keys: Iterable[str]) -> None:
        """Check exactly these keys."""
        wanted = self._resolve(map(str, keys))
        if wanted != self._ticked:
            self._ticked = wanted
            self._show_ticks()
            self.changed.emit()

    def _resolve(self, names: Iterable[str]) -> list[str]:
        """Return the keys that names mean, each once."""
        return list(dict.fromkeys(self._aliases.get(name, name) for name in names))

    def as_field(self) -> Field:
        """Return the list as an input of a form."""
        return Field(
            self, lambda: self.ticked, self._write, lambda f: self.changed.connect(f)
        )

    def _add_actions(self) -> None:
        """Add actions that check several keys, to a menu and as shortcuts."""
        for title, keys, choose in (
            (self.tr("Select only this one"), "Ctrl+Space", self._current_keys),
            (self.tr("Select all"), "Ctrl+A", lambda: self.keys),
            (self.tr("Clear selection"), "Ctrl+Shift+A", list),
        ):
            action = QAction(title, self)
            action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(lambda _=False, give=choose: self.tick(give()))
            self.addAction(action)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def _current_keys(self) -> list[str]:
        item = self.currentItem()
        return [item.data(KEY_ROLE)] if item is not None else self.ticked

    def _write(self, value: Any) -> None:
        self.tick(value or ())

    def _show_ticks(self) -> None:
        self.blockSignals(True)
        for row in range(self.count()):
            item = self.item(row)
            is_on = item.data(KEY_ROLE) in self._ticked
            state = Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked
            item.setCheckState(state)
        self.blockSignals(False)
        self._show_first()

    def _show_first(self) -> None:
        """Scroll to the first that is ticked, once there is a size."""
        rows = [row for row in range(self.count()) if self.keys[row] in self._ticked]
        if rows:
            self.scrollToItem(self.item(rows[0]))

    def _on_item_clicked(self, item: QListWidgetItem) -> None:
        """Check an item whose title is clicked; Qt checks it only by its box."""
        if self._ticked == self._ticked_before:
            is_on = item.checkState() == Qt.CheckState.Checked
            item.setCheckState(
                Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked
            )

    def _on_item_changed(self, item: QListWidgetItem) -> None:
        key, is_on = item.data(KEY_ROLE), item.checkState() == Qt.CheckState.Checked
        others = [other for other in self._ticked if other != key]
        self._ticked = [*others, key] if is_on else others
        self.changed.emit()

    def _fit(self) -> None:
        """Fit the columns to the titles, and the height to the rows up to a maximum."""
        least, height = (scaled(pixels) for pixels in CELL)
        width = min(max(self._widest(), least), max(self.width() - PADDING, least))
        was_blocked = self.blockSignals(True)  # a new size checks nothing
        self.setGridSize(QSize(width, height))
        for row in range(self.count()):
            self.item(row).setSizeHint(self.gridSize())
        self.blockSignals(was_blocked)
        n_columns = max((self.width() - PADDING) // width, 1)
        n_rows = min(max(-(-self.count() // n_columns), 1), N_SHOWN)
        self.setFixedHeight(n_rows * height + GRID + 2)

    def _widest(self) -> int:
        """Return the pixels that the longest title needs with its tick."""
        metrics, style = self.fontMetrics(), self.style()
        titles = [self.item(row).text() for row in range(self.count())]
        text = max((metrics.horizontalAdvance(title) for title in titles), default=0)
        tick = style.pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth, None, self)
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, self)
        return text + tick + 4 * (margin + 1) + 3 * GRID

    def keyboardSearch(self, search: str) -> None:
        """Go to what begins with the keys; a sign before a name is passed over."""
        is_more = self._clock.isValid() and not self._clock.hasExpired(
            QApplication.keyboardInputInterval()
        )
        self._typed = self._typed + search if is_more else search
        self._clock.restart()
        super().keyboardSearch(search)
        typed = self._typed.casefold()
        current = self.currentItem()
        if current is not None and current.text().casefold().startswith(typed):
            return
        for row in range(self.count()):
            name = self.item(row).text().removeprefix(SUBCORPUS_SIGN)
            if name.casefold().startswith(typed):
                self.setCurrentRow(row)
                return

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember the checked keys: the click may change one."""
        self._ticked_before = list(self._ticked)
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Treat the second click of two as another click."""
        self._ticked_before = list(self._ticked)
        super().mouseDoubleClickEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Be as high as the rows are now."""
        super().resizeEvent(event)
        self._fit()
        self._show_first()
