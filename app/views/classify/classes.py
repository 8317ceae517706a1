"""Classes with keys and counts: a table, and actions to add, rename and merge."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.views.classify.actions import ClassifyActions
from app.views.classify.label_checks import similar_labels
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column
from app.views.widgets.cells import ALIGN_LEFT, ALIGN_RIGHT, Index
from app.views.widgets.controls import (
    describe,
    make_button,
    make_label,
    offer_in_palette,
)
from app.views.widgets.dialogs import ask_name
from app.views.widgets.number_format import pluralize
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.sections import TitledSection
from app.views.widgets.statistics_format import format_rate
from app.views.widgets.tables import paint_back, set_up_table
from app.views.widgets.theme import GRID, colours_of, mix, scaled

KEY, NAME, COUNT, BAR = range(4)
NARROW_WIDTH = 224  # pixels; narrower tables hide the shares
WIDTHS = {KEY: 44, COUNT: 60}
SHARE_ROLE = int(Qt.ItemDataRole.UserRole)  # relative to the longest bar, 0…1
BAR_ROOM, BAR_HEIGHT = 56, 12  # pixels: number after a bar; bar


class ClassRow(NamedTuple):
    """A class: its key (0: none) and the number of its sentences in the corpus.

    Attributes:
        n: number of sentences; None if unknown.
    """

    name: str
    key: int
    n: int | None


class ClassBarDelegate(QStyledItemDelegate):
    """Paints a share as a bar, followed by the number."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the cell."""
        item, text = paint_back(self, painter, option, index)
        share = float(index.data(SHARE_ROLE) or 0.0)
        colours = colours_of(QApplication.palette())
        rect = QRectF(item.rect).adjusted(8, 0, -scaled(BAR_ROOM), 0)
        height = scaled(BAR_HEIGHT)
        bar = QRectF(
            rect.left(),
            rect.center().y() - height / 2,
            max(rect.width(), 0) * share,
            height,
        )
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix(colours, "accent", 0.75)))
        painter.drawRoundedRect(bar, 3, 3)
        painter.setPen(QColor(colours.secondary))
        rest = QRectF(item.rect).adjusted(0, 0, -8, 0)
        painter.drawText(rest, int(ALIGN_RIGHT), text)
        painter.restore()


