"""Table of sentences to label, filtered by corpus part and class."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.engine.store.arrays import map_array
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.subcorpora import SubcorpusRow
from app.errors import ErrorInfo
from app.protocol.answers.search import OrderAnswer
from app.protocol.queries.classify import LabelOrderQuery
from app.protocol.queries.search import OrderQuery
from app.views.classify.sources import LabelledSource, read_second_texts
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import describe, make_label
from app.views.widgets.fields import make_choice_box, replace_choices, select_choice
from app.views.widgets.id_order import ArrayOrder, IdOrder, RangeOrder
from app.views.widgets.number_format import format_count
from app.views.widgets.page_model import LABEL, LENGTH, LINE, SECOND, SENTENCE, Column
from app.views.widgets.sentence_table import SentenceTable
from app.views.widgets.theme import GRID

ALL, UNLABELLED, LABELLED = "", "unlabelled", "labelled"
CLASS_PREFIX = "class:"  # prefix of a class in the filter
WHOLE_CORPUS = ""  # key of the corpus; sub-corpora have ids


class LabelSentencesPanel(QWidget):
    """A table of sentences and its filters.

    Attributes:
        within: filter by sub-corpus, or the whole corpus.
        which: filter by class or by whether sentences are labelled.
        table: the sentences.
    """

    shown = Signal()  # the sentences in the table changed
    part_changed = Signal()
    class_shown = Signal(str)  # empty: no single class

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._source: LabelledSource | None = None
        self._corpus: CorpusRow | None = None
        self._shown_part: SubcorpusRow | None = None
        self.within, self.which = make_choice_box(), QComboBox()
        self.table = SentenceTable()
        self.table.page_model.readers[SECOND.key] = self._read_second
        self._count = make_label("", "secondary")
        self._lay_out()
        self.within.currentIndexChanged.connect(self._on_within_changed)
        self.which.currentIndexChanged.connect(self._on_which_changed)

    @property
    def part(self) -> SubcorpusRow | None:
        """The selected sub-corpus, or None for the whole corpus."""
        chosen = self.within.currentData()
        return next((row for row in self._parts() if str(row.id) == chosen), None)

    @property
    def n_sentences(self) -> int:
        """Return the number of sentences in the corpus or sub-corpus."""
        corpus, part = self._corpus, self.part
        if corpus is None:
            return 0
        return corpus.n_sentences if part is None else part.counts[corpus.id]

    def show_source(self, source: LabelledSource, corpus: CorpusRow) -> None:
        """Show a corpus of a source; a new corpus is shown completely."""
        is_other = self._corpus is None or self._corpus.id != corpus.id
        self._source, self._corpus = source, corpus
        if is_other:
            select_choice(self.within, WHOLE_CORPUS)
            select_choice(self.which, ALL)
            self.ask()
            self.table.scrollToTop()

    def offer_parts(self) -> None:
        """Update the sub-corpora; show the corpus if the selected one was deleted."""
        chosen, parts = self.within.currentData(), self._parts()
        whole = (self.tr("Whole corpus"), WHOLE_CORPUS)
        replace_choices(self.within, [whole, *(self._choice(row) for row in parts)])
        self.within.setVisible(bool(parts))
        if chosen and self.within.currentData() != chosen:
            self._on_within_changed()
        elif self.part != self._shown_part:  # it was recreated
            self.ask()

    def offer_classes(self, names: Sequence[str]) -> None:
        """Show these classes in the filter."""
        replace_choices(
            self.which,
            [
                (self.tr("All sentences"), ALL),
                (self.tr("Unlabelled"), UNLABELLED),
                (self.tr("Labelled"), LABELLED),
                *((name, f"{CLASS_PREFIX}{name}") for name in names),
            ],
        )

    def select_class(self, name: str) -> None:
        """Show the sentences of a class, or all sentences if empty."""
        self.which.setCurrentIndex(max(self.which.findData(f"{CLASS_PREFIX}{name}"), 0))

    def ask(self) -> None:
        """Show all sentences at once, or filtered ones after the engine answers."""
        corpus, part, project = self._corpus, self.part, self._state.project
        self._shown_part = part
        if corpus is None or project is None:
            return
        choice = str(self.which.currentData() or ALL)
        corpora = (corpus.id,) if part is None else ()
        parts = (part.id,) if part is not None else ()
        if choice == ALL and part is None and corpus.id not in project.hidden:
            self._show(RangeOrder([(first_sentence_id(corpus.id), corpus.n_sentences)]))
        elif choice == ALL:
            order = OrderQuery(corpora=corpora, subcorpora=parts, requester="labels")
            self._state.ask(order, self._on_order)
        else:
            is_class = choice.startswith(CLASS_PREFIX)
            query = LabelOrderQuery(
                corpora=corpora,
                subcorpora=parts,
                which="unlabelled" if choice == UNLABELLED else "labelled",
                classes=(choice.removeprefix(CLASS_PREFIX),) if is_class else (),
                requester="labels",
            )
            self._state.ask(query, self._on_order)

    def _parts(self) -> list[SubcorpusRow]:
        """Return the sub-corpora that contain sentences of the corpus."""
        project, corpus = self._state.project, self._corpus
        if project is None or corpus is None:
            return []
        return [row for row in project.subcorpora if corpus.id in row.counts]

    def _choice(self, row: SubcorpusRow) -> tuple[str, str]:
        assert self._corpus is not None, "sub-corpora are of the corpus that is shown"
        n = format_count(row.counts[self._corpus.id])
        return self.tr("⊂ {name} · {n}").format(name=row.name, n=n), str(row.id)

    def _on_within_changed(self) -> None:
        self.part_changed.emit()
        self.ask()

    def _on_which_changed(self) -> None:
        choice = str(self.which.currentData() or ALL)
        is_class = choice.startswith(CLASS_PREFIX)
        self.class_shown.emit(choice.removeprefix(CLASS_PREFIX) if is_class else "")
        self.ask()

    def _on_order(self, answer: OrderAnswer | ErrorInfo) -> None:
        project, corpus = self._state.project, self._corpus
        if project is None or corpus is None or isinstance(answer, ErrorInfo):
            return
        ids = map_array(project.folder / answer.file)
        part = self.part
        if part is not None and len(part.counts) > 1:  # contains other corpora, too
            low, high = first_sentence_id(corpus.id), first_sentence_id(corpus.id + 1)
            ids = ids[(ids >= low) & (ids < high)]
        self._show(ArrayOrder(ids))

    def _show(self, order: IdOrder) -> None:
        project = self._state.project
        if project is None:
            return
        columns: tuple[Column, ...] = (LINE, SENTENCE, LENGTH, LABEL)
        if self._source is not None and self._source.is_of_pairs:
            columns = (LINE, SENTENCE, SECOND, LABEL)
        self.table.show_ids(project.store, order, columns=columns)
        words = self.tr("{n} of {total} sentences")
        n, total = format_count(len(order)), format_count(self.n_sentences)
        self._count.setText(words.format(n=n, total=total))
        self.shown.emit()

    def _read_second(self, ids: list[int]) -> dict[int, str]:
        """Return the second text of pairs by the id of the first."""
        project, source = self._state.project, self._source
        if project is None or source is None:
            return {}
        others = {source.id: source.corpora[-1].id}
        return read_second_texts(project.store, ids, others)

    def _lay_out(self) -> None:
        describe(
            self.within,
            self.tr("Corpus or sub-corpus"),
            self.tr("Choose the whole corpus or a sub-corpus."),
        )
        describe(
            self.which,
            self.tr("Sentences to show"),
            self.tr("Filter the sentences by label."),
        )
        self.within.hide()
        row = WrappingRow()
        row.addWidget(self.within)
        row.addWidget(self.which)
        row.add_stretch()
        row.addWidget(self._count)
        make_column(row, (self.table, 1), parent=self, margins=(0, GRID, 0, 0))
