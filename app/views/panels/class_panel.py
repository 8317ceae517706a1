"""The classes of a corpus: keys and bars, and what changes them: add, rename, merge."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.views.label_checks import similar_labels
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.ask_text import ask_name
from app.views.widgets.class_table import ClassRow, ClassTable
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.plot_file import PlotFile
from app.views.widgets.section import Section
from app.views.widgets.wrapping_row import WrappingRow
from app.views.words import count_words


class ClassPanel(QWidget):
    """Shows the classes; a class is renamed or merged in all corpora of the project.

    Attributes:
        table: the classes.
        similar: offers to merge classes that differ by case or spaces only.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state, self._book = state, state.labels
        self.table = ClassTable()
        self.similar = Section(self.tr("Labels that are one class written twice"))
        self._file = PlotFile(
            state, self.table, self.tr("Class balance"), self.table.table
        )
        self._keys = make_label(
            self.tr("Keys 1–9 label the chosen sentences, 0 takes the label away."),
            "secondary",
            wraps=True,
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, GRID, 0, 0)
        column.setSpacing(GRID)
        column.addWidget(self.table, 1)
        column.addLayout(self._make_buttons())
        column.addWidget(self._keys)
        column.addWidget(self.similar)

    def show_counts(self, corpus_name: str, counts: dict[str, int]) -> None:
        """Show the classes of the project, with their sentences in a corpus."""
        book = self._book
        self._file.name = self.tr("classes of {name}").format(name=corpus_name)
        names = dict.fromkeys([*book.classes, *counts])
        self.table.show_rows(
            [ClassRow(name, book.key_of(name), counts.get(name, 0)) for name in names]
        )
        self._show_similar(list(names), counts)

    def merge(self, names: Sequence[str], into: str) -> None:
        """Give the sentences of some classes another one's label."""
        self._book.rename(names, into)

    def _show_similar(self, names: list[str], counts: dict[str, int]) -> None:
        """Offer to merge labels that differ by case or spaces only."""
        self.similar.clear()
        n_groups = 0
        for group in similar_labels(names):
            totals = {name: self._book.total(name) for name in group}
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
        told = count_words(n, self.tr("1 sentence"), self.tr("{n} sentences"))
        words = self.tr("Merge {others} into “{into}” ({sentences})")
        quoted = ", ".join(f"“{name}”" for name in others)
        return make_button(
            words.format(others=quoted, into=into, sentences=told),
            self.tr("Give these sentences the other label; Ctrl+Z takes it back."),
            partial(self.merge, others, into),
        )

    def _ask_class(self) -> None:
        question = self.tr("What shall the new class be called?")
        words = self.tr("Add")
        ask_name(self, question, "", self._book.add_class, words=words)

    def _ask_rename(self) -> None:
        name = self.table.current_class
        if not name:
            self._state.notice_posted.emit(self.tr("Choose a class in the list first."))
            return
        words = self.tr(
            "What shall the class {name} be called? {sentences} of it: all follow, in "
            "every corpus; the name of another class merges the two."
        )
        n = self._book.total(name)
        told = count_words(n, self.tr("1 sentence"), self.tr("{n} sentences"))
        ask_name(
            self,
            words.format(name=name, sentences=told),
            name,
            lambda new: self._book.rename([name], new),
        )

    def _move_class(self, step: int) -> None:
        self._book.move_class(self.table.current_class, step)

    def _drop_class(self) -> None:
        name = self.table.current_class
        if self._book.total(name):
            words = self.tr(
                "{name} has {sentences}: choose all in the table and press another "
                "class's key, or 0 for no label."
            )
            one = self.tr("1 labelled sentence")
            many = self.tr("{n} labelled sentences")
            told = count_words(self._book.total(name), one, many)
            self._state.notice_posted.emit(words.format(name=name, sentences=told))
        elif name:
            self._book.drop_class(name)

    def _make_buttons(self) -> WrappingRow:
        add, rename, drop = (
            make_button(words, hint, slot)
            for words, hint, slot in (
                (
                    self.tr("Add class…"),
                    self.tr("Add a class; it gets the next free key."),
                    self._ask_class,
                ),
                (
                    self.tr("Rename…"),
                    self.tr("Rename the chosen class, or merge it into another one."),
                    self._ask_rename,
                ),
                (
                    self.tr("Take out"),
                    self.tr("Take a class that no sentence has out of the list."),
                    self._drop_class,
                ),
            )
        )
        row = WrappingRow()
        for widget in (add, rename, drop):
            row.addWidget(widget)
        for words, hint, step in (
            ("↑", self.tr("Give the class the key before."), -1),
            ("↓", self.tr("Give the class the next key."), 1),
        ):
            button = make_button(words, hint, partial(self._move_class, step))
            button.setAccessibleName(hint)
            row.addWidget(button)
        row.add_stretch()
        row.addWidget(self._file.make_menu())
        return row
