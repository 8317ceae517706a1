"""Labels step: the list of corpora, and the classes and sentences of a corpus."""

from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.engine.store.corpora import CorpusRow
from app.errors import ErrorInfo
from app.languages import language_name
from app.protocol.answers.classify import LabelCountsAnswer
from app.protocol.queries.classify import LabelCountsQuery
from app.views.classify.actions import ClassifyActions
from app.views.classify.classes import ClassPanel
from app.views.classify.label_checks import find_label_check
from app.views.classify.label_findings import LabelFindings
from app.views.classify.label_sentences import LabelSentencesPanel
from app.views.classify.sources import (
    LabelledSource,
    describe_scores,
    labelled_sources,
    list_sources,
    part_sources,
    source_of,
)
from app.views.client.labels import (
    MAX_LABELLED_AT_ONCE,
    CorpusLabels,
    read_label_counts,
)
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column, make_tabs
from app.views.widgets.controls import (
    ElidedLabel,
    ElidedLines,
    make_action_button,
    make_button,
)
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.list_and_pages import ListAndPages
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.page_layout import make_split
from app.views.widgets.sentence_editor import offer_sentence_actions
from app.views.widgets.statistics_format import SEPARATOR
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow

FINDINGS_TAB = 1
# In grid steps:
MIN_CLASSES_WIDTH = 24
NARROW_WIDTH = 57  # narrower pages show classes in a tab
SPLIT_SIZES = (40 * GRID, 82 * GRID)  # classes, sentences


