"""Queries on words that index missing corpora first and then repeat."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from app.errors import ErrorInfo
from app.params.words import IndexWords

if TYPE_CHECKING:
    from app.views.client.runs import RunState
    from app.views.client.state import AppState


class IndexedAnswer(Protocol):
    """The answer to a query about words."""

    @property
    def settings(self) -> Any:
        """Return the settings of the query."""

    @property
    def not_indexed(self) -> tuple[int, ...]:
        """Return the ids of corpora that were skipped."""


Q = TypeVar("Q")
A = TypeVar("A", bound=IndexedAnswer)


class IndexedQueryController(QObject, Generic[Q, A]):
    """Sends one query at a time, and indexes corpora that have no word index.

    Attributes:
        shown: the last answer, if any.
        indexing: the run that indexes words for the query, if any.
    """

    failed = Signal(str)  # error message
    indexing_changed = Signal()

    def __init__(self, state: "AppState", parent: QObject):
        super().__init__(parent)
        self._state = state
        self.shown: A | None = None
        self.indexing: RunState | None = None
        self._settings: Q | None = None
        self._tried: set[int] = set()  # corpora whose indexing was started
        state.run_progressed.connect(self._on_run_progressed)
        state.run_finished.connect(self._on_run_ended)
        state.run_failed.connect(self._on_run_ended)
        state.run_cancelled.connect(self._on_run_ended)
        state.row_changed.connect(self._on_row_changed)

    @property
    def is_waiting(self) -> bool:
        """Return whether an answer is pending."""
        return self._settings is not None

    @abstractmethod  # for the types: Qt's classes have a metaclass of their own
    def ask(self, settings: Q) -> None:
        """Send a query."""

    def ask_again(self) -> None:
        """Send the last query again: the texts have changed."""
        settings = self._settings or (self.shown.settings if self.shown else None)
        if settings is not None:
            self.ask(settings)

    def forget(self) -> None:
        """Drop the query and its answer."""
        self._settings = self.shown = None

    def index(self, corpora: Iterable[int]) -> None:
        """Index the words of corpora once, unless the project is read-only."""
        missing = [id_ for id_ in corpora if id_ not in self._tried]
        if missing and self._state.can_write:
            self._tried |= set(missing)
            params = IndexWords(corpora=tuple(map(str, missing)))
            self.indexing = self._state.run(params)
            self.indexing_changed.emit()

    def _on_refused(self, error: ErrorInfo) -> None:
        if error.kind == "superseded":
            return
        self._settings = None
        if error.kind == "crash":
            self.failed.emit(self.tr("The engine stopped. Search again."))
        else:
            self.failed.emit(error.message)

    def _on_run_progressed(self, run: "RunState") -> None:
        if run is self.indexing:
            self.indexing_changed.emit()

    def _on_run_ended(self, run: "RunState", _outcome: object = None) -> None:
        if run is self.indexing:
            self.indexing = None
            self._tried.clear()
            self.indexing_changed.emit()

    def _on_row_changed(self, kind: str, row_id: object) -> None:
        """Send the query again when a skipped corpus was indexed."""
        missing = self.shown.not_indexed if self.shown is not None else ()
        if kind == "words" and row_id in missing:
            self.ask_again()
