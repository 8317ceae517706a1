"""What annotators said of a pair, side by side, where they do not agree."""

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.engine.store.pair_rows import JudgementRow
from app.engine.store.review_rows import OpinionRow
from app.views.mining_words import verdict_words
from app.views.review_pairs import ShownPair
from app.views.review_words import format_moment
from app.views.theme import GRID
from app.views.widgets.controls import make_button, make_label, restyle
from app.views.widgets.decision_line import VerdictMark
from app.views.widgets.elided_label import ElidedLabel

MAX_SHOWN = 4


class Opinion(NamedTuple):
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


class OpinionsBar(QFrame):
    """A card for each annotator; its key takes the judgement over for good."""

    chosen = Signal(object)  # Opinion

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.opinions: list[Opinion] = []
        self._heading = make_label("", "section")
        self._cards = [_Card() for _ in range(MAX_SHOWN)]
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
        self.opinions = list_opinions(pair) if pair.is_conflict else []
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


class _Card(QFrame):
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

    def show_opinion(self, opinion: Opinion, number: int) -> None:
        self._mark.show_verdict(opinion.verdict)
        self._who.setText(opinion.who or self.tr("Here"))
        self._verdict.setText(verdict_words(opinion.verdict))
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


def list_opinions(pair: ShownPair) -> list[Opinion]:
    """List what holds here and what others said, who said the same twice once."""
    found: list[Opinion] = []
    held = pair.judgement
    rows: list[JudgementRow | OpinionRow] = [held] if held is not None else []
    rows += pair.opinions
    for row in rows:
        if row.verdict and all(one.who != row.who for one in found):
            found.append(
                Opinion(
                    row.who,
                    row.verdict,
                    row.source_text,
                    row.target_text,
                    row.note,
                    format_moment(row.created_at),
                )
            )
    return found[:MAX_SHOWN]
