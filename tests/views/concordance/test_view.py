"""The concordance asks twice, says what is wrong in place, turns lines into more."""

import functools
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QTableWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.engine.runtime.report import Report
from app.engine.store.connections import connect_writing
from app.engine.store.words.hit_lists import (
    NewHitList,
    SavedHits,
    list_hit_lists,
    write_hit_list,
)
from app.engine.tasks.index_words import index_words
from app.errors import ErrorInfo
from app.params import params_to_json
from app.params.vectors import Encode
from app.params.words import Concordance, IndexWords
from app.protocol import events
from app.protocol.answers.reading import ExampleWords
from app.protocol.edits.corpora import HideSentences
from app.protocol.edits.general import AddSearch, SetNote
from app.protocol.edits.pairs import AddPair
from app.protocol.queries.reading import ExampleWordsQuery, WordMarksQuery
from app.protocol.queries.search import OrderQuery
from app.protocol.queries.words import ConcordanceQuery, LineNeighboursQuery
from app.settings import Settings
from app.views.concordance.dialogs import ConcordanceExportDialog
from app.views.concordance.model import ROW_ROLE
from app.views.concordance.settings import (
    N_PREVIEW_LINES,
    ConcordanceSettings,
    sort_further,
    toggle_sort,
)
from app.views.concordance.shares import ShareBars, ShareKey
from app.views.concordance.view import ConcordanceView
from app.views.widgets.label_menu import LabelMenu
from app.views.widgets.note_dialog import NoteDialog
from app.views.widgets.shortcut_row import ShortcutButton
from app.views.widgets.syntax_help import SyntaxDialog, SyntaxHelp, list_examples
from app.views.widgets.view_protocol import TextLookup
from tests.views.concordance.made import (
    PAIR,
    STORM,
    STURM,
    Client,
    Lines,
    press,
    type_and_enter,
)
from tests.views.stage import Stage, build_project, link, selected, sentence_id


def test_first_lines_come_first_and_then_all(
    view: ConcordanceView, stage: Stage, lines: Lines, qtbot: QtBot
) -> None:
    lines.n = 1_000
    seen: list[int] = []
    view.lines_shown.connect(lambda: seen.append(view.table.lines.rowCount()))
    type_and_enter(view, qtbot, "ferry")
    assert seen == [N_PREVIEW_LINES, 1_000]
    first, whole = stage.client.queries(ConcordanceQuery)
    assert (first.top, whole.top, whole.requester) == (200, 10_000_000, "concordance")
    assert view.bar.count.text() == (
        "1,000 hits in 3 of 12 sentences · 16,666,667 per million of 60 words · "
        "4\u00a0ms"
    )
    (change,) = stage.client.changes()
    assert isinstance(change, AddSearch)
    assert change.filters["concordance"]["text"] == "ferry"


def test_a_wrong_query_shows_its_error_and_no_lines_of_another_query(
    view: ConcordanceView, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "ferry")
    assert view.actions_by_name["save"].isEnabled()
    view.bar.switch_mode()
    type_and_enter(view, qtbot, "(ferry")
    assert view.bar.error.text() == "This is no regular expression."
    assert view.bar.error.isVisible()
    shown = [one.text() for one in view.findChildren(QLabel) if one.isVisible()]
    assert sum("no regular expression" in text for text in shown) == 1
    assert not view.table.isVisible()
    assert view.table.lines.rowCount() == 0
    for name in ("save", "export", "command", "shares"):
        assert not view.actions_by_name[name].isEnabled()
    type_and_enter(view, qtbot, "ferry")
    assert view.bar.error.isHidden()
    assert view.table.isVisible()
    assert view.table.lines.rowCount() == 3
    assert view.actions_by_name["save"].isEnabled()


def test_a_proposed_language_says_that_it_is_automatic(
    view: ConcordanceView, qtbot: QtBot
) -> None:
    button = view.bar.neighbours
    assert button.text() == "Nearest in: automatic"
    type_and_enter(view, qtbot, "ferry")
    assert view.neighbours.languages == ("de",)
    assert button.text() == "Nearest in: German"
    assert button.toolTip().startswith("Nearest in: German (auto)\n")
    button.clear()  # None in the menu
    assert button.text() == "Nearest in: none"
    type_and_enter(view, qtbot, "storm")
    assert button.text() == "Nearest in: none"
    again = ConcordanceView(view.state)
    qtbot.addWidget(again)
    again.restore_state(view.save_state())
    assert again.bar.neighbours.text() == "Nearest in: none"


