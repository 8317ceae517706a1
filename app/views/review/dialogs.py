"""Dialogs of the review view: note, tags and judging a range of scores."""

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtGui import QDoubleValidator, QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.errors import ErrorInfo
from app.params.pairs import JudgementFilter
from app.protocol.edits.pairs import JudgeRange, Verdict
from app.protocol.queries.pairs import QueueQuery
from app.views.client.state import AppState
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.number_format import pluralize
from app.views.widgets.pair_set_text import verdict_name
from app.views.widgets.theme import GRID

MAX_NOTE, MAX_TAG = 20_000, 100
COUNT_AFTER_MS = 200
_TAG_SEPARATORS = re.compile("[,;，；、،؛]")  # tags, as the scripts write it


class _Dialog(QDialog):
    """A heading, a body, and two buttons."""

    def __init__(self, title: str, hint: str, parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("reviewDialog")
        self.setWindowTitle(title)
        self.setMinimumWidth(60 * GRID)
        self.body = QVBoxLayout()
        self.body.setSpacing(GRID)
        self.done_button = make_button(
            self.tr("Save"), hint, self.accept, kind="primary"
        )
        self.done_button.setDefault(True)
        cancel = make_button(self.tr("Cancel"), self.tr("Go back."), self.reject)
        buttons = QHBoxLayout()
        buttons.setSpacing(GRID)
        buttons.addStretch()
        buttons.addWidget(cancel)
        buttons.addWidget(self.done_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addWidget(make_label(title, "heading"))
        layout.addLayout(self.body, 1)
        layout.addLayout(buttons)


class NoteDialog(_Dialog):
    """The note on a pair; Ctrl+Enter saves it."""

    def __init__(self, text: str, save: Callable[[str], object], parent: QWidget):
        super().__init__(
            _tr("Note on the pair"),
            _tr("Save the note (Ctrl+Enter)."),
            parent,
        )
        self.field = QPlainTextEdit(text)
        self.field.setTabChangesFocus(True)
        describe(self.field, self.tr("Note"), self.tr("Ctrl+Enter saves the note."))
        self.body.addWidget(self.field)
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.accepted.connect(lambda: save(self.field.toPlainText().strip()[:MAX_NOTE]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Save by Ctrl+Enter."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.accept()
        else:
            super().keyPressEvent(event)


class TagsDialog(_Dialog):
    """The tags of a pair, with commas between them; those in use are offered."""

    def __init__(
        self,
        tags: Sequence[str],
        known: Sequence[str],
        save: Callable[[list[str]], object],
        parent: QWidget,
    ):
        super().__init__(
            _tr("Tags of the pair"),
            _tr("Save the tags (Enter)."),
            parent,
        )
        self.field = QLineEdit(", ".join(tags))
        self.field.setPlaceholderText(self.tr("legal, too free, …"))
        describe(self.field, self.tr("Tags"), self.tr("Put commas between tags."))
        completer = _TagCompleter(list(known), self.field)
        self.field.setCompleter(completer)
        self.body.addWidget(self.field)
        if known:
            words = self.tr("In use: {tags}").format(tags=", ".join(known[:30]))
            self.body.addWidget(make_label(words, "secondary", wraps=True))
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.accepted.connect(lambda: save(self.read()))

    def read(self) -> list[str]:
        """Return the tags, each once."""
        parts = [
            " ".join(part.split()) for part in _TAG_SEPARATORS.split(self.field.text())
        ]
        return list(dict.fromkeys(part[:MAX_TAG].lstrip("#") for part in parts if part))


class _TagCompleter(QCompleter):
    """Completes the tag behind the last comma."""

    def __init__(self, tags: list[str], parent: QWidget):
        super().__init__(tags, parent)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)

    def splitPath(self, path: str) -> list[str]:
        """Look at what is behind the last comma or semicolon."""
        return [_TAG_SEPARATORS.split(path)[-1].strip()]

    def pathFromIndex(self, index: Any) -> str:
        """Keep what is before the last comma."""
        field = cast("QLineEdit", self.widget())
        before = ", ".join(_TAG_SEPARATORS.split(field.text())[:-1])
        chosen = str(super().pathFromIndex(index))
        return f"{before}, {chosen}" if before else chosen


class RangeDialog(_Dialog):
    """Judges all pairs of a range; how many these are is asked before.

    Attributes:
        n_pairs: how many are in the range as it is written; None: not known yet.
    """

    counted = Signal()  # it is known

    def __init__(
        self,
        state: AppState,
        mining: int,
        start: tuple[float | None, float | None],
        judge: Callable[[JudgeRange], object],
        parent: QWidget,
    ):
        """Make the dialog.

        Args:
            state: asks for the count.
            mining: id of the set of pairs.
            start: bounds of the score to begin with.
            judge: takes the change.
            parent: the window.
        """
        super().__init__(
            _tr("Judge all pairs of a range"),
            _tr("Judge these pairs at once; one Undo takes it back."),
            parent,
        )
        self.n_pairs: int | None = None
        self._state, self._mining = state, mining
        self.verdict, self.which = QComboBox(), QComboBox()
        self.lowest, self.highest = QLineEdit(), QLineEdit()
        self.count = make_label("", wraps=True)
        self._timer = QTimer(self, singleShot=True, interval=COUNT_AFTER_MS)
        self._timer.timeout.connect(self._ask)
        self._fill(start)
        self._lay_out()
        for combo in (self.verdict, self.which):
            combo.currentIndexChanged.connect(self._on_changed)
        for line in (self.lowest, self.highest):
            line.textEdited.connect(self._on_changed)
        self.accepted.connect(lambda: judge(self.change()))
        self.verdict.setFocus(Qt.FocusReason.OtherFocusReason)
        self._on_changed()

    def change(self) -> JudgeRange:
        """Return what is to be done."""
        return JudgeRange(
            mining=self._mining,
            verdict=cast("Verdict", self.verdict.currentData()),
            lowest=_read_number(self.lowest),
            highest=_read_number(self.highest),
            which=cast("JudgementFilter", self.which.currentData()),
        )

    def _fill(self, start: tuple[float | None, float | None]) -> None:
        for verdict in ("accept", "reject", "skip", "flag"):
            self.verdict.addItem(verdict_name(verdict), verdict)
        for which, words in (
            ("unjudged", self.tr("those that are not judged")),
            ("all", self.tr("all, judged ones too")),
            ("skip", self.tr("those that were skipped")),
            ("flag", self.tr("those that were flagged")),
        ):
            self.which.addItem(words, which)
        for line, bound in zip((self.lowest, self.highest), start, strict=True):
            line.setValidator(QDoubleValidator(line))
            line.setText("" if bound is None else _round_down(bound))
        self.lowest.setPlaceholderText(self.tr("no lower bound"))
        self.highest.setPlaceholderText(self.tr("no upper bound"))

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID)
        grid.setColumnStretch(1, 1)
        for row, (widget, title, hint) in enumerate(
            (
                (
                    self.verdict,
                    self.tr("Verdict"),
                    self.tr("What these pairs will be."),
                ),
                (self.lowest, self.tr("Score from"), self.tr("The lowest score.")),
                (self.highest, self.tr("Score up to"), self.tr("The highest score.")),
                (self.which, self.tr("Which"), self.tr("How they are judged now.")),
            )
        ):
            label = make_label(title)
            label.setBuddy(widget)
            describe(widget, title, hint)
            grid.addWidget(label, row, 0)
            grid.addWidget(widget, row, 1)
        self.body.addLayout(grid)
        self.body.addWidget(self.count)

    def _on_changed(self) -> None:
        """Nothing can be judged until it is known how many pairs it would be."""
        self.n_pairs = None
        self.done_button.setEnabled(False)
        self._timer.start()

    def _ask(self) -> None:
        change = self.change()
        query = QueueQuery(
            mining=self._mining,
            which=change.which,
            lowest=change.lowest,
            highest=change.highest,
            asker="range",
        )
        self._state.ask(query, partial(self._on_answer, change))

    def _on_answer(
        self, change: JudgeRange, answer: dict[str, Any] | ErrorInfo
    ) -> None:
        if change != self.change() or isinstance(answer, ErrorInfo):
            if isinstance(answer, ErrorInfo) and answer.kind != "superseded":
                self.count.setText(answer.message)
            return
        n = self.n_pairs = int(answer["n"])
        verdict = verdict_name(change.verdict)
        pairs = pluralize(n, self.tr("1 pair"), self.tr("{n} pairs"))
        words, button = self.tr("{pairs} will be {verdict}."), self.tr("Judge {pairs}")
        if n == 0:
            words, button = self.tr("No pair is in this range."), self.tr("Judge pairs")
        self.count.setText(words.format(pairs=pairs, verdict=verdict))
        self.done_button.setText(button.format(pairs=pairs))
        self.done_button.setEnabled(n > 0)
        self.counted.emit()


def _round_down(bound: float) -> str:
    """Write a lowest score so that the pair it is of is in the range."""
    return f"{math.floor(bound * 10_000) / 10_000:.4f}"


def _read_number(line: QLineEdit) -> float | None:
    text = line.text().strip().replace(",", ".")
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _tr(text: str) -> str:
    return QCoreApplication.translate("review", text)
