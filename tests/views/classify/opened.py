"""The classify view opened on a stage, what is read of it, what it is answered."""

from typing import Any

import numpy as np
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.engine.store.arrays import write_array
from app.views.classify.view import ClassifyView
from tests.views.stage import Stage


def counts(by_corpus: dict[int, dict[str, int]]) -> dict[str, Any]:
    """Answer with the classes of corpora."""
    return {
        "corpora": [
            {
                "id": id_,
                "n_labelled": sum(found.values()),
                "n_classes": len(found),
                "classes": list(map(list, found.items())),
            }
            for id_, found in by_corpus.items()
        ]
    }


def ids_file(stage: Stage, ids: list[int]) -> dict[str, Any]:
    """Answer with ids in a file."""
    file = stage.folder / "arrays" / "views" / f"{len(stage.client.sent)}.npy"
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        write_array(file, np.array(ids, np.int64))
    return {"file": f"arrays/views/{file.name}", "n": len(ids)}


def open_view(stage: Stage, qtbot: QtBot) -> ClassifyView:
    """Show the view when labels are counted and encoders are known."""
    stage.open(qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    view = ClassifyView(stage.state)
    qtbot.addWidget(view)
    view.resize(1200, 800)
    view.show()
    qtbot.waitUntil(lambda: stage.state.labels.is_counted and view.steps.is_complete)
    return view


def button(view: ClassifyView, words: str) -> QPushButton:
    """Return the visible button with these words."""
    found = [b for b in view.findChildren(QPushButton) if b.text() == words]
    return next(b for b in found if b.isVisible())


def cells(table: Any, row: int) -> list[str]:
    """Return the texts of a row."""
    model = table.model()
    return [model.index(row, c).data() or "" for c in range(model.columnCount())]