def test_the_language_of_the_links_is_proposed_first(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    link(stage.folder, [(STORM, sentence_id(4, 1))])
    type_and_enter(view, qtbot, "ferry")
    assert view.bar.neighbours.accessibleName() == "Nearest in: Japanese (auto)"


def test_the_preview_of_an_export_has_the_nearest_sentences(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "ferry")
    view.neighbour_languages.choose(("de",))
    view.result_actions.export()
    (dialog,) = view.findChildren(ConcordanceExportDialog)
    table = dialog.preview.table
    titles = ["Corpus", "Line", "Hit", "Nearest in German"]
    assert titles_of(table) == titles, "what the file has: no label"
    qtbot.waitUntil(lambda: bool(cells_of(table)[0][-1]))
    assert cells_of(table)[0][-1].startswith("Wegen des Sturms")
    (query,) = [
        one
        for one in stage.client.queries(LineNeighboursQuery)
        if one.requester == "concordance-export"
    ]
    assert len(query.sentences) == 3
    dialog.near.tick([])
    assert "Nearest in German" not in titles_of(table)
    dialog.near.tick(["de", "ar"])
    assert titles_of(table)[-2:] == ["Nearest in German", "Nearest in Arabic"]


def titles_of(table: QTableWidget) -> list[str]:
    model, sideways = table.model(), Qt.Orientation.Horizontal
    return [model.headerData(one, sideways) for one in range(model.columnCount())]


def cells_of(table: QTableWidget) -> list[list[str]]:
    model = table.model()
    columns = range(model.columnCount())
    rows = range(model.rowCount())
    return [[model.index(row, one).data() for one in columns] for row in rows]


def test_a_small_window_cuts_lines_and_no_row_of_the_head(
    view: ConcordanceView, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "ferry")
    view.neighbour_languages.choose(("en", "de", "ar"))
    assert view.bar.neighbours.text() == "Nearest in: English, German, Arabic"
    view.neighbour_languages.choose(("en", "de", "ja"))
    assert view.bar.neighbours.text() == "Nearest in: English + 2"
    assert "German, Japanese" in view.bar.neighbours.accessibleName()
    bar = view.bar
    bar.show_error("This is no regular expression. " * 6)
    view.page.messages.post("They are not encoded. " * 12)
    view.resize(420, 410)
    qtbot.waitUntil(lambda: bar.width() < 400)
    qtbot.waitUntil(lambda: bar.height() == bar.heightForWidth(bar.width()))


def test_words_that_are_not_indexed_are_indexed_and_asked_for_again(
    view: ConcordanceView, stage: Stage, lines: Lines, qtbot: QtBot
) -> None:
    lines.n, lines.not_indexed = 0, [1, 3]
    type_and_enter(view, qtbot, "ferry")
    (run,) = stage.client.runs()
    assert run == IndexWords(corpora=("1", "3"))
    assert (
        "Indexing the words of Harbour letters, رسائل الميناء" in view.bar.count.text()
    )
    assert "appear automatically" in view.page.empty_text[1]
    state = stage.state
    qtbot.waitUntil(lambda: state.runs[0].id > 0)
    progress = events.Progress(state.runs[0].id, "cut words", 30, 120, "")
    stage.client.event_received.emit(progress)
    assert view.bar.count.text().endswith("(only once): 25\u00a0%")
    lines.n, lines.not_indexed = 3, []
    stage.client.event_received.emit(events.Changed("words", 1))
    stage.client.event_received.emit(events.Finished(state.runs[0].id, {}))
    qtbot.waitUntil(lambda: view.page.shows_lines)
    assert view.table.lines.rowCount() == 3
    assert len(stage.client.runs()) == 1


def test_lines_stay_readable_while_an_edited_text_is_indexed_again(
    view: ConcordanceView, stage: Stage, lines: Lines, qtbot: QtBot
) -> None:
    lines.n = 7
    type_and_enter(view, qtbot, "ferry")
    view.table.select_row(1)
    current = view.table.current_line
    lines.n, lines.not_indexed = 0, [1]
    for _ in range(2):  # the second edit comes while words are indexed
        stage.state.texts_changed.emit()
        qtbot.waitUntil(lambda: not view.session.is_waiting)
        assert view.page.shows_lines
        assert view.table.lines.rowCount() == 7
        assert view.table.current_line == current
        assert "Indexing the words of Harbour letters" in view.bar.count.text()
    (run,) = stage.client.runs()
    assert run == IndexWords(corpora=("1",))
    lines.n, lines.not_indexed = 6, []
    stage.client.event_received.emit(events.Changed("words", 1))
    stage.client.event_received.emit(events.Finished(stage.state.runs[0].id, {}))
    qtbot.waitUntil(lambda: view.table.lines.rowCount() == 6)
    assert view.bar.count.text().startswith("6 hits")


def test_the_status_says_that_lines_are_older_than_the_texts(
    view: ConcordanceView, stage: Stage, lines: Lines, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "ferry")
    lines.not_indexed = [1]
    stage.state.texts_changed.emit()
    qtbot.waitUntil(lambda: bool(stage.state.runs and stage.state.runs[0].id > 0))
    stage.client.event_received.emit(events.Cancelled(stage.state.runs[0].id))
    assert view.bar.count.text().endswith("from before the last edit")
    assert view.table.lines.rowCount() == 3


def test_arrows_sort_by_more_words_and_typing_is_left_alone(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "ferry")
    view.table.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
        press(view, key)
        qtbot.waitUntil(lambda: not view.session.is_waiting)
    asked = [query.sort for query in stage.client.queries(ConcordanceQuery)]
    assert asked == [(), ("R1",), ("R1", "R2"), ("L1",)]
    view.focus_query()
    QTest.keyClick(view.bar.field, Qt.Key.Key_Left)
    assert view.bar.sort.sort == ("L1",)
    view.bar.sort.buttons["R3"].click()
    assert view.bar.sort.buttons["R3"].text() == "R3 ②"
    assert view.settings.sort == ("L1", "R3")
    view.bar.sort.buttons["position"].click()
    assert not view.settings.sort


def test_a_sorted_line_stays_selected_until_another_query(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "ferry")
    view.table.select_row(0)
    line = view.table.current_row
    assert line is not None
    view.bar.sort.buttons["R1"].click()
    qtbot.waitUntil(lambda: not view.session.is_waiting)
    assert stage.state.selection == line.sentence.id
    stage.state.select_sentence(None)  # as in a project that was opened again
    view.focus_first()
    assert stage.state.selection == line.sentence.id
    view.bar.field.clear()
    type_and_enter(view, qtbot, "storm")
    assert stage.state.selection is None


@pytest.mark.parametrize("text_size", [100, 150])
def test_no_sort_button_moves_when_one_is_clicked(
    view: ConcordanceView, stage: Stage, qtbot: QtBot, text_size: int
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=text_size))
    view.resize(1600, 800)
    type_and_enter(view, qtbot, "ferry")
    buttons = view.bar.sort.buttons

    def places() -> list[QRect]:
        row = view.bar.sort.layout()
        assert row is not None
        row.activate()
        return [one.geometry() for one in buttons.values()]

    before = places()
    for key in ("L3", "R1", "N", "R1", "L1", "position"):
        QTest.mouseClick(buttons[key], Qt.MouseButton.LeftButton)
        assert places() == before, key
    stage.theme.apply(Settings(theme="light"))


