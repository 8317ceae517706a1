"""What asks what a chain leaves, and has words and vectors made that it needs."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.errors import ErrorInfo
from app.params import Encode, IndexWords
from app.views.corpus_choices import ChosenIds
from app.views.runs import RunState
from app.views.state import AppState
from app.views.widgets.controls import make_button
from app.views.widgets.message_bar import MessageBar
from app.word_questions import ChainQuery

TELL_MS = 1_000  # how often it is told that an answer is still to come
MISSING = "missing"  # topic of messages
NO_CORPUS = 0  # an id that none has
N_NAMES = 3  # corpora named in a sentence


class ChainDesk(QObject):
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
        self._clock = QTimer(self, interval=TELL_MS)
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
            topic=MISSING,
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
            self._messages.post(text, topic=MISSING)
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
        listed = ", ".join(names[:N_NAMES]) + (" …" if len(names) > N_NAMES else "")
        button = make_button(
            self.tr("Encode"),
            self.tr("Make the vectors of these corpora now."),
            self.encode,
        )
        text = text.format(n=len(names), names=listed)
        self._messages.post(text, buttons=[button], topic=MISSING)

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