class LabelsPage(QWidget):
    """Shows the classes and sentences of a corpus.

    Attributes:
        corpus: the corpus, or the first side of pairs; None before the first.
        sentences: table of sentences in the corpus or a sub-corpus.
    """

    shown = Signal()  # the table shows other sentences
    place_requested = Signal(object)  # id of a sentence

    def __init__(
        self, state: AppState, actions: ClassifyActions, parent: QWidget | None = None
    ):
        super().__init__(parent)
        # Qt crashes if a widget is reparented while its old parent is being shown.
        self._placing = QTimer(self, singleShot=True, interval=0)
        self._placing.timeout.connect(self._place_classes)
        self._state, self._labels = state, state.labels
        self.corpus: CorpusRow | None = None
        self._name = ElidedLabel("heading", takes_line=True)
        self._facts = ElidedLines("secondary", max_lines=1)
        self.panel = ClassPanel(state, actions)
        self.classes = self.panel.table
        self.sentences = LabelSentencesPanel(state)
        self.which, self.table = self.sentences.which, self.sentences.table
        self.findings = LabelFindings(state, actions.check_labels)
        self.tabs = make_tabs()
        self._lay_out(actions)
        self._connect()

    @property
    def facts(self) -> str:
        """The text about the corpus."""
        return self._facts.text()

    @property
    def source(self) -> LabelledSource | None:
        """The rows shown: a corpus, pairs, or a sub-corpus of them."""
        corpus, project = self.corpus, self._state.project
        if corpus is None or project is None:
            return None
        part = self.sentences.part
        parts = part_sources(project) if part is not None else []
        wanted = (corpus.id, part.id if part is not None else 0)
        own = [one for one in parts if (one.id, one.corpora[0].subcorpus) == wanted]
        return own[0] if own else source_of(project, corpus)

    @property
    def sentence(self) -> int | None:
        """Id of the sentence selected in the visible table, or None."""
        is_check = self.tabs.currentIndex() == FINDINGS_TAB
        return (self.findings.doubts if is_check else self.table).current_id

    def show_corpus(self, corpus: CorpusRow) -> None:
        """Show a corpus; a different corpus starts with all its sentences."""
        self.corpus = corpus
        project = self._state.project
        if project is not None:
            whole = source_of(project, corpus)
            self._name.setText(whole.name)
            self.sentences.show_source(whole, corpus)
        self.refresh()

    def refresh(self) -> None:
        """Update the classes, counts and check."""
        corpus = self.corpus
        if corpus is None:
            return
        self.sentences.offer_parts()
        part = self.sentences.part
        if part is None:
            self._show_counts(self._labels.counts.get(corpus.id))
            return
        query = LabelCountsQuery(subcorpora=(part.id,), requester="labels")
        self._state.ask(query, partial(self._on_counted, corpus.id, part.id))

    def _on_counted(
        self, corpus_id: int, part_id: int, answer: LabelCountsAnswer | ErrorInfo
    ) -> None:
        """Show the counts of a sub-corpus, if it is still selected."""
        corpus, part = self.corpus, self.sentences.part
        if isinstance(answer, ErrorInfo) or corpus is None or part is None:
            return
        if (corpus.id, part.id) == (corpus_id, part_id):
            self._show_counts(read_label_counts(answer).get(corpus_id))

    def _show_counts(self, found: CorpusLabels | None) -> None:
        """Show the label counts of the corpus or sub-corpus."""
        corpus, project, source = self.corpus, self._state.project, self.source
        if corpus is None or project is None or source is None:
            return
        counts = found.classes if found is not None else {}
        self.panel.show_counts(source.name, counts)
        self._facts.setText(self._describe(corpus, found))
        self.sentences.offer_classes(list(counts))
        check = find_label_check(project.store, source.key)
        self.findings.show_check(check, corpus)
        words = self.tr("Check")
        if check is not None:
            n = len(check.result.data.warnings)
            one, many = self.tr("Check · 1 warning"), self.tr("Check · {n} warnings")
            words = pluralize(n, one, many)
        self.tabs.setTabText(FINDINGS_TAB, words)

    def set_narrow(self, is_narrow: bool) -> None:
        """Show the facts on two lines without the name, which the list above shows."""
        self._name.setHidden(is_narrow)
        self._facts.keep_lines(2 if is_narrow else 1)

    def show_findings(self) -> None:
        """Show the results of the check."""
        self.tabs.setCurrentIndex(FINDINGS_TAB)

    def focus_first(self) -> None:
        """Set the focus on the sentences."""
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _select_sentence(self) -> None:
        if self.isVisible():  # else another page owns the selection
            self._state.select_sentence(self.sentence)

    def _on_digit_pressed(self, digit: int) -> None:
        ids = self.table.selected_ids(MAX_LABELLED_AT_ONCE + 1)
        if self._labels.label_by_key(digit, ids):
            self.table.step_on()

    def _describe(self, corpus: CorpusRow, found: CorpusLabels | None) -> str:
        n = found.n_labelled if found is not None else 0
        words = self.tr("{n} of {total} sentences are labelled")
        if n == 1:
            words = self.tr("1 of {total} sentences is labelled")
        total = self.sentences.n_sentences
        parts = [
            language_name(corpus.language),
            words.format(n=format_count(n), total=format_count(total)),
            self.tr("{n} unlabelled").format(n=format_count(total - n)),
        ]
        if found is not None and found.classes:
            (most, n_most), *_ = found.classes.items()
            least, n_least = list(found.classes.items())[-1]
            words = self.tr("most {most} ({n_most}), fewest {least} ({n_least})")
            if n_most == n_least:
                words = self.tr("{n_most} in each class")
            if found.are_scores:
                return SEPARATOR.join([*parts, describe_scores(found)])
            one, many = self.tr("1 class"), self.tr("{n} classes")
            parts.append(pluralize(found.n_classes, one, many))
            if found.n_classes > 1:
                parts.append(
                    words.format(most=most, n_most=n_most, least=least, n_least=n_least)
                )
        return SEPARATOR.join(parts)

    def _connect(self) -> None:
        sentences = self.sentences
        self.classes.class_chosen.connect(sentences.select_class)
        sentences.class_shown.connect(self.classes.choose)
        sentences.part_changed.connect(self.refresh)
        sentences.shown.connect(self.shown)
        self.table.digit_pressed.connect(self._on_digit_pressed)
        for source in (
            self.tabs.currentChanged,
            self.table.sentence_selected,
            self.table.selection_cleared,
            self.findings.doubts.sentence_selected,
        ):
            source.connect(self._select_sentence)
        self.table.sentence_opened.connect(self.place_requested)
        offer_sentence_actions(self._state, self.table)
        self.findings.place_requested.connect(self.place_requested)
        self._labels.changed.connect(self.refresh)
        self._labels.labelled.connect(self.table.page_model.forget_rows)
        self._state.texts_changed.connect(self.table.page_model.forget_rows)

    def _lay_out(self, actions: ClassifyActions) -> None:
        head = WrappingRow()
        head.addWidget(self._name)
        head.add_stretch()
        for action in (actions.check_labels, actions.train_on_labels):
            head.addWidget(make_action_button(action, kind="quiet"))
        self.tabs.addTab(self.sentences, self.tr("Sentences"))
        self.tabs.addTab(self.findings, self.tr("Check"))
        self.panel.setMinimumWidth(scaled(MIN_CLASSES_WIDTH * GRID))
        self._split = make_split(self.panel, self.tabs, sizes=SPLIT_SIZES, parent=self)
        make_column(head, self._facts, (self._split, 1), parent=self, gap=4)

    def _place_classes(self) -> None:
        """Put the classes next to the sentences, or in a tab if the page is narrow."""
        is_narrow = self.width() < scaled(NARROW_WIDTH * GRID, self)
        if is_narrow == (self.tabs.indexOf(self.panel) >= 0):
            return
        if is_narrow:
            self.tabs.addTab(self.panel, self.tr("Classes"))
        else:
            self._split.insertWidget(0, self.panel)
            self._split.setSizes(list(SPLIT_SIZES))
            self.panel.show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the classes for the new width."""
        super().resizeEvent(event)
        self._placing.start()

    def changeEvent(self, event: QEvent) -> None:
        """Place the classes again after the text size changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._placing.start()


