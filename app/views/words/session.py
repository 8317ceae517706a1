"""The desk of lists of words: asks the engine, page by page.

Words that are not indexed yet are indexed first, by a job, and so are long lists
counted that are not kept yet; then it asks again.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from PySide6.QtCore import QObject, Signal

from app.errors import ErrorInfo
from app.views.client.indexed_queries import IndexedQueryController
from app.views.widgets.corpus_choices import ChosenIds, names_of_ids
from app.views.words.settings import ResourceNames, WordListSettings

if TYPE_CHECKING:
    from app.views.client.runs import RunState
    from app.views.client.state import AppState

Row = dict[str, Any]


class LoadedWordList(NamedTuple):
    """The rows of a question that are there so far, and what is known of them.

    Attributes:
        rows: as the engine answers them.
        n_items: rows in all.
        facts: the rest of the answer.
    """

    question: WordListSettings
    rows: list[Row]
    n_items: int
    facts: dict[str, Any]

    @property
    def not_indexed(self) -> tuple[int, ...]:
        """Ids of corpora that were left out."""
        return tuple(self.facts.get("not_indexed") or ())

    @property
    def is_left(self) -> bool:
        """Return whether the list takes long to count, and was not."""
        return bool(self.facts.get("not_counted"))

    @property
    def is_whole(self) -> bool:
        """Return whether no more rows will come."""
        return len(self.rows) >= self.n_items


class WordListSession(IndexedQueryController[WordListSettings, LoadedWordList]):
    """Asks the engine, one question at a time.

    Attributes:
        counting: the job that counts the list in question; None: none runs.
    """

    answered = Signal(object)  # Listed: of a new question
    rows_added = Signal(object)  # list of rows: the next page

    def __init__(self, state: "AppState", parent: QObject):
        super().__init__(state, parent)
        self.counting: RunState | None = None
        self._wants_more = False
        state.run_finished.connect(lambda run, _result: self._on_counted(run))
        state.run_failed.connect(lambda run, _error: self._on_count_ended(run))
        state.run_cancelled.connect(self._on_count_ended)

    def ask(self, question: WordListSettings, *, waits: bool = False) -> None:
        """Ask for the first page of a list.

        Args:
            question: what is asked.
            waits: for the answer itself, however long the list takes to count.
        """
        self._stop_counting()
        self._question = question
        self._wants_more = False
        waits = waits or not self._can_count
        self._state.ask(
            question.to_query(waits=waits),
            lambda answer: self._on_answer(question, answer),
        )

    def forget(self) -> None:
        """Drop question and answer."""
        self._stop_counting()
        super().forget()

    def ask_more(self) -> None:
        """Ask for the next page of the list that is shown."""
        shown = self.shown
        if shown is None or shown.is_whole or self._wants_more or self._question:
            return
        self._wants_more = True
        self._state.ask(
            shown.question.to_query(len(shown.rows)),
            lambda answer: self._on_more(shown, answer),
        )

    def _on_answer(
        self, question: WordListSettings, answer: dict[str, Any] | ErrorInfo
    ) -> None:
        if question is not self._question or self._state.project is None:
            return
        if isinstance(answer, ErrorInfo):
            self._on_refused(answer)
            return
        self._question = None
        self.shown = read_word_list(question, answer)
        if self.shown.is_left and not self.shown.not_indexed:
            self._count(question)
        self.answered.emit(self.shown)
        self._index(self.shown.not_indexed)

    @property
    def _can_count(self) -> bool:
        """Return whether a job would keep the list, and begin now."""
        project = self._state.project
        open_ = [run for run in self._state.runs if not run.is_cancelling]
        others = [run for run in open_ if run is not self.indexing]
        return project is not None and not (project.is_read_only or others)

    def _count(self, question: WordListSettings) -> None:
        """Count a list by a job, which shows how far it is and can be cancelled."""
        project = self._state.project
        if project is not None:
            chosen = ChosenIds(question.corpora, question.subcorpora)
            named = names_of_ids(project, chosen)
            self.counting = self._state.run(
                question.to_params(ResourceNames(corpora=named))
            )

    def _stop_counting(self) -> None:
        run, self.counting = self.counting, None
        if run is not None:
            self._state.cancel(run)

    def _on_counted(self, run: "RunState") -> None:
        """Ask for the list that is kept now, or that could not be kept."""
        if run is self.counting and self.shown is not None:
            self.counting = None
            self.ask(self.shown.question, waits=True)

    def _on_count_ended(self, run: "RunState") -> None:
        if run is self.counting:
            self.counting = None
            self.indexing_changed.emit()

    def _on_run_progressed(self, run: "RunState") -> None:
        super()._on_run_progressed(run)
        if run is self.counting:
            self.indexing_changed.emit()

    def _on_more(
        self, before: LoadedWordList, answer: dict[str, Any] | ErrorInfo
    ) -> None:
        if self.shown is not before:
            return
        self._wants_more = False
        if isinstance(answer, ErrorInfo):
            return  # it is asked for again when the end is reached again
        rows = answer["rows"]
        n_items = before.n_items if rows else len(before.rows)
        self.shown = before._replace(rows=before.rows + rows, n_items=n_items)
        self.rows_added.emit(rows)


class FullListReader(QObject):
    """Asks for all pages of a list, one behind the other, up to a limit."""

    finished = Signal(object)  # Listed
    failed = Signal(str)
    MOST = 100_000

    def __init__(self, state: "AppState", question: WordListSettings, parent: QObject):
        super().__init__(parent)
        self._state, self._question = state, question
        self._rows: list[Row] = []
        self._ask()

    def _ask(self) -> None:
        query = self._question.to_query(len(self._rows), asker="words-export")
        self._state.ask(query, self._on_answer)

    def _on_answer(self, answer: dict[str, Any] | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self.failed.emit(answer.message)
            self.deleteLater()
            return
        self._rows += answer["rows"]
        listed = read_word_list(self._question, answer)._replace(rows=self._rows)
        if answer["rows"] and not listed.is_whole and len(self._rows) < self.MOST:
            self._ask()
            return
        self.finished.emit(listed)
        self.deleteLater()


def read_word_list(
    question: WordListSettings, answer: dict[str, Any]
) -> LoadedWordList:
    """Take an answer apart."""
    rows = answer.get("rows") or []
    facts: dict[str, Any] = {
        name: value for name, value in answer.items() if name != "rows"
    }
    facts["has_dictionary"] = bool(question.dictionary)
    n_items = len(rows)
    if question.page == "frequencies":  # the only list that comes in pages
        n_items = int(answer.get("n_items", n_items))
    return LoadedWordList(question, rows, n_items, facts)


def change_settings(question: WordListSettings, **changes: Any) -> WordListSettings:
    """Return a question with some things changed."""
    return msgspec.structs.replace(question, **changes)
