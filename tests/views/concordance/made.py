"""What a made-up engine answers to the questions of a concordance."""

from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.errors import ErrorInfo
from app.protocol import commands, events
from app.protocol.queries.words import ConcordanceQuery, LineNeighboursQuery
from app.views.concordance.table import KwicTable
from app.views.concordance.view import ConcordanceView
from tests.views.stage import EDIT_ANSWER, FakeClient, sentence_id

STORM = sentence_id(1, 1)  # The ferry will not sail tomorrow because of the storm.
STURM = sentence_id(2, 1)
PAIR = sentence_id(7, 4)  # the fifth of the seventh set of pairs


class Client(FakeClient):
    """Answers each change as the engine does."""

    def _meet(self, command: commands.Command) -> None:
        if isinstance(command, commands.Edit):
            value = {**EDIT_ANSWER, "id": PAIR, "text": "It is done."}
            self.event_received.emit(events.Answer(command.ticket, value))
        else:
            super()._meet(command)


class Lines:
    """Answers as an engine that finds "ferry" so often as is wanted."""

    def __init__(self, folder: Path):
        self.folder, self.n = folder, 3
        self.not_indexed: list[int] = []
        self._n_files = 0

    def __call__(self, query: ConcordanceQuery) -> dict[str, Any] | ErrorInfo:
        if query.text.startswith("("):
            return ErrorInfo("user", "This is no regular expression.")
        n = min(self.n, query.top)
        rows = [(STORM, 4, 9), (sentence_id(3, 1), 9, 17), (sentence_id(4, 1), 8, 12)]
        lines = np.array(rows * (n // len(rows) + 1), np.int64)[:n]
        words = np.full((n, 12), -1, np.int32)
        words[::3, 4:8] = (0, 3, 10, 14)  # The, will
        return {
            "file": self._write(lines),
            "words": self._write(words),
            "n": self.n,
            "n_lines": n,
            "n_sentences": 3,
            "n_searched": 12,
            "n_tokens": 60,
            "is_cut": False,
            "not_indexed": self.not_indexed,
            "notes": [],
            "elapsed_s": 0.004,
        }

    def _write(self, array: Any) -> str:
        self._n_files += 1
        file = self.folder / f"{self._n_files}.npy"
        np.save(file, array)
        return str(file)


def near(query: LineNeighboursQuery) -> dict[str, Any]:
    german = {"sentence": STURM, "score": 0.875, "language": "de"}
    one = [{**german, "is_translation": True}]
    return {"neighbours": [one for _ in query.sentences], "not_encoded": []}


def type_and_enter(view: ConcordanceView, qtbot: QtBot, text: str) -> None:
    """Ask for a text as a user does, and wait for the answer."""
    view.bar.field.clear()
    QTest.keyClicks(view.bar.field, text)
    QTest.keyClick(view.bar.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not view.session.is_waiting)


def press(view: ConcordanceView, key: Qt.Key) -> KwicTable:
    """Press a key on the lines."""
    QTest.keyClick(view.table, key)
    return view.table
