"""The encoders view: the facts of each, its coverage, its card, its session."""

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot
from sqlalchemy import update

from app.engine.project.project import open_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.protocol.queries.encoders import EncodersQuery
from app.settings import Settings
from app.views.corpora.view import CorporaView
from app.views.encoders.view import EncodersView
from tests.views.clipping import press_everything
from tests.views.encoders.cards import ISOGLOSS, LASER, RUNES, card
from tests.views.stage import Stage, build_project


def test_the_encoder_in_use_is_shown_first_with_its_facts(view: EncodersView) -> None:
    assert view.header.texts == (
        "isogloss-2",
        "static · 256 dimensions · 31\u00a0MB · comes with Isogloss",
    )
    assert view.facts.value("vectors") == "4 of 4 corpora, 18\u00a0kB"
    assert view.facts.value("speed") == "81,400\u00a0sentences/s (CPU)"
    assert view.facts.value("languages") == "unknown"
    assert view.facts.value("hash") == ISOGLOSS


def test_another_encoder_says_where_it_came_from(view: EncodersView) -> None:
    view.list.select("laser2")
    assert view.header.texts[1] == "BiLSTM · 256 dimensions · 31\u00a0MB"
    assert view.facts.value("languages") == "English, German"
    assert view.facts.value("licence") == "BSD"
    assert view.facts.value("origin") == "laser2.pt"
    assert view.facts.value("vectors") == "none"
    assert view.coverage.is_empty


def test_the_worst_language_comes_first_and_headings_sort(view: EncodersView) -> None:
    table = view.coverage.table
    lines = list(table.lines())
    assert [line[2] for line in lines[1:]] == ["Japanese", "German"]
    assert lines[1][3:5] == ("126", "93\u00a0%")
    assert lines[1][-1] == RUNES.why
    header = table.horizontalHeader()
    assert header.sortIndicatorSection() == -1, "no column sorts by the verdict"
    table.sortItems(0, Qt.SortOrder.AscendingOrder)
    assert [line[2] for line in list(table.lines())[1:]] == ["German", "Japanese"]
    header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    assert [line[2] for line in list(table.lines())[1:]] == ["Japanese", "German"]
    table.sortItems(1, Qt.SortOrder.DescendingOrder)  # sentences: 240 before 126
    lines = list(table.lines())
    assert lines[0][:3] == ("Code", "Verdict", "Language")
    assert lines[2][:2] == ("ja", "red")
    assert "2 languages: 1 covered, 1 not covered" in view.coverage.summary


def test_the_coverage_is_readable_in_a_small_window_with_large_text(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    table = view.coverage.table
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view.resize(1000, 560)
        qtbot.waitUntil(lambda: table.width() < 750)
        header = table.horizontalHeader()
        ends = [
            header.sectionPosition(i) + header.sectionSize(i)
            for i in range(header.count())
        ]
        room = table.viewport().width()
        n_seen = sum(end <= room for end in ends)
        assert n_seen >= 6
        assert room - ends[n_seen - 1] < n_seen  # no column is cut
        assert table.viewport().height() >= 4 * table.rowHeight(0)
        areas = [one for one in view.findChildren(QScrollArea) if one.isVisible()]
        assert len(areas) == 1  # around the table
        top = table.viewport().mapTo(areas[0].viewport(), QPoint()).y()
        assert areas[0].viewport().height() - top >= 3 * table.rowHeight(0)
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_the_age_of_the_measurement_stays_true(
    view: EncodersView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 3_601.0)  # it was measured at 1
    view.show_ages()
    assert "measured 60 minutes ago" in view.coverage.summary


def test_names_and_buttons_are_whole_beside_a_panel_with_large_text(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view.resize(630, 616)  # of a window of 1100 pixels with a guided path
        name = view.header.texts[0]
        (label,) = (x for x in view.header.findChildren(QLabel) if x.text() == name)
        qtbot.waitUntil(lambda: QLabel.text(label) == name)
        buttons = view.coverage.findChildren(QPushButton)
        shown = [button for button in buttons if button.isVisible()]
        assert {"Export…", "Measure again"} <= {button.text() for button in shown}
        for button in shown:
            assert button.width() >= button.sizeHint().width(), button.text()
            end = button.mapTo(view, button.rect().topRight()).x()
            assert end < view.width(), button.text()
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_a_language_is_explained_and_its_hub_is_shown(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    assert "measure retrieval in Evaluate" in view.coverage.detail
    view.coverage.table.selectRow(0)
    assert "isogloss-2 does not cover Japanese" in view.coverage.detail
    assert "5.0\u00a0% of sentences are hubs (skewness 3.20)" in view.coverage.detail
    with qtbot.waitSignal(stage.state.view_requests.place_requested) as placed:
        QTest.keyClick(view.coverage.table, Qt.Key.Key_Return)
    assert placed.args == [first_sentence_id(4) + 1]


def test_a_measurement_before_the_last_import_is_called_so(
    view: EncodersView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    # the fixture measured in 1970, and the corpora are of today
    assert "2 languages measured before their last imports" in view.coverage.summary
    view.coverage.table.selectRow(0)
    assert "before the last import in Japanese" in view.coverage.detail
    corpora = CorporaView(stage.state)
    qtbot.addWidget(corpora)
    tip = corpora.list.model().index(3, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "before the last import in this language. Measure again." in tip
    with open_project(folder) as project, project.store.begin() as connection:
        connection.execute(update(schema.run).values(ended_at=time.time()))
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    assert "last import" not in view.coverage.summary + view.coverage.detail
    tip = corpora.list.model().index(3, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "does not cover this language" in tip
    assert "last import" not in tip


def test_a_damaged_encoder_is_named_once(view: EncodersView, stage: Stage) -> None:
    words = "Can't use the encoder broken: encoder.json is damaged."
    assert view.messages.text == words
    view.messages.clear()
    stage.state.encoders.changed.emit()
    assert view.messages.text == ""


def test_vectors_of_a_replaced_encoder_are_told_from_its_successor_s(
    view: EncodersView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card("isogloss-2", LASER, folder)],
        "chosen": "isogloss-2",
    }
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    assert view.sidebar.note.startswith(
        "Vectors of missing encoders: an earlier isogloss-2 ("
    )


def test_the_model_card_is_text_and_loads_nothing(
    view: EncodersView, folder: Path
) -> None:
    text = (
        "# Card\n\n<script>x</script>\n\n![a](file:///etc/hosts)\n\n| a |\n|---|\n| 1 |"
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
    view.tabs.setCurrentWidget(view.card_page)
    assert view.card.text == text
    shown = view.card.toPlainText()
    assert shown.startswith("Card")
    assert "script" in shown  # as text: no HTML is read
    assert view.card.loadResource(2, QUrl("file:///etc/hosts")) is None


def test_a_session_brings_the_encoder_and_the_tab_back(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    view.list.select("laser2")
    view.tabs.setCurrentIndex(1)
    saved = view.save_state()
    assert saved == {"encoder": "laser2", "tab": 1, "summary": "laser2"}
    again = EncodersView(stage.state)
    qtbot.addWidget(again)
    again.restore_state(saved)
    assert again.save_state() == saved


def test_every_button_works_after_a_switch_to_another_project(
    view: EncodersView, stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    view.list.select("laser2")
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(build_project(tmp_path / "other.isogloss", {}))
    other = EncodersView(stage.state)
    qtbot.addWidget(other)
    other.resize(1100, 700)
    other.show()
    qtbot.waitUntil(lambda: other.list.encoder is not None)
    for shown in (view, other):
        press_everything(shown)
    assert other.facts.value("vectors") == "none"
