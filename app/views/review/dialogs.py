"""Dialogs of the review view: note, tags and judging a range of scores."""

import re
from collections.abc import Sequence
from functools import partial
from typing import cast

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QGridLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.errors import ErrorInfo
from app.params.pairs import JudgementFilter
from app.protocol.answers.pairs import QueueAnswer
from app.protocol.edits.pairs import (
    MAX_TAG,
    JudgePairs,
    JudgeRange,
    PairChange,
    Verdict,
)
from app.protocol.queries.pairs import QueueQuery
from app.views.client.state import AppState
from app.views.review.pairs import ShownPair
from app.views.review.session import ReviewSession
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import (
    lay_out_buttons,
    lay_out_dialog,
    lay_out_field,
)
from app.views.widgets.list_inputs import SEPARATORS, TextList
from app.views.widgets.note_dialog import NoteField, ask_discard, lay_out_note
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.pair_set_text import verdict_name
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "review")

COUNT_AFTER_MS = 200


class _Dialog(QDialog):
    """Base dialog: heading, body, line for problems, and two buttons.

    The dialog closes while its change is being saved, and reopens with its input if the
    change is refused.
    """

    def __init__(
        self,
        title: str,
        done: tuple[str, str],
        session: ReviewSession,
        parent: QWidget,
    ):
        """Initialise; `done` contains the text and hint of the save button."""
        super().__init__(parent)
        verb, hint = done
        self._session = session
        self._sent: PairChange | None = None
        session.outbox.saved.connect(self._on_saved)
        session.outbox.refused.connect(self._on_refused)
        session.destroyed.connect(self.deleteLater)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("reviewDialog")
        self.setWindowTitle(title)
        self.setMinimumWidth(60 * GRID)
        self.body = QVBoxLayout()
        self.body.setSpacing(GRID)
        self.done_button = make_button(verb, hint, self.accept, kind="primary")
        self.problem = make_label("", "warning", wraps=True)
        self.problem.hide()
        layout = lay_out_dialog(self)
        layout.addWidget(make_label(title, "heading"))
        layout.addLayout(self.body, 1)
        layout.addWidget(self.problem)
        layout.addLayout(lay_out_buttons(self, self.done_button))

    def show_problem(self, text: str) -> None:
        """Show why the input can't be saved; an empty text clears the message."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))
        self.done_button.setEnabled(not text)

    def submit(self, change: PairChange | None) -> None:
        """Close the dialog, and send its change, if any."""
        self._sent = change
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, change is None)
        QDialog.accept(self)
        if change is not None:
            self._session.send(change)
            self._session.pair_changed.emit()

    def _on_saved(self, change: PairChange) -> None:
        if change is self._sent:
            self.deleteLater()

    def _on_refused(self, change: PairChange, message: str) -> None:
        if change is not self._sent:
            return
        self._sent = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.open()
        self.problem.setText(message)
        self.problem.show()


class PairNoteDialog(_Dialog):
    """Edits the note on a pair; Ctrl+Enter saves it."""

    def __init__(self, session: ReviewSession, pair: ShownPair, parent: QWidget):
        super().__init__(
            _tr("Note on the pair"),
            (_tr("Save note"), _tr("Save the note (Ctrl+Enter).")),
            session,
            parent,
        )
        self.setProperty("isLow", True)  # keeps the sentences above visible
        self._pair_id = pair.id
        self.field = NoteField(pair.judgement.note if pair.judgement else "")
        self.body.addLayout(lay_out_note(self.tr("Note"), self.field))
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.saved.connect(self.accept)
        self.field.textChanged.connect(self._check)

    def accept(self) -> None:
        """Save the note, unless it is too long."""
        if self._check():
            change = JudgePairs(pairs=(self._pair_id,), note=self.field.text)
            self.submit(change if self.field.is_changed else None)

    def reject(self) -> None:
        """Close the dialog; ask first if there is unsaved text."""
        ask_discard(self, self.field, super().reject)

    def _check(self) -> bool:
        self.show_problem(self.field.problem)
        return not self.field.problem


class TagsDialog(_Dialog):
    """Edits the tags of a pair, with completion and suggestions of tags in use.

    Attributes:
        tags: tags of the pair.
        field: adds a tag.
    """

    def __init__(
        self,
        session: ReviewSession,
        pair: ShownPair,
        known: Sequence[str],
        parent: QWidget,
    ):
        super().__init__(
            _tr("Tags of the pair"),
            (_tr("Save tags"), _tr("Save the tags (Enter).")),
            session,
            parent,
        )
        self._pair_id = pair.id
        self._old = list(pair.judgement.tags) if pair.judgement else []
        title = self.tr("Tags")
        hint = self.tr("Click Add to add another tag. Press Enter to save all tags.")
        self.tags = TextList(title, hint, offered=known, split=_split_tags)
        self.tags.adds_on_enter = False  # Enter saves the dialog
        self.tags.write(self._old)
        self.field = self.tags.field
        self.field.setPlaceholderText(self.tr("Type a tag"))
        self.body.addLayout(lay_out_field(title, self.tags))
        self.body.addStretch(1)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.tags.changed.connect(self._check)

    def accept(self) -> None:
        """Save the tags, unless one is too long."""
        if not self._check():
            return
        tags = self.read()
        added = tuple(tag for tag in tags if tag not in self._old)
        removed = tuple(tag for tag in self._old if tag not in tags)
        change = JudgePairs(pairs=(self._pair_id,), add_tags=added, remove_tags=removed)
        self.submit(change if added or removed else None)

    def read(self) -> list[str]:
        """Return the tags without duplicates."""
        return self.tags.read()

    def _check(self) -> bool:
        too_long = next((tag for tag in self.read() if len(tag) > MAX_TAG), "")
        words = self.tr("Shorten the tag “{tag}…” to {most} characters or fewer.")
        text = words.format(tag=too_long[:20], most=MAX_TAG)
        self.show_problem(text if too_long else "")
        return not too_long


def _split_tags(text: str) -> list[str]:
    """Split tags at commas and semicolons of any script."""
    parts = re.split(f"[{SEPARATORS}]", text)
    clean = (" ".join(part.split()).lstrip("#") for part in parts)
    return [part for part in clean if part]


class RangeDialog(_Dialog):
    """Judges all pairs in a range of scores, and shows the number of pairs.

    The user must choose a verdict first, so that Enter alone judges nothing.

    Attributes:
        n_pairs: number of pairs in the range; None while unknown.
    """

    counted = Signal()  # n_pairs is known
    judged = Signal(str, str)  # message and verdict, once saved

    def __init__(
        self,
        state: AppState,
        mining: int,
        start: tuple[float | None, float | None],
        session: ReviewSession,
        parent: QWidget,
    ):
        """Make the dialog.

        Args:
            mining: id of the pair set.
            start: initial bounds of the score.
            session: sends the change.
        """
        super().__init__(
            _tr("Judge a score range"),
            (_tr("Judge pairs"), _tr("Judge all these pairs. Undo reverts it.")),
            session,
            parent,
        )
        self.n_pairs: int | None = None
        self._state, self._mining = state, mining
        self.verdict, self.which = QComboBox(), QComboBox()
        self.lowest, self.highest = QLineEdit(), QLineEdit()
        self.count = make_label("", wraps=True)
        self.note = make_label(
            self.tr(
                "These pairs are not read one by one. They are marked “judged as a "
                "range” and do not count in the estimate of precision or in "
                "agreement."
            ),
            "secondary",
            wraps=True,
        )
        self._timer = QTimer(self, singleShot=True, interval=COUNT_AFTER_MS)
        self._timer.timeout.connect(self._ask)
        self._fill(start)
        self._lay_out()
        for combo in (self.verdict, self.which):
            combo.currentIndexChanged.connect(self._on_changed)
        for line in (self.lowest, self.highest):
            line.textEdited.connect(self._on_changed)
        self.verdict.setFocus(Qt.FocusReason.OtherFocusReason)
        self._on_changed()

    def accept(self) -> None:
        """Judge the pairs if a verdict is chosen and their number is shown."""
        if self.n_pairs and self.verdict.currentData():
            self.submit(self.change())

    def _on_saved(self, change: PairChange) -> None:
        if change is self._sent and isinstance(change, JudgeRange):
            one, many = (
                self.tr("1 pair is {verdict}."),
                self.tr("{n} pairs are {verdict}."),
            )
            n, verdict = self.n_pairs or 0, verdict_name(change.verdict)
            words = one if n == 1 else many
            text = words.format(n=format_count(n), verdict=verdict)
            self.judged.emit(text, change.verdict)
        super()._on_saved(change)

    def change(self) -> JudgeRange:
        """The change; its verdict is empty until one is chosen."""
        return JudgeRange(
            mining=self._mining,
            verdict=cast("Verdict", self.verdict.currentData() or ""),
            lowest=_read_number(self.lowest),
            highest=_read_number(self.highest),
            which=cast("JudgementFilter", self.which.currentData()),
        )

    def _fill(self, start: tuple[float | None, float | None]) -> None:
        for verdict in ("accept", "reject", "skip", "flag"):
            self.verdict.addItem(verdict_name(verdict), verdict)
        self.verdict.setPlaceholderText(self.tr("Choose a verdict"))
        self.verdict.setCurrentIndex(-1)
        for which, words in (
            ("unjudged", self.tr("pairs not judged")),
            ("all", self.tr("all pairs")),
            ("skip", self.tr("skipped pairs")),
            ("flag", self.tr("flagged pairs")),
        ):
            self.which.addItem(words, which)
        for line, bound in zip((self.lowest, self.highest), start, strict=True):
            line.setValidator(QDoubleValidator(line))
            line.setText("" if bound is None else f"{bound:g}")
        self.lowest.setPlaceholderText(self.tr("no minimum"))
        self.highest.setPlaceholderText(self.tr("no maximum"))

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(2 * GRID)
        for index, (widget, title, hint) in enumerate(
            (
                (
                    self.verdict,
                    self.tr("Verdict"),
                    self.tr("The new verdict of these pairs."),
                ),
                (self.which, self.tr("Pairs"), self.tr("Their current verdict.")),
                (self.lowest, self.tr("Lowest score"), self.tr("Include this score.")),
                (
                    self.highest,
                    self.tr("Highest score"),
                    self.tr("Include this score."),
                ),
            )
        ):
            describe(widget, title, hint)
            grid.addLayout(lay_out_field(title, widget), *divmod(index, 2))
        self.body.addLayout(grid)
        self.body.addWidget(self.count)
        self.body.addWidget(self.note)

    def _on_changed(self) -> None:
        """Disable judging until there is a bound and the number of pairs is known."""
        self.n_pairs = None
        self.done_button.setEnabled(False)
        if self._has_bound():
            self._timer.start()
            return
        self._timer.stop()
        self.count.setText(self.tr("Enter a lowest or a highest score."))
        self.done_button.setText(self.tr("Judge pairs"))

    def _has_bound(self) -> bool:
        change = self.change()
        return change.lowest is not None or change.highest is not None

    def _ask(self) -> None:
        change = self.change()
        query = QueueQuery(
            mining=self._mining,
            which=change.which,
            lowest=change.lowest,
            highest=change.highest,
            requester="range",
        )
        self._state.ask(query, partial(self._on_answer, change))

    def _on_answer(self, change: JudgeRange, answer: QueueAnswer | ErrorInfo) -> None:
        if change != self.change() or isinstance(answer, ErrorInfo):
            if isinstance(answer, ErrorInfo) and answer.kind != "superseded":
                self.count.setText(answer.message)
            return
        n = self.n_pairs = answer.n
        verdict = verdict_name(change.verdict)
        pairs = pluralize(n, self.tr("1 pair"), self.tr("{n} pairs"))
        words, button = self.tr("{pairs} will be {verdict}."), self.tr("Judge {pairs}")
        if not change.verdict:
            words = self.tr("{pairs} in this range. Choose a verdict.")
        if n == 0:
            words, button = (
                self.tr("There are no pairs in this range."),
                self.tr("Judge pairs"),
            )
        self.count.setText(words.format(pairs=pairs, verdict=verdict))
        self.done_button.setText(button.format(pairs=pairs))
        self.done_button.setEnabled(n > 0 and bool(change.verdict))
        self.counted.emit()


def _read_number(line: QLineEdit) -> float | None:
    text = line.text().strip().replace(",", ".")
    try:
        return float(text) if text else None
    except ValueError:
        return None
