"""The labels of the classify view: classes, keys, merging, the check."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.params.classify import CheckLabels
from app.protocol.edits.labels import LabelSentences, RenameClass
from app.protocol.queries.classify import LabelCountsQuery, LabelOrderQuery
from app.protocol.queries.encoders import EncodersQuery
from app.views.widgets.dialogs import TextInputDialog
from tests.views import classified
from tests.views.classify.opened import button, cells, counts, open_view
from tests.views.stage import Stage, build_project, selected, sentence_id


def test_classes_stand_with_their_keys_and_bars(stage: Stage, qtbot: QtBot) -> None:
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.labels)
    page = view.steps.labels.page
    assert [(row.name, row.key, row.n) for row in page.classes.rows] == [
        ("sea", 1, 2),
        ("wind", 2, 1),
    ]
    assert page.facts == (
        "English · 3 of 3 sentences are labelled · 0 unlabelled · 2 classes · "
        "most sea (2), fewest wind (1)"
    )
    facts = [row.facts for row in view.steps.labels.corpora.rows]
    assert facts[0] == "English · 3 labelled · 2 classes"
    assert facts[3] == "Japanese · 3 unlabelled"


def test_sentences_of_a_class_are_shown_and_labelled_by_key(
    stage: Stage, qtbot: QtBot
) -> None:
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.labels)
    page = view.steps.labels.page
    with qtbot.waitSignal(page.shown):
        page.classes.selectRow(1)
    (query,) = stage.client.queries(LabelOrderQuery)
    assert (query.classes, query.corpora) == (("wind",), (1,))
    page.table.selectRow(0)
    QTest.keyClick(page.table, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: bool(stage.client.changes()))
    assert stage.client.changes() == [
        LabelSentences(sentences=(sentence_id(1, 1),), class_name="wind")
    ]


def test_labels_that_differ_by_case_are_merged(stage: Stage, qtbot: QtBot) -> None:
    stage.client.answers[LabelCountsQuery] = lambda _: counts(
        {1: {"sea": 2, "Sea ": 1}}
    )
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.labels)
    button(view, "Merge “Sea ” into “sea” (1 sentence)").click()
    qtbot.waitUntil(lambda: bool(stage.client.changes()))
    assert stage.client.changes() == [
        RenameClass(corpora=(1,), old_names=("Sea ",), name="sea")
    ]


def test_a_class_is_renamed_in_every_corpus_and_keeps_its_key(
    stage: Stage, qtbot: QtBot
) -> None:
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.labels)
    page = view.steps.labels.page
    page.classes.selectRow(0)
    button(view, "Rename…").click()
    (dialog,) = view.findChildren(TextInputDialog)
    dialog.field.setText("  open   sea ")
    button(view, "Save name").click()
    assert stage.client.changes() == [
        RenameClass(corpora=(1, 2, 3), old_names=("sea",), name="open sea")
    ]
    assert stage.state.labels.key_of("open sea") == 1
    assert stage.state.labels.key_of("sea") != 1


def test_a_check_tells_leaks_and_doubtful_labels_which_enter_mends(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    classified.add_check(folder)
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.labels)
    page = view.steps.labels.page
    page.show_findings()
    assert "German: 2 of 3 rows are in the training set too." in page.findings.text
    assert cells(page.findings.sets, 1)[6] == "2"
    table = page.findings.doubts
    assert selected(stage.state) == sentence_id(1, 1)
    page.tabs.setCurrentIndex(0)
    assert selected(stage.state) is None
    page.table.selectRow(2)
    assert selected(stage.state) == sentence_id(1, 2)
    view.steps.show_step(view.steps.training)
    assert selected(stage.state) is None
    view.steps.show_step(view.steps.labels)
    assert selected(stage.state) == sentence_id(1, 2)
    page.show_findings()
    assert cells(table, 0)[2:] == ["sea", "wind"]
    QTest.keyClick(table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(stage.client.changes()))
    assert stage.client.changes() == [
        LabelSentences(sentences=(sentence_id(1, 1),), class_name="wind")
    ]
    with qtbot.waitSignal(stage.state.labels.changed):
        stage.state.labels.refresh()  # as after each label: rows stay as they are
    assert table.doubts.label_of(table.doubts.doubts[0]) == "sea"
    table.clearSelection()
    page.refresh()
    assert not table.selectedIndexes()
    view.classifiers.check()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    (params,) = stage.client.runs()
    assert isinstance(params, CheckLabels)
    assert params.tests == ("de=Hafenbriefe", "ar=رسائل الميناء")


def test_a_check_takes_only_tests_with_such_classes(stage: Stage, qtbot: QtBot) -> None:
    stage.client.answers[LabelCountsQuery] = lambda _: counts(
        {1: {"sea": 2, "wind": 1}, 2: {"sea": 3}, 3: {"pos": 3}}
    )
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.labels)
    view.classifiers.check()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    (params,) = stage.client.runs()
    assert isinstance(params, CheckLabels)
    assert params.tests == ("de=Hafenbriefe",)


def test_a_labelled_corpus_is_shown_first(stage: Stage, qtbot: QtBot) -> None:
    stage.client.answers[LabelCountsQuery] = lambda _: counts({3: {"sea": 3}})
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.labels)
    assert view.steps.labels.corpora.chosen == 3
    assert view.steps.labels.page.facts.startswith("Arabic · 3 of 3")


def test_all_warnings_of_a_check_can_be_shown(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    classified.add_check(folder, n_warnings=6)
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.labels)
    page = view.steps.labels.page
    page.tabs.setCurrentIndex(1)
    findings = page.findings
    assert findings.shown_warnings.endswith("• Warning 4.")
    button(view, "Show all 6 warnings").click()
    assert findings.shown_warnings.startswith("• German: 2 of 3 rows")
    assert findings.shown_warnings.endswith("• Warning 6.")
    button(view, "Show first 4 warnings").click()
    assert findings.shown_warnings.endswith("• Warning 4.")


def test_buttons_of_classes_need_a_class(stage: Stage, qtbot: QtBot) -> None:
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.labels)
    page = view.steps.labels.page
    needing = [button(view, words) for words in ("Rename…", "Remove class", "↑", "↓")]
    export = next(
        b for b in page.panel.findChildren(QPushButton) if "Export" in b.text()
    )
    page.classes.clearSelection()
    assert [one.isEnabled() for one in (*needing, export)] == [False] * 4 + [True]
    page.classes.selectRow(0)
    assert [one.isEnabled() for one in needing] == [True, True, False, True]
    page.classes.selectRow(1)
    assert [one.isEnabled() for one in needing] == [True, True, True, False]


def test_without_classes_there_is_nothing_to_rename_or_export(
    tmp_path: Path, qtbot: QtBot
) -> None:
    stage = Stage(build_project(tmp_path / "p.isogloss"))
    stage.client.answers[LabelCountsQuery] = lambda _: counts({})
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [{"name": "e", "fingerprint": "f" * 64, "folder": str(tmp_path)}],
        "chosen": "e",
        "damaged": [],
    }
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.labels)
    panel = view.steps.labels.page.panel
    assert panel.table.rows == []
    enabled = [b.text() for b in panel.findChildren(QPushButton) if b.isEnabled()]
    assert enabled == ["Add class…"]
    actions = [
        a.text() for a in view.actions() if "class…" in a.text() and a.isEnabled()
    ]
    assert actions == ["Add class…"]
    stage.close()
