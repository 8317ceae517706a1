"""What chooses among predictions: labels, order, classes, languages, corpora."""

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from app.views.classifiers import Classifier
from app.views.corpus_choices import chip_choices, language_choices
from app.views.project_reader import ProjectReader
from app.views.theme import GRID
from app.views.widgets.chips import Chips
from app.views.widgets.controls import describe


class PredictionFilters(QWidget):
    """The inputs above the predictions of a classifier.

    Attributes:
        which: all sentences, or those with or without some label.
        order: of the sentences.
        lowest: probability, in per cent.
        classes: that are shown.
        languages: that are shown.
        corpora: that are shown, and sub-corpora.
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.which, self.order = QComboBox(), QComboBox()
        self.lowest = QSpinBox()
        self.classes = Chips(self.tr("All classes"))
        self.languages = Chips(self.tr("All languages"))
        self.corpora = Chips(self.tr("All corpora"))
        self._fill_choices()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        self._others = QWidget()
        row = QHBoxLayout(self._others)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        for widget in (self.which, self.order, self.lowest):
            row.addWidget(widget)
        row.addStretch()
        column.addWidget(self._others)
        column.addWidget(self.classes)
        column.addWidget(self.languages)
        column.addWidget(self.corpora)

    def offer(self, project: ProjectReader | None, one: Classifier) -> None:
        """Offer the classes, and the languages and corpora that were classified."""
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
        surest = (self.tr("The surest first"), self.tr("The least sure first"))
        highest = (self.tr("The highest first"), self.tr("The lowest first"))
        for place, words in enumerate(highest if one.gives_scores else surest):
            self.order.setItemText(place, words)

    def clear(self) -> None:
        """Choose everything again."""
        for chips in (self.classes, self.languages, self.corpora):
            with QSignalBlocker(chips):
                chips.choose(())

    def show_for(self, one: Classifier, *, is_all: bool) -> None:
        """Show what can be chosen: of some sentences only where they are sought."""
        self._others.setVisible(is_all)
        self.classes.setVisible(is_all and bool(one.row.classes))
        self.languages.setVisible(is_all and self.languages.n_choices > 1)
        # where each language is one corpus, they would say the same twice
        n_languages = max(self.languages.n_choices, 1)
        self.corpora.setVisible(self.corpora.n_choices > n_languages)

    def _fill_choices(self) -> None:
        tr = self.tr
        describe(self.which, tr("Which sentences"), tr("Choose what is shown."))
        self.which.addItem(tr("All"), "all")
        self.which.addItem(tr("Without a label"), "unlabelled")
        self.which.addItem(tr("Labelled"), "labelled")
        self.which.addItem(tr("Labelled otherwise"), "contradicted")
        describe(self.order, tr("Order"), tr("Choose what is shown."))
        self.order.addItem(tr("The surest first"), "sure")
        self.order.addItem(tr("The least sure first"), "unsure")
        self.order.addItem(tr("As in the corpora"), "position")
        describe(self.lowest, tr("Lowest probability"), tr("Show surer ones only."))
        self.lowest.setRange(0, 100)
        self.lowest.lineEdit().setTextMargins(GRID, 0, 0, 0)
        self.lowest.setSuffix(" %")
        self.lowest.setSpecialValueText(tr("Any probability"))
        self.lowest.setPrefix(tr("At least "))
