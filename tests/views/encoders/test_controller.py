"""What is done with encoders: measured, used, renamed, removed, exported."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.engine.store.words.indexes import TABLES
from app.engine.wordvectors.table import WordVectors, save_table
from app.errors import ErrorInfo
from app.params.encoders import AddEncoder, ExportEncoder, MeasureCoverage
from app.params.vectors import Encode
from app.protocol import commands, events
from app.protocol.answers.edits import EditAnswer
from app.protocol.answers.encoders import EncoderInfo
from app.protocol.edits.encoders import (
    ChooseEncoder,
    DropVectors,
    RemoveEncoder,
    RenameEncoder,
)
from app.protocol.edits.general import Undo
from app.protocol.queries.encoders import EncodersQuery
from app.protocol.queries.search import NearestQuery
from app.views.client.runs import RunState
from app.views.encoders.export_dialog import EncoderExportDialog
from app.views.encoders.view import EncodersView
from app.views.search.view import SearchView
from app.views.shell.command_palette import match_score
from app.views.shell.main_window import MainWindow
from app.views.shell.view_registry import list_views
from app.views.widgets.controls import SYNONYMS
from app.views.widgets.dialogs import TextInputDialog
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.view_protocol import TextLookup
from tests.views.encoders.cards import ISOGLOSS, LASER, card
from tests.views.stage import Stage, build_project


def test_the_palette_finds_the_measurement_of_coverage_by_other_words(
    view: EncodersView,
) -> None:
    action = view.controller.measure_action
    for typed in ("language", "worst language", "coverage"):
        synonyms = action.property(SYNONYMS)
        assert match_score(typed, action.text(), "Encoders", synonyms), typed


def test_a_measurement_is_run_followed_and_cancelled(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    view.list.select("laser2")
    view.controller.measure_action.trigger()
    assert stage.client.runs() == [MeasureCoverage(encoder="laser2")]
    qtbot.waitUntil(lambda: bool(stage.state.runs[0].id))
    run = stage.state.runs[0]
    assert not view.controller.measure_action.isEnabled()
    event = events.Progress(run.id, "Measuring coverage", 63, 126, "German")
    stage.client.event_received.emit(event)
    cancel = view.coverage.findChildren(QPushButton)
    (button,) = [b for b in cancel if b.text() == "Cancel"]
    assert button.isVisible()
    button.click()
    assert commands.Cancel(run.id) in stage.client.sent
    stage.client.event_received.emit(events.Cancelled(run.id))
    assert not button.isVisible()
    assert view.controller.measure_action.isEnabled()


def test_an_encoder_is_taken_into_use_and_what_it_lacks_is_offered(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    assert not view.controller.use_action.isEnabled()
    view.list.select("laser2")
    view.controller.use_action.trigger()
    assert stage.client.changes() == [ChooseEncoder("laser2")]
    view.controller._on_chosen(EditAnswer(0, "laser2 is used.", True, False))
    text = "laser2 is used. 4 corpora are not encoded yet."
    assert view.messages.text == text
    (encode,) = [b for b in view.messages.findChildren(QPushButton) if b.text()]
    encode.click()
    ids = ("1", "2", "3", "4")
    assert stage.client.runs() == [Encode(corpora=ids, encoder="laser2")]


def test_a_translation_model_in_use_names_the_languages_it_lacks(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    entries = [
        entry
        for entry in list_views(stage.state)
        if entry.name in ("search", "encoders")
    ]
    window = MainWindow(stage.state, entries)
    window.show()
    stage.state.open_project(folder)
    qtbot.waitUntil(lambda: window.view is not None)
    window.show_view("encoders")
    view, client = window.view, stage.client
    assert isinstance(view, EncodersView)
    bridge = {"architecture": "bridge", "languages": ["eng", "de"]}
    cards = [
        card("isogloss-2", ISOGLOSS, folder, bundled=True),
        card("bridge", LASER, folder, **bridge),
    ]

    def choose(name: str) -> None:
        answer = {"encoders": cards, "chosen": name}
        client.answers[EncodersQuery] = lambda _: answer
        with qtbot.waitSignal(stage.state.encoders.changed):
            stage.state.encoders.refresh()

    choose("isogloss-2")
    failed = Encode(corpora=("1",), encoder="isogloss-2")
    error = ErrorInfo("user", "isogloss-2 is damaged.")
    stage.state.run_failed.emit(RunState(failed), error)
    stage.state.error_posted.emit(error)
    bar = window.message_bar
    assert bar.is_error
    choose("bridge")
    assert bar.text == (
        "bridge can't encode 2 of the 4 languages of this project: Arabic, Japanese. "
        "Search, Mine and Map leave them out."
    )
    view.list.select("bridge")
    view.controller._on_chosen(EditAnswer(0, "bridge is used.", True, False))
    assert view.messages.text == "bridge is used. 2 corpora are not encoded yet."
    view.controller.encode_action.trigger()
    assert client.runs() == [Encode(corpora=("1", "2"), encoder="bridge")]
    client.answers[NearestQuery] = lambda _: {
        "hits": [], "n_searched": 0, "elapsed_s": 0.01, "not_encoded": [3, 4]
    }  # fmt: skip
    window.show_view("search")
    search = window.view
    assert isinstance(search, SearchView)
    with qtbot.waitSignal(search.hits_shown):
        search.ask_text(TextLookup("storm"))
    advice = "Choose another encoder, or search by words."
    assert search.results.words == ("No hits", advice)
    messages = search.results.messages
    assert messages.text == (
        "bridge can't encode Arabic, Japanese, so these texts were not searched."
    )
    buttons = messages.findChildren(QPushButton)
    next(one for one in buttons if one.text() == "Show encoders").click()
    assert window.view is view
    choose("isogloss-2")
    assert bar.text == ""
    window.closer.may_close = True
    window.close()
    window.deleteLater()


def test_a_bundled_encoder_is_neither_renamed_nor_removed(view: EncodersView) -> None:
    assert not view.controller.rename_action.isEnabled()
    assert not view.controller.remove_action.isEnabled()
    view.list.select("laser2")
    assert view.controller.rename_action.isEnabled()
    assert view.controller.remove_action.isEnabled()


def test_del_in_the_list_removes_and_offers_undo(
    view: EncodersView, stage: Stage, qtbot: QtBot
) -> None:
    view.list.select("laser2")
    view.list.setFocus()
    QTest.keyClick(view.list, Qt.Key.Key_Delete)
    assert stage.client.changes() == [RemoveEncoder("laser2")]
    view.messages.clear()
    view.controller._on_removed(EditAnswer(0, "laser2 is removed.", True, False))
    assert view.messages.text == "laser2 is removed."  # it had no vectors
    view.messages.findChildren(QPushButton)[-1].click()
    assert stage.client.changes()[-1] == Undo()


def test_a_name_is_asked_for(view: EncodersView, stage: Stage) -> None:
    view.list.select("laser2")
    view.controller.rename_action.trigger()
    (dialog,) = view.findChildren(TextInputDialog)
    dialog.field.setText("big")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert stage.client.changes() == [RenameEncoder("laser2", "big")]


def test_a_refusal_is_shown_in_the_window(view: EncodersView, stage: Stage) -> None:
    errors: list[ErrorInfo] = []
    stage.state.error_posted.connect(errors.append)
    view.controller._on_removed(ErrorInfo("user", "It is gone."))
    assert [error.message for error in errors] == ["It is gone."]
    assert not view.messages.text.startswith("It")


def test_vectors_of_an_encoder_that_is_gone_can_be_removed(
    view: EncodersView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    assert view.sidebar.note == ""
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card("laser2", LASER, folder)],
        "chosen": "laser2",
    }
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    assert view.sidebar.note == "Vectors of missing encoders: isogloss-2 (18\u00a0kB)"
    assert view.controller.remove_vectors_action.isEnabled()
    view.controller.remove_vectors_action.trigger()
    (box,) = view.findChildren(QMessageBox)
    assert "can't be undone" in box.informativeText()
    box.defaultButton().click()
    assert stage.client.changes() == [DropVectors((ISOGLOSS,))]


def test_without_a_corpus_it_is_measured_on_files(tmp_path: Path, qtbot: QtBot) -> None:
    stage = Stage(build_project(tmp_path / "empty.isogloss", {}))
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card("isogloss-2", ISOGLOSS, tmp_path)],
        "chosen": "isogloss-2",
    }
    stage.open(qtbot)
    view = EncodersView(stage.state)
    qtbot.addWidget(view)
    qtbot.waitUntil(lambda: view.list.encoder is not None)
    assert not view.controller.measure_action.isEnabled()
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
    view.controller.export()
    (dialog,) = view.findChildren(EncoderExportDialog)
    dialog.form.write({"out": tmp_path / "out"})
    dialog.run_button.click()
    params = ExportEncoder(encoder="isogloss-2", out=tmp_path / "out")
    assert stage.client.runs() == [params]
    view.controller.copy_hash_action.trigger()
    assert QGuiApplication.clipboard().text() == ISOGLOSS


def test_the_dialog_of_an_export_lists_the_files_and_refuses_a_folder_that_exists(
    view: EncodersView, stage: Stage, tmp_path: Path
) -> None:
    encoder = tmp_path / "encoder"
    encoder.mkdir()
    (encoder / "config.json").write_bytes(b"{}" * 100)
    (encoder / "weights.bin").write_bytes(b"0" * 1_800)
    info = EncoderInfo(name="mine", folder=str(encoder))
    dialog = EncoderExportDialog(stage.state, info, view)
    dialog.open()
    assert dialog.preview.count.text() == "2 files, 2.0\u00a0kB."
    first = dialog.preview.table.item(0, 0)
    assert first is not None
    assert first.text() == "config.json"
    dialog.form.write({"out": encoder})
    assert "exists" in dialog.form.error_of("out")
    dialog.form.write({"out": tmp_path / "new"})
    assert not dialog.form.error_of("out")
    dialog.run_button.click()
    assert stage.client.runs() == [ExportEncoder(encoder="mine", out=tmp_path / "new")]


def test_word_vectors_of_the_project_are_offered_by_name(
    view: EncodersView, stage: Stage, folder: Path
) -> None:
    notices: list[str] = []
    stage.state.notice_posted.connect(notices.append)
    view.controller.add_stored_words_action.trigger()
    assert notices == ["Train or import word vectors in Words first."]
    for name in ("English", "Wolof"):
        table = WordVectors(("sea", "ship"), np.eye(2, dtype=np.float32), "en")
        save_table(folder / TABLES / name, table)
    view.controller.add_stored_words_action.trigger()
    dialog = view.findChildren(TaskDialog)[-1]
    dialog.form.write({"source": "Wolof", "name": "averages"})
    dialog.run_button.click()
    (params,) = stage.client.runs()
    assert isinstance(params, AddEncoder)
    assert (params.source, params.kind) == (Path("Wolof"), "word-vectors")
