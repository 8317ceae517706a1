"""Panel that classifies typed text while the user types."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from app.errors import ErrorInfo
from app.protocol.answers.classify import ClassifyTextAnswer
from app.protocol.queries.classify import ClassifyTextQuery
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.classifiers import TrainedClassifier
from app.views.widgets.controls import ElidedLabel, describe, make_label
from app.views.widgets.number_format import pluralize
from app.views.widgets.statistics_format import SEPARATOR, format_rate
from app.views.widgets.theme import scaled

QUERY_DELAY_MS = 200  # since the last key press
MAX_CLASSES_SHOWN = 8  # the most probable classes
FIELD_WIDTH = 280  # minimum, in pixels
NAME_LENGTH = 16  # characters of a classifier's name
MAX_LENGTH = 10_000  # characters of a text, the limit of the query


class TypedTextPanel(QWidget):
    """Classifies a typed text, or two texts if the classifier is for pairs.

    Attributes:
        choice: selector of the classifier.
        first, second: text fields; the second is visible for pair classifiers.
    """

    classified = Signal()  # the predicted class is shown
    classifier_chosen = Signal()  # by the user or by `choose`

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._classifiers: dict[int, TrainedClassifier] = {}
        self.choice = QComboBox()
        self.choice.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.choice.setMinimumContentsLength(NAME_LENGTH)
        words = self.tr("The classifier for the sentence that you type.")
        describe(self.choice, self.tr("Classifier"), words)
        self.first = self._make_field(self.tr("Sentence to classify"))
        self.second = self._make_field(self.tr("Second sentence of the pair"))
        self._predicted = make_label("", "accent")
        self._shares = ElidedLabel("secondary")  # keeps its height while empty
        self._timer = QTimer(self, singleShot=True, interval=QUERY_DELAY_MS)
        self._timer.timeout.connect(self._ask)
        self._lay_out()
        self.choice.currentIndexChanged.connect(self._on_classifier_changed)
        self.offer([])

    @property
    def classifier(self) -> TrainedClassifier | None:
        """The selected classifier, or None."""
        return self._classifiers.get(self.choice.currentData())

    @property
    def result(self) -> str:
        """The text about the predicted class."""
        labels = (self._predicted, self._shares)
        return SEPARATOR.join(w.text() for w in labels if w.text())

    def offer(self, classifiers: Sequence[TrainedClassifier]) -> None:
        """Offer the project's classifiers; the selected one stays selected."""
        before = self.classifier
        self._classifiers = {one.row.id: one for one in classifiers}
        self.choice.blockSignals(True)
        self.choice.clear()
        for one in classifiers:
            self.choice.addItem(one.row.name, one.row.id)
        if before is not None:
            self.choice.setCurrentIndex(max(self.choice.findData(before.row.id), 0))
        self.choice.blockSignals(False)
        self.choice.setVisible(bool(classifiers))
        self._show_fields()
        if before is not None and self.classifier != before:
            self._show(None)
            self._ask()

    def choose(self, classifier_id: int) -> None:
        """Select a classifier."""
        index = self.choice.findData(classifier_id)
        if index >= 0:
            self.choice.setCurrentIndex(index)

    def focus_first(self) -> None:
        """Set the focus on the text field."""
        self.first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_text_edited(self) -> None:
        if all(self._texts()):
            self._timer.start()
        else:
            self._timer.stop()
            self._show(None)

    def _on_classifier_changed(self) -> None:
        self._show_fields()
        self._show(None)
        self._ask()
        self.classifier_chosen.emit()

    def _ask(self) -> None:
        self._timer.stop()
        one, texts = self.classifier, self._texts()
        if one is None or not all(texts):
            return
        self._show_line("", self.tr("Classifying…"))
        query = ClassifyTextQuery(classifier=one.row.id, texts=texts)
        self._state.ask(query, self._on_answer)

    def _on_answer(self, answer: ClassifyTextAnswer | ErrorInfo) -> None:
        if not all(self._texts()):
            return  # deleted in the meantime
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self._show_line("", answer.message)
        else:
            self._show(answer)
            self.classified.emit()

    def _show(self, answer: ClassifyTextAnswer | None) -> None:
        """Show the predicted class and probabilities; None clears the result."""
        if answer is None:
            self._show_line("", "")
        elif answer.score is not None:
            self._show_line(f"{answer.score:.2f}", self.tr("score of the pair"))
        elif not answer.classes:
            words = self.tr("The encoder knows no part of this text.")
            self._show_line("", words)
        else:
            shown = answer.classes[:MAX_CLASSES_SHOWN]
            parts = [f"{name} {format_rate(share)}" for name, share in shown]
            n_left = len(answer.classes) - len(shown)
            if n_left:
                one, many = self.tr("1 other class"), self.tr("{n} other classes")
                parts.append(pluralize(n_left, one, many))
            self._show_line(parts[0], SEPARATOR.join(parts[1:]))

    def _show_line(self, predicted: str, shares: str) -> None:
        self._predicted.setText(predicted)
        self._predicted.setVisible(bool(predicted))
        self._shares.setText(shares)

    def _show_fields(self) -> None:
        """Show one or two fields, depending on the classifier."""
        one = self.classifier
        is_of_pairs = one is not None and one.is_of_pairs
        for field in (self.first, self.second):
            field.setEnabled(one is not None)
        self.second.setVisible(is_of_pairs)
        words = self.tr("Type a sentence in any language to see its class")
        if is_of_pairs:
            words = self.tr("Type the first sentence of a pair")
        if one is None:
            words = self.tr("Train or import a classifier to classify sentences here")
        self.first.setPlaceholderText(words)

    def _texts(self) -> tuple[str, ...]:
        one = self.classifier
        is_of_pairs = one is not None and one.is_of_pairs
        fields = (self.first, self.second) if is_of_pairs else (self.first,)
        return tuple(field.text().strip() for field in fields)

    def _make_field(self, name: str) -> QLineEdit:
        field = QLineEdit()
        field.setMaxLength(MAX_LENGTH)
        field.setClearButtonEnabled(True)
        field.setMinimumWidth(scaled(FIELD_WIDTH, self))
        hint = self.tr("The class and the probabilities appear while you type.")
        describe(field, name, hint)
        field.textChanged.connect(self._on_text_edited)
        return field

    def _lay_out(self) -> None:
        self.second.setPlaceholderText(self.tr("Type the second sentence"))
        row = WrappingRow()
        for widget in (self.first, self.second, self.choice):
            row.addWidget(widget)
        found = make_row(self._predicted, (self._shares, 1))
        make_column(row, found, parent=self, gap=4)
