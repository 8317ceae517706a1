"""What the mine view asks of the engine: mining, again, scoring, exporting."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.params.mining import MinePairs, ScorePairs
from app.params.pairs import ExportPairs, PairFormat, language_paths
from app.params.vectors import Encode
from app.protocol import events
from app.protocol.answers.pairs import PairExportPreview
from app.protocol.queries.pairs import PairExportQuery
from app.views.mining.dialog import MiningDialog
from app.views.mining.recipe_source import RecipeField
from app.views.mining.view import MiningView
from app.views.widgets.corpus_choices import suggest_params
from app.views.widgets.dialogs import SETTLE_MS
from app.views.widgets.pair_export_dialog import PairExportDialog
from app.views.widgets.task_dialog import TaskDialog
from tests.views import mined
from tests.views.mining.opened import open_view
from tests.views.stage import Stage, build_project, link, sentence_id


def test_an_empty_view_offers_what_to_mine(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view = open_view(stage, qtbot)
    quick = view.start_page.quick_button
    assert quick.text() == "Mine Harbour letters – Hafenbriefe"
    quick.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, MinePairs)
    assert (params.source, params.target, params.margin) == (
        "Harbour letters",
        "Hafenbriefe",
        "ratio",
    )


def test_the_form_says_what_it_takes_and_mines(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    view.controller.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    assert dialog.needs == "Compares 3 × 3 sentences."
    qtbot.waitUntil(lambda: dialog.needs == "About 1 s.")
    dialog.form.write({"threshold": 1.06, "filters": ["numbers"]})
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, MinePairs)
    assert (params.threshold, params.filters) == (1.06, ("numbers",))


def test_advanced_settings_open_below_their_button(
    view: MiningView, qtbot: QtBot
) -> None:
    view.controller.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    qtbot.wait(SETTLE_MS + 100)
    (toggle,) = [
        one
        for one in dialog.findChildren(QPushButton)
        if one.accessibleName() == "Advanced settings"
    ]
    place, frame = toggle.mapToGlobal(QPoint()), dialog.pos()
    toggle.click()
    qtbot.wait(1)
    assert dialog.form.field("source_language").widget.isVisible()
    assert (toggle.mapToGlobal(QPoint()), dialog.pos()) == (place, frame)
    toggle.click()
    qtbot.wait(1)
    assert not dialog.form.field("source_language").widget.isVisible()
    assert (toggle.mapToGlobal(QPoint()), dialog.pos()) == (place, frame)


def test_a_threshold_that_is_no_number_is_refused_beside_its_field(
    view: MiningView, stage: Stage
) -> None:
    view.controller.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    field = dialog.form.field("threshold").widget
    assert isinstance(field, QLineEdit)
    field.setText("1,06")
    assert dialog.form.raw()["threshold"] == "1.06"  # as many countries write it
    field.setText("high")
    dialog.run_button.click()
    assert dialog.isVisible()
    assert stage.client.runs() == []


def test_a_filter_that_cannot_be_read_is_refused_beside_its_field(
    view: MiningView, stage: Stage
) -> None:
    view.controller.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    dialog.form.write({"filters": ["lenght min=3"]})
    dialog.run_button.click()
    assert dialog.isVisible()
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert any(text.startswith("Unknown filter 'lenght'") for text in texts)
    assert stage.client.runs() == []


def test_filters_are_added_in_the_form_as_cards(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    view.controller.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    field = dialog.form.field("filters").widget
    assert isinstance(field, RecipeField)
    kinds = {one.text(): one for one in field.add_button.menu().actions()}
    kinds["Length"].trigger()
    kinds["Pattern"].trigger()
    shortest = field.list.cards[0].findChildren(QSpinBox)[0]
    shortest.setValue(3)
    dialog.run_button.click()
    assert stage.client.runs() == []
    problem = "The filter “Pattern” has a missing or wrong value."
    assert dialog.form.error_of("filters").startswith(problem)
    QTest.keyClicks(field.list.cards[1].findChildren(QLineEdit)[0], "a b")
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, MinePairs)
    assert params.filters == ("length min=3", "regex 'pattern=a b'")


def test_the_filters_of_the_form_are_reached_and_removed_by_key(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    view.controller.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    field = dialog.form.field("filters").widget
    assert isinstance(field, RecipeField)
    view.resize(1000, 500)  # a low window: not all of the form is seen at once
    dialog.form.write({"filters": ["numbers", "identity"]})
    assert [card.title for card in field.list.cards] == ["Numbers", "Copies"]
    newest = field.list.cards[1]
    qtbot.waitUntil(lambda: newest.visibleRegion().boundingRect() == newest.rect())
    field.add_button.setFocus()
    reached: list[QWidget | None] = [field.add_button]
    while reached[-1] is not dialog.run_button:
        QTest.keyClick(dialog, Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    indices = [reached.index(card) for card in field.list.cards]
    assert indices == sorted(indices)
    QTest.keyClick(field.list.cards[1], Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    QTest.keyClick(field.list.cards[0], Qt.Key.Key_Delete)
    assert dialog.form.raw()["filters"] == ["numbers"]


def test_the_form_begins_with_the_keyboard_on_the_source(view: MiningView) -> None:
    view.controller.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    assert dialog.focusWidget() is dialog.form.field("source").widget


def test_one_corpus_is_mined_between_two_of_its_languages(
    view: MiningView, qtbot: QtBot
) -> None:
    view.controller.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    language = dialog.form.field("source_language").widget
    assert language.isHidden()
    dialog.form.write({"target": ""})
    assert not language.isHidden()
    assert dialog.form.raw()["source_language"] == "en"
    dialog.form.write({"target": "Hafenbriefe"})  # what is hidden must not count
    assert language.isHidden()
    assert dialog.form.raw()["source_language"] == ""


def test_corpora_without_vectors_are_encoded_first(
    stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    stage.folder = build_project(tmp_path / "new.isogloss", is_encoded=False)
    view = open_view(stage, qtbot)
    view.controller.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    assert dialog.needs.endswith(
        "Encodes Harbour letters, Hafenbriefe first: they have no vectors yet."
    )
    assert dialog.run_button.text() == "Encode and mine pairs"
    dialog.run_button.click()
    qtbot.waitUntil(lambda: bool(stage.state.runs and stage.state.runs[0].id))
    assert stage.client.runs() == [Encode(corpora=("1", "2"))]
    run = stage.state.runs[0].id
    stage.client.event_received.emit(events.Finished(run, {}))
    assert isinstance(stage.client.runs()[-1], MinePairs)


def test_pairs_are_mined_again_under_another_name(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    params = MinePairs(source="Harbour letters", target="رسائل الميناء", k=7)
    mined.add_mining(folder, run_id=mined.add_run(folder, params))
    view = open_view(stage, qtbot)
    view.controller.mine_with(["identity"])
    again = stage.client.runs()[-1]
    assert (again.k, again.filters, again.name) == (
        7,
        ("identity",),
        "English – Arabic 2",
    )
    view.controller.copy_command()
    assert "mine-pairs" in QGuiApplication.clipboard().text()


def test_what_was_mined_is_shown_when_it_is_there(
    view: MiningView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view.controller.mine_suggested()
    qtbot.waitUntil(lambda: bool(stage.state.runs and stage.state.runs[0].id))
    new = mined.add_mining(folder, mined.MINING._replace(name="New"))
    run = stage.state.runs[0].id
    stage.client.event_received.emit(events.Changed("mining", new))
    stage.client.event_received.emit(events.Finished(run, {"mining": new}))
    qtbot.waitUntil(lambda: view.row is not None and view.row.id == new)


def test_corpora_that_are_not_linked_are_suggested(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view = open_view(stage, qtbot)
    view.controller.mine_suggested()
    link(folder, [(sentence_id(1, 0), sentence_id(2, 0))])
    view.controller.mine_suggested()
    first, second = (run for run in stage.client.runs() if isinstance(run, MinePairs))
    assert (first.source, first.target) == ("Harbour letters", "Hafenbriefe")
    assert (second.source, second.target) == ("Harbour letters", "رسائل الميناء")


def test_a_small_corpus_is_not_suggested_beside_a_large_one(
    tmp_path: Path, qtbot: QtBot
) -> None:
    texts = {
        "english": ("en", [f"Line {n}." for n in range(50)]),
        "german": ("de", [f"Zeile {n}." for n in range(50)]),
        "english-german.de": ("de", ["Eine Zeile.", "Noch eine."]),
    }
    stage = Stage(build_project(tmp_path / "q.isogloss", texts))
    link(stage.folder, [(sentence_id(1, 0), sentence_id(2, 0))])
    stage.open(qtbot)
    assert stage.state.project is not None
    params = suggest_params(stage.state.project)
    assert params is not None
    assert (params.source, params.target) == ("english", "german")
    stage.close()


def test_a_text_of_another_size_is_not_suggested_for_linked_corpora(
    stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    answers = stage.client.answers
    texts = {
        "novels": ("en", [f"Story {n}." for n in range(60)]),
        "news.en": ("en", [f"Line {n}." for n in range(20)]),
        "news.de": ("de", [f"Zeile {n}." for n in range(20)]),
    }
    stage = Stage(build_project(tmp_path / "q.isogloss", texts))
    stage.client.answers.update(answers)
    link(stage.folder, [(sentence_id(2, 0), sentence_id(3, 0))])
    view = open_view(stage, qtbot)
    assert view.start_page.quick_button.isHidden(), "nothing fits"
    view.controller.mine_suggested()
    assert not any(isinstance(run, MinePairs) for run in stage.client.runs())
    (dialog,) = view.findChildren(TaskDialog)
    params = dialog.form.raw()
    assert (params["source"], params["target"]) == ("news.en", "news.de")
    stage.close()


def test_linked_corpora_are_scored(stage: Stage, folder: Path, qtbot: QtBot) -> None:
    link(folder, [(sentence_id(1, 0), sentence_id(2, 0))])
    view = open_view(stage, qtbot)
    view.controller.ask_scoring()
    (dialog,) = view.findChildren(TaskDialog)
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert params == ScorePairs(source="Harbour letters", target="Hafenbriefe")


def test_an_export_takes_the_threshold_and_the_ending_of_its_format(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(view.page.pairs.shown):
        view.page.pairs.threshold.set_threshold(1.2)
    view.controller.ask_export()
    (dialog,) = view.findChildren(PairExportDialog)
    dialog.form.write({"format": "jsonl", "verdicts": ["accept"]})
    control = Qt.KeyboardModifier.ControlModifier
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    QTest.keyClick(dialog, Qt.Key.Key_Return, control)  # as other dialogs save
    params = stage.client.runs()[-1]
    assert isinstance(params, ExportPairs)
    assert (params.threshold, params.verdicts) == (1.2, ("accept",))
    assert params.out.name == "english-arabic.jsonl"


def preview_export(query: PairExportQuery) -> PairExportPreview:
    if query.params.verdicts:
        return PairExportPreview(30, [], "")
    return PairExportPreview(12, [], "Only accepted pairs are included.", ("accept",))


def test_an_export_ticks_what_it_includes_by_default(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    stage.client.answers[PairExportQuery] = preview_export
    view.controller.ask_export()
    (dialog,) = view.findChildren(PairExportDialog)
    qtbot.waitUntil(lambda: dialog.verdicts.ticked == ["accept"])
    with qtbot.waitSignal(dialog.preview.shown):  # of the form with the tick
        pass
    text = "12 pairs. Only accepted pairs are included."
    assert dialog.preview.count.text() == text
    dialog.verdicts.tick(["accept", "skip"])
    qtbot.waitUntil(lambda: dialog.preview.count.text() == "30 pairs.")
    dialog.verdicts.tick(["skip"])  # is not overridden
    with qtbot.waitSignal(dialog.preview.shown):
        pass
    assert dialog.verdicts.ticked == ["skip"]
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, ExportPairs)
    assert params.verdicts == ("skip",)


def test_the_format_of_an_export_follows_the_name_that_is_typed(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    mined.add_mining(folder)
    view = open_view(stage, qtbot)
    view.controller.ask_export()
    (dialog,) = view.findChildren(PairExportDialog)
    form = dialog.form
    form.write({"out": "/tmp/accepted.tsv"})
    assert form.field("format").read() == "tsv"
    form.write({"out": "/tmp/accepted.xlf"})
    assert form.field("format").read() == "xliff-1.2"
    form.write({"format": "xliff-2.0"})
    assert str(form.field("out").read()) == "/tmp/accepted.xlf"
    form.write({"out": "/tmp/accepted.v2"})
    assert form.field("format").read() == "xliff-2.0"


@pytest.mark.parametrize(
    ("name", "format_"),
    [("pairs", "moses"), ("pairs.xml", "tei"), ("pairs.txt.gz", "paraconc")],
)
def test_both_files_of_a_format_with_two_are_replaced_after_a_question(
    view: MiningView,
    stage: Stage,
    qtbot: QtBot,
    tmp_path: Path,
    name: str,
    format_: PairFormat,
) -> None:
    stage.client.answers[PairExportQuery] = preview_export
    view.controller.ask_export()
    (dialog,) = view.findChildren(PairExportDialog)
    codes = {corpus.id: corpus.language for corpus in stage.state.corpora}
    row = view.row
    assert row is not None
    ends = codes[row.source_corpus_id], codes[row.target_corpus_id]
    first, second = language_paths(tmp_path / name, ends, format_)
    first.touch()
    second.touch()
    dialog.form.write({"out": tmp_path / name})
    dialog.form.write({"format": format_})
    dialog.form.write({"out": tmp_path / name})
    n = len(stage.client.runs())
    dialog.run_button.click()
    assert len(stage.client.runs()) == n
    (box,) = dialog.findChildren(QMessageBox)
    assert box.text() == f"{first} and {second} exist."
    box.defaultButton().click()
    params = stage.client.runs()[-1]
    assert isinstance(params, ExportPairs)
    assert (params.format, params.replace) == (format_, True)
