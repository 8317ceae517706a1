"""The search view asks, shows hits side by side, and remembers what was asked."""

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu, QPushButton, QScrollBar
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import open_project
from app.engine.store import schema
from app.engine.store.sentences import SentenceRow
from app.errors import ErrorInfo
from app.params.vectors import Encode
from app.protocol.answers.encoders import EncoderInfo, EncoderListing
from app.protocol.edits.corpora import SaveHits
from app.protocol.edits.general import AddSearch
from app.protocol.queries.encoders import EncodersQuery, WarmQuery
from app.protocol.queries.reading import WordMarksQuery
from app.protocol.queries.search import KeywordQuery, NearestQuery
from app.settings import Settings
from app.views.search.hit_columns import MARKS_ROLE, MIN_WIDTH, HitColumn, HitColumns
from app.views.search.view import LOADING_MS, SearchView
from app.views.widgets.controls import ElidedLabel
from app.views.widgets.dialogs import TextInputDialog
from app.views.widgets.hit_card import SentenceCard
from app.views.widgets.hits import Hit
from app.views.widgets.search_query import SearchQuery, read_search_query
from app.views.widgets.view_protocol import TextLookup
from tests.views.clipping import press_everything
from tests.views.stage import (
    Stage,
    build_project,
    link,
    nearest,
    selected,
    sentence_id,
)

GERMAN = "Wegen des Sturms fährt die Fähre morgen nicht."
FERRY = "The ferry will not sail tomorrow because of the storm."


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "p.isogloss"))
    stage.client.answers[NearestQuery] = nearest
    stage.client.answers[KeywordQuery] = nearest
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, qtbot: QtBot) -> SearchView:
    view = SearchView(stage.state)
    qtbot.addWidget(view)
    view.resize(1000, 700)
    view.show()
    return view


def type_and_enter(view: SearchView, qtbot: QtBot, text: str) -> None:
    view.bar.field.clear()
    QTest.keyClicks(view.bar.field, text)
    with qtbot.waitSignal(view.hits_shown):
        QTest.keyClick(view.bar.field, Qt.Key.Key_Return)


def test_before_a_question_there_are_sentences_to_begin_with(
    view: SearchView, qtbot: QtBot
) -> None:
    cards = view.findChildren(SentenceCard)
    assert len({card.hit.sentence.language for card in cards}) == 4
    with qtbot.waitSignal(view.hits_shown):
        QTest.mouseClick(cards[0], Qt.MouseButton.LeftButton)
    assert view.controller.query.sentence == cards[0].hit.sentence.id


def test_the_field_says_what_words_can_be_typed(view: SearchView) -> None:
    field = view.bar.field
    assert field.placeholderText().startswith("Type a sentence in any language")
    view.bar.switch_mode()
    assert field.placeholderText() == (
        'Type words, haus* or a "phrase", then press Enter'
    )
    view.bar.switch_mode()
    assert field.placeholderText().startswith("Type a sentence in any language")


