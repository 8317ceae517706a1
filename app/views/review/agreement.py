"""The agreement between annotators: raw, Cohen's kappa, Krippendorff's alpha."""

from functools import partial
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from app.engine.store.pairs.history import has_opinions
from app.errors import ErrorInfo
from app.protocol.queries.pairs import AgreementQuery
from app.views.client.state import AppState
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import GRID

ASK_AFTER_MS = 800


class AgreementPanel(QWidget):
    """Shows how far annotators agree; hidden unless several judged the same pairs.

    Attributes:
        text: who judged how many pairs.
        figures: agreement, kappa and alpha with their intervals.
        conflicts: opens the pairs that they disagree on.
    """

    conflicts_wanted = Signal()
    shown = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._mining: int | None = None
        self.text = make_label("", "secondary", wraps=True)
        self.figures: dict[str, QLabel] = {}
        self.conflicts = make_button(
            self.tr("Resolve conflicts"),
            self.tr("Queue the pairs that annotators disagree on."),
            self.conflicts_wanted.emit,
        )
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self.ask)
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for row, (name, words) in enumerate(
            (
                ("raw", self.tr("agreement")),
                ("kappa", self.tr("Cohen's kappa")),
                ("alpha", self.tr("Krippendorff's alpha")),
            )
        ):
            grid.addWidget(make_label(words, "secondary"), row, 0)
            self.figures[name] = make_label("")
            grid.addWidget(self.figures[name], row, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(make_label(self.tr("Annotators"), "section"))
        layout.addWidget(self.text)
        layout.addLayout(grid)
        layout.addWidget(self.conflicts)
        self.hide()

    def show_mining(self, mining: int | None) -> None:
        """Show another pair set."""
        if mining != self._mining:
            self._mining = mining
            self.hide()
        self.ask()

    def ask_soon(self) -> None:
        """Update in a moment, once for many changes."""
        if not self._timer.isActive():
            self._timer.start()

    def ask(self) -> None:
        """Request the agreement now, if anyone else judged pairs."""
        self._timer.stop()
        project = self._state.project
        if project is None or self._mining is None or not self._state.client.is_running:
            return
        if has_opinions(project.store, self._mining):
            query = AgreementQuery(mining=self._mining)
            self._state.ask(query, partial(self._on_answer, query))

    def _on_answer(
        self, query: AgreementQuery, answer: dict[str, Any] | ErrorInfo
    ) -> None:
        if query.mining != self._mining or isinstance(answer, ErrorInfo):
            return
        annotators = answer.get("annotators") or []
        self.setVisible(len(annotators) > 1)
        names = [str(one["who"]) or self.tr("you") for one in annotators]
        words = self.tr("{n} pairs were judged by several of: {names}.")
        n_shared = format_count(int(answer.get("n_shared") or 0))
        self.text.setText(words.format(n=n_shared, names=", ".join(names)))
        self.text.setToolTip(str(answer.get("text") or ""))
        for name, label in self.figures.items():
            label.setText(_format_interval(answer.get(name), is_share=name == "raw"))
        n = int(answer.get("n_conflicts") or 0)
        words = (
            self.tr("Resolve 1 conflict")
            if n == 1
            else self.tr("Resolve {n} conflicts")
        )
        self.conflicts.setText(words.format(n=format_count(n)))
        self.conflicts.setAccessibleName(self.conflicts.text())
        self.conflicts.setVisible(n > 0)
        self.shown.emit()


def _format_interval(figure: list[float] | None, *, is_share: bool) -> str:
    """Format a figure with its interval: 0.81 (0.70 – 0.89)."""
    if not figure:
        return "–"
    value, low, high = (
        f"{100 * number:.0f}" if is_share else f"{number:.2f}" for number in figure
    )
    unit = " %" if is_share else ""
    return f"{value}{unit} ({low} – {high}{unit})"
