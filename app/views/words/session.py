"""Send word list queries, and receive their rows page by page.

A run indexes corpora without a word index, and a run counts long lists that are not
cached; then the query is sent again.
"""

from functools import partial
from typing import NamedTuple

import msgspec
from PySide6.QtCore import QObject, Signal

from app.errors import ErrorInfo
from app.protocol.answers.words import FrequenciesAnswer, WordListAnswer, WordRow
from app.views.client.indexed_queries import IndexedQueryController
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.widgets.corpus_choices import ChosenIds, names_of_ids
from app.views.words.settings import ResourceNames, WordListSettings


class LoadedWordList(NamedTuple):
    """The rows of a list received so far.

    Attributes:
        settings: settings of the query.
        rows: rows received so far.
        n_items: number of rows of the complete list.
        answer: first answer.
    """

    settings: WordListSettings
    rows: list[WordRow]
    n_items: int
    answer: WordListAnswer

    @property
    def not_indexed(self) -> tuple[int, ...]:
        """Ids of skipped corpora."""
        return self.answer.not_indexed

    @property
    def is_deferred(self) -> bool:
        """Return whether the engine deferred counting a long list."""
        answer = self.answer
        return isinstance(answer, FrequenciesAnswer) and answer.not_counted

    @property
    def is_whole(self) -> bool:
        """Return whether all rows were received."""
        return len(self.rows) >= self.n_items


class WordListSession(IndexedQueryController[WordListSettings, LoadedWordList]):
    """Sends one query at a time to the engine.

    Attributes:
        counting: run that counts the requested list, if any.
    """

    answered = Signal(object)  # LoadedWordList
    rows_added = Signal(object)  # list of rows: the next page

    def __init__(self, state: AppState, parent: QObject):
        super().__init__(state, parent)
        self.counting: RunState | None = None
        self._is_loading_more = False
        state.run_finished.connect(self._on_counted)
        state.run_failed.connect(self._on_count_ended)
        state.run_cancelled.connect(self._on_count_ended)

    def ask(self, settings: WordListSettings, *, waits: bool = False) -> None:
        """Request the first page of a list.

        Args:
            waits: wait for the answer even if counting takes long.
        """
        self._stop_counting()
        self._settings = settings
        self._is_loading_more = False
        query = settings.to_query(waits=waits or not self._can_count)
        self._state.ask(query, partial(self._on_answer, settings))

    def forget(self) -> None:
        """Discard the query and its answer."""
        self._stop_counting()
        super().forget()

    def load_more(self) -> None:
        """Request the next page of the displayed list."""
        shown = self.shown
        if shown is None or shown.is_whole or self._is_loading_more or self._settings:
            return
        self._is_loading_more = True
        query = shown.settings.to_query(len(shown.rows))
        self._state.ask(query, partial(self._on_more, shown))

    def _on_answer(
        self, settings: WordListSettings, answer: WordListAnswer | ErrorInfo
    ) -> None:
        if settings is not self._settings or self._state.project is None:
            return
        if isinstance(answer, ErrorInfo):
            self._on_refused(answer)
            return
        self._settings = None
        self.shown = load_word_list(settings, answer)
        if self.shown.is_deferred and not self.shown.not_indexed:
            self._count(settings)
        self.answered.emit(self.shown)
        self.index(self.shown.not_indexed)

    @property
    def _can_count(self) -> bool:
        """Return whether a run can count and cache the list now."""
        project = self._state.project
        open_ = [run for run in self._state.runs if not run.is_cancelling]
        others = [run for run in open_ if run is not self.indexing]
        return project is not None and not (project.is_read_only or others)

    def _count(self, settings: WordListSettings) -> None:
        """Start a run that counts a list, shows progress and can be cancelled."""
        project = self._state.project
        if project is not None:
            chosen = ChosenIds(settings.corpora, settings.subcorpora)
            names = ResourceNames(corpora=names_of_ids(project, chosen))
            self.counting = self._state.run(settings.to_params(names))

    def _stop_counting(self) -> None:
        run, self.counting = self.counting, None
        if run is not None:
            self._state.cancel(run)

    def _on_counted(self, run: RunState, _result: object) -> None:
        if run is self.counting and self.shown is not None:
            self.counting = None
            self.ask(self.shown.settings, waits=True)

    def _on_count_ended(self, run: RunState, _error: object = None) -> None:
        if run is self.counting:
            self.counting = None
            self.indexing_changed.emit()

    def _on_run_progressed(self, run: RunState) -> None:
        super()._on_run_progressed(run)
        if run is self.counting:
            self.indexing_changed.emit()

    def _on_more(
        self, before: LoadedWordList, answer: WordListAnswer | ErrorInfo
    ) -> None:
        if self.shown is not before:
            return
        self._is_loading_more = False
        if isinstance(answer, ErrorInfo):
            return  # requested again at the next scroll to the end
        n_items = before.n_items if answer.rows else len(before.rows)
        rows = [*before.rows, *answer.rows]
        self.shown = before._replace(rows=rows, n_items=n_items)
        self.rows_added.emit(answer.rows)


class FullListReader(QObject):
    """Requests all pages of a list up to a limit, then deletes itself."""

    finished = Signal(object)  # LoadedWordList
    failed = Signal(object)  # ErrorInfo
    MAX_ROWS = 100_000

    def __init__(self, state: AppState, settings: WordListSettings, parent: QObject):
        super().__init__(parent)
        self._state, self._settings = state, settings
        self._rows: list[WordRow] = []
        self._request()

    def _request(self) -> None:
        query = self._settings.to_query(len(self._rows), requester="words-export")
        self._state.ask(query, self._on_answer)

    def _on_answer(self, answer: WordListAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self.failed.emit(msgspec.structs.replace(answer, kind="user"))
            self.deleteLater()
            return
        self._rows += answer.rows
        listed = load_word_list(self._settings, answer)._replace(rows=self._rows)
        if answer.rows and not listed.is_whole and len(self._rows) < self.MAX_ROWS:
            self._request()
            return
        self.finished.emit(listed)
        self.deleteLater()


def load_word_list(
    settings: WordListSettings, answer: WordListAnswer
) -> LoadedWordList:
    """Return the list in an answer; only frequencies are sent in pages."""
    n_items = len(answer.rows)
    if isinstance(answer, FrequenciesAnswer):
        n_items = answer.n_items
    return LoadedWordList(settings, list(answer.rows), n_items, answer)