@pytest.mark.parametrize("key", [Qt.Key.Key_E, Qt.Key.Key_U])
def test_the_query_leaves_the_view_its_shortcuts(
    view: ConcordanceView, key: Qt.Key
) -> None:
    asked = QKeyEvent(
        QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.ControlModifier
    )
    asked.accept()
    view.bar.field.event(asked)
    assert not asked.isAccepted()


def test_enter_again_goes_on_to_the_lines(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    with qtbot.waitActive(view):
        view.activateWindow()
    view.focus_query()
    type_and_enter(view, qtbot, "ferry")
    assert view.bar.field.hasFocus()
    n_asked = len(stage.client.queries(ConcordanceQuery))
    QTest.keyClick(view.bar.field, Qt.Key.Key_Return)
    qtbot.waitUntil(view.table.hasFocus)
    assert view.table.currentIndex().row() == 0
    assert len(stage.client.queries(ConcordanceQuery)) == n_asked


@pytest.mark.parametrize(
    ("sort", "side", "wanted"),
    [
        ((), "R", ("R1",)),
        (("R1", "R2"), "R", ("R1", "R2", "R3")),
        (("R1", "R2", "R3"), "R", ()),
        (("R1", "R2"), "L", ("L1",)),
        (("random",), "L", ("L1",)),
    ],
)
def test_each_press_takes_one_more_word(
    sort: tuple[Any, ...], side: str, wanted: tuple[str, ...]
) -> None:
    assert sort_further(sort, side) == wanted


def test_a_fourth_word_takes_the_place_of_the_first() -> None:
    assert toggle_sort(("L1", "R1", "R2"), "N") == ("R1", "R2", "N")
    assert toggle_sort(("L1", "R1"), "L1") == ("R1",)
    assert toggle_sort(("random",), "R1") == ("R1",)
    assert toggle_sort(("R1",), "random") == ("random",)


def test_neighbours_of_what_is_in_sight_are_asked_for_once(
    view: ConcordanceView, stage: Stage, lines: Lines, qtbot: QtBot
) -> None:
    lines.n = 1_000
    view.neighbour_languages.choose(("de",))
    type_and_enter(view, qtbot, "ferry")
    qtbot.waitUntil(lambda: view.neighbours.near(STORM) is not None)
    (query,) = stage.client.queries(LineNeighboursQuery)
    assert (len(query.sentences), query.languages) == (3, ("de",))
    (one,) = view.neighbours.near(STORM) or ()
    assert (one.language, one.is_translation) == ("de", True)
    assert one.text.startswith("Wegen des Sturms")
    height = view.table.verticalHeader().defaultSectionSize()
    view.bar.neighbours.clear()
    assert view.table.verticalHeader().defaultSectionSize() < height


def test_the_translation_of_the_hit_is_marked_in_the_neighbour(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    index = len("Wegen des Sturms fährt die ")
    word = [STURM, index, index + len("Fähre"), 0.8]
    stage.client.answers[WordMarksQuery] = lambda query: {
        "found": [[word] for _ in query.texts]
    }
    view.neighbour_languages.choose(("de",))
    type_and_enter(view, qtbot, "ferry")
    qtbot.waitUntil(lambda: bool(stage.client.queries(WordMarksQuery)))
    row = view.table.model().index(0, 0).data(ROW_ROLE)
    qtbot.waitUntil(lambda: bool(view.neighbours.translated_words(row, STURM)))
    (found,) = view.neighbours.translated_words(row, STURM)
    assert found.confidence == 0.8
    (query,) = stage.client.queries(WordMarksQuery)  # once for all lines
    text = next(one for one in query.texts if one.sentence == STORM)
    assert text.text[text.begin : text.end].casefold() == "ferry"
    assert text.targets == (STURM,)


def test_a_key_turns_the_line_into_a_pair_a_label_or_a_citation(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    view.neighbour_languages.choose(("de",))
    type_and_enter(view, qtbot, "ferry")
    qtbot.waitUntil(lambda: view.neighbours.near(STORM) is not None)
    selected: list[int] = []
    stage.state.selection_changed.connect(selected.append)
    view.table.setFocus()
    view.table.select_row(0)
    assert selected == [STORM]
    press(view, Qt.Key.Key_P)
    assert stage.client.changes()[-1] == AddPair(
        source=STORM, target=STURM, cosine=0.875
    )
    qtbot.waitUntil(lambda: view.page.messages.text == "It is done.")
    (button,) = (
        one
        for one in view.page.messages.findChildren(QPushButton)
        if one.text() == "Review pair"
    )
    with qtbot.waitSignal(stage.state.view_requests.review_requested) as reviewed:
        button.click()
    assert reviewed.args == [7, PAIR]
    with qtbot.waitSignal(stage.state.view_requests.search_requested) as searched:
        press(view, Qt.Key.Key_S)
    assert searched.args == [STORM]
    with qtbot.waitSignal(stage.state.view_requests.place_requested) as placed:
        press(view, Qt.Key.Key_O)
    assert placed.args == [STORM]
    view.actions_by_name["cite"].trigger()
    assert "The ferry will not sail" in QGuiApplication.clipboard().text()
    assert "Harbour letters" in QGuiApplication.clipboard().text()
    for n, key in enumerate((Qt.Key.Key_H, Qt.Key.Key_Delete), 1):
        press(view, key)
        hidden = stage.client.changes()[-1]
        assert isinstance(hidden, HideSentences)
        assert hidden.sentences == (STORM,)
        assert sum(isinstance(c, HideSentences) for c in stage.client.changes()) == n
    assert (
        view.actions_by_name["hide"].shortcut().toString() == "H"
    )  # on the row of keys


def test_every_key_below_the_lines_is_on_a_key_cap(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    view.resize(1600, 700)
    type_and_enter(view, qtbot, "ferry")
    shown = {
        words.text(): cap.text()
        for cap, words in (
            button.findChildren(QLabel)
            for button in view.page.keys.findChildren(ShortcutButton)
        )
    }
    assert all(shown.values())
    assert (shown["note"], shown["label"]) == ("N", "L")
    view.table.focus_lines()
    press(view, Qt.Key.Key_L)
    menu = view.findChild(LabelMenu)
    assert menu is not None
    qtbot.waitUntil(menu.isVisible)
    menu.close()


def test_a_note_can_be_written_where_no_inspector_is(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "ferry")
    view.table.select_row(0)
    press(view, Qt.Key.Key_N)
    (dialog,) = view.findChildren(NoteDialog)
    note = ("The ferry was cancelled. " * 20).strip()  # long notes are kept whole
    dialog.field.setPlainText(note)
    dialog.done_button.click()
    assert stage.client.changes()[-1] == SetNote(STORM, note)


def test_hits_are_shared_by_language_and_corpus(
    view: ConcordanceView, lines: Lines, qtbot: QtBot
) -> None:
    lines.n = 7
    type_and_enter(view, qtbot, "ferry")
    view.actions_by_name["shares"].trigger()
    shares = view.page.shares.shown
    assert [(one.name, one.n) for one in shares.languages] == [
        ("English", 3),
        ("Arabic", 2),
        ("Japanese", 2),
    ]
    assert [one.n_sentences for one in shares.corpora] == [3, 3, 3]
    assert shares.documents == []
    view.page.shares.grab()


def test_a_bar_of_the_breakdown_filters_the_lines(
    view: ConcordanceView, lines: Lines, qtbot: QtBot
) -> None:
    lines.n = 7
    type_and_enter(view, qtbot, "ferry")
    view.actions_by_name["shares"].trigger()
    bars = view.page.shares.findChildren(ShareBars)[0]
    second = QPoint(20, bars.height() // 3 + 5)
    QTest.mouseClick(bars, Qt.MouseButton.LeftButton, pos=second)
    assert view.table.lines.rowCount() == 2
    assert view.bar.count.text().startswith("Arabic only: 2 lines · 7 hits")
    bars.setFocus()
    QTest.keyClick(bars, Qt.Key.Key_Up)
    QTest.keyClick(bars, Qt.Key.Key_Return)
    assert view.page.shares.chosen == ShareKey("language", "English")
    assert view.table.lines.rowCount() == 3
    QTest.keyClick(bars, Qt.Key.Key_Return)  # again: all lines
    assert view.table.lines.rowCount() == 7
    QTest.keyClick(bars, Qt.Key.Key_Return)
    type_and_enter(view, qtbot, "storm")
    assert view.table.lines.rowCount() == 7


def test_lines_in_the_proposed_language_have_neighbours_in_another(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    link(stage.folder, [(STORM, sentence_id(3, 1))])
    type_and_enter(view, qtbot, "ferry")  # a line each in English, Arabic and Japanese
    assert view.bar.neighbours.accessibleName() == "Nearest in: Arabic (auto)"
    asked = functools.partial(stage.client.queries, LineNeighboursQuery)
    qtbot.waitUntil(lambda: len(asked()) == 2)
    assert [(one.sentences, one.languages) for one in asked()] == [
        ((STORM, sentence_id(4, 1)), ("ar",)),
        ((sentence_id(3, 1),), ("en",)),
    ]


def test_a_cleared_query_returns_to_the_start_page(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "ferry")
    view.table.select_row(0)
    assert selected(stage.state) == STORM
    view.bar.switch_mode()
    type_and_enter(view, qtbot, "(ferry")
    assert selected(stage.state) is None  # of the query before
    assert view.bar.error.isVisible()
    clear = view.bar.field.actions()[-1]
    assert clear.text() == "Clear the query"
    clear.trigger()
    assert not view.bar.error.isVisible()
    (help_,) = view.page.findChildren(SyntaxHelp)
    assert help_.isVisible()
    view.actions_by_name["back"].trigger()
    assert view.bar.field.text() == "(ferry"


def test_the_start_page_has_examples_of_the_project_only(
    stage: Stage, qtbot: QtBot
) -> None:
    found = ExampleWords("en", "de", ("night", "hours"), "a night", patterns=(r"\d+",))
    stage.client.answers[ExampleWordsQuery] = lambda query: found
    view = ConcordanceView(stage.state)
    qtbot.addWidget(view)
    view.show()
    (help_,) = view.page.findChildren(SyntaxHelp)

    def names() -> list[str]:
        buttons = help_.findChildren(QPushButton)
        return [one.text() for one in buttons if one.isVisible()]

    words = ["night", "a night", "hour*", "*ght", "*our*", r"\d+"]
    qtbot.waitUntil(lambda: names() == words)
    view.show_syntax()
    (dialog,) = view.findChildren(SyntaxDialog)
    words_of = [one.text() for one in dialog.findChildren(QLabel) if one.isVisible()]
    assert "Click an example to search for it." in words_of
    assert "See every occurrence of a word" not in words_of, "the title says it"
    buttons = {one.text(): one for one in dialog.findChildren(QPushButton)}
    assert not buttons["lemma:go"].isEnabled(), "no corpus has lemmas"
    assert buttons["night"].isEnabled()
    dialog.accept()


@pytest.mark.parametrize(
    ("word", "parts"),
    [("tom", ["to*", "*om", "*tom*"]), ("a", ["a*", "*a", "*a*"])],
)
def test_examples_of_parts_are_shown_also_if_all_words_are_short(
    word: str, parts: list[str]
) -> None:
    examples = list_examples(ExampleWords("en", words=(word,), phrase="so tom"))
    texts = [one.text for one in examples if one.mode == "words"]
    assert texts[:5] == [word, "so tom", *parts]


def test_hits_per_million_words_follow_when_the_breakdown_is_opened(
    view: ConcordanceView, stage: Stage, lines: Lines, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "ferry")
    view.actions_by_name["shares"].trigger()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    (params,) = stage.client.runs()
    assert params == IndexWords(corpora=("1", "3", "4"))  # not German: no hit
    assert all(one.n_words == 0 for one in view.page.shares.shown.corpora)
    with open_project(stage.folder) as project:
        index_words(project, params, Report())
    stage.client.event_received.emit(events.Changed("words", 1))
    qtbot.waitUntil(lambda: view.page.shares.shown.corpora[0].n_words > 0)
    assert "per million words" in view.page.shares.findChildren(ShareBars)[0].toolTip()


def test_the_command_and_the_wish_of_another_view_name_corpora(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    wish = TextLookup("ferry*", corpora=(1,), languages=("en",))
    view.show_concordance(wish)
    qtbot.waitUntil(lambda: not view.session.is_waiting)
    (query,) = stage.client.queries(ConcordanceQuery)
    assert (query.text, query.corpora, query.languages) == ("ferry*", (1,), ("en",))
    view.actions_by_name["command"].trigger()
    text = QGuiApplication.clipboard().text()
    assert "concordance" in text
    assert "'ferry*'" in text
    assert "--corpus 'Harbour letters' --language en" in text


def test_the_filters_of_a_word_of_another_view_end_with_it(
    view: ConcordanceView, qtbot: QtBot
) -> None:
    view.show_concordance(TextLookup("ferry", languages=("en",)))
    qtbot.waitUntil(lambda: not view.session.is_waiting)
    view.show_concordance(TextLookup("storm", languages=("en",)))
    qtbot.waitUntil(lambda: not view.session.is_waiting)
    assert list(view.bar.languages.chosen) == ["en"]
    type_and_enter(view, qtbot, "wind")
    assert not view.bar.languages.chosen
    assert not view.settings.languages

    view.show_concordance(TextLookup("ferry", languages=("en",)))
    qtbot.waitUntil(lambda: not view.session.is_waiting)
    view.bar.languages.choose(("de",))  # the user's own choice stays
    qtbot.waitUntil(lambda: not view.session.is_waiting)
    type_and_enter(view, qtbot, "wind")
    assert list(view.settings.languages) == ["de"]


def test_a_kept_list_is_written_and_copied_as_itself(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    project = stage.state.project
    assert project is not None
    store = connect_writing(project.folder, wal=True)
    hits = SavedHits(*(np.array([x], np.int64) for x in ((STORM, 4, 9), 7, 2)))
    query = params_to_json(Concordance(text="ferry"))
    write_hit_list(store, NewHitList("ferries", query, None), hits)
    store.dispose()
    (kept,) = list_hit_lists(project.store)
    view.ask(ConcordanceSettings(text="ferry", corpora=(2,)))
    view.show_list(kept)
    assert view.bar.count.text() == "ferries: 1 hit, saved just now"
    later = time.time() + 3600
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time", lambda: later)
        view.show_ages()
    assert view.bar.count.text() == "ferries: 1 hit, saved 60 minutes ago"
    old = kept._replace(created_at=1.0)  # the corpora are of today
    view.show_list(old)
    assert ". 4 corpora imported since are not searched" in view.bar.count.text()
    view.show_list(old._replace(query=params_to_json(Concordance(corpora=("1",)))))
    assert "imported since" not in view.bar.count.text()
    assert list(view.bar.corpora.chosen) == ["1"], "those that were searched"
    view.show_list(kept)
    assert not view.bar.corpora.chosen
    shown = view.session.shown
    assert shown is not None
    assert view.result_actions.params(shown) == Concordance(hits="1")
    assert all(
        view.actions_by_name[name].isEnabled() for name in ("save", "export", "command")
    )
    stage.client.answers[OrderQuery] = lambda query: ErrorInfo("user", "Type less.")
    row = view.page.find_row
    row.field.setText("storm")
    QTest.keyClick(row.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: row.count == "Type less.")
    (query,) = stage.client.queries(OrderQuery)
    assert (query.find, query.corpora) == ("storm", ())  # wherever its lines are


def test_a_session_brings_question_neighbours_and_line_back(
    view: ConcordanceView, stage: Stage, lines: Lines, qtbot: QtBot
) -> None:
    lines.n = 1_000
    view.neighbour_languages.choose(("de", "ar"))
    view.ask(ConcordanceSettings(text="ferry", case=True, sort=("R1",)))
    qtbot.waitUntil(lambda: not view.session.is_waiting)
    view.table.select_row(1)
    view.table.scroll_to_row(600)
    saved = view.save_state()
    assert saved["summary"] == "ferry"
    again = ConcordanceView(stage.state)
    qtbot.addWidget(again)
    again.resize(1100, 700)
    again.show()
    again.restore_state(saved)
    qtbot.waitUntil(lambda: not again.session.is_waiting)
    assert again.settings == view.settings
    assert again.neighbours.languages == ("de", "ar")
    assert again.table.current_line == (sentence_id(3, 1), 9)
    assert again.table.top_row == 600
    menu = QMenu()
    again.history.fill(menu)
    assert menu.isEmpty()  # the stage keeps no history


def test_an_old_or_broken_session_does_no_harm(view: ConcordanceView) -> None:
    view.restore_state({"question": {"text": 7}, "near": 3, "line": "x"})
    assert view.settings.is_empty
    assert not view.page.shows_lines


def test_a_report_of_missing_vectors_goes_once_it_is_no_longer_true(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    unencoded = [2]
    stage.client.answers[LineNeighboursQuery] = lambda query: {
        "neighbours": [[] for _ in query.sentences],
        "not_encoded": list(unencoded) if "de" in query.languages else [],
    }
    text = "Hafenbriefe: not encoded, so not searched for nearest sentences."
    view.neighbour_languages.choose(("de",))
    type_and_enter(view, qtbot, "ferry")
    qtbot.waitUntil(lambda: view.page.messages.text == text)
    view.bar.neighbours.clear()
    assert view.page.messages.text == ""  # it was about German
    view.bar.neighbours.switch("de")
    qtbot.waitUntil(lambda: view.page.messages.text == text)
    unencoded.clear()
    stage.state.embeddings_changed.emit()
    assert view.page.messages.text == ""


def test_an_answer_from_before_the_encoding_is_not_kept(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    view.neighbour_languages.choose(("de",))
    type_and_enter(view, qtbot, "ferry")
    qtbot.waitUntil(lambda: view.neighbours.near(STORM) is not None)
    answer = stage.client.answers[LineNeighboursQuery]

    def _encode_meanwhile(query: LineNeighboursQuery) -> dict[str, Any]:
        stage.client.answers[LineNeighboursQuery] = answer
        stage.state.embeddings_changed.emit()
        return {"neighbours": [[] for _ in query.sentences], "not_encoded": [2]}

    stage.client.answers[LineNeighboursQuery] = _encode_meanwhile
    view.neighbours.clear()
    qtbot.waitUntil(lambda: bool(view.neighbours.near(STORM)))
    assert view.page.messages.text == ""


def test_languages_without_vectors_are_told_with_what_encodes_them(
    tmp_path: Path, qtbot: QtBot, lines: Lines
) -> None:
    stage = Stage(build_project(tmp_path / "q.isogloss", is_encoded=False), Client())
    stage.client.answers[ConcordanceQuery] = lines
    stage.open(qtbot)
    view = ConcordanceView(stage.state)
    qtbot.addWidget(view)
    type_and_enter(view, qtbot, "ferry")
    assert view.neighbours.languages == ()  # nothing is proposed that is not there
    view.bar.neighbours.switch("de")
    assert "Hafenbriefe: not encoded" in view.page.messages.text
    (button,) = (
        one
        for one in view.page.messages.findChildren(QPushButton)
        if one.text() == "Encode corpora"
    )
    button.click()
    assert stage.client.runs() == [Encode(corpora=("2",))]
    assert not stage.client.queries(LineNeighboursQuery)
    stage.close()


def test_the_menu_of_nearest_languages_stays_open_for_three(
    view: ConcordanceView, qtbot: QtBot
) -> None:
    type_and_enter(view, qtbot, "ferry")
    chooser = view.bar.neighbours
    chooser.clear()
    menu = chooser.menu()
    menu.popup(chooser.mapToGlobal(QPoint(0, 0)))
    qtbot.waitUntil(menu.isVisible)

    def click(title: str) -> None:
        (action,) = [one for one in menu.actions() if one.text() == title]
        place = menu.actionGeometry(action).center()
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=place)

    for title in ("German", "Arabic", "Japanese"):
        click(title)
    assert menu.isVisible()
    assert chooser.chosen == ("de", "ar", "ja")
    click("English")  # there is no room for a fourth one
    assert chooser.chosen == ("de", "ar", "ja")
    click("Arabic")
    click("English")
    assert chooser.chosen == ("de", "ja", "en")
    click("None")
    assert chooser.text() == "Nearest in: none"
    menu.close()


@pytest.mark.parametrize("text_size", [100, 150])
def test_the_file_of_an_export_is_visible_also_with_an_error(
    view: ConcordanceView, stage: Stage, qtbot: QtBot, text_size: int
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=text_size))
    type_and_enter(view, qtbot, "ferry")
    view.result_actions.export()
    (dialog,) = view.findChildren(ConcordanceExportDialog)
    qtbot.waitUntil(lambda: is_whole(dialog.file))
    assert dialog.preview.table.rowHeight(0) < dialog.preview.table.viewport().height()
    dialog.show_error(f"{dialog.file.path} already exists.")
    qtbot.waitUntil(lambda: is_whole(dialog.file))
    assert dialog.height() <= view.height()
    button = dialog.run_button
    assert button.height() >= button.sizeHint().height()
    stage.theme.apply(Settings(theme="light"))


def is_whole(widget: QWidget) -> bool:
    """Return whether nothing of a widget in a form is scrolled out of sight."""
    areas = widget.window().findChildren(QScrollArea)
    (area,) = (one for one in areas if one.isAncestorOf(widget))
    viewport = area.viewport()
    rect = QRect(widget.mapTo(viewport, QPoint()), widget.size())
    return viewport.rect().contains(rect)


def test_lines_and_the_find_row_leave_what_is_there_in_place(
    view: ConcordanceView, qtbot: QtBot
) -> None:
    neighbours, table = view.bar.neighbours, view.table
    QCoreApplication.processEvents()
    before = neighbours.geometry()
    type_and_enter(view, qtbot, "ferry")
    QCoreApplication.processEvents()
    assert neighbours.geometry() == before
    corner = table.mapTo(view, QPoint())
    view.page.find_row.open()
    QCoreApplication.processEvents()
    assert table.mapTo(view, QPoint()) == corner
    assert view.page.find_row.y() > table.geometry().bottom()
    assert view.page.keys.isHidden()
    view.page.find_row.clear()
    assert not view.page.keys.isHidden()
