"""The dialog that builds a sub-corpus step by step and counts what remains."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.engine.store.arrays import map_array
from app.engine.store.subcorpora import SubcorpusRow
from app.errors import ErrorInfo
from app.params.corpora import MakeSubcorpus
from app.params.flags import command_text
from app.params.query_steps import parse_steps
from app.params.vectors import Encode
from app.params.words import IndexWords
from app.protocol.queries.words import ChainQuery
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.corpora.subcorpus_steps import (
    StepCard,
    StepCompletions,
    StepList,
    StepPalette,
)
from app.views.widgets.chips import Chips
from app.views.widgets.controls import add_action, describe, make_button, make_label
from app.views.widgets.corpus_choices import (
    ChosenIds,
    chip_choices,
    chips_of_ids,
    ids_of_chips,
    names_of_ids,
)
from app.views.widgets.dialogs import copy_text
from app.views.widgets.id_order import ArrayOrder
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.page_layout import make_split
from app.views.widgets.sentence_table import SentenceTable
from app.views.widgets.theme import GRID

PROGRESS_MS = 1_000  # how often it is told that an answer is still to come
MISSING_TOPIC = "missing"  # topic of messages
NO_CORPUS = 0  # an id that none has
MAX_NAMES = 3  # corpora named in a sentence


class StepCounter(QObject):
    """Asks the engine, one question at a time; the newest ends older ones."""

    answered = Signal(object)  # dict: the answer to the newest question
    waited = Signal(int)  # for so many seconds
    refused = Signal(str)  # a sentence

    def __init__(self, state: AppState, messages: MessageBar, parent: QObject):
        """Ask nothing yet.

        Args:
            state: of the window.
            messages: where it is said what a chain needs.
            parent: the dialog.
        """
        super().__init__(parent)
        self._state, self._messages = state, messages
        self._query = ChainQuery()
        self._indexed: set[int] = set()  # corpora whose words were asked for
        self._missing: tuple[list[int], list[int]] = ([], [])  # words, vectors
        self._encoding: RunState | None = None
        self._seconds = 0
        self._clock = QTimer(self, interval=PROGRESS_MS)
        self._clock.timeout.connect(self._on_second)
        state.kinds_changed.connect(self._on_kinds_changed)
        state.embeddings_changed.connect(self._on_embeddings_changed)
        state.run_failed.connect(lambda run, _error: self._on_run_stopped(run))
        for stopped in (state.run_cancelled, state.run_paused):
            stopped.connect(self._on_run_stopped)

    def ask(self, ids: ChosenIds, steps: Sequence[str]) -> None:
        """Ask what steps leave of corpora and sub-corpora."""
        self._query = ChainQuery(
            corpora=ids.corpora,
            subcorpora=ids.subcorpora,
            steps=tuple(steps),
            asker="chain",
        )
        self._ask()

    def end(self) -> None:
        """Need no answer any more: an empty question ends the one under way."""
        if self._clock.isActive():
            self._clock.stop()
            self._query = ChainQuery(corpora=(NO_CORPUS,), asker="chain")
            self._state.ask(self._query, lambda _answer: None)

    def encode(self) -> None:
        """Encode what a step by meaning needs; then it is counted again."""
        params = Encode(corpora=tuple(map(str, self._missing[1])))
        self._encoding = self._state.run(params)
        self._messages.post(
            self.tr("The vectors are being made; then the sentences are counted."),
            topic=MISSING_TOPIC,
        )

    def _ask(self) -> None:
        self._seconds = 0
        self._clock.start()
        self._state.ask(self._query, partial(self._on_answer, self._query))

    def _on_answer(self, query: ChainQuery, answer: dict[str, Any] | ErrorInfo) -> None:
        if query is not self._query:
            return  # a newer one is asked
        self._clock.stop()
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self.refused.emit(answer.message)
            return
        self.answered.emit(answer)
        missing = (answer["not_indexed"], answer["not_encoded"])
        if missing != self._missing:
            self._missing = missing
            self._tell_missing()

    def _tell_missing(self) -> None:
        """Index words that a step needs; offer to make vectors; both once."""
        project, (words, vectors) = self._state.project, self._missing
        self._messages.clear()
        if project is None or project.is_read_only:
            return
        new = set(words) - self._indexed
        if new:
            self._indexed |= new
            self._state.run(IndexWords(corpora=tuple(map(str, sorted(new)))))
            text = self.tr("The words are being indexed; then they are counted.")
            self._messages.post(text, topic=MISSING_TOPIC)
        is_encoding = self._encoding is not None and self._encoding.is_open
        names = [row.name for row in project.corpora if row.id in vectors]
        if names and not is_encoding:
            self._offer_encoding(names)

    def _offer_encoding(self, names: Sequence[str]) -> None:
        text = self.tr("{names} is not encoded, so it is not searched by meaning.")
        if len(names) > 1:
            text = self.tr(
                "{n} corpora are not encoded, so they are not searched by meaning: "
                "{names}."
            )
        listed = ", ".join(names[:MAX_NAMES]) + (" …" if len(names) > MAX_NAMES else "")
        button = make_button(
            self.tr("Encode"),
            self.tr("Make the vectors of these corpora now."),
            self.encode,
        )
        text = text.format(n=len(names), names=listed)
        self._messages.post(text, buttons=[button], topic=MISSING_TOPIC)

    def _on_second(self) -> None:
        self._seconds += 1
        self.waited.emit(self._seconds)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if "words" in kinds:
            self._ask()

    def _on_embeddings_changed(self) -> None:
        if self._missing[1]:
            self._ask()

    def _on_run_stopped(self, run: RunState) -> None:
        """Offer again what ended before it was done."""
        if run is self._encoding:
            self._encoding = None
            self._tell_missing()


ASK_AFTER_MS = 250  # without another change
MAX_UNDO = 100


class _Draft(NamedTuple):
    """A chain as it stands: keys of the corpora that it begins with, and lines."""

    keys: tuple[str, ...]
    lines: tuple[str, ...]


class SubcorpusDialog(QDialog):
    """Edits a chain; what it leaves is counted and shown at once.

    Attributes:
        counts: sentences before the first step and after each one, as they are known.
    """

    counted = Signal()
    run_wanted = Signal(object)  # MakeSubcorpus

    def __init__(
        self,
        state: AppState,
        row: SubcorpusRow | None = None,
        *,
        begins_with: Sequence[str] = (),
        parent: QWidget | None = None,
    ):
        """Make the dialog.

        Args:
            state: of the window.
            row: the sub-corpus whose chain is edited; None: a new one.
            begins_with: keys of the chips that a new one begins with.
            parent: the view.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._state, self._row = state, row
        self.counts: list[int] = []
        self._done: list[_Draft] = []  # older chains, the newest last
        self.corpora = Chips(self.tr("All corpora"), self)
        chosen = StepCompletions(state, lambda: ids_of_chips(self.corpora.chosen))
        self.list, self.shelf = StepList(chosen), StepPalette()
        self.messages = MessageBar()
        self.desk = StepCounter(state, self.messages, self)
        self.corpora.set_choices(chip_choices(state.project))
        self.name = QLineEdit()
        describe(self.name, self.tr("Name"), self.tr("Name to keep it by."))
        self.name.setPlaceholderText(self.tr("Name of the sub-corpus"))
        self.table = SentenceTable()
        self._begun, self._left = make_label("", "secondary"), make_label("", "section")
        self._problem = make_label("", "warning", wraps=True)
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self.ask)
        self._lay_out()
        self._show_first(row, begins_with)
        self.list.changed.connect(self._on_changed)
        self.corpora.changed.connect(self._on_changed)
        self.name.returnPressed.connect(self.save)
        self.shelf.filter_wanted.connect(self.list.add)
        self.desk.answered.connect(self._on_answered)
        self.desk.waited.connect(self._on_waited)
        self.desk.refused.connect(self._on_refused)
        self.finished.connect(self.desk.end)
        add_action(self, self.tr("Undo"), self.undo, keys=QKeySequence.StandardKey.Undo)
        self.ask()

    # --- the chain ---

    @property
    def lines(self) -> list[str]:
        """The steps, without those that miss a parameter."""
        return [line for line in self.list.lines if line is not None]

    def params(self) -> MakeSubcorpus:
        """Return the params of the task that makes this sub-corpus."""
        return MakeSubcorpus(
            corpora=names_of_ids(
                self._state.project, ids_of_chips(self.corpora.chosen)
            ),
            steps=tuple(self.lines),
            name=self.name.text().strip(),
            again=self._row is not None,
        )

    def undo(self) -> None:
        """Take the newest change of the chain back."""
        if len(self._done) > 1:
            self._done.pop()
            self._show(self._done[-1])
            self.ask()

    def copy_command(self) -> None:
        """Copy the command that makes it."""
        project = self._state.project
        copy_text(command_text(self.params(), project.folder if project else None))
        self._state.notice_posted.emit(self.tr("The command is copied."))

    def save(self) -> None:
        """Make the sub-corpus, if the chain is whole and it has a name."""
        problem = ""
        if None in self.list.lines:
            problem = self.tr("Fill in the step that misses something, or remove it.")
        elif not self.lines:
            problem = self.tr("Add a step: without one these are whole corpora.")
        elif not self.name.text().strip():
            problem = self.tr("Give the sub-corpus a name.")
            self.name.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self._is_taken():
            words = self.tr("There is a corpus or sub-corpus called {name} already.")
            problem = words.format(name=self.name.text().strip())
        elif self.counts and not self.counts[-1]:
            problem = self.tr("The chain leaves no sentence: there is nothing to keep.")
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        if not problem:
            self.run_wanted.emit(self.params())
            self.accept()

    def _is_taken(self) -> bool:
        project, name = self._state.project, self.name.text().strip()
        if project is None or self._row is not None:
            return False
        return name in {
            *(row.name for row in project.corpora),
            *(row.name for row in project.subcorpora),
        }

    # --- counts ---

    def ask(self) -> None:
        """Ask what the chain leaves; an older question is superseded."""
        self._timer.stop()
        self.desk.ask(ids_of_chips(self.corpora.chosen), self.lines)

    def _on_answered(self, answer: dict[str, Any]) -> None:
        self.counts = list(answer["counts"])
        ready = [card for card in self.list.cards if card.line() is not None]
        steps = zip(ready, answer["problems"], strict=True)
        for place, (card, problem) in enumerate(steps):
            assert isinstance(card, StepCard)
            before, n = self.counts[place : place + 2]
            card.show_left(n, before, problem)
        one = self.tr("It begins with 1 sentence.")
        many = self.tr("It begins with {n} sentences.")
        self._begun.setText(pluralize(self.counts[0], one, many))
        one, many = self.tr("1 sentence is left"), self.tr("{n} sentences are left")
        self._left.setText(pluralize(answer["n"], one, many))
        project = self._state.project
        if project is not None:
            order = ArrayOrder(map_array(project.folder / answer["file"]))
            self.table.show_ids(project.store, order)
        self.counted.emit()

    def _on_waited(self, seconds: int) -> None:
        words = self.tr("The sentences are being counted… {n} s")
        self._left.setText(words.format(n=format_count(seconds)))

    def _on_refused(self, text: str) -> None:
        self._problem.setText(text)
        self._problem.show()

    def _on_changed(self) -> None:
        chain = _Draft(self.corpora.chosen, tuple(self.lines))
        if not self._done or chain != self._done[-1]:
            self._done = [*self._done, chain][-MAX_UNDO:]
        for card in self.list.cards:
            card.show_waiting()
        self._problem.hide()
        self._timer.start()

    # --- making ---

    def _show_first(self, row: SubcorpusRow | None, begins_with: Sequence[str]) -> None:
        chain = _Draft(tuple(begins_with), ())
        title = self.tr("New sub-corpus")
        if row is not None:
            chain = _Draft(tuple(chips_of_ids(row.corpora, ())), row.steps)
            title = self.tr("The chain of {name}").format(name=row.name)
            self.name.setText(row.name)
            self.name.setEnabled(False)
        self.setWindowTitle(title)
        self._title.setText(title)
        self._show(chain)
        self._done = [_Draft(self.corpora.chosen, tuple(self.lines))]

    def _show(self, chain: _Draft) -> None:
        for widget in (self.corpora, self.list):
            widget.blockSignals(True)
        self.corpora.choose(chain.keys)
        self.list.show_filters(parse_steps(chain.lines))
        for widget in (self.corpora, self.list):
            widget.blockSignals(False)

    def _lay_out(self) -> None:
        self._title = make_label("", "heading")
        self._problem.hide()
        left, right = QWidget(), QWidget()
        steps, found = QVBoxLayout(left), QVBoxLayout(right)
        for box in (steps, found):
            box.setContentsMargins(0, 0, 0, 0)
            box.setSpacing(GRID)
        steps.addWidget(self.corpora)
        steps.addWidget(self._begun)
        steps.addWidget(self.list, 1)
        steps.addWidget(self.shelf)
        found.addWidget(self._left)
        found.addWidget(self.table, 1)
        split = make_split(left, right, sizes=(74 * GRID, 46 * GRID))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self._title)
        layout.addWidget(self.messages)
        layout.addWidget(split, 1)
        layout.addWidget(self._problem)
        layout.addLayout(self._make_buttons())
        self.resize(128 * GRID, 84 * GRID)

    def _make_buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(GRID)
        copy = make_button(
            self.tr("Copy as command"),
            self.tr("Copy the command that does this job in a terminal."),
            self.copy_command,
            kind="quiet",
        )
        undo = make_button(
            self.tr("Undo"),
            self.tr("Take the newest change of the chain back (Ctrl+Z)."),
            self.undo,
            kind="quiet",
        )
        cancel = make_button(self.tr("Cancel"), self.tr("Go back."), self.reject)
        self.save_button = make_button(
            self.tr("Save"),
            self.tr("Keep these sentences as a sub-corpus."),
            self.save,
            kind="primary",
        )
        row.addWidget(copy)
        row.addWidget(undo)
        row.addWidget(self.name, 1)
        row.addWidget(cancel)
        row.addWidget(self.save_button)
        return row
