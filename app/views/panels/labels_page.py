"""The labels of a corpus: classes with keys and bars, sentences, what a check found."""

from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from app.classify_questions import LabelCountsQuery
from app.engine.store.rows import CorpusRow
from app.errors import ErrorInfo
from app.languages import language_name
from app.views.classify_words import DOT
from app.views.label_book import MAX_AT_ONCE, CorpusLabels, read_counts
from app.views.label_checks import find_check
from app.views.labelled import Source, describe_scores, part_sources, source_of
from app.views.panels.class_panel import ClassPanel
from app.views.panels.label_sentences import LabelSentences
from app.views.state import AppState
from app.views.theme import GRID, scaled
from app.views.widgets.controls import make_action_button
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.label_findings import LabelFindings
from app.views.widgets.splits import make_split
from app.views.words import count_words, format_count

FINDINGS_TAB = 1
LEAST_CLASSES = 24  # width of the classes, in steps of the grid


class LabelsPage(QWidget):
    """Shows one corpus.

    Attributes:
        corpus: what is shown, of pairs the first side; None before the first.
        sentences: of it, or of a sub-corpus of it.
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
        self.panel = ClassPanel(state)
        self.classes = self.panel.table
        self.sentences = LabelSentences(state)
        self.which, self.table = self.sentences.which, self.sentences.table
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

    @property
    def source(self) -> Source | None:
        """The rows that are shown: of a corpus, of pairs, or of a sub-corpus of it."""
        corpus, project = self.corpus, self._state.project
        if corpus is None or project is None:
            return None
        part = self.sentences.part
        parts = part_sources(project) if part is not None else []
        wanted = (corpus.id, part.id if part is not None else 0)
        own = [one for one in parts if (one.id, one.corpora[0].subcorpus) == wanted]
        return own[0] if own else source_of(project, corpus)

    def show_corpus(self, corpus: CorpusRow) -> None:
        """Show a corpus; another one begins with all its sentences."""
        self.corpus = corpus
        project = self._state.project
        if project is not None:
            whole = source_of(project, corpus)
            self._name.setText(whole.name)
            self.sentences.show_source(whole, corpus)
        self.refresh()

    def refresh(self) -> None:
        """Show classes, counts and the check as they are now."""
        corpus = self.corpus
        if corpus is None:
            return
        self.sentences.offer_parts()
        part = self.sentences.part
        if part is None:
            self._show_counts(self._book.counts.get(corpus.id))
            return
        query = LabelCountsQuery(subcorpora=(part.id,), asker="labels")
        self._state.ask(query, partial(self._on_counted, corpus.id, part.id))

    def _on_counted(
        self, corpus_id: int, part_id: int, answer: dict[str, Any] | ErrorInfo
    ) -> None:
        """Show the labels of a sub-corpus, if it is still the one that is shown."""
        corpus, part = self.corpus, self.sentences.part
        if isinstance(answer, ErrorInfo) or corpus is None or part is None:
            return
        if (corpus.id, part.id) == (corpus_id, part_id):
            self._show_counts(read_counts(answer).get(corpus_id))

    def _show_counts(self, found: CorpusLabels | None) -> None:
        """Show the labels of the corpus, or of its part."""
        corpus, project, source = self.corpus, self._state.project, self.source
        if corpus is None or project is None or source is None:
            return
        counts = found.classes if found is not None else {}
        self.panel.show_counts(source.name, counts)
        self._facts.setText(self._describe(corpus, found))
        self.sentences.offer_classes(list(counts))
        check = find_check(project.store, source.key)
        self.findings.show_check(check, corpus)
        words = self.tr("Check")
        if check is not None:
            n = len(check.told.data.warnings)
            one, many = self.tr("Check · 1 warning"), self.tr("Check · {n} warnings")
            words = count_words(n, one, many)
        self.tabs.setTabText(FINDINGS_TAB, words)

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

    def _describe(self, corpus: CorpusRow, found: CorpusLabels | None) -> str:
        n = found.n_labelled if found is not None else 0
        words = self.tr("{n} of {total} sentences have a label")
        if n == 1:
            words = self.tr("1 of {total} sentences has a label")
        total = self.sentences.n_sentences
        parts = [
            language_name(corpus.language),
            words.format(n=format_count(n), total=format_count(total)),
            self.tr("{n} without").format(n=format_count(total - n)),
        ]
        if found is not None and found.classes:
            (most, n_most), *_ = found.classes.items()
            least, n_least = list(found.classes.items())[-1]
            words = self.tr("most {most} ({n_most}), fewest {least} ({n_least})")
            if n_most == n_least:
                words = self.tr("{n_most} of each")
            if found.are_scores:
                return DOT.join([*parts, describe_scores(found)])
            one, many = self.tr("1 class"), self.tr("{n} classes")
            parts.append(count_words(found.n_classes, one, many))
            parts.append(
                words.format(most=most, n_most=n_most, least=least, n_least=n_least)
            )
        return DOT.join(parts)

    # --- making ---

    def _connect(self) -> None:
        sentences = self.sentences
        self.classes.class_chosen.connect(sentences.choose_class)
        sentences.class_shown.connect(self.classes.choose)
        sentences.part_changed.connect(self.refresh)
        sentences.shown.connect(self.shown)
        self.table.digit_pressed.connect(self._on_digit_pressed)
        self.table.sentence_selected.connect(self._state.select_sentence)
        self.table.sentence_opened.connect(self.place_wanted)
        self.findings.place_wanted.connect(self.place_wanted)
        self._book.changed.connect(self.refresh)
        self._book.labelled.connect(self.table.page_model.forget_rows)

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self._name, 1)
        head.addWidget(make_action_button(actions["check"], kind="quiet"))
        head.addWidget(make_action_button(actions["train"], kind="quiet"))
        self.tabs.addTab(self.sentences, self.tr("Sentences"))
        self.tabs.addTab(self.findings, self.tr("Check"))
        self.panel.setMinimumWidth(scaled(LEAST_CLASSES * GRID))
        split = make_split(self.panel, self.tabs, sizes=(40 * GRID, 82 * GRID))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self._facts)
        layout.addWidget(split, 1)
