"""History panel: past judgements, newest first."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.engine.store.pairs.history import (
    JudgedStep,
    Merge,
    MergedStep,
    count_changes_since,
    count_newest_of_set,
    read_judged_steps,
    read_merged_steps,
    read_merges,
)
from app.engine.store.pairs.sets import pair_set_of
from app.engine.store.pairs.texts import PairTexts, read_pair_texts
from app.views.client.state import AppState
from app.views.review.text import (
    HistoryLine,
    describe_merge,
    describe_step,
    format_moment,
)
from app.views.widgets.boxes import make_column
from app.views.widgets.cells import Index
from app.views.widgets.controls import (
    ENTER_KEYS,
    describe,
    make_button,
    make_label,
    offer_in_palette,
)
from app.views.widgets.dialogs import ask_question
from app.views.widgets.kept_rows import RowKeeper
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.text_layout import TextStyle, draw_layout, lay_out_text
from app.views.widgets.theme import GRID, colours_of, scaled

ROW, PADDING, MARK = 30, 6, 20
_ENTRY = int(Qt.ItemDataRole.UserRole)


class HistoryEntry(NamedTuple):
    """A line of the history: description and time of a change.

    Attributes:
        step: number of the step; None: the line loads earlier entries; 0: a merge that
            changed no pair.
        pair: id of the pair to open.
        made_at: seconds since 1970; 0: unknown.
        merge: id of a merge in the journal; 0: not a merge, or an undone one.
        undoes: the step that the change reverts; None: not an undo.
    """

    step: int | None
    pair: int
    line: HistoryLine
    made_at: float
    who: str
    merge: int = 0
    undoes: int | None = None

    @property
    def key(self) -> tuple[int | None, int]:
        """Key that identifies the line."""
        return self.step, self.merge

    @property
    def when(self) -> str:
        """The time, with the date if it is not today."""
        return format_moment(self.made_at) if self.made_at else ""


class HistoryList(QListWidget):
    """A list of history entries, the newest first."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("history")
        self.setItemDelegate(_HistoryDelegate(self))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._keeper = RowKeeper(self, lambda index: index.data(_ENTRY).key)

    @property
    def entries(self) -> list[HistoryEntry]:
        """The entries of steps."""
        found = [history_entry_of(self.item(row)) for row in range(self.count())]
        return [entry for entry in found if entry.step is not None]

    @property
    def selected(self) -> HistoryEntry | None:
        """The selected entry, or None."""
        item = self.currentItem()
        entry = history_entry_of(item) if item is not None else None
        return entry if entry is not None and entry.step is not None else None

    def show_entries(self, entries: list[HistoryEntry]) -> None:
        """Show entries; the selected entry stays selected."""
        row = self.currentRow()
        if (selected := self.selected) is not None:
            keys = [entry.key for entry in entries]
            row = keys.index(selected.key) if selected.key in keys else -1
        with self._keeper.keep():
            self.clear()
            for entry in entries:
                self.addItem(_make_item(entry))
            self.setCurrentRow(min(row, self.count() - 1))
        self._show_newest()

    def prepend(self, entries: list[HistoryEntry]) -> None:
        """Insert entries at the top, and remove the same number of oldest entries."""
        with self._keeper.keep():
            self._prepend(entries)
        self._show_newest()

    def _prepend(self, entries: list[HistoryEntry]) -> None:
        selected, last = self.selected, self.count() - 1
        if last >= 0 and history_entry_of(self.item(last)).step is None:
            last -= 1  # the line that loads earlier entries remains
        for row in range(len(entries)):
            self.takeItem(last - row)
        for row, entry in enumerate(entries):
            self.insertItem(row, _make_item(entry))
        if self.selected != selected:  # it was removed, so Qt selected the next one
            self.setCurrentRow(-1)

    def _show_newest(self) -> None:
        """Scroll to the top, unless an entry is selected or under the pointer."""
        if self.selected is None and not self.underMouse():
            self._keeper.show_top()

    def leaveEvent(self, event: QEvent) -> None:
        """Show the entries added while the pointer was over the list."""
        super().leaveEvent(event)
        if self.selected is None:
            self._keeper.show_top()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the pair on Enter."""
        item = self.currentItem()
        if event.key() in ENTER_KEYS and item is not None:
            self.itemActivated.emit(item)
        else:
            super().keyPressEvent(event)


def history_entry_of(item: QListWidgetItem) -> HistoryEntry:
    """Return the entry of an item."""
    entry: HistoryEntry = item.data(_ENTRY)
    return entry


def _make_item(entry: HistoryEntry) -> QListWidgetItem:
    item = QListWidgetItem()
    item.setData(_ENTRY, entry)
    words = " · ".join(
        part for part in (entry.line.text, entry.when, entry.who) if part
    )
    item.setToolTip(words)
    item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
    return item


class _HistoryDelegate(QStyledItemDelegate):
    """Paints a history entry."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the mark, the text, and the time on the right."""
        item = QStyleOptionViewItem(option)
        self.initStyleOption(item, index)
        entry: HistoryEntry = index.data(_ENTRY)
        widget = item.widget
        widget.style().drawControl(
            QStyle.ControlElement.CE_ItemViewItem, item, painter, widget
        )
        colours = colours_of(widget)
        small = QFont(item.font)
        small.setPixelSize(scaled(12))
        rect = QRectF(item.rect).adjusted(PADDING, 0, -PADDING, 0)
        painter.save()
        painter.setPen(QColor(colours.human))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect, middle, entry.line.mark)
        painter.setPen(QColor(colours.secondary))
        painter.setFont(small)
        wide = QFontMetricsF(small).horizontalAdvance(entry.when)
        painter.drawText(rect, middle | Qt.AlignmentFlag.AlignRight, entry.when)
        text = rect.adjusted(scaled(MARK), 0, -wide - GRID, 0)
        style = TextStyle(item.font, QColor(colours.text))
        layout, height = lay_out_text(entry.line.text, "", text.width(), style)
        text.setTop(text.top() + (text.height() - height) / 2)
        draw_layout(painter, layout, text, QColor(colours.text))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the same height for every entry."""
        return QSize(100, scaled(ROW))


N_STEPS = 40  # entries per page
N_MOST = 400
REFRESH_MS = 120  # minimum between updates


class HistoryPanel(QWidget):
    """The newest steps of the pair set; earlier steps are loaded on demand."""

    pair_chosen = Signal(object)  # id

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._mining: int | None = None
        self._n_wanted = N_STEPS
        self._is_merged = False  # or a merge was undone since the last refresh
        self.list = HistoryList()
        words = self.tr("Click a judgement or press Enter to open its pair.")
        describe(self.list, self.tr("History of judgements"), words)
        self._empty = make_label(self.tr("No judgements yet."), "secondary", wraps=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.undo_button = make_button(
            self.tr("Undo to here…"),
            self.tr("Undo all changes after the selected entry."),
            self.undo_to_selected,
            kind="quiet",
        )
        words = self.tr("Undo to the selected entry of the history…")
        offer_in_palette(self.undo_button, words)
        self._timer = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._timer.timeout.connect(self._read_new)
        make_column(
            make_label(self.tr("History"), "section"),
            (self._empty, 1),
            (self.list, 1),
            (self.undo_button, 0, Qt.AlignmentFlag.AlignLeft),
            parent=self,
        )
        self.list.itemActivated.connect(self._on_chosen)
        self.list.itemClicked.connect(self._on_chosen)
        self.list.currentRowChanged.connect(self._refresh_button)
        state.row_changed.connect(self._on_row_changed)
        self._refresh_button()

    @property
    def entries(self) -> list[HistoryEntry]:
        """The entries, the newest first."""
        return self.list.entries

    def show_mining(self, mining: int | None) -> None:
        """Show the history of a pair set."""
        if mining != self._mining:
            self._mining, self._n_wanted = mining, N_STEPS
        self.refresh()

    def refresh_soon(self) -> None:
        """Schedule a refresh that covers several changes."""
        if not self._timer.isActive():
            self._timer.start()

    def refresh(self) -> None:
        """Load and show the newest steps."""
        self._timer.stop()
        self._is_merged = False
        entries = self._read(0)
        is_full = len(entries) == self._n_wanted
        if is_full and len(entries) < N_MOST:
            earlier = HistoryLine("", self.tr("Show earlier judgements…"))
            entries = [*entries, HistoryEntry(None, 0, earlier, 0.0, "")]
        self.list.show_entries(entries)
        self._empty.setVisible(not entries)
        self.list.setVisible(bool(entries))
        self.undo_button.setVisible(bool(entries))
        self._refresh_button()

    def undo_to_selected(self) -> None:
        """Ask whether to undo all changes after the selected entry."""
        entry, project = self.list.selected, self._state.project
        if entry is None or entry.step is None or project is None:
            return
        n = count_changes_since(project.store, entry.step, merge=entry.merge)
        if not n or not self._state.changes.is_settled:
            self._state.notice_posted.emit(self._explain_refusal(n))
            return
        words = self.tr("Undo the {n} changes made after: {what}?")
        button = self.tr("Undo {n} changes")
        restored = self.tr("Redo restores them one at a time.")
        if n == 1:
            words = self.tr("Undo the change made after: {what}?")
            button = self.tr("Undo 1 change")
            restored = self.tr("Redo restores it.")
        count = format_count(n)
        n_here = count_newest_of_set(project.store, pair_set_of(entry.pair), n)
        ask_question(
            self.window(),
            words.format(n=count, what=entry.line.text),
            {button.format(n=count): lambda: self._undo(entry, n)},
            details=f"{self._describe_others(n, n_here)} {restored}".strip(),
        )

    # --- private ---

    def _describe_others(self, n: int, n_here: int) -> str:
        """Describe how many of n changes are missing from the history; may be empty."""
        if n == n_here:
            return ""
        one = self.tr(
            "1 change is not in this history: it changed another pair set, a corpus, a "
            "note or a name."
        )
        many = self.tr(
            "{n} changes are not in this history: they changed other pair sets, "
            "corpora, notes or names."
        )
        return pluralize(n - n_here, one, many)

    def _undo(self, entry: HistoryEntry, n: int) -> None:
        """Undo the changes, unless another change was made in the meantime."""
        project, changes = self._state.project, self._state.changes
        if project is None or entry.step is None:
            return
        count = count_changes_since(project.store, entry.step, merge=entry.merge)
        if changes.is_settled and count == n:
            changes.undo(n)
        else:
            words = self.tr("The project changed meanwhile. Select the entry again.")
            self._state.notice_posted.emit(words)

    def _explain_refusal(self, n: int | None) -> str:
        if not self._state.changes.is_settled:
            return self.tr(
                "The last judgements are still being saved. Try again in a moment."
            )
        if n is None:
            return self.tr(
                "Can't undo to this entry, because it was undone or is an undo itself."
            )
        return self.tr("There are no changes after this entry.")

    def _refresh_button(self) -> None:
        entry = self.list.selected
        can_return = (
            entry is not None
            and entry.undoes is None
            and (not entry.step or entry.step not in self._undone_steps())
        )
        self.undo_button.setEnabled(self._state.can_write and can_return)

    def _undone_steps(self) -> set[int]:
        return {one.undoes for one in self.entries if one.undoes is not None}

    def _on_row_changed(self, kind: str, _: int) -> None:
        self._is_merged = self._is_merged or kind == "judgements"

    def _read_new(self) -> None:
        """Insert new steps at the top; reload all entries after a merge or its undo."""
        entries = self.entries
        if len(entries) < self._n_wanted or self._is_merged:
            self.refresh()
            return
        new = self._read(max(entry.step or 0 for entry in entries))
        if len(new) == self._n_wanted:
            self.refresh()
        else:
            self.list.prepend(new)
            self._refresh_button()

    def _read(self, after: int) -> list[HistoryEntry]:
        """Read the newest steps after a step; after step 0, also merges."""
        project = self._state.project
        if project is None or self._mining is None:
            return []
        steps = read_judged_steps(
            project.store, mining=self._mining, after=after, limit=self._n_wanted
        )
        texts = read_pair_texts(project.store, [step.row.pair_id for step in steps])
        merged = read_merged_steps(project.store, steps)
        entries = [
            _to_entry(step, found, merged.get(step.row.step))
            for step, found in zip(steps, texts, strict=True)
        ]
        if after:
            return entries
        merges = read_merges(project.store, self._mining)
        return _add_merges(entries, steps, merges)[: self._n_wanted]

    def _on_chosen(self, item: QListWidgetItem) -> None:
        entry = history_entry_of(item)
        if entry.step is None:
            self._n_wanted = min(self._n_wanted + 4 * N_STEPS, N_MOST)
            self.refresh()
        else:
            self.pair_chosen.emit(entry.pair)


def _to_entry(
    step: JudgedStep, found: PairTexts | None, merged: MergedStep | None
) -> HistoryEntry:
    """Return the entry of a step; an undo restores the previous author and time.

    Args:
        found: the pair of its first judgement; None: it was deleted.
        merged: the merge that the step made or reverted; None: not a merge.
    """
    row, line = step.row, describe_step(step, found)
    is_undo = row.undoes is not None
    if merged is not None:
        line = describe_merge(merged, is_undo=is_undo)
    if is_undo or merged is not None:  # the row has another judgement's time
        place = row.step, row.pair_id
        return HistoryEntry(*place, line, 0.0, "", undoes=row.undoes)
    return HistoryEntry(row.step, row.pair_id, line, row.created_at, row.who)


def _add_merges(
    entries: Sequence[HistoryEntry],
    steps: Sequence[JudgedStep],
    merges: Sequence[Merge],
) -> list[HistoryEntry]:
    """Add an entry for each current merge, replacing the entry of its step."""
    own = {merge.step: merge for merge in merges if merge.step}
    placed = [
        (
            *(step.row.id, 0),
            _to_merge_entry(own[step.row.step]) if step.row.step in own else entry,
        )
        for step, entry in zip(steps, entries, strict=True)
    ]
    placed += [
        (merge.after_id, merge.id, _to_merge_entry(merge))
        for merge in merges
        if not merge.step
    ]
    placed.sort(key=lambda one: one[:2], reverse=True)
    return [entry for _, _, entry in placed]


def _to_merge_entry(merge: Merge) -> HistoryEntry:
    line, place = describe_merge(merge), (merge.step, merge.pair_id)
    return HistoryEntry(*place, line, merge.made_at, "", merge.id)