def test_the_encoder_is_loaded_while_search_is_shown(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    asked = functools.partial(stage.client.queries, WarmQuery)
    qtbot.waitUntil(lambda: asked() == [WarmQuery()])
    view.hide()
    stage.state.engine_reopened.emit()
    qtbot.wait(2 * LOADING_MS)
    assert asked() == [WarmQuery()]  # another view is used: no encoder for it
    view.show()
    qtbot.waitUntil(lambda: asked() == [WarmQuery()] * 2)
    stage.state.encoders.switched.emit()
    qtbot.waitUntil(lambda: asked() == [WarmQuery()] * 3)


def test_enter_shows_hits_by_language_the_nearest_first(
    view: SearchView, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, FERRY)
    assert [column.language for column in view.columns.columns] == [
        "en",
        "de",
        "ar",
        "ja",
    ]
    assert view.columns.columns[1].hits[0].corpus == "Hafenbriefe"
    assert view.bar.status == "4 hits in 12 sentences · 31\u00a0ms"


def test_the_selected_hit_is_selected_when_search_is_shown_again(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, FERRY)
    hit = view.columns.hits[1]
    view.columns.select_hit(hit.sentence.id)
    stage.state.select_sentence(None)  # as in a project that was opened again
    view.focus_first()
    assert stage.state.selection == hit.sentence.id


def test_back_leads_to_the_hit_that_was_selected(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, FERRY)
    hit = view.columns.hits[1]
    view.columns.select_hit(hit.sentence.id)
    type_and_enter(view, qtbot, "wind")
    assert stage.state.selection is None
    with qtbot.waitSignal(view.hits_shown):
        view.controller.back.trigger()
    assert view.columns.selected == hit
    assert selected(stage.state) == hit.sentence.id


def test_the_buttons_of_the_hits_stay_where_they_are(
    view: SearchView, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, FERRY)
    (export,) = [
        one
        for one in view.bar.findChildren(QPushButton)
        if one.text() == "Export hits…"
    ]
    places = []
    for text in (view.bar.status, "Searching…", "1 hit in 1 sentence"):
        view.bar.show_status(text)
        qtbot.wait(1)
        places.append(export.mapTo(view, QPoint()))
    assert len(set(map(QPoint.toTuple, places))) == 1


def mark_storm(query: WordMarksQuery) -> dict[str, object]:
    """Answer that "Sturms" translates a text, if its sentence is wanted."""
    begin = GERMAN.index("Sturms")
    word = [sentence_id(2, 1), begin, begin + len("Sturms"), 0.83]
    return {"found": [[word] if word[0] in query.texts[0].targets else []]}


def german_words(view: SearchView) -> list[str]:
    model = view.columns.columns[1].model()
    tip = model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    *words, place = str(tip).splitlines()
    assert place == "Hafenbriefe · line 2"
    return words


def test_the_translations_of_a_short_query_or_a_selected_word_are_marked(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    stage.client.answers[WordMarksQuery] = mark_storm
    QTest.mouseMove(view.bar.field)  # a hit under the pointer is drawn otherwise
    type_and_enter(view, qtbot, "storm")
    qtbot.waitUntil(lambda: german_words(view) == ["Sturms 83\u00a0%"])
    before = view.columns.columns[1].grab().toImage()
    type_and_enter(view, qtbot, FERRY)
    qtbot.waitUntil(lambda: german_words(view) == [])
    assert view.columns.columns[1].grab().toImage() != before  # the word was shaded
    index = FERRY.index("storm")
    view.bar.field.setSelection(index, len("storm"))
    qtbot.waitUntil(lambda: german_words(view) == ["Sturms 83\u00a0%"])
    (text,) = stage.client.queries(WordMarksQuery)[-1].texts
    assert text.text[text.begin : text.end] == "storm"
    assert view.columns.columns[1].grab().toImage() == before
    view.bar.field.deselect()
    qtbot.waitUntil(lambda: german_words(view) == [])


def test_columns_begin_with_the_query_s_language_then_the_nearest(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(view.hits_shown):
        view.ask_sentence(sentence_id(3, 0))
    languages = [column.language for column in view.columns.columns]
    assert languages == ["ar", "en", "de", "ja"]
    stage.client.answers[NearestQuery] = lambda query: {
        **nearest(query),
        "language": "de",
    }
    type_and_enter(view, qtbot, "Sturm")
    languages = [column.language for column in view.columns.columns]
    assert languages == ["de", "en", "ar", "ja"]
    with qtbot.waitSignal(view.hits_shown):
        view.bar.switch_mode()  # words have no nearness
    type_and_enter(view, qtbot, "storm*")
    languages = [column.language for column in view.columns.columns]
    assert languages == sorted(languages, key=["en", "de", "ar", "ja"].index)


def test_another_view_s_text_is_asked_and_again_when_sentences_are_hidden(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(view.hits_shown):
        view.ask_text(TextLookup("storm", (2,), (), ("de",)))
    (query,) = stage.client.queries(NearestQuery)
    asked = (query.text, query.sentence, query.corpora, query.languages)
    assert asked == ("storm", None, (2,), ("de",))
    with qtbot.waitSignal(view.hits_shown):
        stage.state.kinds_changed.emit({"hidden"})
    assert stage.client.queries(NearestQuery) == [query, query]


def test_a_typed_text_is_asked_as_text(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "  storm ")
    query = stage.client.queries(NearestQuery)[-1]
    assert (query.text, query.sentence) == ("storm", None)


def test_a_question_is_kept_in_the_project(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "storm")
    kept = [c for c in stage.client.changes() if isinstance(c, AddSearch)]
    assert [change.text for change in kept] == ["storm"]
    assert read_search_query(kept[0].filters).text == "storm"


def test_a_click_selects_a_hit_and_a_double_click_makes_it_the_query(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, FERRY)
    column = view.columns.columns[1]
    index = column.visualRect(column.model().index(0, 0)).center()
    QTest.mouseClick(column.viewport(), Qt.MouseButton.LeftButton, pos=index)
    assert stage.state.selection == sentence_id(2, 1)
    assert view.columns.selected == column.hits[0]
    assert view.controller.query == SearchQuery(text=FERRY)
    assert view.bar.field.text() == FERRY
    with qtbot.waitSignal(view.hits_shown):
        QTest.mouseDClick(column.viewport(), Qt.MouseButton.LeftButton, pos=index)
    assert view.controller.query.sentence == sentence_id(2, 1)
    assert stage.state.selection == sentence_id(2, 1)
    with qtbot.waitSignal(view.hits_shown):
        QTest.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert view.controller.query == SearchQuery(text=FERRY)
    with qtbot.waitSignal(view.hits_shown):
        QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert view.controller.query.sentence == sentence_id(2, 1)


def test_another_query_selects_no_hit_of_the_query_before(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    stage.state.select_sentence(sentence_id(2, 1))
    type_and_enter(view, qtbot, FERRY)
    assert stage.state.selection is None


def test_keys_search_from_the_selected_hit_and_return_to_the_query(
    view: SearchView, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, FERRY)
    view.columns.select_hit(sentence_id(2, 1))
    view.columns.focus_first()
    with qtbot.waitSignal(view.hits_shown):
        QTest.keyClick(view.columns.columns[1], Qt.Key.Key_S)
    assert view.controller.query.sentence == sentence_id(2, 1)
    assert not view.bar.field.hasFocus()
    QTest.keyClick(
        view.columns.columns[0], Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier
    )
    assert view.bar.field.hasFocus()
    assert view.bar.field.selectedText() == view.bar.field.text() != ""


def test_arrow_keys_move_between_cards_and_fill_the_inspector(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, FERRY)
    view.columns.focus_first()
    assert stage.state.selection == sentence_id(1, 1)
    QTest.keyClick(view.columns.columns[0], Qt.Key.Key_Right)
    assert stage.state.selection == sentence_id(2, 1)
    assert view.columns.selected == view.columns.columns[1].hits[0]
    with qtbot.waitSignal(view.hits_shown):
        QTest.keyClick(view.columns.columns[1], Qt.Key.Key_Return)
    assert view.controller.query.sentence == sentence_id(2, 1)


def test_a_hit_is_copied_with_its_source(view: SearchView, qtbot: QtBot) -> None:
    type_and_enter(view, qtbot, FERRY)
    view.columns.focus_first()
    QTest.keyClick(
        view.columns.columns[0], Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier
    )
    copied = QGuiApplication.clipboard().text()
    assert copied == f"{FERRY} (Harbour letters, English, line 2, p)"


def test_words_are_looked_for_and_marked(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "storm*")
    with qtbot.waitSignal(view.hits_shown):
        view.bar.switch_mode()
    assert stage.client.queries(KeywordQuery)[-1].text == "storm*"
    assert view.controller.query.marked == "storm*"


def test_a_part_of_a_word_that_concordance_does_not_count_is_explained(
    tmp_path: Path, qtbot: QtBot
) -> None:
    texts = {"Letters": ("en", ["A boat.", "Tom's boat left."])}
    stage = Stage(build_project(tmp_path / "p.isogloss", texts))
    stage.client.answers[KeywordQuery] = nearest
    stage.open(qtbot)
    view = SearchView(stage.state)
    qtbot.addWidget(view)
    view.show()
    view.bar.switch_mode()
    hint = "Includes parts of words, such as {}, unlike Concordance"
    for typed, expected in (
        ("tom", hint.format("Tom's")),
        ("Tom's", ""),
        ("tom*", ""),
        ("boat", ""),
    ):
        type_and_enter(view, qtbot, typed)
        assert view.bar.hint == expected
    stage.close()


def test_marks_of_words_are_whole_words_prefixes_and_phrases(qtbot: QtBot) -> None:
    column = HitColumn("en")
    qtbot.addWidget(column)
    text = "Tom sat down in Tom's automobile, stormy 嵐のため."
    sentence = SentenceRow(sentence_id(1, 0), text, "en", 1, len(text))

    def marked(typed: str) -> list[str]:
        column.show_hits([Hit(sentence, "a")], typed)
        return [text[a:b] for a, b in column.model().index(0, 0).data(MARKS_ROLE)]

    assert marked("tom") == ["Tom", "Tom"]
    assert marked("storm") == []
    assert marked('storm* "sat down"') == ["sat down", "stormy"]
    assert marked("ため") == ["ため"]
    assert marked("") == []


def test_a_language_s_chip_narrows_the_search(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, FERRY)
    with qtbot.waitSignal(view.hits_shown):
        view.bar.languages.choose(["ja"])
    assert stage.client.queries(NearestQuery)[-1].languages == ("ja",)
    assert [column.language for column in view.columns.columns] == ["ja"]


def test_corpora_without_vectors_are_named_and_encoded_by_a_button(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    def _answer(query: NearestQuery) -> dict[str, Any]:
        return {**nearest(query), "not_encoded": [2]}

    stage.client.answers[NearestQuery] = _answer
    type_and_enter(view, qtbot, FERRY)
    assert view.results.messages.text.startswith("Hafenbriefe has no vectors")
    view.results.encode_requested.emit()
    assert stage.client.runs() == [Encode(corpora=("2",))]


def test_vectors_that_arrive_during_a_slow_search_are_searched_too(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    names = [corpus.name for corpus in stage.state.corpora]
    missing = [corpus.id for corpus in stage.state.corpora]

    def _encode_meanwhile(query: NearestQuery) -> dict[str, Any]:
        not_encoded = list(missing)
        if missing:
            missing.clear()
            stage.state.embeddings_changed.emit()
        return {**nearest(query), "not_encoded": not_encoded}

    stage.client.answers[NearestQuery] = _encode_meanwhile
    texts: list[str] = []
    view.hits_shown.connect(lambda: texts.append(view.results.messages.text))
    type_and_enter(view, qtbot, FERRY)
    qtbot.waitUntil(lambda: len(texts) == 2)
    listed = f"{', '.join(names[:3])} …" if len(names) > 3 else ", ".join(names)
    assert f"were not searched ({listed}). Encode them" in texts[0]
    assert texts[1] == ""


def test_the_menu_of_a_hit_has_the_attribution(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    (look,) = [one for one in view.columns.actions() if one.text() == "Attribution…"]
    with qtbot.waitSignal(stage.state.view_requests.attribution_requested):
        look.trigger()


def test_known_translations_are_marked(stage: Stage, qtbot: QtBot) -> None:
    link(stage.folder, [(sentence_id(1, 1), sentence_id(2, 1))])
    view = SearchView(stage.state)
    qtbot.addWidget(view)
    with qtbot.waitSignal(view.hits_shown):
        view.ask_sentence(sentence_id(1, 1))
    marked = [hit.sentence.id for hit in view.columns.hits if hit.is_translation]
    assert marked == [sentence_id(2, 1)]


def test_an_error_is_said_in_place(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    error = ErrorInfo("user", "The quotes are not closed: add one.")
    stage.client.answers[NearestQuery] = lambda query: error
    type_and_enter(view, qtbot, '"storm')
    assert view.results.words == ("The query failed", error.message)
    stage.client.answers[NearestQuery] = nearest
    shown: list[str] = []
    view.controller.query_sent.connect(lambda _: shown.append(view.results.words[0]))
    assert view.results.retry_button.isVisible()
    with qtbot.waitSignal(view.hits_shown):
        view.results.retry_button.click()
    assert shown == ["Searching…"]
    assert view.columns.hits
    queries = stage.client.queries(NearestQuery)
    assert queries[-1].text == queries[-2].text == '"storm'
    stage.client.answers[NearestQuery] = lambda query: {**nearest(query), "hits": []}
    type_and_enter(view, qtbot, "xyz")
    assert not view.results.retry_button.isVisible()


def test_no_hits_are_explained(view: SearchView, stage: Stage, qtbot: QtBot) -> None:
    stage.client.answers[NearestQuery] = lambda query: {**nearest(query), "hits": []}
    type_and_enter(view, qtbot, "xyz")
    assert view.results.words == ("No hits", "Try another text.")


def test_hits_are_exported(
    view: SearchView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    type_and_enter(view, qtbot, FERRY)
    with qtbot.waitSignal(stage.state.file_written):
        view.controller.ask_export().export_to(tmp_path / "hits.tsv")
    lines = (tmp_path / "hits.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t")[:3] == ["rank", "score", "language"]
    assert lines[0].split("\t")[5:] == [
        *("text", "query", "searched_languages", "sentence_id", "searched_corpora"),
    ]
    assert lines[1].split("\t")[6:8] == [view.controller.query.text, "all"]
    assert lines[2].split("\t")[1:5] == ["0.7500", "de", "Hafenbriefe", "2"]


def test_hits_are_saved_under_a_name(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, FERRY)
    with qtbot.waitSignal(view.hits_shown):
        view.bar.corpora.choose(["2"])
    (button,) = [
        one for one in view.findChildren(QPushButton) if one.text() == "Save hits…"
    ]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    (dialog,) = view.findChildren(TextInputDialog)
    field = dialog.findChild(QLineEdit)
    assert field is not None
    field.setText("Ferries")
    QTest.keyClick(field, Qt.Key.Key_Return)
    (saved,) = [one for one in stage.client.changes() if isinstance(one, SaveHits)]
    assert (saved.name, saved.text, saved.corpora) == (
        *("Ferries", FERRY, ("Hafenbriefe",)),
    )
    assert saved.sentences == tuple(hit.sentence.id for hit in view.columns.hits)
    assert not saved.words
    with qtbot.waitSignal(view.hits_shown):
        view.bar.words.click()
    view.controller.ask_save()
    field = view.findChildren(TextInputDialog)[-1].findChild(QLineEdit)
    assert field is not None
    QTest.keyClick(field, Qt.Key.Key_Return)
    saves = [one for one in stage.client.changes() if isinstance(one, SaveHits)]
    assert [one.words for one in saves] == [False, True]


def test_exported_hits_have_their_documents_and_the_searched_corpora(
    view: SearchView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    row = {"corpus_id": 2, "first": 0, "n_sentences": 3, "name": "Briefe"}
    with open_project(stage.folder) as project, project.store.begin() as connection:
        fields = '{"author": "Meer", "year": "1854"}'
        connection.execute(insert(schema.document).values(**row, fields=fields))
    type_and_enter(view, qtbot, FERRY)
    with qtbot.waitSignal(view.hits_shown):
        view.bar.corpora.choose(["2"])
    with qtbot.waitSignal(stage.state.file_written):
        view.controller.ask_export().export_to(tmp_path / "hits.tsv")
    lines = (tmp_path / "hits.tsv").read_text(encoding="utf-8").splitlines()
    found = dict(zip(lines[0].split("\t"), lines[2].split("\t"), strict=True))
    assert (found["corpus"], found["searched_corpora"]) == ("Hafenbriefe",) * 2
    assert (found["document"], found["author"], found["year"]) == (
        *("Briefe", "Meer", "1854"),
    )


def test_a_session_comes_back(stage: Stage, view: SearchView, qtbot: QtBot) -> None:
    type_and_enter(view, qtbot, FERRY)
    view.columns.select_hit(sentence_id(3, 1))
    saved = view.save_state()
    other = SearchView(stage.state)
    qtbot.addWidget(other)
    with qtbot.waitSignal(other.hits_shown):
        other.restore_state(saved)
    assert other.controller.query == view.controller.query
    selected = other.columns.selected
    assert selected is not None
    assert selected.sentence.id == sentence_id(3, 1)
    assert other.save_state() == saved


def test_a_state_of_another_version_is_forgiven(view: SearchView) -> None:
    view.restore_state({"question": {"text": 7}, "selected": "x", "scroll": None})
    view.restore_state({})
    assert view.controller.query.is_empty


def test_past_queries_are_offered(view: SearchView, stage: Stage, qtbot: QtBot) -> None:
    from app.engine.project.project import open_project
    from app.engine.store import schema

    with open_project(stage.folder) as project, project.store.begin() as connection:
        connection.execute(
            schema.search.insert(),
            {"text": "Sturm", "filters": '{"words": true}', "created_at": 1.0},
        )
    menu = QMenu()
    qtbot.addWidget(menu)
    view.bar.field.history_requested.emit(menu)
    assert [action.text() for action in menu.actions()] == ["Sturm"]
    with qtbot.waitSignal(view.hits_shown):
        menu.actions()[0].trigger()
    assert view.controller.query == SearchQuery(text="Sturm", words=True)


def test_an_older_answer_is_dropped(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    view.controller.send(SearchQuery(text="first"))
    with qtbot.waitSignal(view.hits_shown):
        view.controller.send(SearchQuery(text="second"))
    assert view.controller.query.text == "second"
    assert stage.client.queries(NearestQuery)[-1].text == "second"


def test_columns_of_twelve_languages_stand_side_by_side(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    codes = ["ar", "de", "el", "en", "es", "fr", "hi", "ja", "ru", "sw", "tr", "zh"]
    row = SentenceRow(sentence_id(1, 1), FERRY, "en", 2, len(FERRY))
    groups = {code: [Hit(row._replace(language=code), "Letters")] * 3 for code in codes}
    type_and_enter(view, qtbot, FERRY)
    for width in (1000, 640):
        view.resize(width, 600)
        view.columns.show_hits(groups)
        assert_side_by_side(view.columns)


def test_four_languages_stand_side_by_side_in_a_small_window_with_large_text(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    row = SentenceRow(sentence_id(1, 1), FERRY, "en", 2, len(FERRY))
    hit = Hit(row, "Letters")
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        view.resize(1000, 600)
        type_and_enter(view, qtbot, FERRY)
        codes = ["ar", "de", "el", "en", "es"]
        view.columns.show_hits({code: [hit] for code in codes})
        qtbot.waitUntil(lambda: _n_whole(view.columns) == 4)
        assert_side_by_side(view.columns)
    finally:
        stage.theme.apply(Settings(theme="light"))


def _n_whole(board: HitColumns) -> int:
    """Count the columns that can be seen from side to side."""
    ends = [one.mapTo(board, one.rect().topRight()).x() for one in board.columns]
    return sum(end < board.width() for end in ends)


def assert_side_by_side(board: HitColumns) -> None:
    edge = -1
    for column in board.columns:
        place = column.mapTo(board, QPoint(0, 0)).x()
        assert place > edge
        assert column.width() >= MIN_WIDTH
        edge = place + column.width() - 1
    for label in board.findChildren(QLabel):
        assert label.width() >= label.sizeHint().width(), label.text()


def test_a_chosen_example_stays_the_selected_sentence(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    card = view.findChildren(SentenceCard)[1]
    card.setFocus()
    with qtbot.waitSignal(view.hits_shown):
        QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert stage.state.selection == card.hit.sentence.id
    column = view.columns.columns[0]
    assert column.language == card.hit.sentence.language
    column.setFocus(Qt.FocusReason.TabFocusReason)
    assert stage.state.selection == card.hit.sentence.id
    QTest.keyClick(column, Qt.Key.Key_Down)
    assert stage.state.selection == sentence_id(2, 1)


def test_a_query_can_be_typed_on_after_enter(view: SearchView, qtbot: QtBot) -> None:
    type_and_enter(view, qtbot, "storm")
    QTest.keyClicks(view.bar.field, "s")
    assert view.bar.field.text() == "storms"


def test_everything_works_after_a_switch_to_another_project(
    view: SearchView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    errors: list[object] = []
    stage.state.error_posted.connect(errors.append)
    type_and_enter(view, qtbot, FERRY)
    press_everything(view)
    texts = ["The harbour is closed.", "The bridge is open."]
    other = build_project(tmp_path / "other.isogloss", {"Notes": ("en", texts)})
    stage.client.answers[NearestQuery] = lambda query: {
        **nearest(query),
        "hits": [{"sentence": sentence_id(1, 1), "score": 0.5, "language": "en"}],
    }
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(other)
    type_and_enter(view, qtbot, "bridge")
    (hit,) = view.columns.hits
    assert (hit.corpus, hit.sentence.text) == ("Notes", texts[1])
    press_everything(view)
    assert not errors


def offer_reranker(stage: Stage, qtbot: QtBot, *, static: str = "a" * 64) -> None:
    """Let the project have the encoder in use, and a contextual one over its words."""
    encoders = (
        EncoderInfo(name="isogloss-3", architecture="static", fingerprint="a" * 64),
        EncoderInfo(
            name="layers",
            architecture="contextual",
            fingerprint="b" * 64,
            base_fingerprint=static,
        ),
    )
    listing = EncoderListing(encoders=encoders, chosen="isogloss-3")
    stage.client.answers[EncodersQuery] = lambda _: listing
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()


def test_hits_are_scored_again_unless_that_is_switched_off(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    assert not view.bar.rerank.isVisible()  # no encoder can do it
    type_and_enter(view, qtbot, FERRY)
    offer_reranker(stage, qtbot)
    assert view.bar.rerank.isVisible()
    assert "layers" in view.bar.rerank.toolTip()

    def answer(query: NearestQuery) -> dict[str, Any]:
        return nearest(query) | {"reranker": query.reranker}

    stage.client.answers[NearestQuery] = answer
    type_and_enter(view, qtbot, "storm")
    assert stage.client.queries(NearestQuery)[-1].reranker == "layers"
    assert view.bar.status == ("4 hits in 12 sentences · re-ranked · 31\u00a0ms")
    tip = Qt.ItemDataRole.ToolTipRole
    column = view.columns.columns[0]
    assert column.model().index(0, 0).data(tip).endswith("by layers")
    assert view.scoring_encoder() == "layers"
    with qtbot.waitSignal(view.hits_shown):
        QTest.mouseClick(view.bar.rerank, Qt.MouseButton.LeftButton)
    column = view.columns.columns[0]
    assert column.model().index(0, 0).data(tip).endswith("by isogloss-3")
    assert view.scoring_encoder() == ""
    assert stage.client.queries(NearestQuery)[-1].reranker == ""
    assert view.bar.status == "4 hits in 12 sentences · 31\u00a0ms"
    saved = view.save_state()
    view.bar.rerank.setChecked(True)
    with qtbot.waitSignal(view.hits_shown):
        view.restore_state(saved)
    assert not view.bar.rerank.isChecked()
    view.bar.words.click()
    assert not view.bar.rerank.isEnabled()


def test_hits_of_a_restored_session_are_scored_again_once_that_is_possible(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    stage.client.answers[NearestQuery] = lambda query: (
        nearest(query) | {"reranker": query.reranker}
    )
    saved = {"question": SearchQuery(text="storm").to_json()}
    with qtbot.waitSignal(view.hits_shown):
        view.restore_state(saved)  # the encoders are not known yet
    assert view.bar.status == "4 hits in 12 sentences · 31\u00a0ms"
    view.columns.select_hit(view.columns.hits[2].sentence.id)
    with qtbot.waitSignal(view.hits_shown):
        offer_reranker(stage, qtbot)
    assert view.bar.status == ("4 hits in 12 sentences · re-ranked · 31\u00a0ms")
    assert view.columns.selected == view.columns.hits[2]
    n = len(stage.client.queries(NearestQuery))
    stage.state.encoders.changed.emit()
    assert len(stage.client.queries(NearestQuery)) == n, "once"


def test_the_words_of_a_whole_sentence_without_spaces_are_not_marked(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    query = SearchQuery(
        text="嵐のため明日フェリーは出ません。", sentence=1, language="ja"
    )
    with qtbot.waitSignal(view.hits_shown):
        view.controller.send(query)
    assert not stage.client.queries(WordMarksQuery)
    with qtbot.waitSignal(view.hits_shown):
        view.controller.send(SearchQuery(text="嵐", sentence=1, language="ja"))
    qtbot.waitUntil(lambda: len(stage.client.queries(WordMarksQuery)) == 1)


def test_enter_presses_the_search_mode_with_the_focus(
    view: SearchView, qtbot: QtBot
) -> None:
    view.bar.field.setText("storm")
    view.bar.words.setFocus()
    with qtbot.waitSignal(view.hits_shown):
        QTest.keyClick(view.bar.words, Qt.Key.Key_Return)
    assert view.bar.words.isChecked()


def test_layers_over_another_encoder_do_not_score_hits(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    offer_reranker(stage, qtbot, static="c" * 64)
    assert not view.bar.rerank.isVisible()
    type_and_enter(view, qtbot, FERRY)
    assert stage.client.queries(NearestQuery)[-1].reranker == ""


@pytest.mark.parametrize("by_key", [False, True])
def test_an_emptied_query_returns_to_the_examples_and_keeps_the_history(
    view: SearchView, stage: Stage, qtbot: QtBot, by_key: bool
) -> None:
    type_and_enter(view, qtbot, FERRY)
    view.columns.columns[1].select_row(0)
    if by_key:
        view.bar.field.selectAll()
        QTest.keyClick(view.bar.field, Qt.Key.Key_Delete)
        QTest.keyClick(view.bar.field, Qt.Key.Key_Return)
    else:
        clear = view.bar.field.actions()[-1]
        assert clear.text() == "Clear the query"
        clear.trigger()
    assert not view.results.shows_hits
    assert view.results.start.isVisible()
    assert view.bar.status == ""
    assert stage.state.selection is None
    assert not view.controller.export.isEnabled()
    with qtbot.waitSignal(view.hits_shown):
        view.controller.back.trigger()
    assert view.bar.field.text() == FERRY
    view.controller.forward.trigger()
    assert view.results.start.isVisible()
    n_queries = len(stage.client.queries(NearestQuery))
    view.bar.languages.choose(["de"])  # nothing to search
    assert len(stage.client.queries(NearestQuery)) == n_queries


def test_a_cut_list_of_hits_says_so_and_can_be_continued(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    def answer(query: KeywordQuery) -> dict[str, object]:
        hits = [
            {"sentence": sentence_id(1, n), "language": "en"}
            for n in range(3 if query.k > 12 else 1)
        ]
        found = {"n_found": {"en": 3}, "has_more": query.k == 12}
        return {"hits": hits, "n_searched": 12, "elapsed_s": 0.01, **found}

    stage.client.answers[KeywordQuery] = answer
    view.bar.words.setChecked(True)
    assert not view.bar.rerank.isEnabled()
    type_and_enter(view, qtbot, "the")
    assert view.bar.status.startswith("1 of 3 hits in 12 sentences")
    assert "1 of 3 hits" in [one.text() for one in view.columns.findChildren(QLabel)]
    view.columns.select_hit(sentence_id(1, 0))
    (more,) = [
        one
        for one in view.findChildren(QPushButton)
        if one.text() == "Show more hits" and one.isVisible()
    ]
    with qtbot.waitSignal(view.hits_shown):
        more.click()
    assert view.bar.status.startswith("3 hits in 12 sentences")
    assert view.columns.selected is not None  # the place is kept
    assert more.isVisible()
    assert not more.isEnabled()
    assert more.toolTip() == "All hits are shown."


def answer_at_length(query: NearestQuery) -> dict[str, object]:
    """Answer with as many hits as are wanted, other languages first for more."""
    codes = ["en", "de", "ar", "ja"][:: 1 if query.k == 12 else -1]
    numbers = list(range(30))
    if query.k > 12:  # re-ranking finds a better hit
        numbers = [50, *range(1, 50), 0]
    hits = [
        {
            "sentence": sentence_id(["en", "de", "ar", "ja"].index(code) + 1, n),
            "score": 0.9 - numbers.index(n) / 100,
            "language": code,
        }
        for code in codes
        for n in numbers
        if code != "ja" or n < 4
    ]
    return {"hits": hits, "n_searched": 400, "elapsed_s": 0.01, "has_more": True}


def card_places(view: SearchView) -> dict[int, tuple[int, int, int, int]]:
    """Return the places of the cards on the screen, by sentence."""
    found = {}
    for column in view.columns.columns:
        for row, hit in enumerate(column.hits):
            index = column.visualRect(column.model().index(row, 0))
            if index.intersects(column.viewport().rect()):
                corner = column.viewport().mapTo(view, index.topLeft())
                found[hit.sentence.id] = (*corner.toTuple(), *index.size().toTuple())
    return found


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_more_hits_leave_those_on_the_screen_where_they_are(
    tmp_path: Path, qtbot: QtBot, share: float
) -> None:
    texts = {
        name: (language, [f"{name} says {n} " * (n % 7 + 1) for n in range(100)])
        for name, language in (("A", "en"), ("B", "de"), ("C", "ar"), ("D", "ja"))
    }
    stage = Stage(build_project(tmp_path / "long.isogloss", texts))
    stage.client.answers[NearestQuery] = answer_at_length
    stage.open(qtbot)
    view = SearchView(stage.state)
    qtbot.addWidget(view)
    view.resize(1000, 700)
    view.show()
    type_and_enter(view, qtbot, "says")
    columns = view.columns
    (bar,) = [it for it in columns.findChildren(QScrollBar) if it.parent() is columns]
    qtbot.waitUntil(lambda: bar.maximum() > 1000)
    columns.scroll_to(round(share * bar.maximum()))
    before, languages = card_places(view), [it.language for it in columns.columns]
    assert len(before) > 4
    with qtbot.waitSignal(view.hits_shown):
        view.controller.more.trigger()
    QCoreApplication.processEvents()
    after = card_places(view)
    assert {id_: after.get(id_) for id_ in before} == before
    assert [it.language for it in columns.columns] == languages
    columns.scroll_to(0)
    heads = {column.verticalScrollBar().value() for column in columns.columns}
    assert heads == {0}
    stage.close()


def test_a_column_keeps_its_place_when_the_query_is_answered_again(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, FERRY)
    before = [column.language for column in view.columns.columns]
    view.columns.select_hit(sentence_id(2, 1))
    stage.client.answers[NearestQuery] = lambda query: {
        **(answer := nearest(query)),
        "hits": [hit for hit in answer["hits"][::-1] if hit["language"] != "de"],
    }
    with qtbot.waitSignal(view.hits_shown):
        view.controller.repeat()
    assert [column.language for column in view.columns.columns] == before
    assert view.columns.columns[before.index("de")].hits == []
    type_and_enter(view, qtbot, "storm")
    after = [column.language for column in view.columns.columns]
    assert after == ["ja", "ar", "en"]


def test_translations_of_a_typed_sentence_of_the_project_are_marked(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    link(stage.folder, [(sentence_id(1, 1), sentence_id(2, 1))])
    exact = [sentence_id(1, 1)]
    stage.client.answers[NearestQuery] = lambda query: {
        **nearest(query),
        "exact": exact,
    }
    type_and_enter(view, qtbot, FERRY)
    marked = [hit.sentence.id for hit in view.columns.hits if hit.is_translation]
    assert marked == [sentence_id(2, 1)]


def test_a_typed_text_is_aligned_as_it_is_written(
    view: SearchView, qtbot: QtBot
) -> None:
    field = view.bar.field
    field.selectAll()
    QGuiApplication.clipboard().setText("لن تبحر العبّارة غدًا")
    field.paste()
    assert field.alignment() & Qt.AlignmentFlag.AlignRight
    with qtbot.waitSignal(view.hits_shown):
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.alignment() & Qt.AlignmentFlag.AlignRight
    field.clear()
    QTest.keyClicks(field, "a")
    assert field.alignment() & Qt.AlignmentFlag.AlignLeft


def test_a_long_query_says_how_translated_words_are_highlighted(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "results of the presidential elections")
    qtbot.waitUntil(lambda: bool(stage.client.queries(WordMarksQuery)))
    assert view.bar.hint == ""
    type_and_enter(view, qtbot, FERRY)
    assert view.bar.hint == "Select words to mark translations"


def test_a_hint_without_room_is_in_the_tooltip_and_moves_nothing(
    view: SearchView, stage: Stage, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    try:
        view.resize(640, 700)
        QCoreApplication.processEvents()
        before = view.results.geometry()
        for text in ("results of the elections", FERRY):
            type_and_enter(view, qtbot, text)
            QCoreApplication.processEvents()
            assert view.results.geometry() == before
        (status,) = [
            label
            for label in view.bar.findChildren(ElidedLabel)
            if label.text().startswith(view.bar.status)
        ]
        assert status.toolTip() == f"{view.bar.status} · {view.bar.hint}"
    finally:
        stage.theme.apply(Settings(theme="light"))
