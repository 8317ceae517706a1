"""Columns and filters of the predictions table."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QSignalBlocker
from PySide6.QtWidgets import QComboBox, QSpinBox, QWidget

from app.engine.store.classifiers import read_predictions
from app.errors import ResourceError
from app.views.classify.sources import read_second_texts
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.chips import Chips
from app.views.widgets.classifiers import TrainedClassifier
from app.views.widgets.controls import describe, indent_number
from app.views.widgets.corpus_choices import chip_choices, language_choices
from app.views.widgets.page_model import (
    LABEL,
    LANGUAGE,
    SECOND,
    SENTENCE,
    Column,
    PageModel,
)
from app.views.widgets.statistics_format import format_rate

_tr = partial(QCoreApplication.translate, "PredictionPage")


class PredictionColumns:
    """Reads predictions for a page of a table.

    Attributes:
        one: the classifier shown; None before the first.
        before: an older classifier to compare with, or None.
        edited: ids of sentences edited after classification.
    """

    def __init__(self, state: AppState, model: PageModel):
        """Add column readers to the model of a table."""
        self._state = state
        self.one: TrainedClassifier | None = None
        self.before: TrainedClassifier | None = None
        self.edited: frozenset[int] = frozenset()
        model.readers["confidence"] = self._read_confidence
        model.readers["score"] = self._read_confidence
        model.readers["predicted"] = lambda ids: self._read_classes(ids, self.one)
        model.readers["before"] = lambda ids: self._read_classes(ids, self.before)
        model.readers[SECOND.key] = self._read_second
        number = {"is_number": True, "is_sortable": False}
        self._confidence = Column("confidence", title=_tr("Confidence"), **number)
        self._score = Column("score", title=_tr("Score"), **number)
        self._predicted = Column(
            "predicted", is_sortable=False, title=_tr("Predicted"), rank=0
        )
        self._before = Column("before", is_sortable=False, title=_tr("Before"))

    def of(
        self, one: TrainedClassifier | None, before: TrainedClassifier | None
    ) -> tuple[Column, ...]:
        """Return the columns for a classifier and an older one to compare with."""
        self.one, self.before = one, before
        if one is not None and one.gives_scores:
            return (self._score, SENTENCE, SECOND, LANGUAGE, LABEL)
        second = (SECOND,) if one is not None and one.is_of_pairs else ()
        old = (self._before,) if before is not None else ()
        return (
            self._confidence,
            SENTENCE,
            *second,
            LANGUAGE,
            *old,
            self._predicted,
            LABEL,
        )

    def _read_classes(
        self, ids: list[int], one: TrainedClassifier | None
    ) -> dict[int, str]:
        return {
            id_: one.row.classes[index] if one is not None and one.row.classes else "–"
            for id_, (index, _) in self._read(ids, one).items()
            if index >= 0
        }

    def _read_confidence(self, ids: list[int]) -> dict[int, str]:
        is_score = self.one is not None and self.one.gives_scores
        values = {
            id_: f"{value:.2f}" if is_score else format_rate(value)
            for id_, (_, value) in self._read(ids, self.one).items()
        }
        return values | dict.fromkeys(self.edited & values.keys(), _tr("Edited"))

    def _read_second(self, ids: list[int]) -> dict[int, str]:
        project, one = self._state.project, self.one
        if project is None or one is None:
            return {}
        others = {row.corpus_id: row.other_id for row in one.predictions}
        return read_second_texts(project.store, ids, others)

    def _read(
        self, ids: Sequence[int], one: TrainedClassifier | None
    ) -> dict[int, tuple[int, float]]:
        project = self._state.project
        if project is None or one is None:
            return {}
        try:
            return read_predictions(project.folder, one.predictions, ids)
        except ResourceError:  # the prediction is being replaced
            return {}


class PredictionFilters(QWidget):
    """The inputs above the predictions of a classifier.

    Attributes:
        which: filter by label: all sentences, labelled, or unlabelled.
        order: order of the sentences.
        lowest: minimum probability, in %.
        classes: classes shown.
        languages: languages shown.
        corpora: corpora and sub-corpora shown.
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.which, self.order = QComboBox(), QComboBox()
        self.lowest = QSpinBox()
        self.classes = Chips(self.tr("All classes"))
        self.languages = Chips(self.tr("All languages"))
        self.corpora = Chips(self.tr("All corpora"))
        self._fill_choices()
        column = make_column(parent=self)
        self._others = QWidget()
        row = make_row(parent=self._others)
        for widget in (self.which, self.order, self.lowest):
            row.addWidget(widget)
        row.addStretch()
        column.addWidget(self._others)
        column.addWidget(self.classes)
        column.addWidget(self.languages)
        column.addWidget(self.corpora)

    def offer(self, project: ProjectReader | None, one: TrainedClassifier) -> None:
        """Show the classes, and the classified languages and corpora."""
        corpora = project.corpora if project is not None else []
        done = [row for row in corpora if row.id in one.corpora]
        for chips, choices in (
            (self.languages, language_choices(done)),
            (self.classes, [(name, name) for name in one.row.classes]),
            (self.corpora, chip_choices(project, done)),
        ):
            with QSignalBlocker(chips):
                chips.set_choices(choices)
        self.lowest.setVisible(not one.gives_scores)
        by_confidence = (
            self.tr("Most confident first"),
            self.tr("Least confident first"),
        )
        by_score = (self.tr("Highest first"), self.tr("Lowest first"))
        for index, words in enumerate(by_score if one.gives_scores else by_confidence):
            self.order.setItemText(index, words)

    def clear(self) -> None:
        """Clear the filters."""
        for chips in (self.classes, self.languages, self.corpora):
            with QSignalBlocker(chips):
                chips.choose(())

    def show_for(self, one: TrainedClassifier, *, is_all: bool) -> None:
        """Show the filters of a mode; most apply to all predictions only."""
        self._others.setVisible(is_all)
        self.classes.setVisible(is_all and bool(one.row.classes))
        self.languages.setVisible(is_all and self.languages.n_choices > 1)
        # if each language is one corpus, both filters are equivalent
        n_languages = max(self.languages.n_choices, 1)
        self.corpora.setVisible(self.corpora.n_choices > n_languages)

    def _fill_choices(self) -> None:
        tr = self.tr
        describe(
            self.which, tr("Sentences to show"), tr("Filter the sentences by label.")
        )
        self.which.addItem(tr("All"), "all")
        self.which.addItem(tr("Unlabelled"), "unlabelled")
        self.which.addItem(tr("Labelled"), "labelled")
        self.which.addItem(tr("Label differs"), "contradicted")
        describe(self.order, tr("Order"), tr("Sort the sentences."))
        self.order.addItem(tr("Most confident first"), "sure")
        self.order.addItem(tr("Least confident first"), "unsure")
        self.order.addItem(tr("Corpus order"), "position")
        describe(
            self.lowest, tr("Lowest probability"), tr("Hide less probable predictions.")
        )
        self.lowest.setRange(0, 100)
        indent_number(self.lowest)
        self.lowest.setSuffix(" %")
        self.lowest.setSpecialValueText(tr("Any probability"))
        self.lowest.setPrefix(tr("At least "))
