"""Widgets for the verdict on a pair and the judgements of other annotators."""

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from app.engine.store.pairs.history import Authors, OpinionRow
from app.engine.store.pairs.sets import JudgementRow
from app.views.review.pairs import ShownPair
from app.views.review.text import format_moment, shorten_line
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.cells import ALIGN_RIGHT
from app.views.widgets.controls import (
    ElidedLabel,
    keep_room,
    make_button,
    make_label,
    restyle,
)
from app.views.widgets.pair_set_text import name_authors, verdict_name
from app.views.widgets.theme import GRID, colours_of, scaled
from app.views.widgets.verdict_mark import paint_verdict

MARK_PX = 14


class VerdictMark(QWidget):
    """The mark of a verdict, in the colour of human decisions."""

    def __init__(self) -> None:
        super().__init__()
        self._verdict = ""

    def show_verdict(self, verdict: str) -> None:
        """Show the mark of a verdict; empty: show nothing."""
        if verdict != self._verdict:
            self._verdict = verdict
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the mark."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(0, 0, scaled(MARK_PX), scaled(MARK_PX))
        rect.moveCenter(QRectF(self.rect()).center())
        paint_verdict(painter, rect, self._verdict, colours_of(self))
        painter.end()

    def sizeHint(self) -> QSize:
        """Return a square size."""
        return QSize(scaled(MARK_PX) + 4, scaled(MARK_PX) + 4)

    def minimumSizeHint(self) -> QSize:
        """Return the size hint."""
        return self.sizeHint()


class DecisionLine(QWidget):
    """A line with the judgement of a pair, above the pair.

    Attributes:
        reload_button: hidden unless a new order of the queue is available.
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._mark = VerdictMark()
        self.verdict = make_label("", "section")
        self.saved = ElidedLabel("secondary", takes_line=True)
        self.tags = ElidedLabel("secondary", takes_line=True)
        self.note = ElidedLabel("secondary")
        self.reload_button = make_button(
            self.tr("Reload queue"),
            self.tr(
                "Your judgements changed which pairs are most informative. Reload the "
                "queue to show these pairs first."
            ),
            kind="quiet",
        )
        self.reload_button.setProperty("shape", "line")
        keep_room(self.reload_button)  # so that the pair below does not move
        self.reload_button.hide()
        self.place = make_label("", "secondary")
        self.place.setAlignment(ALIGN_RIGHT)
        row = make_row(parent=self)
        for widget in (self._mark, self.verdict, self.saved, self.tags):
            row.addWidget(widget)
        row.addWidget(self.note, 1)
        row.addWidget(self.reload_button)
        row.addWidget(self.place)

    def show_pair(
        self, pair: ShownPair, *, is_pending: bool, place: str, last_place: str
    ) -> None:
        """Show the judgement of a pair.

        Args:
            pair: the pair including unsaved changes.
            is_pending: whether a change to the pair is unsaved.
            place: position of the pair in the queue, as text.
            last_place: position of the last pair, to reserve its width.
        """
        judgement = pair.judgement
        self._mark.show_verdict(pair.verdict)
        self._mark.setVisible(bool(pair.verdict))
        self.verdict.setText(verdict_name(pair.verdict).capitalize())
        restyle(self.verdict, "human", bool(pair.verdict))
        restyle(self.verdict, "role", "section" if pair.verdict else "secondary")
        self.saved.setText(self._describe_saved(pair, is_pending))
        restyle(self.saved, "role", "warning" if is_pending else "secondary")
        tags = list(judgement.tags) if judgement else []
        self.tags.setText(" ".join(f"#{tag}" for tag in tags))
        self.tags.setVisible(bool(tags))
        note = judgement.note if judgement else ""
        words = self.tr("Note: {note}")
        self.note.setText(words.format(note=shorten_line(note, 300)) if note else "")
        self.place.setText(last_place)
        self.place.setMinimumWidth(self.place.sizeHint().width())
        self.place.setText(place)

    def _describe_saved(self, pair: ShownPair, is_pending: bool) -> str:
        if is_pending:
            return self.tr("Not saved yet…")
        row = pair.judgement
        if row is None or not row.created_at:
            return ""
        authors, when = pair.authors, row.created_at
        if row.origin and not row.verdict:  # as in the package
            words = self.tr("Text changed by {who}")
            return words.format(who=row.who) if row.who else self.tr("Text changed")
        if not (authors.verdict or authors.texts):  # only a note or a tag
            authors = Authors(row.who)
        changed = ""
        if authors.verdict and authors.texts not in ("", authors.verdict):
            when = authors.verdict_at or when
            changed = format_moment(authors.texts_at) if authors.texts_at else ""
        words = self.tr("✓ Saved {when}").format(when=format_moment(when))
        gap = " " if authors.verdict else ", "
        return f"{words}{gap}{name_authors(authors)} {changed}".rstrip(" ,")


MAX_ANNOTATORS = 4


class AnnotatorJudgement(NamedTuple):
    """An annotator's judgement, which the user can adopt.

    Attributes:
        who: name of the annotator; empty if unknown.
        verdict: name of the verdict.
        source_id, target_id: ids of the first sentences, after any swap.
        source_text, target_text: edited texts; None: as imported.
        is_swapped: whether a runner-up was swapped in.
        note: the note; may be empty.
        when: the time as text.
    """

    who: str
    verdict: str
    source_id: int
    target_id: int
    source_text: str | None
    target_text: str | None
    is_swapped: bool
    note: str
    when: str


class AnnotatorBar(QFrame):
    """A line with other annotators' judgements, whose height is reserved if needed.

    In a conflict, each annotator has a card; a digit key adopts the judgement.
    """

    chosen = Signal(object)  # AnnotatorJudgement

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.judgements: list[AnnotatorJudgement] = []
        self._heading = ElidedLabel("section")
        keep_room(self._heading)
        self._cards = [_JudgementCard() for _ in range(MAX_ANNOTATORS)]
        grid = QGridLayout()
        grid.setSpacing(GRID)
        for number, card in enumerate(self._cards):
            grid.addWidget(card, *divmod(number, 2))
            card.keep.clicked.connect(partial(self.choose, number))
        make_column(self._heading, grid, parent=self)
        self.hide()

    def show_pair(self, pair: ShownPair, *, has_others: bool) -> None:
        """Show cards for a pair in conflict, or else a line of text.

        Args:
            has_others: whether other annotators judged pairs of the set.
        """
        self.judgements = list_judgements(pair) if pair.is_conflict else []
        text = self._describe_others(pair)
        if self.judgements:
            words = self.tr(
                "{n} annotators disagree. Choose a judgement, or judge again."
            )
            text = words.format(n=len(self.judgements))
        self._heading.setText(text)
        restyle(self._heading, "role", "section" if self.judgements else "secondary")
        self._heading.setVisible(bool(text))
        self.setVisible(bool(text) or has_others)
        for number, card in enumerate(self._cards):
            card.setVisible(number < len(self.judgements))
            if number < len(self.judgements):
                card.show_judgement(self.judgements[number], number + 1)

    def _describe_others(self, pair: ShownPair) -> str:
        """Describe the verdict of each other annotator; may be empty."""
        words = self.tr("{who}: {verdict}")
        others = [
            words.format(who=row.who, verdict=verdict_name(row.verdict))
            for row in pair.opinions
            if (row.who, row.verdict) != (pair.authors.verdict, pair.verdict)
        ]
        return (
            self.tr("Other judgements: {list}").format(list=" · ".join(others))
            if others
            else ""
        )

    def choose(self, number: int) -> None:
        """Adopt an annotator's judgement by its index, from 0."""
        if not self.isHidden() and number < len(self.judgements):
            self.chosen.emit(self.judgements[number])


