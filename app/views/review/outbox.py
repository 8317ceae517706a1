"""Outbox of unsaved judgements: none is lost or reported as saved too early.

A judgement counts as saved once its Changed event and the engine's answer have arrived.
If the engine stops in between, the journal shows whether the judgement was committed;
if not, it is sent again, one judgement at a time, in the original order.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app.engine.store.pairs.history import read_changes_since
from app.errors import ErrorInfo
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits.pairs import JudgePairs, JudgeRange, PairChange, SwapRunnerUp
from app.views.client.state import AppState

NO_CHANGE = 0  # id in an answer if nothing changed
MAX_SAVED = 100  # changes in a saved session; message size is limited
MAX_SAVED_BYTES = 100_000
MAX_SENT = 5  # automatic attempts per change; then the user must retry


@dataclass(slots=True)
class UnsavedChange:
    """A change that is not confirmed to be in the store.

    Attributes:
        change: the change.
        made_at: seconds since 1970.
        n_sent: number of times it was sent.
        is_sent: whether the engine is expected to have it.
        is_changed: whether a commit was reported that may belong to it.
        is_doubtful: whether the engine stopped before answering: it may be stored.
    """

    change: PairChange
    made_at: float
    n_sent: int = 0
    is_sent: bool = False
    is_changed: bool = False
    is_doubtful: bool = False

    @property
    def pairs(self) -> tuple[int, ...]:
        """Ids of the changed pairs."""
        return changed_pairs(self.change)


def changed_pairs(change: PairChange) -> tuple[int, ...]:
    """Return the ids of the pairs in a change."""
    match change:
        case JudgePairs():
            return change.pairs
        case SwapRunnerUp():
            return (change.pair,)
    return ()


class JudgementOutbox(QObject):
    """Sends changes, and stores them until they are saved.

    Attributes:
        unsaved: the unsaved changes, in the order they were made.
    """

    changed = Signal()  # a change was sent, saved, lost or refused
    saved = Signal(object)  # change, now in the store
    refused = Signal(object, str)  # change; the error, which is shown

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self.unsaved: list[UnsavedChange] = []
        self._state = state
        self._is_recovering = False  # after a crash: send one at a time, without undo
        self._again = QTimer(self, singleShot=True, interval=0)
        self._again.timeout.connect(self._on_again)
        state.row_changed.connect(self._on_row_changed)
        state.client.engine_started.connect(self._on_engine_started)

    @property
    def is_stuck(self) -> bool:
        """Return whether changes wait for the user to retry."""
        return any(
            item.n_sent >= MAX_SENT and not item.is_sent for item in self.unsaved
        )

    def pending(self, pair_id: int) -> list[JudgePairs | SwapRunnerUp]:
        """Return the unsaved changes of a pair."""
        return [
            item.change
            for item in self.unsaved
            if isinstance(item.change, JudgePairs | SwapRunnerUp)
            and pair_id in item.pairs
        ]

    def is_pending(self, pair_id: int) -> bool:
        """Return whether a change to a pair is unsaved."""
        return any(pair_id in item.pairs for item in self.unsaved)

    def send(self, change: PairChange) -> None:
        """Send a change, and store it until it is saved.

        A change that the engine could not decode is refused immediately.
        """
        problem = _check_change(change)
        if problem:
            self._state.error_posted.emit(ErrorInfo("user", problem))
            self.refused.emit(change, problem)
            return
        item = UnsavedChange(change, time.time())
        self.unsaved.append(item)
        if not self._is_recovering:
            self._send(item)
        self.changed.emit()

    def send_again(self) -> None:
        """Send stuck changes again at the user's request."""
        for item in self.unsaved:
            item.n_sent = min(item.n_sent, 1)
        self._set_recovering(True)
        self._again.start()

    def to_json(self) -> list[dict[str, Any]]:
        """Return the oldest unsaved changes that fit in a saved session."""
        saved: list[dict[str, Any]] = []
        n_bytes = 0
        for item in self.unsaved[:MAX_SAVED]:
            n_bytes += len(msgspec.json.encode(item.change))
            if n_bytes > MAX_SAVED_BYTES:
                break
            change = msgspec.to_builtins(item.change)
            saved.append({"change": change, "made_at": item.made_at})
        return saved

    def restore(self, saved: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Send the unsaved changes of a saved session, unless they are in the store.

        Returns:
            Changes that can't be decoded, for example because a text is too long.
        """
        unreadable = []
        for entry in saved:
            try:
                change = msgspec.convert(entry["change"], PairChange)
                made_at = float(entry["made_at"])
                self.unsaved.append(UnsavedChange(change, made_at, is_doubtful=True))
            except (KeyError, TypeError, ValueError):
                found = entry.get("change") if isinstance(entry, dict) else None
                unreadable += [found] if isinstance(found, dict) else []
        if self.unsaved:
            self._set_recovering(True)
            self._again.start()
        return unreadable

    # --- private ---

    def _set_recovering(self, is_recovering: bool) -> None:
        """Send changes one at a time during recovery, with undo disabled."""
        self._is_recovering = is_recovering
        self._state.changes.hold(is_recovering)

    def _send(self, item: UnsavedChange) -> None:
        item.n_sent += 1
        item.is_sent, item.is_changed = True, False
        self._state.edit(item.change, partial(self._on_answer, item))

    def _on_row_changed(self, kind: str, row_id: int) -> None:
        """Mark the first change that may have caused the commit: order is kept."""
        for item in self.unsaved:
            is_range = isinstance(item.change, JudgeRange) and kind == "judgements"
            is_its = (kind == "pair" and row_id in item.pairs) or (
                kind == "judgements" and bool(item.pairs)
            )
            if item.is_sent and (is_range or is_its):
                item.is_changed = True
                if len(item.pairs) <= 1:
                    return

    def _on_answer(self, item: UnsavedChange, value: EditAnswer | ErrorInfo) -> None:
        if item not in self.unsaved:
            return
        if isinstance(value, ErrorInfo) and value.kind == "crash":
            item.is_sent, item.is_doubtful = False, True
            self._set_recovering(True)
            self._again.start()
        elif isinstance(value, ErrorInfo):
            self._drop(item)
            self._state.error_posted.emit(value)
            self.refused.emit(item.change, value.message)
            self._go_on()
        elif item.is_changed or value.id == NO_CHANGE:
            self._settle(item)
        else:
            self._settle_if_there(item)
        self.changed.emit()

    def _settle(self, item: UnsavedChange) -> None:
        self._drop(item)
        self.saved.emit(item.change)
        self._go_on()

    def _settle_if_there(self, item: UnsavedChange) -> None:
        """Accept an answer without a commit only if the journal contains the change.

        Otherwise the change stays unsaved until the user retries.
        """
        if self._committed([item]):
            self._settle(item)
        else:
            item.is_sent, item.n_sent = False, MAX_SENT
            self._go_on()

    def _drop(self, item: UnsavedChange) -> None:
        self.unsaved = [other for other in self.unsaved if other is not item]

    def _go_on(self) -> None:
        """Send the next change after a crash, or end the recovery."""
        if not self.unsaved:
            self._set_recovering(False)
        elif self._is_recovering:
            self._again.start()

    def _on_engine_started(self) -> None:
        if self.unsaved:
            self._again.start()

    def _on_again(self) -> None:
        """Remove changes committed before the engine stopped, and send the next one.

        While the window is closing, the engine is not started for this, because the
        saved session contains the unsaved changes.
        """
        is_leaving = self._state.client.is_quitting
        if self._state.project is None or is_leaving:
            return
        if any(item.is_sent for item in self.unsaved):
            return
        doubtful = [item for item in self.unsaved if item.is_doubtful]
        for item in self._committed(doubtful):
            self._drop(item)
            self.saved.emit(item.change)
        for item in doubtful:
            item.is_doubtful = False
        self._send_waiting()
        self.changed.emit()

    def _send_waiting(self) -> None:
        """Send the next change that a crash interrupted, or else all unsent ones."""
        waiting = [item for item in self.unsaved if item.n_sent < MAX_SENT]
        again = [item for item in waiting if item.n_sent]
        self._set_recovering(bool(again))
        for item in again[:1] or waiting:
            self._send(item)

    def _committed(self, items: Sequence[UnsavedChange]) -> list[UnsavedChange]:
        """Return the changes that are in the journal."""
        project = self._state.project
        if project is None or not items:
            return []
        since = min(item.made_at for item in items)
        journal = read_changes_since(project.store, since)
        done = []
        for item in items:
            wanted = json.loads(msgspec.json.encode(item.change))
            if wanted in journal:
                journal.remove(wanted)
                done.append(item)
        return done


def _check_change(change: PairChange) -> str:
    """Return why the engine could not decode a change; empty if it can."""
    try:
        msgspec.json.decode(msgspec.json.encode(change), type=PairChange)
    except ValueError as error:  # including text that is not valid Unicode
        return f"The judgement can't be saved: {error}. Shorten the text, then save."
    return ""
