"""What chooses among predictions: labels, order, probability, classes, languages."""

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

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
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.which, self.order = QComboBox(), QComboBox()
        self.lowest = QSpinBox()
        self.classes = Chips(self.tr("All classes"))
        self.languages = Chips(self.tr("All languages"))
        self._fill_choices()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        for widget in (self.which, self.order, self.lowest):
            row.addWidget(widget)
        row.addStretch()
        column.addLayout(row)
        column.addWidget(self.classes)
        column.addWidget(self.languages)

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
