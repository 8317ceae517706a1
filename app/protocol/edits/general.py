"""Edits of corpora, notes, the journal, the query history and the window's state."""

from typing import Annotated, Any

from msgspec import Meta

from app.protocol.base import BaseChange, Name, RowState

MAX_NOTE = 20_000  # characters


class RenameCorpus(BaseChange, frozen=True):
    """Rename a corpus."""

    corpus: int
    name: Name


class SetCorpusState(BaseChange, frozen=True):
    """Mark corpora as deleted, or restore them."""

    corpora: tuple[int, ...]
    state: RowState


class SetCorpusLanguage(BaseChange, frozen=True):
    """Correct the language of a corpus."""

    corpus: int
    language: str


class SetNote(BaseChange, frozen=True):
    """Write the note on a sentence; an empty text removes it."""

    sentence: int
    text: Annotated[str, Meta(max_length=MAX_NOTE)]


class Undo(BaseChange, frozen=True):
    """Undo the newest changes that are not undone, all or none."""

    n: Annotated[int, Meta(ge=1)] = 1


class Redo(BaseChange, frozen=True):
    """Redo the most recently undone change."""


class AddSearch(BaseChange, frozen=True):
    """Add a query to the history (not undoable)."""

    text: Annotated[str, Meta(min_length=1, max_length=10_000)]
    filters: dict[str, Any]


class SaveViewState(BaseChange, frozen=True):
    """Save the window's state; id None starts a new session (not undoable)."""

    id: int | None
    state: dict[str, Any]


class DropRun(BaseChange, frozen=True):
    """Discard an interrupted run and remove its incomplete results."""

    run: int


class SetRunState(BaseChange, frozen=True, kw_only=True):
    """Mark runs that have ended as deleted, or restore them."""

    runs: Annotated[tuple[int, ...], Meta(min_length=1)]
    state: RowState


GeneralChange = (
    RenameCorpus
    | SetCorpusState
    | SetCorpusLanguage
    | SetNote
    | Undo
    | Redo
    | AddSearch
    | SaveViewState
    | DropRun
    | SetRunState
)
