"""The quality view: kinds, differences, hiding, exports, dialogs."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import open_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.findings import Finding, write_findings
from app.params import command_name, params_to_json
from app.params.base import TaskParams
from app.params.quality import CheckCorpus, CompareEncoders, FindDuplicates, FindLeakage
from app.protocol.edits.corpora import FoundSentences, HideSentences, ShowSentences
from app.protocol.edits.general import RenameCorpus
from app.protocol.events import Changed
from app.protocol.queries.encoders import EncodersQuery
from app.protocol.queries.quality import FindingsQuery
from app.views.quality.dialog import QualityDialog
from app.views.quality.finding_table import KIND, OTHER, SENTENCE, SIMILARITY, STATE
from app.views.quality.view import QualityView
from app.views.widgets.controls import SYNONYMS
from tests.views.clipping import press_everything
from tests.views.stage import Stage, add_document, build_project, sentence_id

FOUND = {
    FindDuplicates: [
        Finding("near", sentence_id(1, 1), sentence_id(1, 0), 0.9, 0.8, "Alike."),
        Finding(
            "translation", sentence_id(3, 0), sentence_id(1, 0), 0.8, None, "Near."
        ),
        Finding(
            "translation", sentence_id(4, 0), sentence_id(1, 0), 0.8, None, "Near."
        ),
    ],
    CheckCorpus: [
        Finding("encoding", sentence_id(2, 0), detail="Bad. Likely meant: Der Wind"),
        Finding("boilerplate", sentence_id(2, 1), detail="It holds no letter."),
    ],
}


def add_search(folder: Path, params: TaskParams, found: list[Finding]) -> int:
    told = {"message": "What it said.", "counts": Counter(one.kind for one in found)}
    with open_project(folder) as project:
        values = {
            "task": command_name(type(params)),
            "params": params_to_json(params),
            "state": "finished",
            "result": msgspec.json.encode(told).decode(),
            "seed": 1,
            "started_at": 1.0,
            "ended_at": 2.0,
        }
        with project.store.begin() as connection:
            run = int(connection.execute(insert(schema.run), values).lastrowid)
        write_findings(project.store, run, found, Report())
    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = build_project(tmp_path_factory.mktemp("quality") / "letters.isogloss")
    add_document(folder, (1, 1), "May")
    for struct, found in FOUND.items():
        add_search(folder, struct(), found)
    return folder


@pytest.fixture
def stage(folder: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(folder)
    stage.client.answers[FindingsQuery] = lambda _: {"n": 3, "file": ""}  # all
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, qtbot: QtBot) -> QualityView:
    view = QualityView(stage.state)
    qtbot.addWidget(view)
    view.resize(1100, 800)
    view.show()
    view.list.choose(view.list.ids[-1])  # the oldest: duplicates
    return view


def test_a_search_is_told_with_its_kinds_and_counts(view: QualityView) -> None:
    assert [row.title for row in view.list.rows] == [
        "Sentence check · all corpora",
        "Duplicates · all corpora",
    ]
    assert view.list.rows[1].facts.startswith("3 findings · ")
    assert view.page.table.findings.rowCount() == 3
    view.page.choose_kinds(["translation"])
    assert view.page.table.findings.rowCount() == 2
    shown = view.page.table.current
    assert shown is not None
    assert (shown.finding.kind, shown.second_language) == ("translation", "en")


def test_other_columns_give_way_to_the_texts(view: QualityView) -> None:
    table = view.page.table
    shown = []
    for width in (900, 560, 380, 290):
        table.resize(width, 400)
        shown.append([c for c in range(5) if not table.isColumnHidden(c)])
        assert table.columnWidth(SENTENCE) > 120
    assert shown.pop() == [SENTENCE, OTHER]
    assert shown[0] == [KIND, SENTENCE, OTHER, SIMILARITY, STATE]
    assert shown[1:] == [[KIND, SENTENCE, OTHER, STATE], [SENTENCE, OTHER, STATE]]


def test_texts_have_one_line_where_few_rows_fit(view: QualityView) -> None:
    table = view.page.table
    table.resize(440, 400)
    height = table.rowHeight(0)
    table.resize(440, 200)
    assert table.rowHeight(0) < height
    assert [c for c in range(5) if not table.isColumnHidden(c)] == [SENTENCE, OTHER]
    table.resize(290, 200)  # one line would be too short
    assert table.rowHeight(0) == height


def test_what_differs_is_marked_side_by_side(view: QualityView) -> None:
    card = view.page.card
    assert "north-west" in card.right.text.accessibleName()
    assert card.left.text.marked
    assert card.reason.text() == "Nearly equal. Alike."
    assert "Harbour letters · May · line 2" in card.left.head.text()
    assert "Harbour letters · line 1" in card.right.head.text()
    card.show_finding(view.page.table.current, [])
    assert card.left.head.text() == "English · deleted corpus · May · line 2"
    view.list.choose(view.list.ids[0])
    assert card.right.head.text() == "Likely meant"
    assert card.right.text.accessibleName() == "Der Wind"
    view.page.table.choose_row(1)
    assert card.right.isHidden()


def test_keys_hide_and_show_what_is_chosen(view: QualityView, stage: Stage) -> None:
    table = view.page.table
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_H)
    (change,) = stage.client.changes()
    assert isinstance(change, HideSentences)
    assert change.found == FoundSentences(run=1, places=(0,))
    assert (change.state, change.reason) == ("hidden", "Duplicates")
    assert table.currentIndex().row() == 1
    QTest.keyClick(table, Qt.Key.Key_H, Qt.KeyboardModifier.ShiftModifier)
    other = stage.client.changes()[-1]
    assert isinstance(other, HideSentences)
    assert other.found == FoundSentences(run=1, places=(1,), side="other")
    QTest.keyClick(table, Qt.Key.Key_Delete, Qt.KeyboardModifier.ShiftModifier)
    removed = stage.client.changes()[-1]
    assert isinstance(removed, HideSentences)
    assert removed.state == "removed"


def test_undo_is_offered_until_there_is_another_change(
    view: QualityView, stage: Stage, qtbot: QtBot
) -> None:
    view.controller.actions["hide"].trigger()
    qtbot.waitUntil(lambda: len(view.messages.findChildren(QPushButton)) == 2)
    (undo,) = [b for b in view.messages.findChildren(QPushButton) if b.text()]
    assert not undo.isHidden()
    stage.state.edit(RenameCorpus(1, "Letters"))  # an undo would take back this one
    assert view.messages.isHidden()
    view.controller.actions["hide"].trigger()
    qtbot.waitUntil(lambda: not view.messages.isHidden())
    stage.state.undo()
    assert view.messages.isHidden()


def test_all_shown_are_hidden_by_one_change(
    view: QualityView, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    view.page.choose_kinds(["translation"])
    view.controller.actions["hide_all"].trigger()
    change = stage.client.changes()[-1]
    assert isinstance(change, HideSentences)
    assert change.found == FoundSentences(run=1, places=(1, 2))
    monkeypatch.setattr("app.views.widgets.undo_messages.MAX_INLINE_IDS", 1)
    view.controller.actions["restore_all"].trigger()
    shown = stage.client.changes()[-1]
    assert isinstance(shown, ShowSentences)
    assert shown.found is not None
    assert (shown.found.places, shown.found.side) == ((), "both")
    assert shown.found.file is not None
    assert np.load(shown.found.file).tolist() == [1, 2]


def test_wrong_pairs_of_a_parallel_text_are_offered(
    view: QualityView, stage: Stage, qtbot: QtBot
) -> None:
    menus = [b.menu() for b in view.findChildren(QPushButton) if b.menu() is not None]
    action = view.controller.actions["wrong_pairs"]
    assert action.text() == "Find wrong pairs in a parallel text…"
    assert any(action in menu.actions() for menu in menus)
    assert "find issues" in action.property(SYNONYMS)
    with qtbot.waitSignal(stage.state.view_requests.scoring_requested):
        action.trigger()


def test_translations_are_not_hidden_together_with_duplicates(
    view: QualityView, stage: Stage, qtbot: QtBot
) -> None:
    assert len(view.page.table.findings.places) == 3  # one is nearly equal
    view.controller.actions["hide_all"].trigger()
    change = stage.client.changes()[-1]
    assert isinstance(change, HideSentences)
    assert change.found == FoundSentences(run=1, places=(0,))
    note = "2 translations were skipped. To include them, show only translations."
    qtbot.waitUntil(lambda: view.messages.text.endswith(note))


def test_the_sentence_is_shown_in_its_corpus(
    view: QualityView, stage: Stage, qtbot: QtBot
) -> None:
    table = view.page.table
    with qtbot.waitSignal(stage.state.view_requests.place_requested) as wanted:
        QTest.keyClick(table, Qt.Key.Key_Return)
    assert wanted.args == [sentence_id(1, 1)]
    with qtbot.waitSignal(stage.state.view_requests.place_requested) as wanted:
        view.controller.actions["place_other"].trigger()
    assert wanted.args == [sentence_id(1, 0)]


def test_the_list_is_written_as_a_table(
    view: QualityView, stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(stage.state.file_written):
        view.controller.ask_export().export_to(tmp_path / "findings.tsv")
    lines = (tmp_path / "findings.tsv").read_text(encoding="utf-8").splitlines()
    head, first, *others = [line.split("\t") for line in lines]
    assert len(others) == 2
    row = dict(zip(head, first, strict=True))
    assert (row["found"], row["line"], row["other_line"]) == ("near", "2", "1")
    assert (row["similarity"], row["reason"]) == ("0.8000", "Alike.")
    assert (row["state"], row["other_state"]) == ("", "")


def test_the_command_is_copied(view: QualityView) -> None:
    view.controller.actions["copy"].trigger()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("python -m app find-duplicates ")


def test_what_is_shown_comes_back(
    view: QualityView, stage: Stage, qtbot: QtBot
) -> None:
    view.page.choose_kinds(["translation"])
    view.page.table.choose_row(1)
    saved = view.save_state()
    other = QualityView(stage.state)
    qtbot.addWidget(other)
    other.restore_state(saved)
    assert other.page.kind_filter.chosen == ("translation",)
    assert other.page.table.currentIndex().row() == 1
    assert other.page.check is not None
    assert other.page.check.id == view.list.ids[1]
    other.restore_state({"run": 12345, "kinds": 3, "row": "x"})


@pytest.mark.parametrize(
    "struct", [FindDuplicates, FindLeakage, CheckCorpus, CompareEncoders]
)
def test_each_search_has_a_dialog(
    view: QualityView, stage: Stage, struct: type[TaskParams]
) -> None:
    view.controller.open_dialog(struct)
    (dialog,) = view.findChildren(QualityDialog)
    dialog.form.write({"encoders": ["isogloss-2", "other"]})
    dialog.run_button.click()
    assert type(stage.client.runs()[-1]) is struct


def test_all_sentences_are_searched_for_duplicates_too(
    view: QualityView, stage: Stage
) -> None:
    view.controller.actions["check_all"].trigger()
    assert stage.client.runs() == [CheckCorpus(), FindDuplicates(across=True)]


def test_a_check_without_findings_says_so(
    view: QualityView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    run = add_search(folder, CheckCorpus(corpora=("Logbooks",)), [])
    view.show_run(run)
    texts = [label.text() for label in view.findChildren(QLabel) if label.isVisible()]
    assert "No findings." in texts


def test_comparing_takes_two_encoders(
    view: QualityView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view.controller.open_dialog(CompareEncoders)
    (dialog,) = view.findChildren(QualityDialog)
    dialog.form.write({"encoders": ["isogloss-2"]})
    dialog.run_button.click()
    assert dialog.form.error_of("encoders") == "Select two encoders."
    assert not stage.client.runs()
    dialog.close()
    card = {"name": "isogloss-2", "fingerprint": "f" * 64, "folder": str(folder)}
    answer = {"encoders": [card], "chosen": "isogloss-2", "damaged": []}
    stage.client.answers[EncodersQuery] = lambda _: answer
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    view.controller.open_dialog(CompareEncoders)
    assert view.messages.text.endswith("Train or add another one in Encoders.")
    (button,) = view.messages.findChildren(QPushButton, "")[1:]
    with qtbot.waitSignal(stage.state.encoders.view_requested):
        button.click()


def test_a_search_that_ends_is_shown(
    view: QualityView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    found = [Finding("equal", sentence_id(1, 2), sentence_id(1, 0), detail="Equal.")]
    run = add_search(folder, FindDuplicates(corpora=("Hafenbriefe",)), found)
    stage.client.event_received.emit(Changed("finding", run))
    qtbot.waitUntil(lambda: run in view.list.ids)
    assert view.page.check is not None
    assert view.page.check.id != run  # nobody asked for it here
    view.show_run(run)
    assert view.page.check.id == run
    assert view.page.check.name == "Duplicates · Hafenbriefe"


def test_a_check_that_ends_does_not_replace_another_choice_of_the_user(
    view: QualityView, stage: Stage, folder: Path
) -> None:
    params = FindDuplicates(corpora=("Hafenbriefe",))
    found = [Finding("equal", sentence_id(1, 2), sentence_id(1, 0), detail="Equal.")]
    view.controller.run(params)
    view.controller.run(params)
    first, second = stage.state.runs
    first.id = add_search(folder, params, found)
    stage.state.run_finished.emit(first, {})
    assert view.list.chosen == first.id
    second.id = add_search(folder, params, found)
    view.refresh()
    view.list.choose(next(id_ for id_ in view.list.ids if id_ < first.id))
    chosen = view.list.chosen
    stage.state.run_finished.emit(second, {})
    assert view.list.chosen == chosen


def test_every_action_works_after_a_switch_to_an_empty_project(
    view: QualityView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    assert view.list.ids
    other = build_project(tmp_path / "other.isogloss")
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(other)
    view.refresh()
    assert view.page.check is None
    assert view.start.isVisible()
    errors: list[object] = []
    stage.state.error_posted.connect(errors.append)
    press_everything(view)
    assert not errors


def test_a_comparison_of_encoders_offers_nothing_that_hides(
    view: QualityView, stage: Stage
) -> None:
    hiding = {"Hide", "Remove", "Hide all shown", "Remove all shown"}
    assert hiding <= shown_actions(view)
    params = CompareEncoders(encoders=("isogloss-2", "isogloss-3"))
    changed = Finding("changed", sentence_id(1, 0), sentence_id(2, 0), 0.8, 0.1, "10 %")
    run = add_search(stage.folder, params, [changed])
    view.show_run(run)
    name = "Encoder comparison · isogloss-2 and isogloss-3 · all corpora"
    assert view.list.rows[-1].title == name
    offered = shown_actions(view)
    assert not any(words.startswith(("Hide", "Remove", "Restore")) for words in offered)
    assert {"Show in corpus", "Export findings…", "Run again…"} <= offered
    view.page.table.setFocus()
    QTest.keyClick(view.page.table, Qt.Key.Key_H)
    QTest.keyClick(view.page.table, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier)
    assert stage.client.changes() == []
    view.list.choose(view.list.ids[0])
    assert hiding <= shown_actions(view)


def shown_actions(view: QualityView) -> set[str]:
    """Return the words of all buttons and entries of menus of the findings."""
    buttons = [one for one in view.page.findChildren(QPushButton) if one.isVisible()]
    menus: list[QWidget] = [menu for one in buttons if (menu := one.menu())]
    entries = [
        action for menu in [*menus, view.page.table] for action in menu.actions()
    ]
    words = {action.text() for action in entries if action.isVisible()}
    return words | {one.text() for one in buttons}
