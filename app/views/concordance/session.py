"""Send concordance queries, receive their lines, and save the query history.

A run first indexes corpora that have no word index; then the query is sent again.
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from app.engine.store.arrays import map_array
from app.engine.store.journal import list_searches
from app.engine.store.words.hit_lists import HitListRow
from app.errors import ErrorInfo
from app.protocol.answers.words import ConcordanceAnswer
from app.protocol.edits.general import AddSearch
from app.views.client.indexed_queries import IndexedQueryController
from app.views.client.state import AppState
from app.views.concordance.model import KwicLines, LineArray
from app.views.concordance.settings import ConcordanceSettings, read_settings
from app.views.widgets.query_field import shorten


class LoadedConcordance(NamedTuple):
    """The lines of a query or of a saved list.

    Attributes:
        question: settings of the query.
        lines: the lines received so far.
        n: number of all hits.
        n_sentences: number of sentences with a hit.
        n_searched: number of searched sentences.
        n_tokens: number of words in the searched sentences; None if not counted.
        is_cut: whether the search timed out.
        is_whole: whether all lines were received.
        elapsed_s: seconds until the first answer.
        not_indexed: ids of skipped corpora.
        notes: sentences for the user.
        saved_list: list with these lines; None for the lines of a query.
        is_outdated: whether texts have changed since and are being indexed again.
    """

    settings: ConcordanceSettings
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
    saved_list: HitListRow | None = None
    is_outdated: bool = False

    @property
    def title(self) -> str:
        """The name of the list, or the text of the query."""
        return self.saved_list.name if self.saved_list else self.settings.text.strip()


class QuerySession(IndexedQueryController[ConcordanceSettings, LoadedConcordance]):
    """Sends one query at a time to the engine."""

    answered = Signal(object)  # LoadedConcordance: the first lines, then all lines

    @property
    def shows_saved_list(self) -> bool:
        """Return whether the lines come from a saved list."""
        shown = self.shown
        return not self.is_waiting and shown is not None and bool(shown.saved_list)

    def ask(self, settings: ConcordanceSettings) -> None:
        """Request the first lines, and all lines after they arrive."""
        self._settings = settings
        self._send(settings, is_first=True)

    def show_list(
        self, row: HitListRow, settings: ConcordanceSettings, lines: LineArray
    ) -> None:
        """Show the lines of a saved list: int64 (m, 3)."""
        self._settings = None
        found = LoadedConcordance(settings, KwicLines(lines), len(lines))
        self.shown = found._replace(saved_list=row)
        self.answered.emit(self.shown)

    def _send(self, settings: ConcordanceSettings, *, is_first: bool) -> None:
        query = settings.to_query(is_first=is_first)
        self._state.ask(query, partial(self._on_answer, settings, is_first))

    def _on_answer(
        self,
        settings: ConcordanceSettings,
        is_first: bool,
        answer: ConcordanceAnswer | ErrorInfo,
    ) -> None:
        project = self._state.project
        if settings is not self._settings or project is None:
            return
        if isinstance(answer, ErrorInfo):
            self._on_refused(answer)
            return
        found = self._keep_lines(_load(settings, answer, project.folder))
        if not is_first:
            elapsed_s = self.shown.elapsed_s if self.shown else found.elapsed_s
            found = found._replace(elapsed_s=elapsed_s, is_whole=True)
        self.shown = found
        if found.is_whole:
            self._settings = None
        self.answered.emit(found)
        if not found.is_whole and settings is self._settings:
            self._send(settings, is_first=False)
        if is_first:
            self.index(found.not_indexed)

    def _keep_lines(self, found: LoadedConcordance) -> LoadedConcordance:
        """Keep the lines on screen while changed texts are indexed."""
        shown = self.shown
        if shown is None or shown.settings != found.settings or not len(shown.lines):
            return found
        is_lost = bool(set(found.not_indexed) - set(shown.not_indexed))
        if is_lost or (shown.is_outdated and found.not_indexed):
            return shown._replace(
                not_indexed=found.not_indexed, is_outdated=True, is_whole=True
            )
        return found


def _load(
    settings: ConcordanceSettings, answer: ConcordanceAnswer, folder: Path
) -> LoadedConcordance:
    lines = KwicLines(map_array(folder / answer.file), map_array(folder / answer.words))
    return LoadedConcordance(
        settings,
        lines,
        answer.n,
        answer.n_sentences,
        answer.n_searched,
        answer.n_tokens,
        answer.is_cut,
        len(lines) >= answer.n,
        answer.elapsed_s,
        answer.not_indexed,
        answer.notes,
    )


HISTORY_KEY = "concordance"  # key of concordance queries in the search history
N_SHOWN, N_READ = 30, 300  # queries in the menu; entries read from the history


class QueryHistory(QObject):
    """Saves queries in the project and offers them in a menu."""

    def __init__(
        self,
        state: AppState,
        ask: Callable[[ConcordanceSettings], object],
        parent: QObject,
    ):
        """Initialise with the function that sends a query again."""
        super().__init__(parent)
        self._state, self._ask = state, ask

    def add(self, settings: ConcordanceSettings) -> None:
        """Save a query, unless the project is read-only."""
        if self._state.can_write:
            filters = {HISTORY_KEY: settings.to_json()}
            self._state.edit(AddSearch(settings.text, filters))

    def queries(self) -> list[ConcordanceSettings]:
        """Return past queries, newest first, without repetitions of a text and mode."""
        project = self._state.project
        if project is None:
            return []
        found: dict[tuple[str, str], ConcordanceSettings] = {}
        for _, _, filters in list_searches(project.store, limit=N_READ):
            settings = read_settings(json.loads(filters).get(HISTORY_KEY))
            if not settings.is_empty:
                found.setdefault((settings.text, settings.mode), settings)
        return list(found.values())[:N_SHOWN]

    def fill(self, menu: QMenu) -> None:
        """Add past queries to a menu."""
        for settings in self.queries():
            action = menu.addAction(shorten(settings.text))
            action.setToolTip(settings.text)
            action.triggered.connect(lambda _=False, q=settings: self._ask(q))
