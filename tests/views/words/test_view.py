"""The words view asks, shows lists with bars and examples, sorts, pages and opens."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.engine.store.words.dictionaries import add_dictionary
from app.engine.store.words.indexes import MAP_FILE, MAPS, TABLE_FILE, TABLES
from app.errors import ErrorInfo
from app.params.word_vectors import NearestWords, TrainWordVectors
from app.params.words import Equivalents, Frequencies, IndexWords
from app.protocol import commands, events
from app.protocol.answers.reading import ExampleWords
from app.protocol.answers.words import (
    CollocatesAnswer,
    FrequenciesAnswer,
    TranslationsAnswer,
)
from app.protocol.edits.corpora import SetDictionaryState
from app.protocol.queries.reading import ExampleWordsQuery
from app.protocol.queries.words import (
    CollocatesQuery,
    EquivalentsQuery,
    FrequenciesQuery,
    KeynessQuery,
    NeighboursQuery,
    TranslationsQuery,
)
from app.results.charts import BarChart
from app.views.widgets.cells import LANGUAGE_ROLE
from app.views.widgets.sentence_label import HighlightedLabel
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.text_layout import direction_language
from app.views.widgets.view_protocol import ReadingRequest, TextLookup
from app.views.words.settings import PAGES, ResourceNames, WordListSettings
from app.views.words.table import BAR_INSET, SHARE_ROLE, ZERO_ROLE
from app.views.words.vector_actions import WordVectorActions
from app.views.words.view import SPLIT_SIZES, WordsView
from tests.views.listed_words import (
    N_ITEMS,
    collocates,
    equivalents,
    frequencies,
    keyness,
    neighbours,
    translations,
)
from tests.views.mined import MINING, add_mining
from tests.views.stage import Stage, build_project, link, sentence_id


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return build_project(tmp_path / "p.isogloss")


@pytest.fixture
def stage(folder: Path, qtbot: QtBot) -> Iterator[Stage]:
    with open_project(folder) as project:
        values = {"name": "Sea", "source_language": "en", "target_language": "de"}
        add_dictionary(project.store, values, [("wind", "brise")])
    stage = Stage(folder)
    stage.client.answers |= {
        FrequenciesQuery: frequencies,
        CollocatesQuery: collocates,
        KeynessQuery: keyness,
        EquivalentsQuery: equivalents,
        TranslationsQuery: translations,
        NeighboursQuery: neighbours,
    }
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, qtbot: QtBot) -> WordsView:
    view = WordsView(stage.state)
    qtbot.addWidget(view)
    view.resize(1100, 700)
    with qtbot.waitSignal(view.list_shown):
        view.show()
    return view


def ask(view: WordsView, qtbot: QtBot, **question: Any) -> None:
    with qtbot.waitSignal(view.list_shown):
        view.ask(WordListSettings(**question))


def cell(view: WordsView, row: int, title: str) -> str:
    titles = [column.title for column in view.table.words.columns]
    return str(view.table.words.index(row, titles.index(title)).data())


def chart(view: WordsView) -> BarChart:
    (shown,) = view.details.charts.charts
    assert isinstance(shown, BarChart)
    return shown


def test_equivalents_are_in_the_language_that_the_texts_are_linked_with(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    link(folder, [(sentence_id(1, 1), sentence_id(4, 1))])
    view = WordsView(stage.state)
    qtbot.addWidget(view)
    view.bar.choose_page("equivalents")
    assert view.bar.settings().target_language == "ja"
    view.bar.field.setText("ferry")
    with qtbot.waitSignal(view.list_shown):
        view.bar.field.returnPressed.emit()
    assert stage.client.queries(EquivalentsQuery)[-1].target_language == "ja"
    field = view.bar.options.fields["target_language"]
    assert isinstance(field, QComboBox)
    field.setCurrentIndex(field.findData("de"))
    view.bar.choose_page("frequencies")
    view.bar.choose_page("equivalents")
    assert view.bar.settings().target_language == "de"  # the user's choice stays


def test_the_notes_on_a_list_leave_with_it(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    note = "The texts are in several languages."
    stage.client.answers[FrequenciesQuery] = lambda query: msgspec.structs.replace(
        frequencies(query), notes=(note,)
    )
    ask(view, qtbot, page="frequencies")
    assert note in shown_texts(view)
    view.bar.choose_page("equivalents")  # with an empty query
    assert view.start.isVisible()
    assert note not in shown_texts(view)
    view.bar.choose_page("frequencies")
    qtbot.waitUntil(lambda: note in shown_texts(view))
    error = ErrorInfo("user", "No such corpus.")
    stage.client.answers[FrequenciesQuery] = lambda query: error
    view.ask(WordListSettings())
    qtbot.waitUntil(view.start.isVisible)
    assert note not in shown_texts(view)


def shown_texts(view: WordsView) -> list[str]:
    return [one.text() for one in view.findChildren(QLabel) if one.isVisible()]


def test_frequencies_are_listed_at_once_and_the_next_page_when_it_is_reached(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    words = view.table.words
    assert (words.rowCount(), cell(view, 1, "Count")) == (200, "449")
    assert cell(view, 1, "Per million") == "999 (899 – 1,099)".replace(" ", "\u00a0")
    assert view.bar.count.text().startswith("450 rows")
    assert words.index(100, 2).data(SHARE_ROLE) == pytest.approx(350 / 450)
    with qtbot.waitSignal(words.rowsInserted):
        view.table.scrollToBottom()
        words.fetchMore(view.table.rootIndex())
    assert words.rowCount() == 400
    assert stage.client.queries(FrequenciesQuery)[-1].offset == 200
    assert chart(view).labels[1] == "w1"


def test_the_first_list_is_in_the_language_that_is_easiest_to_read(
    view: WordsView, stage: Stage
) -> None:
    (query,) = stage.client.queries(FrequenciesQuery)
    assert query.languages == ("en",)
    assert view.bar.languages.chosen == ("en",)


def test_a_project_of_one_language_opens_on_all_its_corpora(
    tmp_path: Path, qtbot: QtBot
) -> None:
    stage = Stage(build_project(tmp_path / "one", {"Storm": ("en", ["A storm."])}))
    stage.open(qtbot)
    qtbot.addWidget(WordsView(stage.state))
    (query,) = stage.client.queries(FrequenciesQuery)
    assert query.languages == ()
    stage.close()


def test_words_are_set_in_the_direction_of_their_script(
    view: WordsView, qtbot: QtBot
) -> None:
    ask(view, qtbot)
    words = view.table.words
    assert words.index(0, 0).data(LANGUAGE_ROLE) == "ar"
    assert words.index(1, 0).data(LANGUAGE_ROLE) == ""
    assert direction_language("«שלום") == "he"


def test_a_heading_of_frequencies_asks_for_another_order(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    header = view.table.horizontalHeader()
    at = QPoint(header.sectionViewportPosition(0) + 9, 9)
    for is_falling in (False, True):
        with qtbot.waitSignal(view.list_shown):
            QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
        query = stage.client.queries(FrequenciesQuery)[-1]
        assert (query.order_by, query.descending) == ("item", is_falling)


def test_other_lists_are_sorted_where_they_are(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    ask(view, qtbot, page="collocates", text="wind")
    assert cell(view, 1, "Log-likelihood") == "−1.5"
    view.table.sort_requested.emit("log_dice")
    assert cell(view, 0, "Collocate") == "the"
    view.table.sort_requested.emit("log_dice")
    assert cell(view, 0, "Collocate") == "storm"
    assert len(stage.client.queries(CollocatesQuery)) == 1
    assert list(chart(view).series) == ["left", "right"]


def test_enter_shows_where_a_word_stands(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    ask(view, qtbot, languages=("en",), corpora=(1,))
    view.table.setCurrentIndex(view.table.words.index(1, 0))
    with qtbot.waitSignal(stage.state.view_requests.concordance_requested) as wanted:
        QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert wanted.args == [TextLookup("w1", (1,), (), ("en",))]
    ask(view, qtbot, layer="lemma", n=2)
    with qtbot.waitSignal(stage.state.view_requests.concordance_requested) as wanted:
        view.actions_by_name["open"].trigger()
    assert wanted.args[0].text == "lemma:ريح"


def test_a_word_leads_to_its_collocates_and_equivalents(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    view.table.setCurrentIndex(view.table.words.index(1, 0))
    with qtbot.waitSignal(view.list_shown):
        view.actions_by_name["collocates"].trigger()
    assert stage.client.queries(CollocatesQuery)[-1].text == "w1"
    assert view.bar.field.text() == "w1"


def test_each_page_keeps_what_was_typed_for_it(view: WordsView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.list_shown):
        QTest.keyClicks(view.bar.field, "w*")
        QTest.keyClick(view.bar.field, Qt.Key.Key_Return)
    assert view.table.words.rowCount() == 2
    view.bar.choose_page("collocates")
    assert view.bar.field.text() == ""
    assert view.start.isVisible()
    assert "occur near a word" in view.start.words[0]
    with qtbot.waitSignal(view.list_shown):
        view.actions_by_name["page frequencies"].trigger()
    assert view.bar.field.text() == "w*"


def test_a_page_begins_with_its_word_and_the_usual_window(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    assert (view.bar.settings().left, view.bar.settings().right) == (5, 5)
    view.activateWindow()
    view.bar.choose_page("collocates")
    qtbot.waitUntil(view.bar.field.hasFocus)
    empty = CollocatesAnswer(rows=[], n_hits=3, n_tokens=9, not_indexed=(), notes=())
    stage.client.answers[CollocatesQuery] = lambda _query: empty
    ask(view, qtbot, page="collocates", text="wind")
    assert view.start.isVisible()
    assert view.bar.count.text() == ""


def test_keyness_needs_texts_on_both_sides(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    view.bar.languages.choose([])
    view.bar.choose_page("keyness")
    view.bar.corpora.choose(["1"])
    assert view.start.isVisible()
    with qtbot.waitSignal(view.list_shown):
        view.bar.against.choose(["2"])
    query = stage.client.queries(KeynessQuery)[-1]
    assert (query.corpora, query.against_corpora) == ((1,), (2,))
    assert "(−0.50" in cell(view, 0, "Log ratio")
    assert not view.table.words.canFetchMore(view.table.rootIndex())
    bar = chart(view).series["log ratio"][0]
    assert (bar.low, bar.high) == (-0.5, 4.5)
    view.actions_by_name["command"].trigger()
    text = QGuiApplication.clipboard().text()
    assert "keyness" in text
    assert "--against Hafenbriefe" in text
    with qtbot.waitSignal(view.list_shown):
        view.bar.against.choose(["2", "3"])
    view.actions_by_name["command"].trigger()
    text = QGuiApplication.clipboard().text()
    assert "--corpus 'Harbour letters' --against Hafenbriefe --against 'رسائل" in text


def test_keyness_without_two_texts_of_a_language_offers_to_add_one(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    view.bar.choose_page("keyness")
    assert view.start.words[1].endswith(
        "Keyness compares two texts of one language. Here, each language has one "
        "text. Make sub-corpora of it, or import reference texts."
    )
    with qtbot.waitSignal(stage.state.view_requests.subcorpus_requested):
        QTest.mouseClick(view.subcorpus_button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(stage.state.view_requests.import_requested):
        QTest.mouseClick(view.import_button, Qt.MouseButton.LeftButton)
    view.bar.choose_page("collocates")
    assert not view.subcorpus_button.isVisible()
    assert not view.import_button.isVisible()


def test_keyness_says_which_texts_can_t_be_compared(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    view.bar.languages.choose([])
    view.bar.choose_page("keyness")
    view.bar.against.choose(["2"])
    assert view.start.words[0] == "Select the texts to compare"
    assert "“All corpora” contains the reference texts" in view.start.words[1]
    view.bar.corpora.choose(["2"])
    assert view.start.words[0] == "Both texts are the same"
    assert not stage.client.queries(KeynessQuery)
    with qtbot.waitSignal(view.list_shown):
        view.bar.corpora.choose(["1"])
    assert stage.client.queries(KeynessQuery)[-1].corpora == (1,)


def test_only_corpora_of_the_selected_language_are_offered(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    project = stage.state.project
    assert project is not None
    languages = {row.id: row.language for row in project.corpora}
    view.bar.languages.choose([])
    n_all = view.bar.corpora.n_choices
    view.bar.choose_page("keyness")
    view.bar.corpora.choose(["2"])
    assert languages[2] == "de"
    view.bar.languages.choose(["en"])
    n_english = list(languages.values()).count("en")
    assert view.bar.corpora.n_choices == view.bar.against.n_choices == n_english < n_all
    assert view.bar.corpora.chosen == ()
    view.bar.choose_page("equivalents")
    assert view.bar.corpora.n_choices == n_all
    view.bar.choose_page("keyness")
    view.bar.languages.choose([])
    assert view.bar.corpora.n_choices == view.bar.against.n_choices == n_all


def read_pair_sets(stage: Stage) -> None:
    assert stage.state.project is not None
    stage.state.project.reload({"mining"})


def choose(view: WordsView, name: str, value: object) -> None:
    field = view.bar.options.fields[name]
    assert isinstance(field, QComboBox)
    field.setCurrentIndex(field.findData(value))


def test_equivalents_come_from_the_newest_pair_set_where_nothing_is_linked(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    add_mining(folder)
    newest = add_mining(folder, MINING._replace(name="Newest"))
    read_pair_sets(stage)
    view = WordsView(stage.state)
    qtbot.addWidget(view)
    view.bar.choose_page("equivalents")
    view.bar.field.setText("ferry")
    with qtbot.waitSignal(view.list_shown):
        view.bar.field.returnPressed.emit()
    query = stage.client.queries(EquivalentsQuery)[-1]
    assert (query.target_language, query.minings) == ("ar", (newest,))
    choose(view, "target_language", "ja")  # the set has no Japanese
    query = stage.client.queries(EquivalentsQuery)[-1]
    assert (query.target_language, query.minings) == ("ja", ())
    choose(view, "target_language", "ar")
    assert stage.client.queries(EquivalentsQuery)[-1].minings == (newest,)
    choose(view, "mining", 0)
    assert stage.client.queries(EquivalentsQuery)[-1].minings == ()  # it stays


def test_a_pair_set_offers_its_two_languages(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    mining = add_mining(folder)
    read_pair_sets(stage)
    view = WordsView(stage.state)
    qtbot.addWidget(view)
    view.bar.choose_page("equivalents")
    choose(view, "target_language", "ja")
    choose(view, "mining", mining)
    field = view.bar.options.fields["target_language"]
    assert isinstance(field, QComboBox)
    offered = [field.itemData(row) for row in range(field.count())]
    assert offered == ["", "en", "ar"]
    assert view.bar.settings().target_language == "ar"
    choose(view, "source_language", "ar")
    assert view.bar.settings().target_language == "en"


def test_enter_without_a_target_language_says_what_to_select(
    view: WordsView, stage: Stage
) -> None:
    view.bar.choose_page("equivalents")
    view.bar.field.setText("ferry")
    view.bar.field.returnPressed.emit()
    assert view.start.isVisible()
    assert view.start.words[0] == "Choose a target language"
    assert not stage.client.queries(EquivalentsQuery)


def test_the_only_other_language_is_selected(tmp_path: Path, qtbot: QtBot) -> None:
    texts = {"one": ("en", ["A storm."]), "zwei": ("de", ["Ein Sturm."])}
    stage = Stage(build_project(tmp_path / "two.isogloss", texts))
    stage.open(qtbot)
    view = WordsView(stage.state)
    qtbot.addWidget(view)
    view.bar.choose_page("equivalents")
    choose(view, "source_language", "de")
    assert view.bar.settings().target_language == "en"
    stage.close()


def test_equivalents_come_with_examples_and_what_the_dictionary_says(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    question = {"page": "equivalents", "text": "wind", "target_language": "de"}
    ask(view, qtbot, **question, dictionary=1)
    assert [cell(view, row, "Dictionary") for row in (0, 1)] == ["✓", "–"]
    assert view.bar.count.text().startswith("1 of 2 significant · word in ")
    assert [cell(view, row, "All pairs") for row in (0, 1)] == ["9.0", "9.0"]
    assert view.missing.text().endswith("Sea: brise")
    (card,) = view.details.examples.cards
    assert "north-west" in card.accessibleName()
    assert "Nordwest" in card.accessibleName()
    marked = [label.marked for label in card.findChildren(HighlightedLabel)]
    assert marked == [["wind"], ["Wind"]]
    with qtbot.waitSignal(stage.state.view_requests.reading_requested) as asked:
        QTest.keyClick(card, Qt.Key.Key_Return)
    assert asked.args == [ReadingRequest(sentence_id(1, 0), others=(2,))]
    view.actions_by_name["delete"].trigger()
    change = SetDictionaryState(dictionaries=(1,), state="deleted")
    assert stage.client.changes() == [change]
    ask(view, qtbot, **question)
    assert "Dictionary" not in [c.title for c in view.table.words.columns]


def test_a_judgement_changes_equivalents_and_no_counts(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    kinds_changed = stage.state.kinds_changed
    kinds_changed.emit({"judgement"})
    assert not view.session.is_waiting
    ask(view, qtbot, page="equivalents", text="wind", target_language="de")
    with qtbot.waitSignal(view.list_shown):
        kinds_changed.emit({"judgement"})
    view.hide()
    kinds_changed.emit({"corpus"})
    assert not view.session.is_waiting
    with qtbot.waitSignal(view.list_shown):
        view.show()


def test_a_project_without_texts_offers_to_import_some(
    tmp_path: Path, qtbot: QtBot
) -> None:
    stage = Stage(build_project(tmp_path / "empty.isogloss", {}))
    stage.open(qtbot)
    view = WordsView(stage.state)
    qtbot.addWidget(view)
    view.show()
    assert view.start.words[0] == "No words yet"
    with qtbot.waitSignal(stage.state.view_requests.import_requested):
        QTest.mouseClick(view.import_button, Qt.MouseButton.LeftButton)
    stage.close()


def test_rows_are_copied_and_written_whole(
    view: WordsView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    view.actions_by_name["copy"].trigger()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert (len(lines), lines[2].split("\t")[:3]) == (201, ["w1", "2", "449"])
    file = tmp_path / "words.tsv"
    with qtbot.waitSignal(stage.state.file_written):
        dialog = view.list_actions.ask_export()
        assert dialog is not None
        assert dialog.preview.count.text() == f"{N_ITEMS} rows."
        assert dialog.preview.table.rowCount() == 5
        dialog.export_to(file)
    assert len(file.read_text(encoding="utf-8").splitlines()) == N_ITEMS + 1
    ask(view, qtbot, page="equivalents", text="wind", target_language="de")
    dialog = view.list_actions.ask_export()
    assert dialog is not None
    dialog.export_to(tmp_path / "wind.tbx")
    (params,) = stage.client.runs()
    assert isinstance(params, Equivalents)
    assert (params.text, params.out) == ("wind", tmp_path / "wind.tbx")


def test_exported_keywords_have_the_headings_and_the_texts_that_are_compared(
    view: WordsView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    ask(view, qtbot, page="keyness", corpora=(1,), against=(2, 3))
    shown = view.session.shown
    assert shown is not None
    view.session.shown = shown._replace(n_items=1)
    dialog = view.list_actions.ask_export()
    assert dialog is not None
    with qtbot.waitSignal(stage.state.file_written):
        dialog.export_to(tmp_path / "keyness.tsv")
    lines = (tmp_path / "keyness.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == [
        *("Word", "Count", "Per million", "Reference count", "Reference per million"),
        *("Log-likelihood", "Log ratio", "95\u00a0% from", "95\u00a0% to"),
        *("These texts", "Reference texts"),
    ]
    names = [corpus.name for corpus in stage.state.corpora[:3]]
    assert lines[1].split("\t")[-2:] == [names[0], ", ".join(names[1:])]


def test_an_empty_list_names_the_selected_texts_and_offers_all(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    stage.client.answers[EquivalentsQuery] = lambda query: msgspec.structs.replace(
        equivalents(query), rows=[], n_pairs=0, n_word=0
    )
    name = stage.state.corpora[0].name
    equivalent = {"page": "equivalents", "text": "wind", "target_language": "de"}
    ask(view, qtbot, **equivalent, corpora=(1,))
    assert view.start.words[1].endswith(f"Only {name} is searched.")
    with qtbot.waitSignal(view.list_shown):
        QTest.mouseClick(view.all_button, Qt.MouseButton.LeftButton)
    assert stage.client.queries(EquivalentsQuery)[-1].corpora == ()
    assert not view.all_button.isVisible()
    assert "searched" not in view.start.words[1]
    stage.client.answers[CollocatesQuery] = lambda query: msgspec.structs.replace(
        collocates(query), rows=[], n_hits=0
    )
    ask(view, qtbot, page="collocates", text="wind", languages=("ja",))
    assert view.start.words[1].endswith("Only Japanese is searched.")
    with qtbot.waitSignal(view.list_shown):
        QTest.mouseClick(view.all_button, Qt.MouseButton.LeftButton)
    assert stage.client.queries(CollocatesQuery)[-1].languages == ()


def test_words_that_are_not_indexed_are_indexed_and_asked_for_again(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    stage.client.answers[FrequenciesQuery] = lambda query: msgspec.structs.replace(
        frequencies(query), not_indexed=(2,)
    )
    ask(view, qtbot, n=2)
    assert stage.client.runs() == [IndexWords(corpora=("2",))]
    assert "Indexing the words of Hafenbriefe" in view.bar.count.text()
    stage.client.answers[FrequenciesQuery] = frequencies
    with qtbot.waitSignal(view.list_shown):
        stage.client.event_received.emit(events.Changed("words", 2))
    assert len(stage.client.runs()) == 1


def test_a_long_list_is_counted_by_a_job_and_comes_by_itself(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    def answer(query: FrequenciesQuery) -> FrequenciesAnswer:
        listed = frequencies(query)
        if query.waits:
            return listed
        return msgspec.structs.replace(listed, rows=[], n_items=0, not_counted=True)

    stage.client.answers[FrequenciesQuery] = answer
    ask(view, qtbot, n=2, corpora=(2,))
    (params,) = stage.client.runs()
    assert params == Frequencies(corpora=("Hafenbriefe",), n=2)
    assert view.start.words[0] == "The list is not counted yet"
    (run,) = stage.state.runs
    qtbot.waitUntil(lambda: run.id > 0)
    stage.client.event_received.emit(events.Progress(run.id, "count", 1, 4, ""))
    assert view.bar.count.text().endswith("(only once): 25\u00a0%")
    assert view.count_button.isHidden()
    stage.client.event_received.emit(events.Cancelled(run.id))
    assert view.count_button.isVisible()
    with qtbot.waitSignal(view.list_shown):
        view.count_button.click()
    (run,) = stage.state.runs
    qtbot.waitUntil(lambda: run.id > 0)
    with qtbot.waitSignal(view.list_shown):
        stage.client.event_received.emit(events.Finished(run.id, {}))
    assert view.table.words.rowCount() == 200
    assert view.bar.count.text().startswith("450 rows")
    ask(view, qtbot, n=3)
    ask(view, qtbot, n=1, corpora=(1,))  # the count before is of no use
    cancelled = [c for c in stage.client.sent if isinstance(c, commands.Cancel)]
    assert len(cancelled) == 1
    assert not stage.client.queries(FrequenciesQuery)[-1].waits


def test_what_can_t_be_answered_is_said_and_the_word_marked(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    error = ErrorInfo("user", "There is nothing to look for: type a word.")
    stage.client.answers[FrequenciesQuery] = lambda query: error
    with qtbot.waitSignal(view.session.failed):
        view.ask(WordListSettings(find="*"))
    assert view.bar.error.text() == error.message
    assert view.bar.error.isVisible()


def test_an_error_moves_no_chip_and_offers_what_the_page_can_do(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    error = ErrorInfo("user", "The reference texts contain no words.")
    stage.client.answers[KeynessQuery] = lambda query: error
    view.bar.choose_page("keyness")
    place = view.bar.against.mapTo(view, QPoint())
    with qtbot.waitSignal(view.session.failed):
        view.ask(WordListSettings(page="keyness", corpora=(1,), against=(2,)))
    assert view.bar.error.isVisible()
    assert view.bar.against.mapTo(view, QPoint()) == place
    assert view.start.words[1] == "Select other texts, or compare them again."
    assert view.retry_button.text() == "Compare again"


def test_the_chips_of_the_lists_stay_where_they_are(
    view: WordsView, qtbot: QtBot
) -> None:
    chip = view.bar.pages.button(2)
    places = []
    for page in PAGES:
        view.bar.choose_page(page)
        qtbot.wait(1)
        places.append(chip.mapTo(view, QPoint()))
    assert places == [places[0]] * len(PAGES)


def example_words(view: WordsView) -> list[str]:
    buttons = view.start.findChildren(QPushButton)
    hint = "Show this example."
    return [one.text() for one in buttons if one.toolTip() == hint and one.isVisible()]


def click_example(view: WordsView, words: str) -> None:
    buttons = view.start.findChildren(QPushButton)
    (button,) = (one for one in buttons if one.text() == words and one.isVisible())
    button.click()


def test_empty_pages_have_examples_with_results(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    found = ExampleWords("en", "de", ("wind", "ferry"))
    stage.client.answers[ExampleWordsQuery] = lambda query: found
    view.bar.choose_page("collocates")
    qtbot.waitUntil(lambda: example_words(view) == ["wind", "ferry"])
    with qtbot.waitSignal(view.list_shown):
        click_example(view, "ferry")
    query = stage.client.queries(CollocatesQuery)[-1]
    assert (query.text, query.languages) == ("ferry", ("en",))
    view.ask(WordListSettings(page="equivalents"))
    qtbot.waitUntil(lambda: example_words(view) == ["wind", "ferry"])
    with qtbot.waitSignal(view.list_shown):
        click_example(view, "wind")
    wanted = stage.client.queries(EquivalentsQuery)[-1]
    assert (wanted.text, wanted.source_language) == ("wind", "en")
    assert wanted.target_language == "de"
    view.ask(WordListSettings(page="keyness"))
    qtbot.wait(1)
    assert example_words(view) == [], "each language has one corpus"
    view.ask(WordListSettings(page="translations"))
    qtbot.wait(1)
    assert example_words(view) == [], "nothing is mapped"


def test_keyness_compares_two_texts_of_a_language_as_an_example(
    tmp_path: Path, qtbot: QtBot
) -> None:
    texts = {"old": ("en", ["A sea."]), "meer": ("de", ["Ein Meer."])}
    texts["new"] = ("en", ["A lake."])
    stage = Stage(build_project(tmp_path / "q.isogloss", texts))
    stage.client.answers |= {
        KeynessQuery: keyness,
        FrequenciesQuery: frequencies,
        ExampleWordsQuery: lambda query: ExampleWords("en", "", ("sea",)),
    }
    stage.open(qtbot)
    view = WordsView(stage.state)
    qtbot.addWidget(view)
    view.show()
    view.bar.choose_page("keyness")
    qtbot.waitUntil(lambda: example_words(view) == ["old and new (English)"])
    assert not view.subcorpus_button.isVisible()
    with qtbot.waitSignal(view.list_shown):
        click_example(view, "old and new (English)")
    query = stage.client.queries(KeynessQuery)[-1]
    assert (query.corpora, query.against_corpora) == ((1,), (3,))
    assert query.languages == ("en",)
    stage.close()


def test_lists_that_are_cut_say_so(view: WordsView, stage: Stage, qtbot: QtBot) -> None:
    ask(view, qtbot, page="keyness", corpora=(1,), against=(2,))
    assert view.bar.count.text().startswith("First 1 of 900 words by log-likelihood · ")
    stage.client.answers[KeynessQuery] = lambda query: msgspec.structs.replace(
        keyness(query), n_items=1
    )
    ask(view, qtbot, page="keyness", corpora=(1,), against=(3,))
    assert view.bar.count.text().startswith("1 keyword · ")


def test_a_word_of_the_other_language_offers_the_other_direction(
    view: WordsView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    for path, code in (
        (folder / TABLES / "German", "de"),
        (folder / TABLES / "English", "en"),
        (folder / MAPS / "English – German" / "source", "en"),
        (folder / MAPS / "English – German" / "target", "de"),
    ):
        path.mkdir(parents=True)
        (path / TABLE_FILE).write_bytes(msgspec.json.encode({"language": code}))
    (folder / MAPS / "English – German" / MAP_FILE).write_bytes(b"{}")
    stage.state.kinds_changed.emit({"word-map"})
    view.bar.choose_page("translations")
    assert view.bar.field.placeholderText() == "Word in English"
    error = ErrorInfo("user", "“Haus” is a word of German.")
    stage.client.answers[TranslationsQuery] = lambda query: error
    with qtbot.waitSignal(view.session.failed):
        settings = msgspec.structs.replace(view.bar.settings(), text="Haus")
        view.ask(settings)
    assert view.mapping_button.isVisible()
    view.mapping_button.click()
    dialog = view.window().findChildren(TaskDialog)[-1]
    assert dialog.form.raw()["name"] == "German – English"
    dialog.close()


def test_the_question_comes_back_with_the_session(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    question = WordListSettings(
        page="collocates", text="wind", left=2, languages=("en",), find="w*"
    )
    with qtbot.waitSignal(view.list_shown):
        view.ask(question)
    saved = view.save_state()
    other = WordsView(stage.state)
    qtbot.addWidget(other)
    with qtbot.waitSignal(other.list_shown):
        other.restore_state(saved)
    assert other.bar.settings() == question
    menu = QMenu()
    other.bar.field.history_requested.emit(menu)
    assert [action.text() for action in menu.actions()] == ["wind · collocates"]
    other.restore_state({"question": {"page": "of another version"}})
    assert other.bar.page == "frequencies"


def test_nearest_words_of_one_language_are_listed(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    question: dict[str, Any] = {
        "page": "translations",
        "text": "sea : wind = lake",
        "map": "en-de",
    }
    ask(view, qtbot, **question, vectors="English")
    query = stage.client.queries(NeighboursQuery)[-1]
    assert (query.text, query.vectors) == ("sea : wind = lake", "English")
    assert [cell(view, 0, title) for title in ("Word", "Cosine", "Rank")] == [
        "breeze",
        "0.750",
        "3",
    ]
    assert view.bar.count.text() == "2 nearest words · 1,000\u00a0words"
    settings = WordListSettings(**question, vectors="English")
    params = settings.to_params(ResourceNames())
    assert params == NearestWords(
        vectors=Path("English"), text="sea : wind = lake", top=50
    )


def test_word_vectors_are_named_after_the_language_of_their_corpora(
    view: WordsView,
) -> None:
    vectors = view.findChildren(WordVectorActions)[0]
    vectors.actions["train vectors"].trigger()
    dialog = view.window().findChildren(TaskDialog)[-1]
    form = dialog.form
    assert "language" not in form.names  # the corpora have it
    assert form.raw()["name"] == "English"
    form.write({"corpora": ["Hafenbriefe"]})
    assert form.raw()["name"] == "German"
    params = form.values()
    assert isinstance(params, TrainWordVectors)
    assert (params.corpora, params.language) == (("Hafenbriefe",), "")
    assert params.method == "encoder"  # best for small texts
    form.write({"name": "mine"})
    form.write({"corpora": ["Harbour letters"]})
    assert form.raw()["name"] == "mine"
    dialog.close()


def test_a_word_without_a_mapping_shows_which_vectors_exist(
    view: WordsView, stage: Stage, folder: Path
) -> None:
    def add_vectors(name: str, code: str) -> None:
        made = folder / TABLES / name
        made.mkdir(parents=True)
        (made / TABLE_FILE).write_bytes(msgspec.json.encode({"language": code}))
        stage.state.kinds_changed.emit({"word-vectors"})

    view.ask(WordListSettings(page="translations", text="wind"))
    assert view.start.words[0] == "Word vectors of two languages are needed"
    add_vectors("English", "en")
    heading, text = view.start.words
    assert heading == "Word vectors of a second language are needed"
    assert text.startswith("English: ready.")
    view.training_button.click()
    dialog = view.window().findChildren(TaskDialog)[-1]
    assert dialog.form.raw()["name"] == "German"
    assert list(dialog.form.raw()["corpora"]) == ["Hafenbriefe"]
    dialog.close()
    add_vectors("German", "de")
    heading, text = view.start.words
    assert heading == "Bilingual vectors are needed"
    assert "English, German" in text
    assert view.mapping_button.isVisible()
    assert view.mapping_button.isEnabled()
    assert not view.training_button.isVisible()


def test_words_of_another_language_show_ranks_agreements_and_hubs(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    ask(view, qtbot, page="translations", text="wind", map="en-de")
    assert stage.client.queries(TranslationsQuery)[-1].map == "en-de"
    ranks = ("Rank (CSLS)", "Rank (ISF)", "Rank (NN)")
    assert [cell(view, 0, title) for title in ranks] == [
        "1",
        "1",
        "2",
    ]
    assert (cell(view, 0, "Agrees"), cell(view, 1, "Agrees")) == ("✓", "")
    assert (cell(view, 0, "Hub"), cell(view, 1, "Hub")) == ("9", "⚠ 300")
    assert cell(view, 1, "Rank (ISF)") == ""
    assert view.missing.text() == "Only in linked sentences: sturm"
    view.show()
    assert view.missing.isVisible()
    assert not view.details.isVisible()  # neither a chart nor examples
    assert view.save_state()["split"] == list(SPLIT_SIZES)
    assert view.bar.count.text() == (
        "2 candidates · 1 confirmed by links · 12 linked pairs"
    )


def test_bars_of_negative_numbers_are_drawn_to_the_left_of_zero(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    def answer(query: TranslationsQuery) -> TranslationsAnswer:
        found = translations(query)
        scores = 0.25, -0.75
        rows = [
            msgspec.structs.replace(row, csls=csls)
            for row, csls in zip(found.rows, scores, strict=True)
        ]
        return msgspec.structs.replace(found, rows=rows)

    stage.client.answers[TranslationsQuery] = answer
    ask(view, qtbot, page="translations", text="wind", map="en-de")
    table, words = view.table, view.table.words
    cells = [words.index(row, 1) for row in (0, 1)]
    assert [one.data(SHARE_ROLE) for one in cells] == [0.25, -0.75]
    assert [one.data(ZERO_ROLE) for one in cells] == [0.75, 0.75]
    table.clearSelection()
    picture = table.viewport().grab().toImage()

    def is_shaded(row: int, share: float) -> bool:
        place = table.visualRect(cells[row])
        x, y = place.left() + int(place.width() * share), place.top() + BAR_INSET + 1
        plain = picture.pixelColor(place.left(), y)
        return picture.pixelColor(x, y) != plain

    shaded = [[is_shaded(row, share) for share in (0.2, 0.7, 0.8)] for row in (0, 1)]
    assert shaded == [[False, False, True], [True, True, False]]


def test_captions_and_choices_begin_with_a_capital(view: WordsView) -> None:
    shown = [label.text() for label in view.bar.options.findChildren(QLabel)]
    for field in view.bar.options.fields.values():
        if isinstance(field, QComboBox):
            shown += [field.itemText(index) for index in range(field.count())]
        elif isinstance(field, QCheckBox):
            shown.append(field.text())
    names = ("t-score", "en-de")
    assert all(
        text[:1].isupper()
        for text in shown
        if text[:1].isalpha() and not text.startswith(names)
    ), shown
    assert {"N-gram length", "To", "Log-Dice", "Accepted only"} <= set(shown)
