"""The labels of a corpus: classes with keys and bars, sentences, what a check found."""

from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.classify_questions import LabelOrderQuery
from app.engine.store.arrays import map_array
from app.engine.store.rows import CorpusRow, first_id
from app.errors import ErrorInfo
from app.languages import language_name
from app.views.classify_words import DOT
from app.views.label_book import MAX_AT_ONCE
from app.views.label_checks import find_check, similar_labels
from app.views.mining_sides import name_corpus
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.ask_text import ask_name
from app.views.widgets.class_table import ClassRow, ClassTable
from app.views.widgets.controls import (
    describe,
    make_action_button,
    make_button,
    make_label,
)
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.id_order import ArrayOrder, IdOrder, RangeOrder
from app.views.widgets.label_findings import LabelFindings
from app.views.widgets.page_model import LABEL, LENGTH, LINE, SENTENCE
from app.views.widgets.plot_file import PlotFile
from app.views.widgets.section import Section
from app.views.widgets.sentence_table import SentenceTable
from app.views.words import format_count

ALL, UNLABELLED, LABELLED = "", "unlabelled", "labelled"
CLASS = "class:"  # before the name, in the choice of what is shown
FINDINGS_TAB = 1


class LabelsPage(QWidget):
    """Shows one corpus.

    Attributes:
        corpus: what is shown; None before the first.
    """

    shown = Signal()  # the wanted sentences are in the table
    place_wanted = Signal(object)  # id of a sentence

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make an empty page; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state, self._book = state, state.labels
        self.corpus: CorpusRow | None = None
        self._name = ElidedLabel("heading")
        self._facts = ElidedLabel("secondary")
        self.similar = Section(self.tr("Labels that are one class written twice"))
        self.classes = ClassTable()
        self._file = PlotFile(
            state, self.classes, self.tr("Class balance"), self.classes.table
        )
        self.which = QComboBox()
        self.table = SentenceTable()
        self._count = make_label("", "secondary")
        self.findings = LabelFindings(state, actions["check"])
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self._lay_out(actions)
        self._connect()

    @property
    def facts(self) -> str:
        """What is said of the corpus."""
        return self._facts.text()

    def show_corpus(self, corpus: CorpusRow) -> None:
        """Show a corpus; another one begins with all its sentences."""
        is_other = self.corpus is None or self.corpus.id != corpus.id
        self.corpus = corpus
        self._name.setText(corpus.name)
        self._file.name = self.tr("classes of {name}").format(name=corpus.name)
        self.refresh()
        if is_other:
            self.which.setCurrentIndex(0)
            self.show_sentences()

    def refresh(self) -> None:
        """Show classes, counts and the check as they are now."""
        corpus, project = self.corpus, self._state.project
        if corpus is None or project is None:
            return
        found = self._book.counts.get(corpus.id)
        counts = found.classes if found is not None else {}
        names = dict.fromkeys([*self._book.classes, *counts])
        self.classes.show_rows(
            [
                ClassRow(name, self._book.key_of(name), counts.get(name, 0))
                for name in names
            ]
        )
        self._facts.setText(self._describe(corpus))
        self._offer_choices(list(counts))
        self._show_similar(list(counts))
        check = find_check(project.store, name_corpus(project.corpora, corpus))
        self.findings.show_check(check, corpus)
        words = self.tr("Check")
        if check is not None:
            n = len(check.told.data.warnings)
            words = self.tr("Check · {n} warnings").format(n=n)
        self.tabs.setTabText(FINDINGS_TAB, words)

    def show_sentences(self) -> None:
        """Show the sentences that are chosen: at once all, else when they are found."""
        corpus = self.corpus
        if corpus is None:
            return
        choice = str(self.which.currentData() or ALL)
        if choice == ALL:
            self._show(RangeOrder([(first_id(corpus.id), corpus.n_sentences)]))
            return
        name = choice.removeprefix(CLASS) if choice.startswith(CLASS) else ""
        query = LabelOrderQuery(
            corpora=(corpus.id,),
            which="unlabelled" if choice == UNLABELLED else "labelled",
            classes=(name,) if name else (),
            asker="labels",
        )
        self._state.ask(query, self._on_order)

    def show_findings(self) -> None:
        """Show what the check found."""
        self.tabs.setCurrentIndex(FINDINGS_TAB)

    def focus_first(self) -> None:
        """Put the keyboard on the sentences."""
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- what the user does ---

    def _on_digit_pressed(self, digit: int) -> None:
        ids = self.table.selected_ids(MAX_AT_ONCE + 1)
        if self._book.press(digit, ids):
            self.table.step_on()

    def _on_class_chosen(self, name: str) -> None:
        place = self.which.findData(f"{CLASS}{name}")
        self.which.setCurrentIndex(max(place, 0))

    def _on_which_changed(self) -> None:
        choice = str(self.which.currentData() or ALL)
        self.classes.choose(choice.removeprefix(CLASS))
        self.show_sentences()

    def _ask_class(self) -> None:
        question = self.tr("What shall the new class be called?")
        ask_name(self, question, "", self._book.add_class)

    def _move_class(self, step: int) -> None:
        self._book.move_class(self.classes.current_class, step)

    def _drop_class(self) -> None:
        name = self.classes.current_class
        if self._book.total(name):
            words = self.tr(
                "{name} has {n} labelled sentences: choose them in the table and press "
                "another class's key, or 0 for no label."
            )
            n = format_count(self._book.total(name))
            self._state.notice_posted.emit(words.format(name=name, n=n))
        elif name:
            self._book.drop_class(name)

    def merge(self, names: list[str], into: str) -> None:
        """Give the sentences of some classes another one's label."""
        assert self.corpus is not None
        query = LabelOrderQuery(
            corpora=(self.corpus.id,), classes=tuple(names), asker="merge"
        )
        self._state.ask(query, partial(self._on_merge_found, into))

    # --- what happens ---

    def _on_merge_found(self, into: str, answer: dict[str, Any] | ErrorInfo) -> None:
        project = self._state.project
        if isinstance(answer, ErrorInfo) or project is None:
            return
        ids = np.asarray(map_array(project.folder / answer["file"])).tolist()
        self._book.label(into, ids)

    def _on_order(self, answer: dict[str, Any] | ErrorInfo) -> None:
        project = self._state.project
        if project is None or isinstance(answer, ErrorInfo):
            return
        self._show(ArrayOrder(map_array(project.folder / answer["file"])))

    def _show(self, order: IdOrder) -> None:
        project, corpus = self._state.project, self.corpus
        if project is None or corpus is None:
            return
        columns = (LINE, SENTENCE, LENGTH, LABEL)
        self.table.show_ids(project.store, order, columns=columns)
        words = self.tr("{n} of {total} sentences")
        n, total = format_count(len(order)), format_count(corpus.n_sentences)
        self._count.setText(words.format(n=n, total=total))
        self.shown.emit()

    def _offer_choices(self, names: list[str]) -> None:
        kept = self.which.currentData()
        choices = [
            (self.tr("All sentences"), ALL),
            (self.tr("Without a label"), UNLABELLED),
            (self.tr("Labelled"), LABELLED),
            *((name, f"{CLASS}{name}") for name in names),
        ]
        self.which.blockSignals(True)
        self.which.clear()
        for title, key in choices:
            self.which.addItem(title, key)
        self.which.setCurrentIndex(max(self.which.findData(kept), 0))
        self.which.blockSignals(False)

    def _show_similar(self, names: list[str]) -> None:
        """Offer to merge labels that differ by case or spaces only."""
        groups = similar_labels(names)
        counts = {row.name: row.n for row in self.classes.rows}
        self.similar.clear()
        for group in groups:
            into = max(group, key=lambda name: counts.get(name, 0))
            others = [name for name in group if name != into]
            n = sum(counts.get(name, 0) for name in others)
            words = self.tr("Merge {others} into “{into}” ({n} sentences)")
            quoted = ", ".join(f"“{name}”" for name in others)
            button = make_button(
                words.format(others=quoted, into=into, n=format_count(n)),
                self.tr("Give these sentences the other label; Ctrl+Z takes it back."),
                partial(self.merge, others, into),
            )
            self.similar.add(button)
        self.similar.setVisible(bool(groups))

    def _describe(self, corpus: CorpusRow) -> str:
        found = self._book.counts.get(corpus.id)
        n = found.n_labelled if found is not None else 0
        words = self.tr("{n} of {total} sentences have a label")
        total = format_count(corpus.n_sentences)
        parts = [
            language_name(corpus.language),
            words.format(n=format_count(n), total=total),
            self.tr("{n} without").format(n=format_count(corpus.n_sentences - n)),
        ]
        if found is not None and found.classes:
            (most, n_most), *_ = found.classes.items()
            least, n_least = list(found.classes.items())[-1]
            words = self.tr("most {most} ({n_most}), fewest {least} ({n_least})")
            if n_most == n_least:
                words = self.tr("{n_most} of each")
            parts.append(self.tr("{n} classes").format(n=found.n_classes))
            parts.append(
                words.format(most=most, n_most=n_most, least=least, n_least=n_least)
            )
        return DOT.join(parts)

    # --- making ---

    def _connect(self) -> None:
        self.classes.class_chosen.connect(self._on_class_chosen)
        self.which.currentIndexChanged.connect(self._on_which_changed)
        self.table.digit_pressed.connect(self._on_digit_pressed)
        self.table.sentence_selected.connect(self._state.select_sentence)
        self.table.sentence_opened.connect(self.place_wanted)
        self.findings.place_wanted.connect(self.place_wanted)
        self._book.changed.connect(self.refresh)
        self._book.labelled.connect(self.table.page_model.forget_rows)

    def _make_left(self) -> QWidget:
        keys = make_label(
            self.tr("Keys 1–9 label the chosen sentences, 0 takes the label away."),
            "secondary",
            wraps=True,
        )
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(
            make_button(
                self.tr("Add class…"),
                self.tr("Add a class; it gets the next free key."),
                self._ask_class,
            )
        )
        for words, hint, slot in (
            ("↑", self.tr("Give the class the key before."), partial(self._move, -1)),
            ("↓", self.tr("Give the class the next key."), partial(self._move, 1)),
        ):
            button = make_button(words, hint, slot)
            button.setAccessibleName(hint)
            row.addWidget(button)
        hint = self.tr("Take a class that no sentence has out of the list.")
        row.addWidget(make_button(self.tr("Take out"), hint, self._drop_class))
        row.addStretch()
        row.addWidget(self._file.make_menu())
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, GRID, 0, 0)
        column.setSpacing(GRID)
        column.addWidget(self.classes, 1)
        column.addLayout(row)
        column.addWidget(keys)
        column.addWidget(self.similar)
        return left

    def _move(self, step: int) -> None:
        self._move_class(step)

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        describe(
            self.which, self.tr("Sentences to show"), self.tr("Choose what is shown.")
        )
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self._name, 1)
        head.addWidget(make_action_button(actions["check"], kind="quiet"))
        head.addWidget(make_action_button(actions["train"], kind="quiet"))
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(self.which)
        row.addStretch()
        row.addWidget(self._count)
        sentences = QWidget()
        column = QVBoxLayout(sentences)
        column.setContentsMargins(0, GRID, 0, 0)
        column.setSpacing(GRID)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        self.tabs.addTab(sentences, self.tr("Sentences"))
        self.tabs.addTab(self.findings, self.tr("Check"))
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(2 * GRID)
        split.setStyleSheet("QSplitter::handle { background: transparent; }")
        split.addWidget(self._make_left())
        split.addWidget(self.tabs)
        split.setSizes([38 * GRID, 84 * GRID])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self._facts)
        layout.addWidget(split, 1)
