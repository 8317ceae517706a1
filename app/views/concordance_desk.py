"""The desk of the concordance: asks for the first lines, then for all of them.

Words that are not indexed yet are indexed first, by a job; then it asks again.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from app.engine.store.arrays import map_array
from app.errors import ErrorInfo
from app.params.words import IndexWords
from app.views.concordance_question import ConcordanceQuestion
from app.views.widgets.kwic_model import KwicLines, LineArray

if TYPE_CHECKING:
    from pathlib import Path

    from app.views.runs import RunState
    from app.views.state import AppState


class Concord(NamedTuple):
    """The lines of a question, and what is known of them.

    Attributes:
        lines: those that came so far.
        n: all hits.
        n_sentences: that hold one.
        n_searched: sentences that were searched.
        n_tokens: words of these; None: they were not counted.
        is_cut: the time was over before all was read.
        is_whole: no more lines will come.
        elapsed_s: of the first answer.
        not_indexed: ids of corpora that were left out.
        notes: sentences on the answer.
    """

    question: ConcordanceQuestion
    lines: KwicLines = KwicLines()
    n: int = 0
    n_sentences: int = 0
    n_searched: int = 0
    n_tokens: int | None = None
    is_cut: bool = False
    is_whole: bool = True
    elapsed_s: float = 0.0
    not_indexed: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


class ConcordanceDesk(QObject):
    """Asks the engine, one question at a time.

    Attributes:
        shown: the last answer; None: there is none.
        indexing: the job that indexes words for the question; None: none runs.
    """

    answered = Signal(object)  # Concord: the first lines, then all
    failed = Signal(str)  # a sentence
    indexing_changed = Signal()

    def __init__(self, state: "AppState", parent: QObject):
        super().__init__(parent)
        self._state = state
        self.shown: Concord | None = None
        self.indexing: RunState | None = None
        self._question: ConcordanceQuestion | None = None
        self._tried: set[int] = set()  # corpora whose index was asked for
        state.run_progressed.connect(self._on_run_progressed)
        state.run_finished.connect(lambda run, _result: self._on_run_ended(run))
        state.run_failed.connect(lambda run, _error: self._on_run_ended(run))
        state.run_cancelled.connect(self._on_run_ended)
        state.row_changed.connect(self._on_row_changed)

    @property
    def is_waiting(self) -> bool:
        """Tell whether the answer to a question is still to come."""
        return self._question is not None

    def ask(self, question: ConcordanceQuestion) -> None:
        """Ask for the first lines; all of them are asked for when these are there."""
        self._question = question
        self._send(question, is_first=True)

    def ask_again(self) -> None:
        """Ask the last question again: the texts have changed."""
        question = self._question or (self.shown.question if self.shown else None)
        if question is not None:
            self.ask(question)

    def show(self, question: ConcordanceQuestion, lines: LineArray) -> None:
        """Show lines that are known already: int64 (m, 3), those of a kept list."""
        self._question = None
        self.shown = Concord(question, KwicLines(lines), len(lines))
        self.answered.emit(self.shown)

    def forget(self) -> None:
        """Drop question and answer."""
        self._question = self.shown = None

    def _send(self, question: ConcordanceQuestion, *, is_first: bool) -> None:
        self._state.ask(
            question.to_query(is_first=is_first),
            lambda answer: self._on_answer(question, answer, is_first),
        )

    def _on_answer(
        self,
        question: ConcordanceQuestion,
        answer: dict[str, Any] | ErrorInfo,
        is_first: bool,
    ) -> None:
        project = self._state.project
        if question is not self._question or project is None:
            return
        if isinstance(answer, ErrorInfo):
            self._on_refused(answer)
            return
        found = _read(question, answer, project.folder)
        if not is_first:
            elapsed_s = self.shown.elapsed_s if self.shown else found.elapsed_s
            found = found._replace(elapsed_s=elapsed_s, is_whole=True)
        self.shown = found
        if found.is_whole:
            self._question = None
        self.answered.emit(found)
        if not found.is_whole and question is self._question:
            self._send(question, is_first=False)
        if is_first:
            self._index(found.not_indexed)

    def _on_refused(self, error: ErrorInfo) -> None:
        if error.kind == "superseded":
            return
        self._question = None
        if error.kind == "crash":
            self.failed.emit(self.tr("The engine was stopped: ask again."))
        else:
            self.failed.emit(error.message)

    # --- words that are not indexed ---

    def _index(self, corpora: tuple[int, ...]) -> None:
        """Index the words of corpora, once, where the project can be written."""
        project = self._state.project
        missing = [id_ for id_ in corpora if id_ not in self._tried]
        if missing and project is not None and not project.is_read_only:
            self._tried |= set(missing)
            params = IndexWords(corpora=tuple(map(str, missing)))
            self.indexing = self._state.run(params)
            self.indexing_changed.emit()

    def _on_run_progressed(self, run: "RunState") -> None:
        if run is self.indexing:
            self.indexing_changed.emit()

    def _on_run_ended(self, run: "RunState") -> None:
        if run is self.indexing:
            self.indexing = None
            self._tried.clear()
            self.indexing_changed.emit()

    def _on_row_changed(self, kind: str, row_id: object) -> None:
        """Ask again where words of a corpus in question were indexed."""
        shown = self.shown
        if kind == "words" and shown is not None and row_id in shown.not_indexed:
            self.ask_again()


def _read(
    question: ConcordanceQuestion, answer: dict[str, Any], folder: "Path"
) -> Concord:
    words = map_array(folder / answer["words"]) if answer.get("words") else None
    lines = KwicLines(map_array(folder / answer["file"]), words)
    return Concord(
        question,
        lines,
        int(answer["n"]),
        int(answer.get("n_sentences", 0)),
        int(answer.get("n_searched", 0)),
        answer.get("n_tokens"),
        bool(answer.get("is_cut")),
        len(lines) >= int(answer["n"]),
        float(answer.get("elapsed_s", 0.0)),
        tuple(answer.get("not_indexed", ())),
        tuple(answer.get("notes", ())),
    )
