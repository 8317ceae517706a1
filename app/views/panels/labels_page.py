"""The labels of a corpus: classes with keys and bars, sentences, what a check found."""

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.classify_questions import LabelOrderQuery
from app.engine.store.arrays import map_array
from app.engine.store.rows import CorpusRow, first_id
from app.errors import ErrorInfo
from app.languages import language_name
from app.questions import OrderQuery
from app.views.classify_words import DOT
from app.views.label_book import MAX_AT_ONCE
from app.views.label_checks import find_check
from app.views.labelled import Source, describe_scores, read_second_texts, source_of
from app.views.panels.class_panel import ClassPanel
from app.views.state import AppState
from app.views.theme import GRID, scaled
from app.views.widgets.controls import (
    describe,
    make_action_button,
    make_label,
)
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.id_order import ArrayOrder, IdOrder, RangeOrder
from app.views.widgets.label_findings import LabelFindings
from app.views.widgets.page_model import LABEL, LENGTH, LINE, SECOND, SENTENCE, Column
from app.views.widgets.sentence_table import SentenceTable
from app.views.widgets.splits import make_split
from app.views.widgets.wrapping_row import WrappingRow
from app.views.words import format_count

ALL, UNLABELLED, LABELLED = "", "unlabelled", "labelled"
CLASS = "class:"  # before the name, in the choice of what is shown
FINDINGS_TAB = 1
LEAST_CLASSES = 24  # width of the classes, in steps of the grid


class LabelsPage(QWidget):
    """Shows one corpus.

    Attributes:
        corpus: what is shown, of pairs the first side; None before the first.
        source: the rows that it belongs to: the corpus, or pairs.
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
        self.source: Source | None = None
        self._name = ElidedLabel("heading")
        self._facts = ElidedLabel("secondary")
        self.panel = ClassPanel(state)
        self.classes = self.panel.table
        self.which = QComboBox()
        self.table = SentenceTable()
        self.table.page_model.readers[SECOND.key] = self._read_second
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
        project = self._state.project
        self.source = source_of(project, corpus) if project is not None else None
        self._name.setText(self.source.name if self.source is not None else corpus.name)
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
        self.panel.show_counts(corpus.name, counts)
        self._facts.setText(self._describe(corpus))
        self._offer_choices(list(counts))
        check = find_check(project.store, source_of(project, corpus).key)
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
        project = self._state.project
        if choice == ALL and project is not None and corpus.id in project.hidden:
            self._state.ask(
                OrderQuery(corpora=(corpus.id,), asker="labels"), self._on_order
            )
            return
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

    # --- what happens ---

    def _on_order(self, answer: dict[str, Any] | ErrorInfo) -> None:
        project = self._state.project
        if project is None or isinstance(answer, ErrorInfo):
            return
        self._show(ArrayOrder(map_array(project.folder / answer["file"])))

    def _show(self, order: IdOrder) -> None:
        project, corpus = self._state.project, self.corpus
        if project is None or corpus is None:
            return
        columns: tuple[Column, ...] = (LINE, SENTENCE, LENGTH, LABEL)
        if self.source is not None and self.source.is_of_pairs:
            columns = (LINE, SENTENCE, SECOND, LABEL)
        self.table.show_ids(project.store, order, columns=columns)
        words = self.tr("{n} of {total} sentences")
        n, total = format_count(len(order)), format_count(corpus.n_sentences)
        self._count.setText(words.format(n=n, total=total))
        self.shown.emit()

    def _read_second(self, ids: list[int]) -> dict[int, str]:
        """Give the second text of pairs by the id of the first."""
        project, source = self._state.project, self.source
        if project is None or source is None:
            return {}
        others = {source.id: source.corpora[-1].id}
        return read_second_texts(project.store, ids, others)

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
            if found.are_scores:
                return DOT.join([*parts, describe_scores(found)])
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

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        describe(
            self.which, self.tr("Sentences to show"), self.tr("Choose what is shown.")
        )
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self._name, 1)
        head.addWidget(make_action_button(actions["check"], kind="quiet"))
        head.addWidget(make_action_button(actions["train"], kind="quiet"))
        row = WrappingRow()
        row.addWidget(self.which)
        row.add_stretch()
        row.addWidget(self._count)
        sentences = QWidget()
        column = QVBoxLayout(sentences)
        column.setContentsMargins(0, GRID, 0, 0)
        column.setSpacing(GRID)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        self.tabs.addTab(sentences, self.tr("Sentences"))
        self.tabs.addTab(self.findings, self.tr("Check"))
        self.panel.setMinimumWidth(scaled(LEAST_CLASSES * GRID))
        split = make_split(self.panel, self.tabs, sizes=(40 * GRID, 82 * GRID))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self._facts)
        layout.addWidget(split, 1)
