"""The decision on a pair and the judgements of other annotators."""

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.engine.store.pairs.history import OpinionRow
from app.engine.store.pairs.sets import JudgementRow
from app.views.review.pairs import ShownPair
from app.views.review.text import format_moment, shorten_line
from app.views.widgets.controls import ElidedLabel, make_button, make_label, restyle
from app.views.widgets.pair_set_text import verdict_name
from app.views.widgets.theme import GRID, scaled, tokens_of
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
        self.verdict.setText(verdict_name(pair.verdict).capitalize())
        restyle(self.verdict, "human", bool(pair.verdict))
        restyle(self.verdict, "role", "section" if pair.verdict else "secondary")
        self.saved.setText(self._describe_saved(pair, is_pending))
        restyle(self.saved, "role", "warning" if is_pending else "secondary")
        tags = list(held.tags) if held else []
        self.tags.setText(" ".join(f"#{tag}" for tag in tags))
        self.tags.setVisible(bool(tags))
        note = held.note if held else ""
        words = self.tr("Note: {note}")
        self.note.setText(words.format(note=shorten_line(note, 300)) if note else "")
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


MAX_SHOWN = 4


class AnnotatorJudgement(NamedTuple):
    """One annotator's judgement, which can be taken over.

    Attributes:
        who: a name; empty: nobody gave one.
        verdict: what was said.
        source_text, target_text: as edited; None: as imported.
        note: beside it.
        when: in words.
    """

    who: str
    verdict: str
    source_text: str | None
    target_text: str | None
    note: str
    when: str


class AnnotatorBar(QFrame):
    """A card for each annotator; its key takes the judgement over for good."""

    chosen = Signal(object)  # Opinion

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.opinions: list[AnnotatorJudgement] = []
        self._heading = make_label("", "section")
        self._cards = [_JudgementCard() for _ in range(MAX_SHOWN)]
        row = QHBoxLayout()
        row.setSpacing(2 * GRID)
        for number, card in enumerate(self._cards):
            row.addWidget(card, 1)
            card.take.clicked.connect(partial(self.take, number))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self._heading)
        layout.addLayout(row)
        self.hide()

    def show_pair(self, pair: ShownPair) -> None:
        """Show what annotators said of a pair that they disagree on."""
        self.opinions = list_judgements(pair) if pair.is_conflict else []
        self.setVisible(bool(self.opinions))
        if not self.opinions:
            return
        self._heading.setText(
            self.tr("{n} annotators do not agree: choose, or judge anew.").format(
                n=len(self.opinions)
            )
        )
        for number, card in enumerate(self._cards):
            card.setVisible(number < len(self.opinions))
            if number < len(self.opinions):
                card.show_opinion(self.opinions[number], number + 1)

    def take(self, number: int) -> None:
        """Take an annotator's judgement over, by its place from 0."""
        if not self.isHidden() and number < len(self.opinions):
            self.chosen.emit(self.opinions[number])


class _JudgementCard(QFrame):
    """One annotator's judgement."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", True)
        self._mark = VerdictMark()
        self._who = ElidedLabel("section")
        self._verdict = make_label("")
        restyle(self._verdict, "human", True)
        self._when = ElidedLabel("secondary")
        self._note = make_label("", "secondary", wraps=True)
        self.take = make_button(
            self.tr("Take over"), self.tr("Let this judgement hold.")
        )
        row = QHBoxLayout()
        row.setSpacing(GRID)
        for widget, stretch in (
            (self._mark, 0),
            (self._who, 2),
            (self._verdict, 0),
            (self._when, 1),
        ):
            row.addWidget(widget, stretch)
        row.addWidget(self.take)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, GRID, GRID, GRID)
        layout.setSpacing(4)
        layout.addLayout(row)
        layout.addWidget(self._note)

    def show_opinion(self, opinion: AnnotatorJudgement, number: int) -> None:
        self._mark.show_verdict(opinion.verdict)
        self._who.setText(opinion.who or self.tr("Here"))
        self._verdict.setText(verdict_name(opinion.verdict))
        self._when.setText(opinion.when)
        self.take.setText(self.tr("Take over ({n})").format(n=number))
        self.take.setAccessibleName(
            self.tr("Take over what {who} said").format(who=opinion.who)
        )
        parts = [
            f"“{text}”" for text in (opinion.source_text, opinion.target_text) if text
        ]
        parts += [opinion.note] if opinion.note else []
        self._note.setText(" · ".join(parts))
        self._note.setVisible(bool(parts))


def list_judgements(pair: ShownPair) -> list[AnnotatorJudgement]:
    """List what holds here and what others said, who said the same twice once."""
    found: list[AnnotatorJudgement] = []
    held = pair.judgement
    rows: list[JudgementRow | OpinionRow] = [held] if held is not None else []
    rows += pair.opinions
    for row in rows:
        if row.verdict and all(one.who != row.who for one in found):
            found.append(
                AnnotatorJudgement(
                    row.who,
                    row.verdict,
                    row.source_text,
                    row.target_text,
                    row.note,
                    format_moment(row.created_at),
                )
            )
    return found[:MAX_SHOWN]
