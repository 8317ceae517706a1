"""What is in the queue of pairs: the set, the order, which of them, tag and bounds."""

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from app.engine.store.pair_rows import MiningRow
from app.views.mining_words import verdict_words
from app.views.review_queue import Order, QueueChoice
from app.views.theme import GRID, scaled
from app.views.widgets.controls import describe, make_label, restyle
from app.views.widgets.wrapping_row import WrappingRow

TYPING_MS = 400  # without a key, what is typed counts
BOUND_WIDTH, FIND_WIDTH = 64, 120


class QueueBar(QWidget):
    """One row of choices."""

    changed = Signal()  # another queue is wanted

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.order, self.which, self.tag = QComboBox(), QComboBox(), QComboBox()
        self.lowest, self.highest = QLineEdit(), QLineEdit()
        self.found_text = QLineEdit()
        self.candidates = QComboBox()
        self._typing = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._typing.timeout.connect(self.changed)
        self._fill()
        self._describe()
        self._lay_out()
        for combo in (self.order, self.which, self.tag, self.candidates):
            combo.activated.connect(self.changed)
        for line in (self.lowest, self.highest, self.found_text):
            line.textEdited.connect(self._typing.start)
            line.returnPressed.connect(self._on_return)

    def choice(self) -> QueueChoice:
        """Give what is wanted; a bound that is no number is none."""
        order, is_descending = str(self.order.currentData()).split()
        return QueueChoice(
            order=cast("Order", order),
            descending=is_descending == "down",
            which=self.which.currentData(),
            tag=str(self.tag.currentData() or ""),
            lowest=_number(self.lowest),
            highest=_number(self.highest),
            find=self.found_text.text().strip(),
            with_candidates=bool(self.candidates.currentData()),
        )

    def show_choice(self, choice: QueueChoice) -> None:
        """Show what is wanted, without asking for it."""
        down = "down" if choice.descending else "up"
        for combo, value in (
            (self.order, f"{choice.order} {down}"),
            (self.which, choice.which),
            (self.tag, choice.tag),
            (self.candidates, choice.with_candidates),
        ):
            combo.setCurrentIndex(max(combo.findData(value), 0))
        for line, bound in (
            (self.lowest, choice.lowest),
            (self.highest, choice.highest),
        ):
            line.setText("" if bound is None else f"{bound:g}")
        self.found_text.setText(choice.find)

    def set_tags(self, tags: Sequence[str]) -> None:
        """Offer the tags that there are; the one chosen stays."""
        known = [self.tag.itemData(i) for i in range(1, self.tag.count())]
        if known == list(tags):
            return
        chosen = self.tag.currentData()
        self.tag.clear()
        self.tag.addItem(self.tr("any tag"), "")
        for tag in tags:
            self.tag.addItem(f"#{tag}", tag)
        self.tag.setCurrentIndex(max(self.tag.findData(chosen), 0))
        self.tag.setVisible(bool(tags))

    def show_mining(self, mining: MiningRow | None) -> None:
        """Offer the pairs that were not taken where there are some."""
        self.candidates.setVisible(mining is not None and mining.n_candidates > 0)

    def _fill(self) -> None:
        for value, words in (
            ("score down", self.tr("best score first")),
            ("score up", self.tr("lowest score first")),
            ("value down", self.tr("most telling first")),
            ("shuffled down", self.tr("shuffled")),
        ):
            self.order.addItem(words, value)
        for value, words in (
            ("unjudged", self.tr("not judged")),
            ("all", self.tr("all pairs")),
            ("judged", self.tr("judged")),
            *(
                (name, verdict_words(name))
                for name in ("accept", "reject", "flag", "skip")
            ),
            ("conflict", self.tr("in conflict")),
        ):
            self.which.addItem(words, value)
        self.tag.addItem(self.tr("any tag"), "")
        self.tag.hide()
        self.candidates.addItem(self.tr("pairs"), False)
        self.candidates.addItem(self.tr("pairs and candidates"), True)
        self.candidates.hide()
        for line in (self.lowest, self.highest):
            line.setValidator(QDoubleValidator(line))
            line.setFixedWidth(scaled(BOUND_WIDTH))
        self.found_text.setMaximumWidth(scaled(2 * FIND_WIDTH))
        self.found_text.setMinimumWidth(scaled(FIND_WIDTH))
        self.found_text.setClearButtonEnabled(True)
        policy = QSizePolicy.Policy
        self.found_text.setSizePolicy(policy.Ignored, policy.Fixed)

    def _describe(self) -> None:
        self.lowest.setPlaceholderText(self.tr("from"))
        self.highest.setPlaceholderText(self.tr("to"))
        self.found_text.setPlaceholderText(self.tr("Find in the pairs"))
        telling = self.tr(
            "The order of the queue; the most telling pairs are those that narrow the "
            "estimate of the threshold most."
        )
        describe(self.order, self.tr("Order"), telling)
        describe(
            self.which, self.tr("Which pairs"), self.tr("How they are judged now.")
        )
        describe(self.tag, self.tr("Tag"), self.tr("Only pairs with this tag."))
        words = self.tr(
            "Pairs that were taken, or every candidate above the threshold."
        )
        describe(self.candidates, self.tr("Candidates"), words)
        describe(self.lowest, self.tr("Lowest score"), self.tr("Score from …"))
        describe(self.highest, self.tr("Highest score"), self.tr("Score up to …"))
        words = self.tr("Only pairs with this text on a side.")
        describe(self.found_text, self.tr("Find"), words)

    def _lay_out(self) -> None:
        row = WrappingRow()
        for combo in (self.which, self.order, self.tag, self.candidates):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            row.addWidget(combo)
        row.addWidget(self._make_bounds())
        row.add_stretch()
        row.addWidget(self.found_text)
        self.setLayout(row)

    def _make_bounds(self) -> QWidget:
        bounds = QWidget()
        policy = QSizePolicy.Policy
        bounds.setSizePolicy(policy.Fixed, policy.Preferred)
        row = QHBoxLayout(bounds)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(make_label(self.tr("score"), "secondary"))
        row.addWidget(self.lowest)
        row.addWidget(make_label("–", "secondary"))
        row.addWidget(self.highest)
        return bounds

    def _on_return(self) -> None:
        self._typing.stop()
        self.changed.emit()


def _number(line: QLineEdit) -> float | None:
    text = line.text().strip().replace(",", ".")
    try:
        number = float(text) if text else None
    except ValueError:
        restyle(line, "wrong", True)
        return None
    restyle(line, "wrong", False)
    return number
