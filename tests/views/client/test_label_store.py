"""Labels by key: in the corpora's table, among hits; classes and their keys."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.protocol import events
from app.protocol.edits.labels import LabelSentences
from app.protocol.queries.classify import LabelCountsQuery
from app.protocol.queries.search import NearestQuery
from app.views.client.labels import LabelStore
from app.views.corpora.view import CorporaView
from app.views.search.view import SearchView
from app.views.widgets.search_query import SearchQuery
from tests.views.stage import Stage, build_project, nearest, sentence_id


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "p.isogloss"))
    stage.client.answers[LabelCountsQuery] = lambda _: COUNTS
    stage.client.answers[NearestQuery] = nearest
    stage.open(qtbot)
    yield stage
    stage.close()


def _is_counted(book: LabelStore, name: str) -> bool:
    return book.total(name) > 0


COUNTS: dict[str, Any] = {
    "corpora": [
        {
            "id": 1,
            "n_labelled": 3,
            "n_classes": 2,
            "classes": [["wind", 2], ["sea", 1]],
        }
    ]
}


def labels_of(stage: Stage) -> list[LabelSentences]:
    return [one for one in stage.client.changes() if isinstance(one, LabelSentences)]


def test_keys_label_the_selected_sentences_of_a_corpus_and_go_on(
    stage: Stage, qtbot: QtBot
) -> None:
    view = CorporaView(stage.state)
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show()
    view.list.choose([1])
    table = view.page.table
    table.select_sentence(sentence_id(1, 0))
    QTest.keyClick(table, Qt.Key.Key_1)  # the classes are counted first
    qtbot.waitUntil(lambda: bool(labels_of(stage)))
    assert labels_of(stage)[0].class_name == "sea"  # of equal rank: by alphabet
    assert labels_of(stage)[0].sentences == (sentence_id(1, 0),)
    assert table.current_id == sentence_id(1, 1)
    table.selectAll()
    QTest.keyClick(table, Qt.Key.Key_0)
    assert labels_of(stage)[1].class_name == ""
    assert len(labels_of(stage)[1].sentences) == 3


def test_a_key_without_a_class_says_so(stage: Stage, qtbot: QtBot) -> None:
    book = stage.state.labels
    with qtbot.waitSignal(book.changed):
        book.refresh()
    with qtbot.waitSignal(stage.state.notice_posted) as told:
        assert not book.label_by_key(7, [sentence_id(1, 0)])
    assert told.args == ["The key 7 has no class yet. Add one in Classify."]
    assert labels_of(stage) == []


def test_keys_label_the_hit_that_is_selected(stage: Stage, qtbot: QtBot) -> None:
    view = SearchView(stage.state)
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show()
    with qtbot.waitSignal(view.hits_shown):
        view.controller.send(SearchQuery(text="wind"))
    view.columns.focus_first()
    column = next(c for c in view.columns.columns if c.selectionModel().hasSelection())
    with qtbot.waitSignal(stage.state.edit_reported) as told:
        QTest.keyClick(column, Qt.Key.Key_2)
    assert told.args == ["The sentence: wind (Ctrl+Z to undo)."]
    hit = view.columns.selected
    assert hit is not None
    assert labels_of(stage)[0].sentences == (hit.sentence.id,)


def test_keys_label_the_sentence_that_is_asked_for(stage: Stage, qtbot: QtBot) -> None:
    view = SearchView(stage.state)
    qtbot.addWidget(view)
    view.show()
    with qtbot.waitSignal(view.hits_shown):
        view.ask_sentence(sentence_id(1, 2))
    assert view.columns.selected is None
    with qtbot.waitSignal(stage.state.edit_reported):
        QTest.keyClick(view.columns.columns[0], Qt.Key.Key_1)
    assert labels_of(stage)[0].sentences == (sentence_id(1, 2),)


def test_a_class_has_its_key_again_when_its_renaming_is_undone(
    stage: Stage, qtbot: QtBot
) -> None:
    book = stage.state.labels
    with qtbot.waitSignal(book.changed):
        book.refresh()
    book.rename(["sea"], "open sea")
    told: list[dict[str, Any]] = []
    stage.client.answers[LabelCountsQuery] = lambda _: told[-1]
    for name, order in (
        ("open sea", ["open sea", "wind"]),
        ("sea", ["sea", "wind"]),
        ("open sea", ["open sea", "wind"]),
    ):
        one = {**COUNTS["corpora"][0], "classes": [["wind", 2], [name, 1]]}
        told.append({"corpora": [one]})
        with qtbot.waitSignal(book.changed):
            book.refresh()
        qtbot.waitUntil(partial(_is_counted, book, name))
        assert book.classes == order
        assert stage.state.settings.class_keys[str(stage.folder)] == tuple(order)


def test_the_order_of_the_keys_is_kept_for_the_project(
    stage: Stage, qtbot: QtBot
) -> None:
    book = stage.state.labels
    with qtbot.waitSignal(book.changed):
        book.refresh()
    assert (book.class_of(1), book.class_of(2)) == ("sea", "wind")
    book.add_class(" high  tide ")
    book.move_class("high tide", -2)
    assert book.classes == ["high tide", "sea", "wind"]
    kept = stage.state.settings.class_keys[str(stage.folder)]
    assert kept == ("high tide", "sea", "wind")
    book.drop_class("wind")  # sentences have it: it stays
    book.drop_class("high tide")
    assert book.classes == ["sea", "wind"]


def test_labels_that_change_are_counted_and_read_again(
    stage: Stage, qtbot: QtBot
) -> None:
    book = stage.state.labels
    with qtbot.waitSignal(book.changed):
        book.refresh()
    n = len(stage.client.queries(LabelCountsQuery))
    with qtbot.waitSignals([book.labelled, book.changed]):
        stage.client.event_received.emit(events.Changed("label", sentence_id(1, 0)))
    assert len(stage.client.queries(LabelCountsQuery)) == n + 1
