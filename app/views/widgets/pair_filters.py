"""Which pairs of a set are shown: find, verdict, candidates, order."""

from collections.abc import Callable
from typing import Any, cast

from PySide6.QtCore import QCoreApplication, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from app.pair_changes import Which
from app.views.mining_words import VERDICTS, verdict_words
from app.views.widgets.controls import describe, make_label
from app.views.widgets.pair_model import SCORE, SOURCE, PairSort
from app.views.widgets.wrapping_row import WrappingRow
from app.views.words import format_count

FIND_AFTER_MS = 200  # without another key


class PairFilters(QWidget):
    """The row of controls above the table.

    Attributes:
        sort: the order that is wanted.
    """

    changed = Signal()
    entered = Signal()  # Enter in the field: go on to the table

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.sort = PairSort()
        self.find_field = QLineEdit()
        self.which = QComboBox()
        self.candidates = QCheckBox(self.tr("Candidates too"))
        self._count = make_label("", "secondary")
        self._timer = QTimer(self, singleShot=True, interval=FIND_AFTER_MS)
        self._timer.timeout.connect(self.changed)
        self._lay_out()
        self.find_field.textChanged.connect(lambda: self._timer.start())
        self.find_field.returnPressed.connect(self._on_entered)
        self.which.currentIndexChanged.connect(lambda: self.changed.emit())
        self.candidates.toggled.connect(self._on_candidates_toggled)

    @property
    def words(self) -> str:
        """What is looked for."""
        return self.find_field.text().strip()

    @property
    def wanted(self) -> Which:
        """Which verdicts are wanted."""
        return cast("Which", self.which.currentData())

    @property
    def with_candidates(self) -> bool:
        """Tell whether the candidates that were not taken are shown too."""
        return self.candidates.isChecked() and not self.candidates.isHidden()

    @property
    def are_plain(self) -> bool:
        """Tell whether all taken pairs are wanted, in the order of their scores."""
        is_all = self.wanted == "all" and not self.words and not self.with_candidates
        return is_all and self.sort.column == SCORE

    @property
    def count(self) -> str:
        """What is said of the number of pairs shown."""
        return self._count.text()

    def say(self, text: str) -> None:
        """Say how many pairs are shown, or why none are."""
        self._count.setText(text)

    def show_counts(self, counts: dict[str, int]) -> None:
        """Write beside each verdict how many pairs have it."""
        for place in range(self.which.count()):
            name = self.which.itemData(place)
            if name in VERDICTS:
                n = format_count(counts.get(name, 0))
                self.which.setItemText(place, f"{_title(name)} ({n})")

    def forget(self, *, worst_first: bool = False) -> None:
        """Want all pairs, the best first or the worst."""
        self._set({"is_descending": not worst_first})

    def save_state(self) -> dict[str, Any]:
        """Give what is wanted."""
        return {
            "column": self.sort.column,
            "find": self.find_field.text(),
            "which": self.wanted,
            "candidates": self.candidates.isChecked(),
            "is_descending": self.sort.is_descending,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Want again what `save_state` gave."""
        self._set(state)

    def _set(self, state: dict[str, Any]) -> None:
        """Change all at once, and say nothing of it."""
        self._timer.stop()
        column = SOURCE if state.get("column") == SOURCE else SCORE
        self.sort = PairSort(column, bool(state.get("is_descending", True)))
        find, which = str(state.get("find", "")), state.get("which", "all")
        is_ticked = bool(state.get("candidates"))
        place = max(self.which.findData(which), 0)
        _quietly(self.find_field, lambda: self.find_field.setText(find))
        _quietly(self.which, lambda: self.which.setCurrentIndex(place))
        _quietly(self.candidates, lambda: self.candidates.setChecked(is_ticked))

    def _on_candidates_toggled(self, is_on: bool) -> None:
        """Put candidates beside the best pair of their source."""
        self.sort = PairSort(SOURCE, is_descending=False) if is_on else PairSort()
        self.changed.emit()

    def _on_entered(self) -> None:
        self._timer.stop()
        self.changed.emit()
        self.entered.emit()

    def _lay_out(self) -> None:
        self.find_field.setPlaceholderText(self.tr("Find in both texts (Ctrl+F)"))
        self.find_field.setClearButtonEnabled(True)
        for name in ("all", "unjudged", "judged", *VERDICTS):
            self.which.addItem(_title(name), name)
        self.which.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for widget, name, hint in (
            (
                self.find_field,
                self.tr("Find"),
                self.tr("Show only pairs whose texts hold this, on either side."),
            ),
            (
                self.which,
                self.tr("Verdict"),
                self.tr("Show only pairs that are so judged."),
            ),
            (
                self.candidates,
                self.tr("Candidates too"),
                self.tr("Show the pairs that were not taken beside the best ones."),
            ),
        ):
            describe(widget, name, hint)
        row = WrappingRow()
        row.addWidget(self.find_field)
        row.addWidget(self.which)
        row.addWidget(self.candidates)
        row.addWidget(self._count)
        self.setLayout(row)


def _quietly(widget: QWidget, change: Callable[[], object]) -> None:
    was_blocked = widget.blockSignals(True)
    change()
    widget.blockSignals(was_blocked)


def _title(which: str) -> str:
    """Name a choice of the verdicts, as it begins a line."""
    names = {
        "all": _tr("All pairs"),
        "unjudged": _tr("Not judged"),
        "judged": _tr("Judged"),
    }
    return names.get(which) or verdict_words(which).capitalize()


def _tr(text: str) -> str:
    return QCoreApplication.translate("PairFilters", text)