class LabelsStep(QWidget):
    """The list of corpora, and the page of a corpus.

    Attributes:
        page: the page of a corpus.
        corpora: the list of corpora, labelled corpora first.
    """

    shown_changed = Signal()
    place_requested = Signal(object)  # id of a sentence

    def __init__(
        self, state: AppState, actions: ClassifyActions, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state = state
        self.corpora = TwoLineList(
            self.tr("Corpora"), self.tr("Choose the corpus whose labels are shown.")
        )
        importing = make_button(
            self.tr("Import…"),
            self.tr("Import labelled texts as a table with a column of labels."),
            state.view_requests.import_requested.emit,
        )
        self._body = ListAndPages(
            self.tr("Labels"), self.corpora, importing, self, folds=True
        )
        self.page = LabelsPage(state, actions, self._body.pages)
        state.inspectable_made.emit(self.page.tabs)
        self._body.add_pages(self._make_empty_page(), self.page)
        self._body.folded.connect(self.page.set_narrow)
        make_column(self._body, parent=self)
        self.corpora.choice_changed.connect(self._on_chosen)
        self.page.place_requested.connect(self.place_requested)
        state.labels.changed.connect(self.refresh)

    @property
    def corpus(self) -> CorpusRow | None:
        """The corpus shown."""
        return self.page.corpus

    @property
    def sentence(self) -> int | None:
        """Id of the selected sentence, or None."""
        return self.page.sentence

    @property
    def source(self) -> LabelledSource | None:
        """The rows shown: a corpus, pairs, or a sub-corpus."""
        return self.page.source

    def show_findings(self) -> None:
        """Show the results of the newest check."""
        self.page.refresh()
        self.page.show_findings()

    def refresh(self) -> None:
        """Show the corpora of the project."""
        project = self._state.project
        if project is None:
            return
        counts = self._state.labels.counts
        first = [one for one in labelled_sources(project) if one.id in counts]
        rows = [*first, *(one for one in list_sources(project) if one not in first)]
        rows = [one for one in rows if one in first or not one.corpora[0].is_word_list]
        self._body.show_rows(
            [TwoLineRow(one.id, one.name, self._describe(one)) for one in rows],
            n=len(first),
        )
        if rows and self.corpora.chosen is None:
            self.corpora.choose(rows[0].id)

    def focus_first(self) -> None:
        """Set the focus on the first control to use."""
        if self.corpus is not None:
            self.page.focus_first()

    def save_state(self) -> dict[str, Any]:
        """Return the state of the step."""
        return {"corpus": self.corpora.chosen}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the saved state."""
        if isinstance(state.get("corpus"), int):
            self.corpora.choose(state["corpus"])

    def _describe(self, one: LabelledSource) -> str:
        found = self._state.labels.counts.get(one.id)
        language = language_name(one.language)
        parts = [language] if language != one.name else []
        if found is None:
            words = self.tr("{n} unlabelled")
            n = format_count(one.corpora[0].n_sentences)
            return SEPARATOR.join([*parts, words.format(n=n)])
        n = self.tr("{n} labelled").format(n=format_count(found.n_labelled))
        if one.is_of_pairs:
            one_pair, pairs = self.tr("1 labelled pair"), self.tr("{n} labelled pairs")
            n = pluralize(found.n_labelled, one_pair, pairs)
        if found.are_scores:
            return SEPARATOR.join([*parts, n, describe_scores(found)])
        one_class, many = self.tr("1 class"), self.tr("{n} classes")
        return SEPARATOR.join([*parts, n, pluralize(found.n_classes, one_class, many)])

    def _on_chosen(self) -> None:
        chosen = self.corpora.chosen
        rows = self._state.corpora
        row = next((row for row in rows if row.id == chosen), None)
        if row is not None:
            self.page.show_corpus(row)
            self.shown_changed.emit()

    def _make_empty_page(self) -> EmptyState:
        return EmptyState(
            self.tr("No corpus yet"),
            self.tr(
                "Import labelled texts as a table with a column of labels. Or import "
                "any texts and label them here with the keys 1 to 9."
            ),
            [
                make_button(
                    self.tr("Import texts…"),
                    self.tr("Import files as corpora."),
                    self._state.view_requests.import_requested.emit,
                    kind="primary",
                )
            ],
            icon="classify",
        )
