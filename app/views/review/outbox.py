"""Judgements on their way to the store: none is lost, none counts as saved too early.

A judgement counts as saved when its Changed has come and the engine has answered it. If
the engine ends in between, the journal tells whether it was committed; what was not is
sent again, one at a time, in the order it was made.
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
from app.protocol.edits.pairs import JudgePairs, JudgeRange, PairChange, SwapRunnerUp
from app.views.client.state import AppState

NO_CHANGE = 0  # the id in an answer that nothing was to change
MAX_KEPT = 100  # changes that a session keeps: a message has a bound
MAX_SENT = 5  # times that a change is sent; then only when the user says so


@dataclass(slots=True)
class UnsavedChange:
    """A change that is not known to be in the store.

    Attributes:
        change: what to do.
        made_at: seconds since 1970.
        n_sent: times that it was sent.
        is_sent: the engine has it, as far as is known.
        is_changed: a commit that it may have made was told.
        is_doubtful: the engine ended while it had it: it may be in the store.
    """

    change: PairChange
    made_at: float
    n_sent: int = 0
    is_sent: bool = False
    is_changed: bool = False
    is_doubtful: bool = False

    @property
    def pairs(self) -> tuple[int, ...]:
        """Ids of the pairs that it names."""
        match self.change:
            case JudgePairs():
                return self.change.pairs
            case SwapRunnerUp():
                return (self.change.pair,)
        return ()


class JudgementOutbox(QObject):
    """Sends changes and keeps those that are not saved yet.

    Attributes:
        unsaved: the changes, in the order they were made.
    """

    changed = Signal()  # something was sent, saved, lost or refused
    saved = Signal(object)  # change: it is in the store
    refused = Signal(object)  # change: it is not made, and why is said

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self.unsaved: list[UnsavedChange] = []
        self._state = state
        self._is_careful = False  # after a crash: one at a time, and no undo
        self._again = QTimer(self, singleShot=True, interval=0)
        self._again.timeout.connect(self._on_again)
        state.row_changed.connect(self._on_row_changed)
        state.client.engine_started.connect(self._on_engine_started)

    @property
    def is_stuck(self) -> bool:
        """Return whether changes wait for the user to send them again."""
        return any(
            item.n_sent >= MAX_SENT and not item.is_sent for item in self.unsaved
        )

    def pending(self, pair_id: int) -> list[JudgePairs]:
        """Return what is being said of a pair and is not in the store yet."""
        return [
            item.change
            for item in self.unsaved
            if isinstance(item.change, JudgePairs) and pair_id in item.change.pairs
        ]

    def is_pending(self, pair_id: int) -> bool:
        """Return whether anything about a pair is on its way."""
        return any(pair_id in item.pairs for item in self.unsaved)

    def send(self, change: PairChange) -> None:
        """Send a change; it is kept until it is in the store."""
        item = UnsavedChange(change, time.time())
        self.unsaved.append(item)
        if not self._is_careful:
            self._send(item)
        self.changed.emit()

    def send_again(self) -> None:
        """Send what is stuck once more: the user says so."""
        for item in self.unsaved:
            item.n_sent = min(item.n_sent, 1)
        self._be_careful(True)
        self._again.start()

    def to_json(self) -> list[dict[str, Any]]:
        """Return what is not saved, for the window's session."""
        return [
            {"change": msgspec.to_builtins(item.change), "made_at": item.made_at}
            for item in self.unsaved[:MAX_KEPT]
        ]

    def take_back(self, saved: Sequence[dict[str, Any]]) -> None:
        """Take over what a former session could not save; what is there is left out."""
        for entry in saved:
            try:
                change = msgspec.convert(entry["change"], PairChange)
                made_at = float(entry["made_at"])
                self.unsaved.append(UnsavedChange(change, made_at, is_doubtful=True))
            except (KeyError, TypeError, ValueError, msgspec.ValidationError):
                continue  # of another version
        if self.unsaved:
            self._be_careful(True)
            self._again.start()

    # --- private ---

    def _be_careful(self, is_careful: bool) -> None:
        """Keep changes back, to send them one at a time: nothing is undone then."""
        self._is_careful = is_careful
        self._state.changes.hold(is_careful)

    def _send(self, item: UnsavedChange) -> None:
        item.n_sent += 1
        item.is_sent, item.is_changed = True, False
        self._state.edit(item.change, partial(self._on_answer, item))

    def _on_row_changed(self, kind: str, row_id: int) -> None:
        """Note the commit in the first change that it can be of: they keep order."""
        for item in self.unsaved:
            is_range = isinstance(item.change, JudgeRange) and kind == "judgements"
            is_its = (kind == "pair" and row_id in item.pairs) or (
                kind == "judgements" and bool(item.pairs)
            )
            if item.is_sent and (is_range or is_its):
                item.is_changed = True
                if len(item.pairs) <= 1:
                    return

    def _on_answer(
        self, item: UnsavedChange, value: dict[str, Any] | ErrorInfo
    ) -> None:
        if item not in self.unsaved:
            return
        if isinstance(value, ErrorInfo) and value.kind == "crash":
            item.is_sent, item.is_doubtful = False, True
            self._be_careful(True)
            self._again.start()
        elif isinstance(value, ErrorInfo):
            self._drop(item)
            self._state.error_posted.emit(value)
            self.refused.emit(item.change)
            self._go_on()
        elif item.is_changed or value.get("id") == NO_CHANGE:
            self._settle(item)
        else:
            self._settle_if_there(item)
        self.changed.emit()

    def _settle(self, item: UnsavedChange) -> None:
        self._drop(item)
        self.saved.emit(item.change)
        self._go_on()

    def _settle_if_there(self, item: UnsavedChange) -> None:
        """Believe an answer without a commit only if the journal has the change.

        If it has not, the change stays unsaved until the user sends it again.
        """
        if self._committed([item]):
            self._settle(item)
        else:
            item.is_sent, item.n_sent = False, MAX_SENT
            self._go_on()

    def _drop(self, item: UnsavedChange) -> None:
        self.unsaved = [other for other in self.unsaved if other is not item]

    def _go_on(self) -> None:
        """Send the next one after a crash, or trust the engine again."""
        if not self.unsaved:
            self._be_careful(False)
        elif self._is_careful:
            self._again.start()

    def _on_engine_started(self) -> None:
        if self.unsaved:
            self._again.start()

    def _on_again(self) -> None:
        """Drop what was committed before the engine ended, and send the next.

        An engine that was asked to end is not started for this: the window is closing,
        and keeps what is not saved in its session.
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
        """Send the next of those that the engine had when it ended, or all others."""
        waiting = [item for item in self.unsaved if item.n_sent < MAX_SENT]
        again = [item for item in waiting if item.n_sent]
        self._be_careful(bool(again))
        for item in again[:1] or waiting:
            self._send(item)

    def _committed(self, items: Sequence[UnsavedChange]) -> list[UnsavedChange]:
        """Find those changes that the journal has."""
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
