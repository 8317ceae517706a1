"""Lines are found among those shown; what finds nothing is searched by meaning."""

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.params.words import MatchMode
from app.protocol.queries.search import OrderQuery
from app.views.concordance.line_filter import are_among
from app.views.concordance.model import KwicLines
from app.views.concordance.settings import ConcordanceSettings
from app.views.concordance.view import ConcordanceView
from app.views.widgets.view_protocol import TextLookup
from tests.views.concordance.made import STORM, Lines, type_and_enter
from tests.views.stage import Stage, sentence_id


def test_lines_are_found_among_those_shown(
    view: ConcordanceView, stage: Stage, lines: Lines, qtbot: QtBot
) -> None:
    def answer(query: OrderQuery) -> dict[str, Any]:
        file = stage.folder / "found.npy"
        np.save(file, np.array([STORM] if query.find == "storm" else [], np.int64))
        return {"file": str(file), "n": 1}

    stage.client.answers[OrderQuery] = answer
    lines.n = 1_000
    type_and_enter(view, qtbot, "ferry")
    view.actions_by_name["find"].trigger()
    row, model = view.page.find_row, view.table.lines
    assert row.isVisible()
    QTest.keyClicks(row.field, "storm")
    qtbot.waitUntil(lambda: model.rowCount() == 334)
    assert row.count == "334 of 1,000 lines"
    assert {model.line_at(index)[0] for index in range(334)} == {STORM}
    assert model.shown.words is not None
    assert (model.shown.words[:, 4] == 0).all()  # each line kept its words
    view.actions_by_name["right"].trigger()
    qtbot.waitUntil(lambda: not view.session.is_waiting)
    assert model.rowCount() == 334
    QTest.keyClick(row.field, Qt.Key.Key_Escape)
    assert (model.rowCount(), row.isVisible()) == (1_000, False)
    view.actions_by_name["find"].trigger()
    QTest.keyClicks(row.field, "calm")
    qtbot.waitUntil(lambda: row.count == "0 of 1,000 lines")
    type_and_enter(view, qtbot, "boat")
    assert (model.rowCount(), row.text) == (1_000, "")


def test_the_chosen_line_stays_in_sight_when_all_lines_are_shown_again(
    view: ConcordanceView, lines: Lines, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "ferry")
    starts = np.arange(1_000)
    whole = KwicLines(np.stack([starts + STORM, starts, starts + 1], axis=1))
    table = view.table
    for row in (0, 1):  # the line is among the few, or it is not
        few = KwicLines(whole.lines[[7, 600]][row:])
        table.show_lines(None, {}, whole)
        table.select_line((STORM + 7, 7))
        table.show_lines(None, {}, few)
        assert (table.current_line is None) == bool(row)
        table.show_lines(None, {}, whole)
        assert table.current_line == (STORM + 7, 7)
        table.select_line((STORM + 600, 600))
        table.show_lines(None, {}, few)
        table.show_lines(None, {}, whole)
        assert table.current_line == (STORM + 600, 600)
        assert STORM + 600 in table.visible_ids()


@pytest.mark.parametrize(
    ("text", "mode", "meant"),
    [
        ("haus* am *see", "words", "haus am see"),
        ("lemma:go pos:ADP", "words", "go"),
        ("pos:VERB *", "words", ""),
        (r"\w+", "regex", ""),
    ],
)
def test_what_finds_nothing_is_searched_for_by_meaning(
    view: ConcordanceView,
    stage: Stage,
    lines: Lines,
    qtbot: QtBot,
    text: str,
    mode: MatchMode,
    meant: str,
) -> None:
    lines.n = 0
    view.ask(ConcordanceSettings(text=text, mode=mode, corpora=(1,), languages=("en",)))
    qtbot.waitUntil(lambda: not view.session.is_waiting)
    button = view.page.meaning_button
    assert button.isVisible() == bool(meant)
    if meant:
        with qtbot.waitSignal(stage.state.view_requests.neighbours_requested) as wanted:
            button.click()
        assert wanted.args == [TextLookup(meant, (1,), (), ("en",))]


def test_sentences_are_found_among_those_of_several_corpora() -> None:
    draw = np.random.default_rng(1)
    starts = np.array([sentence_id(corpus, 0) for corpus in (1, 2, 7)])
    ids, others = (draw.choice(starts, 300) + draw.integers(0, 50, 300) for _ in "ab")
    assert are_among(ids, others[others < starts[2]]).tolist() == [
        int(one) in {*others[others < starts[2]].tolist()} for one in ids
    ]
    assert not are_among(ids, others[:0]).any()
