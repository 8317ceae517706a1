"""The mine view opened on a stage, what is read of it, what it is answered."""

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.engine.store.arrays import write_array
from app.engine.store.pairs.sets import first_pair_id
from app.protocol.answers.pairs import QueueAnswer
from app.protocol.queries.pairs import QueueQuery
from app.views.mining.view import MiningView
from tests.views.stage import Stage

FIRST = first_pair_id(1)
TEXT = int(Qt.ItemDataRole.DisplayRole)


def open_view(stage: Stage, qtbot: QtBot) -> MiningView:
    """Show the view when the encoders are known."""
    stage.open(qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    view = MiningView(stage.state)
    qtbot.addWidget(view)
    view.resize(1000, 800)
    view.show()
    return view


def cell(view: MiningView, row: int, column: int, role: int = TEXT) -> Any:
    """Return what stands in a cell of the table of pairs."""
    model = view.page.pairs.table.pairs
    return model.data(model.index(row, column), role)


def column_of(view: MiningView, column: int) -> list[str]:
    """Return the texts of a column of the table of pairs."""
    table = view.page.pairs.table
    return [cell(view, row, column) for row in range(table.pairs.rowCount())]


def answer_ids(stage: Stage, indices: list[int]) -> None:
    """Let the engine answer every queue with these pairs."""
    file = stage.folder / "arrays" / "views" / "q.npy"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_array(file, np.array(indices, np.int64) + FIRST)
    stage.client.answers[QueueQuery] = lambda _: QueueAnswer(
        "arrays/views/q.npy", len(indices), {"": 2, "accept": 1}
    )