class _JudgementCard(QFrame):
    """A card with one annotator's judgement."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", True)
        self._mark = VerdictMark()
        self._who = ElidedLabel("section")
        self._verdict = make_label("")
        restyle(self._verdict, "human", True)
        self._when = ElidedLabel("secondary")
        self._note = make_label("", "secondary", wraps=True)
        self.keep = make_button(
            self.tr("Keep"), self.tr("Resolve the conflict with this judgement.")
        )
        head = make_row(self._mark, (self._who, 1))
        row = make_row(self._verdict, (self._when, 1), self.keep)
        margins = (12, 6, GRID, 6)
        make_column(head, row, self._note, parent=self, gap=4, margins=margins)

    def show_judgement(self, judgement: AnnotatorJudgement, number: int) -> None:
        self._mark.show_verdict(judgement.verdict)
        self._who.setText(judgement.who or self.tr("You"))
        self._verdict.setText(verdict_name(judgement.verdict))
        self._when.setText(judgement.when)
        self.keep.setText(self.tr("Keep ({n})").format(n=number))
        self.keep.setAccessibleName(
            self.tr("Keep the judgement of {who}").format(who=self._who.text())
        )
        parts = [
            f"“{text}”"
            for text in (judgement.source_text, judgement.target_text)
            if text
        ]
        parts += [self.tr("runner-up swapped in")] if judgement.is_swapped else []
        parts += [judgement.note] if judgement.note else []
        self._note.setText(" · ".join(parts))
        self._note.setVisible(bool(parts))


def list_judgements(pair: ShownPair) -> list[AnnotatorJudgement]:
    """List the user's judgement and the newest one of each other annotator."""
    found: dict[tuple[object, ...], AnnotatorJudgement] = {}
    own, mined = pair.judgement, pair.texts.pair
    rows: list[JudgementRow | OpinionRow] = [own] if own is not None else []
    rows += pair.opinions
    for row in rows:
        judgement = AnnotatorJudgement(
            row.who,
            row.verdict,
            row.source_id,
            row.target_id,
            row.source_text,
            row.target_text,
            (row.source_id, row.target_id) != (mined.source_id, mined.target_id),
            row.note,
            format_moment(row.created_at),
        )
        found.setdefault(judgement[:6], judgement)  # ignore swap, note and time
    return list(found.values())[:MAX_ANNOTATORS]
