"""The look inside over the real engine: what is shown adds up."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from app.views.attribution.dialog import AttributionDialog
from app.views.client.state import AppState
from app.views.widgets.view_protocol import SentenceText

WAIT_MS = 60_000
ENGLISH = SentenceText("The ferry will not sail tomorrow.", "en")
ARABIC = SentenceText("لن تبحر العبّارة غدًا.", "ar")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    create_project(tmp_path / "letters.isogloss").close()
    return tmp_path / "letters.isogloss"


def test_pieces_of_both_sentences_add_up_to_the_cosine(
    state: AppState, qtbot: QtBot
) -> None:
    dialog = AttributionDialog(state)
    qtbot.addWidget(dialog)
    with qtbot.waitSignal(dialog.shown, timeout=WAIT_MS):
        dialog.compare(ENGLISH, ARABIC)
    assert dialog.comparison is not None
    cosine = dialog.comparison.answer.cosine
    assert dialog.cosine.text() == f"Cosine {cosine:.3f}"
    for strip in dialog.strips:
        total = sum(piece.similarity for piece in strip.pieces)
        assert total == pytest.approx(cosine, abs=5e-5)
    heat = dialog.map.heat
    assert heat.values.shape == (len(heat.rows), len(heat.columns))
    tomorrow, ghadan = list(heat.rows).index("tomorrow"), heat.values.max(axis=0)
    assert heat.values[tomorrow].max() == pytest.approx(0.87, abs=0.1)
    assert len(ghadan) == len(dialog.strips[1].pieces)

    with qtbot.waitSignal(dialog.shown, timeout=WAIT_MS):
        dialog.compare(SentenceText("☃"), ARABIC)
    assert "knows no part of '☃'" in dialog.how.text()
