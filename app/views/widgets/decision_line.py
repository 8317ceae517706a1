"""What has been decided of a pair: mark and verdict, tags, note, and whether saved."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.views.mining_words import verdict_words
from app.views.review_pairs import ShownPair
from app.views.review_words import format_moment, shorten
from app.views.theme import GRID, scaled, tokens_of
from app.views.widgets.controls import make_label, restyle
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.verdict_mark import paint_verdict

MARK_PX = 14


class VerdictMark(QWidget):
    """The mark of a verdict in the colour of people's decisions."""

    def __init__(self, pixels: int = MARK_PX):
        super().__init__()
        self._pixels, self._verdict = pixels, ""

    def show_verdict(self, verdict: str) -> None:
        """Show another verdict; empty: nothing."""
        if verdict != self._verdict:
            self._verdict = verdict
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the mark."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        place = QRectF(0, 0, scaled(self._pixels), scaled(self._pixels))
        place.moveCenter(QRectF(self.rect()).center())
        paint_verdict(painter, place, self._verdict, tokens_of(self))
        painter.end()

    def sizeHint(self) -> QSize:
        """Ask for a square."""
        return QSize(scaled(self._pixels) + 4, scaled(self._pixels) + 4)

    def minimumSizeHint(self) -> QSize:
        """Never be smaller."""
        return self.sizeHint()


class DecisionLine(QWidget):
    """One line above a pair."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._mark = VerdictMark()
        self.verdict = make_label("", "section")
        self.saved = make_label("", "secondary")
        self.tags = make_label("", "secondary")
        self.note = ElidedLabel("secondary")
        self.place = make_label("", "secondary")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        for widget in (self._mark, self.verdict, self.saved, self.tags):
            row.addWidget(widget)
        row.addWidget(self.note, 1)
        row.addWidget(self.place)

    def show_pair(self, pair: ShownPair, *, is_pending: bool, place: str) -> None:
        """Show what holds for a pair.

        Args:
            pair: as it is, or will be once what is on its way is saved.
            is_pending: something about it is not saved yet.
            place: where it is in the queue, in words.
        """
        held = pair.judgement
        self._mark.show_verdict(pair.verdict)
        self._mark.setVisible(bool(pair.verdict))
        self.verdict.setText(verdict_words(pair.verdict).capitalize())
        restyle(self.verdict, "human", bool(pair.verdict))
        restyle(self.verdict, "role", "section" if pair.verdict else "secondary")
        self.saved.setText(self._describe_saved(pair, is_pending))
        restyle(self.saved, "role", "warning" if is_pending else "secondary")
        tags = list(held.tags) if held else []
        self.tags.setText(" ".join(f"#{tag}" for tag in tags))
        self.tags.setVisible(bool(tags))
        note = held.note if held else ""
        words = self.tr("Note: {note}")
        self.note.setText(words.format(note=shorten(note, 300)) if note else "")
        self.place.setText(place)

    def _describe_saved(self, pair: ShownPair, is_pending: bool) -> str:
        if is_pending:
            return self.tr("not saved yet…")
        held = pair.judgement
        if held is None or not held.created_at:
            return ""
        words = self.tr("✓ saved {when}")
        if held.who:
            words = self.tr("✓ saved {when} by {who}")
        return words.format(when=format_moment(held.created_at), who=held.who)
