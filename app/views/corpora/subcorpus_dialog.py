"""The dialog that builds a sub-corpus step by step and counts what remains."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.engine.store.arrays import map_array
from app.engine.store.documents import list_documents
from app.engine.store.subcorpora import SubcorpusRow
from app.errors import ErrorInfo
from app.params.corpora import MakeSubcorpus
from app.params.query_steps import DocumentStep, FieldStep, parse_steps
from app.params.vectors import Encode
from app.params.words import IndexWords
from app.protocol.answers.corpora import StepCounts
from app.protocol.queries.words import StepsQuery
from app.views.client.project_reader import ProjectReader
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
    find_chosen,
    ids_of_chips,
    names_of_ids,
)
from app.views.widgets.dialogs import (
    fit_dialog,
    lay_out_buttons,
    lay_out_dialog,
    lay_out_field,
)
from app.views.widgets.id_order import ArrayOrder
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.page_layout import make_scroll_area, make_split
from app.views.widgets.sentence_table import SentenceTable
from app.views.widgets.submission import Submission
from app.views.widgets.task_dialog import copy_command
from app.views.widgets.theme import GRID

PROGRESS_MS = 1_000  # between two signals during a long count
MISSING_TOPIC = "missing"  # topic of messages
DOCUMENTS_TOPIC = "documents"  # topic of messages
NO_CORPUS = 0  # an id that no corpus has
MAX_NAMES = 3  # corpora named in a sentence


class StepCounter(QObject):
    """Asks the engine how many sentences remain after each step."""

    answered = Signal(StepCounts)  # the answer to the newest query
    waiting = Signal(int)  # seconds since the query
    failed = Signal(str)  # the error

    def __init__(self, state: AppState, messages: MessageBar, parent: QObject):
        """Initialise; `messages` shows which word indexes or vectors are missing."""
        super().__init__(parent)
        self._state, self._messages = state, messages
        self._query = StepsQuery()
        self._indexed: set[int] = set()  # corpora whose indexing was started
        self._missing: tuple[list[int], list[int]] = ([], [])  # words, vectors
        self._encoding: RunState | None = None
        self._seconds = 0
        self._clock = QTimer(self, interval=PROGRESS_MS)
        self._clock.timeout.connect(self._on_second)
        state.kinds_changed.connect(self._on_kinds_changed)
        state.embeddings_changed.connect(self._on_embeddings_changed)
        state.run_failed.connect(self._on_run_stopped)
        for stopped in (state.run_cancelled, state.run_paused):
            stopped.connect(self._on_run_stopped)

    def ask(self, ids: ChosenIds, steps: Sequence[str]) -> None:
        """Count the sentences of (sub-)corpora that remain after each step."""
        self._query = StepsQuery(
            corpora=ids.corpora,
            subcorpora=ids.subcorpora,
            steps=tuple(steps),
            requester="chain",
        )
        self._ask()

    def end(self) -> None:
        """Stop the current query by superseding it with an empty one."""
        if self._clock.isActive():
            self._clock.stop()
            self._query = StepsQuery(corpora=(NO_CORPUS,), requester="chain")
            self._state.ask(self._query, lambda _answer: None)

    def encode(self) -> None:
        """Encode the corpora for a step that searches by meaning, then count again."""
        params = Encode(corpora=tuple(map(str, self._missing[1])))
        self._encoding = self._state.run(params)
        self._messages.post(
            self.tr("Encoding… The sentences are counted afterwards."),
            topic=MISSING_TOPIC,
        )

    def _ask(self) -> None:
        self._seconds = 0
        self._clock.start()
        self._state.ask(self._query, partial(self._on_answer, self._query))

    def _on_answer(self, query: StepsQuery, answer: StepCounts | ErrorInfo) -> None:
        if query is not self._query:
            return  # superseded
        self._clock.stop()
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self.failed.emit(answer.message)
            return
        self.answered.emit(answer)
        missing = (answer.not_indexed, answer.not_encoded)
        if missing != self._missing:
            self._missing = missing
            self._show_missing()

    def _show_missing(self) -> None:
        """Index the words for a step, and offer to encode corpora, once per corpus."""
        project, (words, vectors) = self._state.project, self._missing
        self._messages.clear()
        if project is None or project.is_read_only:
            return
        new = set(words) - self._indexed
        if new:
            self._indexed |= new
            self._state.run(IndexWords(corpora=tuple(map(str, sorted(new)))))
            text = self.tr("Indexing words… The sentences are counted afterwards.")
            self._messages.post(text, topic=MISSING_TOPIC)
        is_encoding = self._encoding is not None and self._encoding.is_open
        names = [row.name for row in project.corpora if row.id in vectors]
        if names and not is_encoding:
            self._offer_encoding(names)

    def _offer_encoding(self, names: Sequence[str]) -> None:
        text = self.tr("{names} is not encoded, so steps by meaning skip it.")
        if len(names) > 1:
            text = self.tr(
                "{n} corpora are not encoded, so steps by meaning skip them: {names}."
            )
        listed = ", ".join(names[:MAX_NAMES]) + (" …" if len(names) > MAX_NAMES else "")
        button = make_button(
            self.tr("Encode"),
            self.tr("Encode these corpora now."),
            self.encode,
        )
        text = text.format(n=len(names), names=listed)
        self._messages.post(text, buttons=[button], topic=MISSING_TOPIC)

    def _on_second(self) -> None:
        self._seconds += 1
        self.waiting.emit(self._seconds)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if "words" in kinds:
            self._ask()

    def _on_embeddings_changed(self) -> None:
        if self._missing[1]:
            self._ask()

    def _on_run_stopped(self, run: RunState, _error: object = None) -> None:
        """Offer to encode again after a run failed or was cancelled."""
        if run is self._encoding:
            self._encoding = None
            self._show_missing()


ASK_AFTER_MS = 250  # without another change
MAX_UNDO = 100


class _Draft(NamedTuple):
    """A version of the edited steps: keys of the initial corpora, and step lines."""

    keys: tuple[str, ...]
    lines: tuple[str, ...]


class SubcorpusDialog(QDialog):
    """Edits the steps of a sub-corpus and shows how many sentences remain.

    Attributes:
        counts: sentences before the first step and after each one.
    """

    counted = Signal()
    run_requested = Signal(object)  # MakeSubcorpus
    import_requested = Signal(list)  # CorpusRows whose files are imported again

    def __init__(
        self,
        state: AppState,
        row: SubcorpusRow | None = None,
        *,
        initial: Sequence[str] = (),
        parent: QWidget | None = None,
    ):
        """Make the dialog.

        Args:
            row: the sub-corpus to edit; None for a new one.
            initial: keys of the initially selected corpora of a new sub-corpus.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._state, self._row = state, row
        self.counts: list[int] = []
        self._history: list[_Draft] = []  # the newest last
        self.corpora = Chips(self.tr("All corpora"), self)
        completions = StepCompletions(state, lambda: ids_of_chips(self.corpora.chosen))
        self.list, self.step_palette = StepList(completions), StepPalette()
        self.messages = MessageBar()
        self.counter = StepCounter(state, self.messages, self)
        self.corpora.set_choices(chip_choices(state.project))
        self.name = QLineEdit()
        describe(self.name, self.tr("Name"), self.tr("Name of the sub-corpus."))
        self.name.setPlaceholderText(self.tr("Name of the sub-corpus"))
        self.table = SentenceTable()
        self._initial_count, self._left = (
            make_label("", "secondary"),
            make_label("", "section"),
        )
        self._problem = make_label("", "warning", wraps=True)
        self._submission = Submission(self, state, self._show_problem)
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self.ask)
        self._lay_out()
        self._show_initial(row, initial)
        self.list.changed.connect(self._on_changed)
        self.corpora.changed.connect(self._on_changed)
        self.name.returnPressed.connect(self.save)
        self.step_palette.filter_requested.connect(self.list.add)
        self.counter.answered.connect(self._on_answered)
        self.counter.waiting.connect(self._on_waiting)
        self.counter.failed.connect(self._on_failed)
        self.finished.connect(self.counter.end)
        undo = QKeySequence.StandardKey.Undo
        add_action(self, self.tr("Undo"), slot=self.undo, keys=undo)
        self.ask()

    # --- the steps ---

    @property
    def lines(self) -> list[str]:
        """The lines of the complete steps."""
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
        """Undo the latest change of the steps."""
        if len(self._history) > 1:
            self._history.pop()
            self._show(self._history[-1])
            self.ask()

    def copy_command(self) -> None:
        """Copy the command that makes the sub-corpus."""
        copy_command(self._state, self.params())

    def save(self) -> None:
        """Make the sub-corpus if its steps and its name are complete."""
        problem = ""
        if None in self.list.lines:
            problem = self.tr("Complete the unfinished step, or remove it.")
        elif not self.lines:
            problem = self.tr("Add at least one step.")
        elif not self.name.text().strip():
            problem = self.tr("Enter a name for the sub-corpus.")
            self.name.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self._is_taken():
            words = self.tr("The name {name} is already in use. Enter another one.")
            problem = words.format(name=self.name.text().strip())
        elif self.counts and not self.counts[-1]:
            problem = self.tr("The steps leave no sentences. Change or remove a step.")
        self._show_problem(problem)
        if not problem:
            self._submission.submit(lambda: self.run_requested.emit(self.params()))

    def _show_problem(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))

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
        """Count the remaining sentences; the new query supersedes older ones."""
        self._timer.stop()
        self.counter.ask(ids_of_chips(self.corpora.chosen), self.lines)

    def _on_answered(self, answer: StepCounts) -> None:
        ready = [card for card in self.list.cards if card.line() is not None]
        if len(ready) != len(answer.problems):
            return  # a step has changed since: another count follows
        self.counts = answer.counts
        steps = zip(ready, answer.problems, strict=True)
        for index, (card, problem) in enumerate(steps):
            assert isinstance(card, StepCard)
            before, n = self.counts[index : index + 2]
            card.show_left(n, before, problem)
        one = self.tr("Starting from 1 sentence.")
        many = self.tr("Starting from {n} sentences.")
        self._initial_count.setText(pluralize(self.counts[0], one, many))
        one, many = self.tr("1 sentence left"), self.tr("{n} sentences left")
        self._left.setText(pluralize(answer.n, one, many))
        project = self._state.project
        if project is not None:
            order = ArrayOrder(map_array(project.folder / answer.file))
            self.table.show_ids(project.store, order)
            if any(answer.problems):
                self._offer_import(project)
        self.counted.emit()

    def _offer_import(self, project: ProjectReader) -> None:
        """Offer to import the files again if the documents for a step are missing."""
        steps = parse_steps(self.lines)
        is_needed = any(isinstance(step, FieldStep | DocumentStep) for step in steps)
        names = names_of_ids(project, ids_of_chips(self.corpora.chosen))
        rows = [row for name in names for row in find_chosen(project, name)]
        rows = rows or list(project.corpora)
        if not is_needed or any(list_documents(project.store, row.id) for row in rows):
            return

        def begin() -> None:
            self.reject()
            self.import_requested.emit(rows)

        button = make_button(
            self.tr("Import again…"),
            self.tr("Close this dialog and import the files with their fields."),
            begin,
        )
        text = self.tr("Fields and documents are imported with the files.")
        self.messages.post(text, buttons=[button], topic=DOCUMENTS_TOPIC)

    def _on_waiting(self, seconds: int) -> None:
        words = self.tr("Counting… {n}\u00a0s")
        self._left.setText(words.format(n=format_count(seconds)))

    def _on_failed(self, text: str) -> None:
        self._problem.setText(text)
        self._problem.show()

    def _on_changed(self) -> None:
        draft = _Draft(self.corpora.chosen, tuple(self.lines))
        if not self._history or draft != self._history[-1]:
            self._history = [*self._history, draft][-MAX_UNDO:]
        for card in self.list.cards:
            card.show_waiting()
        self._problem.hide()
        self._timer.start()

    # --- making ---

    def _show_initial(self, row: SubcorpusRow | None, initial: Sequence[str]) -> None:
        draft = _Draft(tuple(initial), ())
        title = self.tr("New sub-corpus")
        if row is not None:
            draft = _Draft(tuple(chips_of_ids(row.corpora, ())), row.steps)
            title = self.tr("Steps of {name}").format(name=row.name)
            self.name.setText(row.name)
            self.name.setEnabled(False)
        self.setWindowTitle(title)
        self._title.setText(title)
        self._show(draft)
        self._history = [_Draft(self.corpora.chosen, tuple(self.lines))]

    def _show(self, draft: _Draft) -> None:
        with QSignalBlocker(self.corpora), QSignalBlocker(self.list):
            self.corpora.choose(draft.keys)
            self.list.show_filters(parse_steps(draft.lines))

    def _lay_out(self) -> None:
        self._title = make_label("", "heading")
        self._problem.hide()
        left, right = QWidget(), QWidget()
        steps, found = QVBoxLayout(left), QVBoxLayout(right)
        for box in (steps, found):
            box.setContentsMargins(0, 0, 0, 0)
            box.setSpacing(GRID)
        steps.addWidget(self.corpora)
        steps.addWidget(self._initial_count)
        self.list.setContentsMargins(0, 0, GRID, 0)
        steps.addWidget(make_scroll_area(self.list), 1)
        steps.addWidget(self.step_palette)
        found.addWidget(self._left)
        found.addWidget(self.table, 1)
        split = make_split(left, right, sizes=(74 * GRID, 46 * GRID), parent=self)
        layout = lay_out_dialog(self)
        layout.addWidget(self._title)
        layout.addWidget(self.messages)
        layout.addWidget(split, 1)
        layout.addWidget(self._problem)
        layout.addLayout(lay_out_field(self.tr("Name"), self.name))
        layout.addLayout(self._make_buttons())
        fit_dialog(self, 128 * GRID, 84 * GRID)

    def _make_buttons(self) -> QHBoxLayout:
        copy = make_button(
            self.tr("Copy as command"),
            self.tr("Copy the terminal command that makes this sub-corpus."),
            self.copy_command,
            kind="quiet",
        )
        undo = make_button(
            self.tr("Undo"),
            self.tr("Undo the last change to the steps (Ctrl+Z)."),
            self.undo,
            kind="quiet",
        )
        self.save_button = make_button(
            self.tr("Save sub-corpus"),
            self.tr("Save these sentences as a sub-corpus."),
            self.save,
            kind="primary",
        )
        return lay_out_buttons(self, self.save_button, left=[copy, undo])
