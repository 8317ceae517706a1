"""Marks of languages in doubt in the other views, and their words."""

from pathlib import Path

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.protocol import events
from app.protocol.edits.encoders import ChooseEncoder
from app.protocol.queries.encoders import EncodersQuery
from app.protocol.queries.search import NearestQuery
from app.views.corpora.view import CorporaView
from app.views.search.view import SearchView
from app.views.widgets.coverage_mark import CoverageMark, describe_coverage
from app.views.widgets.encoder_button import EncoderButton
from app.views.widgets.two_line_list import ROW_ROLE
from tests.views.encoders.cards import RUNES
from tests.views.stage import Stage


def test_a_corpus_in_doubt_has_a_mark_and_its_reason(
    stage: Stage, qtbot: QtBot
) -> None:
    view = CorporaView(stage.state)
    qtbot.addWidget(view)
    model = view.list.model()
    doubts = [model.index(row, 0).data(ROW_ROLE).doubt for row in range(4)]
    assert doubts == [None, None, None, RUNES]
    tip = model.index(3, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "isogloss-2 does not cover this language. 93 %" in tip


def test_search_marks_languages_in_doubt_and_names_the_encoder(
    stage: Stage, qtbot: QtBot
) -> None:
    view = SearchView(stage.state)
    qtbot.addWidget(view)
    view.resize(1400, 700)
    view.show()
    chips = {chip.text(): chip for chip in view.bar.languages.findChildren(QPushButton)}
    assert not chips["Japanese"].icon().isNull()
    assert chips["German"].icon().isNull()
    assert "does not cover" in chips["Japanese"].toolTip()
    with qtbot.waitSignal(view.hits_shown):
        view.controller.send(
            msgspec.structs.replace(view.controller.query, text="storm")
        )
    marks = [mark.isVisible() for mark in view.columns.findChildren(CoverageMark)]
    assert sum(marks) == 1
    (button,) = view.findChildren(EncoderButton)
    assert button.text() == "isogloss-2"
    button.fill_menu()
    names = [action.text() for action in button.menu().actions() if action.text()]
    assert names == ["isogloss-2", "laser2", "Show encoders…"]
    button.menu().actions()[1].trigger()
    assert stage.client.changes()[-1] == ChooseEncoder("laser2")


def test_another_encoder_in_use_asks_the_question_again(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view = SearchView(stage.state)
    qtbot.addWidget(view)
    with qtbot.waitSignal(view.hits_shown):
        view.controller.send(
            msgspec.structs.replace(view.controller.query, text="storm")
        )
    n_asked = len(stage.client.queries(NearestQuery))
    old = stage.client.answers[EncodersQuery](None)
    assert isinstance(old, dict)
    stage.client.answers[EncodersQuery] = lambda _: {**old, "chosen": "laser2"}
    with qtbot.waitSignals([stage.state.encoders.switched, view.hits_shown]):
        stage.client.event_received.emit(events.Changed("encoder", 0))
    assert len(stage.client.queries(NearestQuery)) == n_asked + 1
    assert stage.state.encoders.doubts() == {}


def test_numbers_are_said_with_their_units() -> None:
    text = describe_coverage(RUNES, "isogloss-2")
    assert "Measured on 126 sentences" in text
    assert "93\u00a0% of pieces unknown" in text
    assert "1.10 pieces per word" in text
    words = msgspec.structs.replace(RUNES, pieces=None, script=None)
    assert "93\u00a0% of words unknown" in describe_coverage(words, "dual")
