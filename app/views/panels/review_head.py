"""The head of the review: which set of pairs, how far it is judged, what is saved."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QVBoxLayout, QWidget

from app.engine.store.pair_rows import MiningRow
from app.views.mining_words import verdict_words
from app.views.review_words import describe_method
from app.views.theme import GRID, mix, scaled, tokens_of
from app.views.widgets.controls import describe, make_button, make_label, restyle
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.wrapping_row import WrappingRow
from app.views.words import format_count

SHADES = {"accept": 1.0, "reject": 0.62, "flag": 0.4, "skip": 0.25}
HEIGHT = 8


class ReviewHead(QWidget):
    """Two lines: names and counts; progress."""

    mining_chosen = Signal(object)  # id

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.minings = QComboBox()
        self.minings.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToContentsOnFirstShow
        )
        self.minings.setMinimumWidth(24 * GRID)
        words = self.tr("The set of pairs that is reviewed.")
        describe(self.minings, self.tr("Set of pairs"), words)
        self.minings.activated.connect(self._on_activated)
        self.method = ElidedLabel("secondary")
        self.counts = make_label("", "secondary")
        self.saved = make_label("", "secondary")
        self.again = make_button(
            self.tr("Send again"), self.tr("Try to save what is not saved yet.")
        )
        self.again.hide()
        self.progress = VerdictBar()
        row = WrappingRow()
        row.addWidget(make_label(self.tr("Review"), "heading"))
        row.addWidget(self.minings)
        row.addWidget(self.method)
        row.addWidget(self.counts)
        row.addWidget(self.saved)
        row.addWidget(self.again)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(row)
        layout.addWidget(self.progress)

    def show_minings(self, minings: Sequence[MiningRow], chosen: int | None) -> None:
        """Offer sets of pairs, the newest first."""
        self.minings.clear()
        for row in minings:
            self.minings.addItem(row.name, row.id)
        self.minings.setCurrentIndex(self.minings.findData(chosen))
        self.setVisible(bool(minings))
        methods = {row.id: describe_method(row) for row in minings}
        self.method.setText(methods.get(chosen, "") if chosen is not None else "")

    def show_counts(self, counts: dict[str, int]) -> None:
        """Say how many pairs are judged and how many wait."""
        n_waiting = counts.get("", 0)
        n_judged = sum(n for verdict, n in counts.items() if verdict)
        words = self.tr("{judged} judged · {waiting} waiting")
        self.counts.setText(
            words.format(judged=format_count(n_judged), waiting=format_count(n_waiting))
            if counts
            else ""
        )
        self.progress.show_counts(counts)

    def show_saved(self, n_unsaved: int, *, is_stuck: bool) -> None:
        """Say whether everything is saved."""
        text = self.tr("✓ saved")
        if n_unsaved:
            words = self.tr("{n} judgements not saved yet")
            if n_unsaved == 1:
                words = self.tr("1 judgement not saved yet")
            text = words.format(n=format_count(n_unsaved))
        self.saved.setText(text)
        restyle(self.saved, "role", "warning" if n_unsaved else "secondary")
        self.again.setVisible(is_stuck)

    def _on_activated(self) -> None:
        self.mining_chosen.emit(self.minings.currentData())


class VerdictBar(QWidget):
    """A bar whose parts are the verdicts; the rest waits."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._counts: dict[str, int] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_counts(self, counts: dict[str, int]) -> None:
        """Show how many pairs have which verdict; empty: none."""
        self._counts = dict(counts)
        parts = [
            f"{format_count(n)} {verdict_words(verdict)}"
            for verdict, n in counts.items()
            if n
        ]
        describe(self, ", ".join(parts) or self.tr("Progress"))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the parts, accepted ones first."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        tokens = tokens_of(self)
        whole = QRectF(0, 0, self.width(), scaled(HEIGHT))
        painter.setBrush(QColor(tokens.line))
        painter.drawRoundedRect(whole, HEIGHT / 2, HEIGHT / 2)
        total, x = sum(self._counts.values()), 0.0
        for verdict, share in SHADES.items():
            n = self._counts.get(verdict, 0)
            if n and total:
                width = max(self.width() * n / total, 2.0)
                painter.setBrush(QColor(mix(tokens, "human", share, onto="line")))
                part = QRectF(x, 0, width, whole.height())
                painter.drawRoundedRect(part, HEIGHT / 2, HEIGHT / 2)
                x += width
        painter.end()

    def sizeHint(self) -> QSize:
        """Ask for a thin bar."""
        return QSize(200, scaled(HEIGHT))
