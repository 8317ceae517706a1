"""The words view over the real engine: lists, equivalents, dictionary, concordance."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pyqtgraph import TextItem
from PySide6.QtCore import QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from sqlalchemy import insert, select

from app.engine.project.project import create_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.runs import list_runs
from app.engine.store.words.indexes import read_table_language
from app.engine.words.cache import SMALL
from app.params.word_vectors import ImportWordVectors, LearnDictionary, MapLanguages
from app.params.words import ImportDictionary
from app.views.map.dialog import MapDialog
from app.views.review.pairs import read_shown_pairs
from app.views.shell.main_window import MainWindow
from app.views.widgets.corpus_choices import suggest_sides
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.text_layout import find_free
from app.views.words.settings import WordListSettings
from app.views.words.vector_language import VectorLanguageDialog
from app.views.words.word_map import WordMapDialog
from tests.engine.search.made import add_corpus
from tests.engine.wordvectors.spaces import rotated_tables, vec_text
from tests.process.windows import WAIT_MS, Windows
from tests.views.stage import selected

ENGLISH = ["the wind blows", "a cold wind", "the rain", "the wind and the rain"]
GERMAN = ["der Wind weht", "ein kalter Wind", "der Regen", "der Wind und der Regen"]


def _names_on_map(dialog: WordMapDialog) -> dict[str, QRectF]:
    """Return the visible names with their places in the picture."""
    items = dialog.plot.getPlotItem().items
    return {
        item.toPlainText(): item.mapRectToScene(item.boundingRect())
        for item in items
        if isinstance(item, TextItem) and item.isVisible()
    }


def make(folder: Path) -> Path:
    with create_project(folder) as project:
        add_corpus(project, "English", "en", ENGLISH)
        add_corpus(project, "Deutsch", "de", GERMAN)
        links = [
            {
                "source_id": first_sentence_id(1) + i,
                "target_id": first_sentence_id(2) + i,
            }
            for i in range(len(ENGLISH))
        ]
        with project.store.begin() as connection:
            values = [{**link, "kind": "imported"} for link in links]
            connection.execute(insert(schema.link), values)
    return folder


def correct_language(window: MainWindow, view: Any, qtbot: QtBot) -> None:
    """Correct the language of imported vectors, undo it and do it again."""
    state = window.state
    assert state.project is not None
    folder = state.project.folder

    def has_language(code: str) -> bool:
        return read_table_language(folder, "German") == code

    view.actions_by_name["vector language"].trigger()
    (dialog,) = window.findChildren(VectorLanguageDialog)
    assert dialog.box.currentText() == "English"
    dialog.box.setCurrentText("German")
    assert dialog.field.text() == "English (en)"
    dialog.field.setText("German")
    dialog.done_button.click()
    for change, expected in ((None, "de"), (state.undo, "en"), (state.redo, "de")):
        if change is not None:
            change()
        qtbot.waitUntil(partial(has_language, expected), timeout=WAIT_MS)


def test_words_are_listed_translated_checked_and_opened(
    windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    window = windows.open(make(tmp_path / "p.isogloss"), "words")
    view: Any = window.view
    state = window.state
    qtbot.waitUntil(lambda: view.table.words.rowCount() > 0, timeout=WAIT_MS)

    def ask(**question: Any) -> list[str]:
        with qtbot.waitSignal(view.list_shown, timeout=WAIT_MS):
            view.ask(WordListSettings(**question))
        return [row.item for row in view.table.words.rows]

    assert ask(languages=("en",))[:2] == ["the", "wind"]
    with qtbot.waitSignal(view.session.failed, timeout=WAIT_MS):
        view.ask(WordListSettings(page="collocates", text="wind", corpora=(1,)))
        state.client.kill()  # in the middle of the question
    assert view.bar.error.text() == "The engine stopped. Search again."
    with qtbot.waitSignal(view.list_shown, timeout=WAIT_MS):
        view.retry_button.click()
    assert [row.item for row in view.table.words.rows] == ["the"]
    assert ask(page="collocates", text="wind", corpora=(1,)) == ["the"]
    ask(page="keyness", corpora=(1,), against=(1, 2))
    (warning,) = [
        label.text()
        for label in view.findChildren(QLabel)
        if label.text().startswith("The reference texts contain all of these texts")
        and label.isVisible()
    ]
    assert "Choose reference texts without them." in warning
    ask(page="keyness", corpora=(1,), against=(2,))
    question: dict[str, Any] = {
        "page": "equivalents",
        "text": "wind",
        "target_language": "de",
    }
    assert ask(**question)[0] == "wind"
    file = tmp_path / "sea.tsv"
    file.write_text("wind\tWind\nwind\tBrise\n", encoding="utf-8")
    params = ImportDictionary(file=file, source_language="en", target_language="de")
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        state.run(params)
    words = view.table.words
    qtbot.waitUntil(lambda: bool(words.rows[0].in_dictionary), timeout=WAIT_MS)
    assert view.missing.text().endswith("sea: brise")
    assert len(view.details.examples.cards) == 3
    QTest.keyClick(view.details.examples.cards[1], Qt.Key.Key_Return)
    assert window.view_name == "read"
    qtbot.waitUntil(lambda: selected(state) is not None, timeout=WAIT_MS)
    window.show_view("words")
    assert window.inspector_dock.isHidden()
    out = tmp_path / "wind.tsv"
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        view.list_actions.ask_export().export_to(out)
    assert "the wind blows\tEnglish:1" in out.read_text(encoding="utf-8")
    view.table.setCurrentIndex(view.table.words.index(0, 0))
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert window.view_name == "concordance"
    shown: Any = window.view
    assert (shown.settings.text, shown.settings.languages) == ("wind", ("de",))


def test_a_large_corpus_is_indexed_first_and_its_words_come_by_themselves(
    windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "large.isogloss"
    with create_project(folder) as project:
        add_corpus(project, "Large", "en", ["wind and rain"] * (SMALL + 1))
    window = windows.open(folder, "words")
    view: Any = window.view
    qtbot.waitUntil(lambda: view.table.words.rowCount() == 3, timeout=WAIT_MS)
    assert {row.item for row in view.table.words.rows} == {"and", "rain", "wind"}
    assert view.session.shown.not_indexed == ()
    assert len(list_runs(view.state.project.store, task="index-words")) == 1
    qtbot.waitUntil(lambda: view.session.indexing is None, timeout=WAIT_MS)
    assert view.bar.count.text().startswith("3 rows")


def check_missing_mapping(view: Any, qtbot: QtBot) -> None:
    """Type a word before the languages are mapped: the page says what to do."""
    view.bar.choose_page("translations")
    view.bar.field.setText("wind")
    QTest.keyClick(view.bar.field, Qt.Key.Key_Return)
    assert view.start.words[0] == "Bilingual vectors are needed"
    assert view.mapping_button.isVisible()
    view.mapping_button.click()
    dialog = view.window().findChildren(TaskDialog)[-1]
    assert dialog.windowTitle() == "Make bilingual vectors"
    assert dialog.form.raw()["name"] == "English – German"
    dialog.reject()
    with qtbot.waitSignal(view.list_shown, timeout=WAIT_MS):
        view.bar.choose_page("frequencies")
    assert not view.mapping_button.isVisible()


def test_word_vectors_are_mapped_compared_and_learned_from(
    windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    source, target, pairs = rotated_tables(300, 12, noise=0.05)
    files = [tmp_path / name for name in ("en.vec", "de.vec", "seed.tsv")]
    for file, table in zip(files[:2], (source, target), strict=True):
        # s0 and t0 become a word of the linked sentences
        text = vec_text(table).replace("s0 ", "wind ").replace("t0 ", "wind ")
        file.write_text(text, encoding="utf-8")
    lines = "".join(f"{one}\t{other}\n" for one, other in pairs[1::5])
    files[2].write_text(lines, encoding="utf-8")
    window = windows.open(make(tmp_path / "p.isogloss"), "words")
    view: Any = window.view
    state = window.state
    qtbot.waitUntil(lambda: view.table.words.rowCount() > 0, timeout=WAIT_MS)
    map_action = view.actions_by_name["map languages"]
    assert not map_action.isEnabled()
    view.bar.choose_page("translations")
    assert not view.training_button.isVisible()
    view.bar.field.setText("wind")
    QTest.keyClick(view.bar.field, Qt.Key.Key_Return)
    assert view.training_button.isVisible()
    view.bar.choose_page("frequencies")

    def run(params: Any) -> None:
        with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
            state.run(params)

    run(ImportWordVectors(file=files[0], language="en", name="English"))
    run(ImportWordVectors(file=files[1], language="en", name="German"))
    assert map_action.isEnabled()
    correct_language(window, view, qtbot)
    check_missing_mapping(view, qtbot)
    view.bar.field.setText("wind")
    sides = Path("English"), Path("German")
    run(MapLanguages(source=sides[0], target=sides[1], dictionary=files[2], name="m"))
    with qtbot.waitSignal(view.list_shown, timeout=WAIT_MS):
        view.ask(WordListSettings(page="translations", text="wind", map="m"))
    best = view.table.words.rows[0]
    assert (best.item, best.csls_rank, best.isf_rank, best.nn_rank) == ("wind", 1, 1, 1)
    assert (best.n_linked, best.agrees) == (3, True)
    assert view.bar.options.fields["map"].currentData() == "m"

    near = WordListSettings(page="translations", text="s1 : s2 = s1", vectors="English")
    with qtbot.waitSignal(view.list_shown, timeout=WAIT_MS):
        view.ask(near)  # b − a + c is s2, which is left out
    unit = source.vectors / np.linalg.norm(source.vectors, axis=1, keepdims=True)
    cosines = unit @ unit[2]
    cosines[[1, 2]] = -1
    assert view.table.words.rows[0].item == source.words[int(cosines.argmax())]
    assert view.bar.count.text().startswith("50 nearest words")
    assert view.bar.options.fields["vectors"].currentData() == "English"

    view.bar.options.fields["vectors"].setCurrentIndex(0)
    view.actions_by_name["map of words"].trigger()
    dialog = window.findChildren(WordMapDialog)[-1]
    qtbot.waitUntil(dialog.slider.isEnabled, timeout=WAIT_MS)
    assert dialog.legend.startswith("English 300, German 300, ")
    before = dialog.plot.source_places
    for share in (0, 50, 100):
        dialog.slider.setValue(share)
        shown = _names_on_map(dialog)
        assert "wind" in shown, "the most frequent word comes first"
        assert 2 <= len(shown) == len(find_free(list(shown.values())))
    rows = list(dialog.plot.table())[1:]
    words = {row[1]: np.array(row[2:], np.float64) for row in rows}
    assert not np.allclose(dialog.plot.source_places, before)
    distances = [np.linalg.norm(words[one] - words[other]) for one, other in pairs[1:]]
    assert np.median(distances) < 0.1  # each on its translation, up to the noise
    dialog.reject()

    scored, sentences = tmp_path / "scored.tsv", tmp_path / "sentences.tsv"
    lines = "".join(f"s{n}\ts{n + 1}\t{cosines[n]}\n" for n in range(3, 20))
    scored.write_text(lines, encoding="utf-8")
    texts = [" ".join(f"s{n + i}" for i in range(5)) for n in range(1, 40)]
    lines = "".join(f"{text}\t{text.replace('s', 't')}\n" for text in texts)
    sentences.write_text(lines, encoding="utf-8")
    view.actions_by_name["evaluate similarity"].trigger()
    ask = window.findChildren(TaskDialog)[-1]
    ask.form.write({"data": [scored]})
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS) as finished:
        ask.run_button.click()
    assert finished.args[1]["results"][0]["n"] == 17
    view.actions_by_name["evaluate sentences"].trigger()
    ask = window.findChildren(TaskDialog)[-1]
    ask.form.write({"pairs": sentences})
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS) as finished:
        ask.run_button.click()
    result = finished.args[1]
    assert result["source_to_target"]["precision_at_1"] > 0.95
    assert result["bleu"] > 0.9 > 0.1 > result["bleu_copied"]

    run(LearnDictionary(map=Path("m"), name="Learned", n=20, min_letters=1))
    qtbot.waitUntil(lambda: window.view_name == "review", timeout=WAIT_MS)
    review: Any = window.view
    assert review.session.mining is not None
    assert review.session.mining.name == "Learned"
    qtbot.waitUntil(lambda: len(state.corpora) == 4, timeout=WAIT_MS)
    assert_words_are_no_sentences(window)
    assert_examples_are_shown(window)


def assert_examples_are_shown(window: MainWindow) -> None:
    """Check that Review shows the example of a word, and no other words around it."""
    project = window.state.project
    assert project is not None
    with project.store.connect() as connection:
        ids = list(connection.scalars(select(schema.pair.c.id)))
    names = {row.id: row.name for row in project.corpora}
    shown = [pair for pair in read_shown_pairs(project.store, names, ids) if pair]
    assert shown
    assert not any(pair.source.before for pair in shown)
    examples = {pair.source.text: pair.source.after[0].text for pair in shown}
    assert examples.pop("wind").startswith("the wind blows (")
    assert not any(examples.values()), "no corpus has them"


def assert_words_are_no_sentences(window: MainWindow) -> None:
    """Check that views propose and count texts, not the words of a dictionary."""
    state = window.state
    assert state.project is not None
    assert [row.is_word_list for row in state.corpora] == [False, False, True, True]
    n_texts = len(ENGLISH) + len(GERMAN)
    proposed = suggest_sides(state.project)
    assert proposed is not None
    assert {one.name for one in proposed} == {"English", "Deutsch"}
    assert state.project.n_sentences == n_texts
    facts = state.settings.project_facts[str(state.project.folder)]
    assert facts.n_sentences == n_texts  # on the first page

    window.show_view("map")
    map_view: Any = window.view
    assert f"This project has {n_texts} sentences." in map_view.empty_state.words[1]
    map_view.controller.ask_map()
    (dialog,) = map_view.findChildren(MapDialog)
    raw = dialog.form.raw()
    assert set(raw["corpora"]) == {"English", "Deutsch"}
    assert raw["name"] == "All sentences"
    dialog.reject()

    window.show_view("classify")
    classify: Any = window.view
    listed = [row.title for row in classify.steps.labels.corpora.rows]
    assert sorted(listed) == ["Deutsch", "English"]
    window.show_view("corpora")
    corpora: Any = window.view
    corpora.list.selectAll()
    words = "\n".join(label.text() for label in corpora.header.findChildren(QLabel))
    assert f"{n_texts} sentences in " in words
