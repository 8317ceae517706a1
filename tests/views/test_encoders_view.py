"""The encoders view: what is shown of each, what is asked, what is marked elsewhere."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app import messages
from app.coverage import CoverageResult, LanguageCoverage
from app.encoder_changes import (
    ChooseEncoder,
    DropVectors,
    RemoveEncoder,
    RenameEncoder,
)
from app.engine.project import open_project
from app.engine.store import schema
from app.engine.store.rows import first_id
from app.errors import ErrorInfo
from app.messages import EncodersQuery, NearestQuery
from app.params import Encode, ExportEncoder, MeasureCoverage
from app.views.corpus_view import CorpusView
from app.views.encoder_sources import describe_source, guess_kind, guess_values
from app.views.encoders_view import EncodersView
from app.views.search_view import SearchView
from app.views.widgets.ask_text import AskText
from app.views.widgets.corpus_list import DOUBT_ROLE
from app.views.widgets.coverage_mark import CoverageMark, describe_coverage
from app.views.widgets.encoder_button import EncoderButton
from app.views.widgets.task_dialog import TaskDialog
from tests.views.stage import Stage, build_project, nearest

ISOGLOSS, LASER = "f" * 64, "a" * 64  # the project's vectors are by the first
RUNES = LanguageCoverage(
    language="ja",
    verdict="red",
    n=126,
    why="93 % of the pieces are unknown.",
    unknown=0.93,
    pieces=1.1,
    script=0.02,
    hubs=0.05,
    skewness=3.2,
    hub=first_id(4) + 1,
)
GERMAN = LanguageCoverage(
    language="de", verdict="green", n=240, unknown=0.0, pieces=1.93, script=1.0
)


def card(name: str, fingerprint: str, folder: Path, **more: Any) -> dict[str, Any]:
    values = {"architecture": "static", "dim": 256, "size_bytes": 31_000_000}
    place = {"name": name, "folder": str(folder), "fingerprint": fingerprint}
    return {**values, **place, **more}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = build_project(tmp_path / "p.isogloss")
    result = CoverageResult(
        encoder="isogloss-2",
        fingerprint=ISOGLOSS,
        has_pieces=True,
        sentences_per_s=81_400.0,
        device="cpu",
        message="",
        languages=(GERMAN, RUNES),
    )
    values = {
        "task": "measure-coverage",
        "params": "{}",
        "state": "finished",
        "result": msgspec.json.encode(result).decode(),
        "started_at": 0.0,
        "ended_at": 1.0,
    }
    with open_project(folder) as project, project.store.begin() as connection:
        connection.execute(insert(schema.run).values(**values))
    return folder


@pytest.fixture
def stage(folder: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(folder)
    laser = {"languages": ["en", "de"], "licence": "BSD\nmore", "origin": "laser2.pt"}
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [
            card("isogloss-2", ISOGLOSS, folder, bundled=True),
            card("laser2", LASER, folder, architecture="bilstm", **laser),
        ],
        "chosen": "isogloss-2",
        "damaged": [{"name": "broken", "why": "encoder.json is damaged."}],
    }
    stage.client.answers[NearestQuery] = nearest
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.open(qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, qtbot: QtBot) -> EncodersView:
    view = EncodersView(stage.state)
    qtbot.addWidget(view)
    view.resize(1000, 700)
    view.show()
    return view


def test_the_encoder_in_use_is_shown_first_with_its_facts(view: EncodersView) -> None:
    assert view.head.words == (
        "isogloss-2",
        "static · 256 dimensions · 31\u00a0MB · comes with Isogloss",
    )
    assert view.facts.value("vectors") == "4 of 4 corpora, 18\u00a0kB"
    assert view.facts.value("speed") == "81,400\u00a0sentences/s (CPU)"
    assert view.facts.value("languages") == "not known"
    assert view.facts.value("hash") == ISOGLOSS


def test_another_encoder_says_where_it_came_from(view: EncodersView) -> None:
    view.list.choose("laser2")
    assert view.head.words[1] == "BiLSTM · 256 dimensions · 31\u00a0MB"
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
    table.sortItems(1, Qt.SortOrder.DescendingOrder)  # sentences: 240 before 126
    lines = list(table.lines())
    assert lines[0][:3] == ("Code", "Verdict", "Language")
    assert lines[2][:2] == ("ja", "red")
    assert "2 languages: 1 green, 0 amber, 1 red" in view.coverage.summary


def test_a_language_is_explained_and_its_hub_is_shown(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    assert "measure retrieval for that" in view.coverage.detail
    view.coverage.table.selectRow(0)
    assert "isogloss-2 does not cover Japanese" in view.coverage.detail
    assert (
        "5.0\u00a0% of the sentences are hubs (skewness 3.20)" in view.coverage.detail
    )
    with qtbot.waitSignal(stage.state.place_wanted) as placed:
        QTest.keyClick(view.coverage.table, Qt.Key.Key_Return)
    assert placed.args == [first_id(4) + 1]


def test_a_measurement_is_run_followed_and_cancelled(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    view.list.choose("laser2")
    view.todo.measuring.trigger()
    assert stage.client.runs() == [MeasureCoverage(encoder="laser2")]
    qtbot.waitUntil(lambda: bool(stage.state.runs[0].id))
    run = stage.state.runs[0]
    assert not view.todo.measuring.isEnabled()
    event = messages.Progress(run.id, "Measuring coverage", 63, 126, "German")
    stage.client.event_received.emit(event)
    cancel = view.coverage.findChildren(QPushButton)
    (button,) = [b for b in cancel if b.text() == "Cancel"]
    assert button.isVisible()
    button.click()
    assert messages.Cancel(run.id) in stage.client.sent
    stage.client.event_received.emit(messages.Cancelled(run.id))
    assert not button.isVisible()
    assert view.todo.measuring.isEnabled()


def test_an_encoder_is_taken_into_use_and_what_it_lacks_is_offered(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    assert not view.todo.using.isEnabled()
    view.list.choose("laser2")
    view.todo.using.trigger()
    assert stage.client.changes() == [ChooseEncoder("laser2")]
    view.jobs._on_chosen({"text": "laser2 is used."})
    text = "laser2 is used. It has not encoded 4 of the corpora yet."
    assert view.messages.text == text
    (encode,) = [b for b in view.messages.findChildren(QPushButton) if b.text()]
    encode.click()
    ids = ("1", "2", "3", "4")
    assert stage.client.runs() == [Encode(corpora=ids, encoder="laser2")]


def test_a_bundled_encoder_is_neither_renamed_nor_removed(view: EncodersView) -> None:
    assert not view.todo.renaming.isEnabled()
    assert not view.todo.removing.isEnabled()
    view.list.choose("laser2")
    assert view.todo.renaming.isEnabled()
    assert view.todo.removing.isEnabled()


def test_del_in_the_list_removes_and_offers_undo(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    view.list.choose("laser2")
    view.list.setFocus()
    QTest.keyClick(view.list, Qt.Key.Key_Delete)
    assert stage.client.changes() == [RemoveEncoder("laser2")]
    view.messages.clear()
    view.jobs._on_removed("laser2", {"text": "laser2 is removed."})
    assert view.messages.text == "laser2 is removed."  # it had no vectors
    view.messages.findChildren(QPushButton)[-1].click()
    assert stage.client.changes()[-1] == messages.Undo()


def test_undo_is_offered_only_while_the_encoder_is_away(
    view: EncodersView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    both = stage.client.answers[EncodersQuery](None)
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card("isogloss-1", ISOGLOSS, folder)],
        "chosen": "isogloss-1",
    }
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    view.jobs._on_removed("laser2", {"text": "laser2 is removed."})
    assert view.messages.text == "laser2 is removed."
    stage.client.answers[EncodersQuery] = lambda _: both
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    assert view.messages.text == ""


def test_a_name_is_asked_for(view: EncodersView, stage: Stage) -> None:
    view.list.choose("laser2")
    view.todo.renaming.trigger()
    (dialog,) = view.findChildren(AskText)
    dialog.field.setText("big")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert stage.client.changes() == [RenameEncoder("laser2", "big")]


def test_a_refusal_is_shown_in_the_window(view: EncodersView, stage: Stage) -> None:
    errors: list[ErrorInfo] = []
    stage.state.error_posted.connect(errors.append)
    view.jobs._on_removed("laser2", ErrorInfo("user", "It is gone."))
    assert [error.message for error in errors] == ["It is gone."]
    assert not view.messages.text.startswith("It")


def test_a_damaged_encoder_is_named_once(view: EncodersView, stage: Stage) -> None:
    words = "The encoder broken can't be used: encoder.json is damaged."
    assert view.messages.text == words
    view.messages.clear()
    stage.state.encoders.changed.emit()
    assert view.messages.text == ""


def test_vectors_of_an_encoder_that_is_gone_can_be_removed(
    view: EncodersView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    assert view.side.note == ""
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card("laser2", LASER, folder)],
        "chosen": "laser2",
    }
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    assert view.side.note == "Vectors of isogloss-2, which is not here: 18\u00a0kB"
    assert view.todo.dropping.isEnabled()
    view.todo.dropping.trigger()
    (box,) = view.findChildren(QMessageBox)
    assert "can't be undone" in box.informativeText()
    box.defaultButton().click()
    assert stage.client.changes() == [DropVectors((ISOGLOSS,))]


def test_vectors_of_a_replaced_encoder_are_told_from_its_successor_s(
    view: EncodersView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card("isogloss-2", LASER, folder)],
        "chosen": "isogloss-2",
    }
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    assert view.side.note.startswith("Vectors of an earlier isogloss-2, which")


def test_without_a_corpus_it_is_measured_on_files(tmp_path: Path, qtbot: QtBot) -> None:
    stage = Stage(build_project(tmp_path / "empty.isogloss", {}))
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card("isogloss-2", ISOGLOSS, tmp_path)],
        "chosen": "isogloss-2",
    }
    stage.open(qtbot)
    view = EncodersView(stage.state)
    qtbot.addWidget(view)
    qtbot.waitUntil(lambda: view.card is not None)
    assert not view.todo.measuring.isEnabled()
    buttons = view.coverage.findChildren(QPushButton)
    (button,) = [b for b in buttons if b.text() == "Measure on files…"]
    button.click()
    (dialog,) = view.findChildren(TaskDialog)
    assert isinstance(dialog.form.values(), MeasureCoverage)
    dialog.reject()
    stage.close()


def test_the_folder_is_exported_and_the_hash_copied(
    view: EncodersView, stage: Stage, tmp_path: Path
) -> None:
    view.jobs.export_to(tmp_path / "out")
    params = ExportEncoder(encoder="isogloss-2", out=tmp_path / "out")
    assert stage.client.runs() == [params]
    view.todo.copying_hash.trigger()
    assert QGuiApplication.clipboard().text() == ISOGLOSS


def test_the_model_card_is_text_and_loads_nothing(
    view: EncodersView, folder: Path
) -> None:
    text = (
        "# Card\n\n<script>x</script>\n\n![a](file:///etc/hosts)\n\n| a |\n|---|\n| 1 |"
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
    view.tabs.setCurrentWidget(view.card_page)
    assert view.card_page.text == text
    shown = view.card_page.toPlainText()
    assert shown.startswith("Card")
    assert "script" in shown  # as text: no HTML is read
    assert view.card_page.loadResource(2, QUrl("file:///etc/hosts")) is None


def test_a_session_brings_the_encoder_and_the_tab_back(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    view.list.choose("laser2")
    view.tabs.setCurrentIndex(1)
    saved = view.save_state()
    assert saved == {"encoder": "laser2", "tab": 1, "summary": "laser2"}
    again = EncodersView(stage.state)
    qtbot.addWidget(again)
    again.restore_state(saved)
    assert again.save_state() == saved


# --- what is dropped, or chosen in a dialog ---


def test_kinds_are_told_by_names(tmp_path: Path) -> None:
    for name in ("laser2.pt", "laser2.spm", "laser2.cvocab", "other.spm", "v.npy"):
        (tmp_path / name).touch()
    hub = tmp_path / "minilm"
    hub.mkdir()
    (hub / "modules.json").touch()
    assert guess_kind(tmp_path / "laser2.pt") == "laser"
    assert guess_kind(hub) == "sentence-transformers"
    assert guess_kind(tmp_path / "v.npy") == "vectors"
    assert guess_kind(tmp_path) is None
    values = guess_values(tmp_path / "laser2.pt")
    assert values["pieces"] == tmp_path / "laser2.spm"
    assert values["dictionary"] == tmp_path / "laser2.cvocab"
    assert values["name"] == "laser2"
    words = "laser2.pt looks like LASER; found beside it: laser2.spm, laser2.cvocab."
    assert describe_source(tmp_path / "laser2.pt") == words


def test_a_dropped_encoder_opens_its_dialog_and_a_text_does_not(
    view: EncodersView, stage: Stage, tmp_path: Path
) -> None:
    (tmp_path / "laser2.pt").touch()
    (tmp_path / "text.txt").touch()
    for name, is_taken in (("laser2.pt", True), ("text.txt", False)):
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(tmp_path / name))])
        place, buttons = QPointF(9, 9), Qt.MouseButton.LeftButton
        keys, action = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
        entering = QDragEnterEvent(place.toPoint(), action, data, buttons, keys)
        view.dragEnterEvent(entering)
        assert entering.isAccepted() is is_taken
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "laser2.pt"))])
    view.dropEvent(QDropEvent(place, action, data, buttons, keys))
    (dialog,) = view.findChildren(TaskDialog)
    params: Any = dialog.form.values()
    assert (params.name, params.kind) == ("laser2", "laser")
    dialog.reject()


def test_vectors_need_a_corpus_of_the_project(view: EncodersView) -> None:
    view.jobs.import_vectors(Path("v.npy"))
    (dialog,) = view.findChildren(TaskDialog)
    params: Any = dialog.form.values()
    assert (params.file, params.corpus) == (Path("v.npy"), "Harbour letters")
    dialog.reject()


# --- the marks elsewhere ---


def test_a_corpus_in_doubt_has_a_mark_and_its_reason(
    stage: Stage, qtbot: QtBot
) -> None:
    view = CorpusView(stage.state)
    qtbot.addWidget(view)
    model = view.list.model()
    doubts = [model.index(row, 0).data(DOUBT_ROLE) for row in range(4)]
    assert doubts == [None, None, None, RUNES]
    tip = model.index(3, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "isogloss-2 does not cover this language. 93 %" in tip


def test_search_marks_languages_in_doubt_and_names_the_encoder(
    stage: Stage, qtbot: QtBot
) -> None:
    view = SearchView(stage.state)
    qtbot.addWidget(view)
    view.resize(1400, 700)
    view.show()
    chips = {chip.text(): chip for chip in view.bar.languages.findChildren(QPushButton)}
    assert not chips["Japanese"].icon().isNull()
    assert chips["German"].icon().isNull()
    assert "does not cover" in chips["Japanese"].toolTip()
    with qtbot.waitSignal(view.hits_shown):
        view.ask(msgspec.structs.replace(view.question, text="storm"))
    marks = [mark.isVisible() for mark in view.board.findChildren(CoverageMark)]
    assert sum(marks) == 1
    (button,) = view.findChildren(EncoderButton)
    assert button.text() == "isogloss-2"
    button.fill_menu()
    names = [action.text() for action in button.menu().actions() if action.text()]
    assert names == ["isogloss-2", "laser2", "Show encoders…"]
    button.menu().actions()[1].trigger()
    assert stage.client.changes()[-1] == ChooseEncoder("laser2")


def test_another_encoder_in_use_asks_the_question_again(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view = SearchView(stage.state)
    qtbot.addWidget(view)
    with qtbot.waitSignal(view.hits_shown):
        view.ask(msgspec.structs.replace(view.question, text="storm"))
    n_asked = len(stage.client.queries(NearestQuery))
    old = stage.client.answers[EncodersQuery](None)
    assert isinstance(old, dict)
    stage.client.answers[EncodersQuery] = lambda _: {**old, "chosen": "laser2"}
    with qtbot.waitSignals([stage.state.encoders.switched, view.hits_shown]):
        stage.client.event_received.emit(messages.Changed("encoder", 0))
    assert len(stage.client.queries(NearestQuery)) == n_asked + 1
    assert stage.state.encoders.doubts() == {}


def test_numbers_are_said_with_their_units() -> None:
    text = describe_coverage(RUNES, "isogloss-2")
    assert "Measured on 126 sentences" in text
    assert "93\u00a0% of the pieces unknown" in text
    assert "1.10 pieces a word" in text
    words = msgspec.structs.replace(RUNES, pieces=None, script=None)
    assert "93\u00a0% of the words unknown" in describe_coverage(words, "dual")
