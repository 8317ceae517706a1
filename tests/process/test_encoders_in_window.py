"""The encoders view over the real engine: measure, choose, remove, bring back."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.tasks.encode import encode
from app.params.vectors import Encode
from app.protocol.edits.encoders import ChooseEncoder, RemoveEncoder
from app.views.client.state import AppState
from app.views.encoders.view import EncodersView
from tests.engine.encoders.tiny import save_tiny
from tests.engine.search.made import add_corpus
from tests.samples import sample_texts

WAIT_MS = 60_000
MADE_UP = [f"{chr(0xE000 + i % 40)}{chr(0xE000 + i % 7)} {i}" for i in range(60)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "letters.isogloss"
    with create_project(folder) as project:
        add_corpus(project, "Deutsch", "de", sample_texts("de"))
        add_corpus(project, "Invented", "qaa", MADE_UP)
        save_tiny(folder / "encoders" / "tiny", languages=("de",))
        encode(project, Encode(corpora=("Deutsch", "Invented")), Report())
    return folder


def searchable(state: AppState) -> list[str]:
    assert state.project is not None
    return [row.encoder for row in state.project.searchable]


def test_an_encoder_is_measured_chosen_removed_and_brought_back(
    state: AppState, qtbot: QtBot
) -> None:
    book = state.encoders
    qtbot.waitUntil(lambda: len(book.cards) == 3, timeout=WAIT_MS)  # two are bundled
    bundled = book.chosen
    view = EncodersView(state)
    qtbot.addWidget(view)
    assert view.list.encoder is not None
    assert view.list.encoder.name == bundled
    assert view.facts.value("vectors").startswith("2 of 2 corpora")

    view.controller.measure_action.trigger()
    qtbot.waitUntil(lambda: bool(book.verdicts()), timeout=WAIT_MS)
    verdicts = {code: one.verdict for code, one in book.verdicts().items()}
    assert verdicts == {"de": "green", "qaa": "red"}
    assert list(book.doubts()) == ["qaa"]
    assert not view.coverage.is_empty

    view.list.select("tiny")
    view.controller.use_action.trigger()
    qtbot.waitUntil(lambda: book.chosen == "tiny", timeout=WAIT_MS)
    assert book.doubts() == {}  # nothing is known of this one yet
    qtbot.waitUntil(lambda: searchable(state) == [], timeout=WAIT_MS)
    view.controller.encode_action.trigger()
    qtbot.waitUntil(lambda: len(searchable(state)) == 2, timeout=WAIT_MS)

    state.edit(RemoveEncoder("tiny"))
    qtbot.waitUntil(lambda: book.chosen == bundled, timeout=WAIT_MS)
    assert view.sidebar.note.startswith("Vectors of missing encoders: tiny (")
    state.undo()
    qtbot.waitUntil(lambda: book.chosen == "tiny", timeout=WAIT_MS)
    assert view.sidebar.note == ""
    state.edit(ChooseEncoder(bundled))
    qtbot.waitUntil(lambda: list(book.doubts()) == ["qaa"], timeout=WAIT_MS)
