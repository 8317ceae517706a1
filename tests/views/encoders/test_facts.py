"""The card of facts: what an encoder needs, and room for every fact."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.protocol.queries.encoders import EncodersQuery
from app.settings import Settings
from app.views.encoders.view import EncodersView
from app.views.widgets.two_line_list import ROW_ROLE
from tests.views.encoders.cards import ISOGLOSS, card
from tests.views.stage import Stage


@pytest.fixture
def with_context(stage: Stage, folder: Path, qtbot: QtBot) -> Stage:
    """A stage with a contextual encoder over the words of isogloss-2."""
    context = card(
        *("isogloss-2-context", "c" * 64, folder),
        architecture="contextual",
        base_fingerprint=ISOGLOSS,
        languages=["en", "de", "fr"],
        licence="CC BY-SA 4.0",
    )
    cards = [card("isogloss-2", ISOGLOSS, folder, bundled=True), context]
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": cards,
        "chosen": "isogloss-2",
    }
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    return stage


def test_a_contextual_encoder_names_the_one_that_it_needs(
    with_context: Stage, view: EncodersView
) -> None:
    rows = [view.list.model().index(row, 0) for row in range(2)]
    assert [row.data(ROW_ROLE).facts.split(" · ")[0] for row in rows] == [
        "static",
        "needs isogloss-2",
    ]
    assert "needs isogloss-2" in rows[1].data(Qt.ItemDataRole.AccessibleTextRole)
    needs = next(
        one for one in view.facts.findChildren(QLabel) if one.text() == "Needs"
    )
    assert not needs.isVisible()
    view.list.select("isogloss-2-context")
    assert needs.isVisible()
    assert view.facts.value("base") == "isogloss-2"


def test_every_fact_is_readable_in_a_small_window_with_large_text(
    with_context: Stage, view: EncodersView, qtbot: QtBot
) -> None:
    view.list.select("isogloss-2-context")
    try:
        with_context.theme.apply(Settings(theme="light", text_scale=150))
        view.resize(1000, 560)
        assert not view.facts.isVisible()  # the coverage has the room
        view.tabs.setCurrentWidget(view.card_page)
        shown = [one for one in view.facts.findChildren(QLabel) if one.isVisible()]
        assert len(shown) == 2 * 7
        may_be_cut = {view.facts.value("hash")}  # it can be copied
        qtbot.waitUntil(
            lambda: {one.text() for one in shown if _is_cut(one)} <= may_be_cut
        )
    finally:
        with_context.theme.apply(Settings(theme="light"))


def test_the_hash_follows_the_text_size(
    with_context: Stage, view: EncodersView
) -> None:
    value = view.facts.value("hash")
    (label,) = (x for x in view.facts.findChildren(QLabel) if x.text() == value)
    try:
        sizes = []
        for text_scale in (100, 150, 100):
            with_context.theme.apply(Settings(theme="light", text_scale=text_scale))
            sizes.append(label.font().pixelSize())
        assert sizes == [12, 18, 12]
        assert label.font().families() != view.font().families()
    finally:
        with_context.theme.apply(Settings(theme="light"))


def _is_cut(label: QLabel) -> bool:
    return QLabel.text(label) != label.text()
