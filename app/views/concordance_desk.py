"""The desk of the concordance: asks for the first lines, then for all of them.

Words that are not indexed yet are indexed first, by a job; then it asks again.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import Signal

from app.engine.store.arrays import map_array
from app.errors import ErrorInfo
from app.views.concordance_question import ConcordanceQuestion
from app.views.indexing_desk import IndexingDesk
from app.views.widgets.kwic_model import KwicLines, LineArray

if TYPE_CHECKING:
    from pathlib import Path


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


class ConcordanceDesk(IndexingDesk[ConcordanceQuestion, Concord]):
    """Asks the engine, one question at a time."""

    answered = Signal(object)  # Concord: the first lines, then all

    def ask(self, question: ConcordanceQuestion) -> None:
        """Ask for the first lines; all of them are asked for when these are there."""
        self._question = question
        self._send(question, is_first=True)

    def show(self, question: ConcordanceQuestion, lines: LineArray) -> None:
        """Show lines that are known already: int64 (m, 3), those of a kept list."""
        self._question = None
        self.shown = Concord(question, KwicLines(lines), len(lines))
        self.answered.emit(self.shown)

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