class ClassTable(QTableWidget):
    """The classes of a corpus, in the order of their keys.

    Attributes:
        rows: the rows shown.
    """

    class_chosen = Signal(str)
    shown = Signal()  # the rows or the selected class changed

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.rows: list[ClassRow] = []
        self.setColumnCount(BAR + 1)
        self.setHorizontalHeaderLabels(
            [self.tr("Key"), self.tr("Class"), self.tr("Labels"), self.tr("Share")]
        )
        self.setItemDelegateForColumn(BAR, ClassBarDelegate(self))
        set_up_table(self)
        header = self.horizontalHeader()
        header.setSectionsClickable(False)
        header.setMinimumSectionSize(scaled(WIDTHS[KEY], self))
        for column, width in WIDTHS.items():
            self.setColumnWidth(column, scaled(width, self))
            self._align_heading(column)
        self._align_heading(NAME, is_left=True)
        self._align_heading(BAR, is_left=True)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(BAR, QHeaderView.ResizeMode.Stretch)
        describe(
            self,
            self.tr("Classes"),
            self.tr("Select a class to show its sentences."),
            has_tooltip=False,
        )
        self.itemSelectionChanged.connect(self._on_selection_changed)

    @property
    def current_class(self) -> str:
        """The selected class; empty if none."""
        items = self.selectedItems()
        return self.rows[items[0].row()].name if items else ""

    def show_rows(self, rows: Sequence[ClassRow]) -> None:
        """Show classes; the selected class stays selected."""
        selected = self.current_class
        self.rows = list(rows)
        counts = [row.n or 0 for row in rows]
        total, most = max(sum(counts), 1), max(counts, default=0) or 1
        self.blockSignals(True)
        self.setRowCount(len(rows))
        for index, row in enumerate(rows):
            cells = (
                str(row.key) if row.key else "",
                row.name,
                "" if row.n is None else f"{row.n:,}",
                "" if row.n is None else format_rate(row.n / total),
            )
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setTextAlignment(ALIGN_RIGHT if column == COUNT else ALIGN_LEFT)
                if column == KEY:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                if column == BAR:
                    item.setData(SHARE_ROLE, (row.n or 0) / most)
                item.setToolTip(self._tip(row))
                self.setItem(index, column, item)
        names = [row.name for row in rows]
        if selected in names:
            self.selectRow(names.index(selected))
        else:
            self.clearSelection()
        self.blockSignals(False)
        self.shown.emit()

    def choose(self, name: str) -> None:
        """Select a class, or none if empty, without emitting a signal."""
        self.blockSignals(True)
        names = [row.name for row in self.rows]
        if name in names:
            self.selectRow(names.index(name))
        else:
            self.clearSelection()
        self.blockSignals(False)
        self.shown.emit()

    def table(self) -> Iterator[Sequence[str]]:
        """Return the counts as a table with a header."""
        yield ("key", "class", "rows")
        for row in self.rows:
            yield (str(row.key or ""), row.name, "" if row.n is None else str(row.n))

    def _tip(self, row: ClassRow) -> str:
        n = self.tr("number of sentences unknown")
        if row.n is not None:
            n = pluralize(row.n, self.tr("1 sentence"), self.tr("{n} sentences"))
        words = self.tr("{name}: {n}. Press {key} to assign it.")
        if not row.key:
            words = self.tr("{name}: {n}. Only the first nine classes have a key.")
        return words.format(name=row.name, n=n, key=row.key)

    def _align_heading(self, column: int, *, is_left: bool = False) -> None:
        item = self.horizontalHeaderItem(column)
        if item is not None:
            item.setTextAlignment(ALIGN_LEFT if is_left else ALIGN_RIGHT)

    def _on_selection_changed(self) -> None:
        self.class_chosen.emit(self.current_class)
        self.shown.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the shares if the names need the space."""
        super().resizeEvent(event)
        self.setColumnHidden(BAR, self.width() < scaled(NARROW_WIDTH, self))


class ClassPanel(QWidget):
    """The class list; renaming and merging apply to all corpora of the project.

    Attributes:
        table: the classes.
        similar: offers to merge classes that differ only by case or spaces.
    """

    def __init__(
        self, state: AppState, actions: ClassifyActions, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state, self._labels = state, state.labels
        self.table = ClassTable()
        self.similar = TitledSection(self.tr("Labels that may be the same class"))
        self._file = PlotExporter(
            state, self.table, self.tr("Class balance"), self.table.table
        )
        self._keys = make_label(
            self.tr("Keys 1–9 label the selected sentences; 0 removes the label."),
            "secondary",
            wraps=True,
        )
        self._actions = actions
        self._moves: dict[int, QPushButton] = {}  # buttons by direction of the move
        make_column(
            (self.table, 1),
            self._make_buttons(),
            self._keys,
            self.similar,
            parent=self,
            margins=(0, GRID, 0, 0),
        )

    def show_counts(self, corpus_name: str, counts: dict[str, int]) -> None:
        """Show the classes of the project, with their counts in a corpus."""
        labels = self._labels
        self._file.name = self.tr("classes of {name}").format(name=corpus_name)
        names = dict.fromkeys([*labels.classes, *counts])
        self.table.show_rows(
            [ClassRow(name, labels.key_of(name), counts.get(name, 0)) for name in names]
        )
        self._show_similar(list(names), counts)

    def merge(self, names: Sequence[str], into: str) -> None:
        """Move the sentences of some classes to another class."""
        self._labels.rename(names, into)

    def _show_similar(self, names: list[str], counts: dict[str, int]) -> None:
        """Offer to merge labels that differ only by case or spaces."""
        self.similar.clear()
        n_groups = 0
        for group in similar_labels(names):
            totals = {name: self._labels.total(name) for name in group}
            others = [name for name in group if totals[name]]
            if (len(others) < len(group) and len(others) < 2) or not set(group) & {
                *counts
            }:
                continue
            into = max(others, key=lambda name: totals[name])
            others.remove(into)
            n_groups += 1
            self.similar.add(self._make_merge(others, into, totals))
        self.similar.setVisible(n_groups > 0)

    def _make_merge(
        self, others: list[str], into: str, totals: dict[str, int]
    ) -> QWidget:
        n = sum(totals[name] for name in others)
        count = pluralize(n, self.tr("1 sentence"), self.tr("{n} sentences"))
        words = self.tr("Merge {others} into “{into}” ({sentences})")
        quoted = ", ".join(f"“{name}”" for name in others)
        return make_button(
            words.format(others=quoted, into=into, sentences=count),
            self.tr("Move these sentences to the other class. Ctrl+Z undoes this."),
            partial(self.merge, others, into),
        )

    def ask_class(self) -> None:
        """Ask for the name of a new class."""
        question = self.tr("Name of the new class")
        words = self.tr("Add class")
        ask_name(self._state, self, question, "", self._labels.add_class, words=words)

    def ask_rename(self) -> None:
        """Ask for a new name for the selected class."""
        name = self.table.current_class
        if not name:
            self._state.notice_posted.emit(self.tr("Select a class in the list first."))
            return
        words = self.tr(
            "New name for class {name} ({sentences} in all corpora). The name of "
            "another class merges the two."
        )
        n = self._labels.total(name)
        count = pluralize(n, self.tr("1 sentence"), self.tr("{n} sentences"))
        ask_name(
            self._state,
            self,
            words.format(name=name, sentences=count),
            name,
            lambda new: self._labels.rename([name], new),
        )

    def _move_class(self, step: int) -> None:
        self._labels.move_class(self.table.current_class, step)

    def remove_class(self) -> None:
        """Remove the selected class if it has no sentences."""
        name = self.table.current_class
        if self._labels.total(name):
            words = self.tr(
                "Can't remove {name}: it has {sentences}. Select them in the table and "
                "press the key of another class, or 0 to remove their labels."
            )
            one = self.tr("1 labelled sentence")
            many = self.tr("{n} labelled sentences")
            count = pluralize(self._labels.total(name), one, many)
            self._state.notice_posted.emit(words.format(name=name, sentences=count))
        elif name:
            self._labels.drop_class(name)
        else:
            self._state.notice_posted.emit(self.tr("Select a class in the list first."))

    def _update_buttons(self) -> None:
        """Enable the actions that apply to the selected class or to all."""
        names = [row.name for row in self.table.rows]
        name, actions = self.table.current_class, self._actions
        for button, action in (
            (self._rename, actions.rename_class),
            (self._drop, actions.remove_class),
        ):
            button.setEnabled(bool(name) and action.isEnabled())
        for step, button in self._moves.items():
            end = names[0 if step < 0 else -1] if names else ""
            button.setEnabled(bool(name) and name != end and self._state.can_write)
        self._menu.setEnabled(bool(names))

    def _make_buttons(self) -> WrappingRow:
        actions = self._actions
        add, self._rename, self._drop = (
            make_button(words, action.statusTip(), action.trigger)
            for words, action in (
                (self.tr("Add class…"), actions.add_class),
                (self.tr("Rename…"), actions.rename_class),
                (self.tr("Remove class"), actions.remove_class),
            )
        )
        row = WrappingRow()
        for widget in (add, self._rename, self._drop):
            row.addWidget(widget)
        for words, hint, step in (
            ("↑", self.tr("Move the class to the previous key."), -1),
            ("↓", self.tr("Move the class to the next key."), 1),
        ):
            button = make_button(words, hint, partial(self._move_class, step))
            button.setAccessibleName(hint)
            offer_in_palette(button, hint.strip("."))
            row.addWidget(button)
            self._moves[step] = button
        row.add_stretch()
        self._menu = self._file.make_menu()
        row.addWidget(self._menu)
        for action in (actions.rename_class, actions.remove_class):
            action.enabledChanged.connect(self._update_buttons)
        self.table.shown.connect(self._update_buttons)
        self._update_buttons()
        return row
