"""AppState: events become signals, tickets find who asked."""

from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QObject, Signal
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from app.engine.edits.journal import apply_edit
from app.engine.project.project import open_project
from app.errors import ErrorInfo
from app.params.vectors import Encode
from app.protocol import events
from app.protocol.answers.encoders import EncoderInfo, EncoderListing
from app.protocol.edits.general import SetCorpusState, SetNote
from app.protocol.queries.encoders import EncodersQuery
from app.protocol.queries.search import KeywordQuery, NearestQuery
from app.settings import Settings
from app.views.client import runs
from app.views.client.state import AppState
from tests.views.stage import Stage, build_project, sentence_id

WAIT_MS = 5_000


def encode(how: str) -> Encode:
    return Encode(corpora=("letters",), encoder=how)


def test_opened_project_is_read_only_for_the_window(open_state: AppState) -> None:
    assert open_state.project is not None
    assert open_state.project.name == "letters"
    assert open_state.project.corpora == []
    with (
        open_state.project.store.connect() as connection,
        pytest.raises(Exception, match="readonly"),
    ):
        connection.exec_driver_sql("DELETE FROM corpus")


def test_project_that_cannot_be_opened_is_an_error(
    state: AppState, tmp_path: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(state.error_posted, timeout=WAIT_MS) as posted:
        state.open_project(tmp_path / "refused")
    assert "is no project" in posted.args[0].message
    assert state.project is None
    assert state.opening is None


def test_finished_run_is_told_with_its_result(
    open_state: AppState, qtbot: QtBot
) -> None:
    metrics = QSignalSpy(open_state.metric_added)
    with qtbot.waitSignal(open_state.run_finished, timeout=WAIT_MS) as finished:
        run = open_state.run(encode("done"))
        assert open_state.is_busy
    assert finished.args == [run, {"n": 100}]
    assert (run.end, run.stage, run.done, run.total) == (
        "finished",
        "Encoding",
        50,
        100,
    )
    assert metrics.at(0)[2] == {"loss": 0.5}
    assert not open_state.is_busy


@pytest.mark.parametrize(
    ("how", "words"), [("fail", "disk is full"), ("refuse", "no sentences")]
)
def test_failed_run_is_told_and_shown(
    open_state: AppState, qtbot: QtBot, how: str, words: str
) -> None:
    errors = QSignalSpy(open_state.error_posted)
    with qtbot.waitSignal(open_state.run_failed, timeout=WAIT_MS) as failed:
        run = open_state.run(encode(how))
    assert failed.args[0] is run
    assert words in failed.args[1].message
    assert errors.count() == 1
    assert open_state.runs == []


def test_cancelled_run_ends(open_state: AppState, qtbot: QtBot) -> None:
    with qtbot.waitSignal(open_state.run_progressed, timeout=WAIT_MS):
        run = open_state.run(encode("slow"))
    with qtbot.waitSignal(open_state.run_cancelled, timeout=WAIT_MS) as cancelled:
        open_state.cancel(run)
    assert cancelled.args[0] is run
    assert run.end == "cancelled"


def test_run_cancelled_before_it_has_a_number_is_cancelled(
    open_state: AppState, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(open_state.run_cancelled, timeout=WAIT_MS):
        open_state.cancel(open_state.run(encode("slow")))


def test_run_that_ignores_cancel_offers_to_stop_the_engine(
    open_state: AppState, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "CANCEL_PATIENCE_MS", 50)
    with qtbot.waitSignal(open_state.run_progressed, timeout=WAIT_MS):
        run = open_state.run(encode("hang"))
    open_state.cancel(run)
    qtbot.waitUntil(lambda: run.may_stop_engine, timeout=WAIT_MS)
    errors = QSignalSpy(open_state.error_posted)
    with qtbot.waitSignal(open_state.run_failed, timeout=WAIT_MS) as failed:
        open_state.stop_engine()
    assert failed.args[1].kind == "crash"
    qtbot.waitUntil(lambda: errors.count() == 1, timeout=WAIT_MS)


def test_engine_restarts_with_the_project_at_the_next_command(
    open_state: AppState, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(open_state.client.engine_stopped, timeout=WAIT_MS):
        open_state.run(encode("die"))
    opened = QSignalSpy(open_state.project_opened)
    reopened = QSignalSpy(open_state.engine_reopened)
    with qtbot.waitSignal(open_state.run_finished, timeout=WAIT_MS):
        open_state.run(encode("done"))
    assert reopened.count() == 1
    assert opened.count() == 0


def test_engine_restarts_at_once_if_a_run_can_be_resumed(
    open_state: AppState, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(open_state.engine_reopened, timeout=WAIT_MS):
        open_state.run(encode("die"))


def _texts(answers: list[Any]) -> list[str]:
    """Return the texts that the engine of the test repeats in its hits."""
    return [answer.hits[0].language for answer in answers]


def test_answer_finds_who_asked(open_state: AppState, qtbot: QtBot) -> None:
    answers: list[Any] = []
    open_state.ask(KeywordQuery(text="storm"), answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)
    assert _texts(answers) == ["storm"]


def test_newer_question_of_a_kind_supersedes_the_older(
    open_state: AppState, qtbot: QtBot
) -> None:
    old: list[Any] = []
    new: list[Any] = []
    other: list[Any] = []
    open_state.ask(NearestQuery(text="sea"), other.append)
    open_state.ask(KeywordQuery(text="storm"), old.append)
    open_state.ask(KeywordQuery(text="storms"), new.append)
    qtbot.waitUntil(lambda: bool(new and other), timeout=WAIT_MS)
    assert [error.kind for error in old] == ["superseded"]
    assert _texts(new) == ["storms"]
    assert _texts(other) == ["sea"]


def test_crash_answers_every_open_question(open_state: AppState, qtbot: QtBot) -> None:
    answers: list[Any] = []
    open_state.ask(NearestQuery(text="sea"), lambda _: None)
    open_state.ask(KeywordQuery(text="die"), answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)
    assert isinstance(answers[0], ErrorInfo)
    assert answers[0].kind == "crash"


def test_refused_change_is_shown_unless_somebody_waits(
    open_state: AppState, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(open_state.error_posted, timeout=WAIT_MS) as posted:
        open_state.edit(SetNote(1, "refused"))
    assert posted.args[0].message == "This note is refused."
    answers: list[Any] = []
    errors = QSignalSpy(open_state.error_posted)
    open_state.edit(SetNote(1, "refused"), answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)
    assert errors.count() == 0


def test_selection_is_told_once(open_state: AppState) -> None:
    spy = QSignalSpy(open_state.selection_changed)
    open_state.select_sentence(5)
    open_state.select_sentence(5)
    open_state.select_sentence(None)
    assert [spy.at(i)[0] for i in range(spy.count())] == [5, None]


def test_closed_project_is_forgotten(open_state: AppState, qtbot: QtBot) -> None:
    open_state.select_sentence(5)
    with qtbot.waitSignal(open_state.project_closed, timeout=WAIT_MS):
        open_state.close_project()
    assert open_state.project is None
    assert open_state.selection is None
    assert open_state.client.reopen is None


def test_another_device_restarts_an_idle_engine(
    open_state: AppState, qtbot: QtBot
) -> None:
    with (
        qtbot.waitSignal(open_state.client.engine_started, timeout=WAIT_MS),
        qtbot.waitSignal(open_state.engine_reopened, timeout=WAIT_MS),
    ):
        open_state.change_settings(Settings(device="cpu"))


def test_vectors_of_another_encoder_are_left_out(tmp_path: Path, qtbot: QtBot) -> None:
    stage = Stage(build_project(tmp_path / "p.isogloss"))
    card = EncoderInfo(name="isogloss-2", fingerprint="e" * 64)
    listing = EncoderListing(encoders=(card,), chosen="isogloss-2")
    stage.client.answers[EncodersQuery] = lambda _: listing
    stage.open(qtbot)
    assert stage.state.project is not None
    assert len(stage.state.project.searchable) == 4
    with qtbot.waitSignal(stage.state.embeddings_changed):
        pass
    assert stage.state.project.searchable == []
    stage.close()


def test_a_sentence_of_a_deleted_corpus_is_selected_no_more(
    tmp_path: Path, qtbot: QtBot
) -> None:
    stage = Stage(build_project(tmp_path / "p.isogloss"))
    stage.open(qtbot)
    stage.state.select_sentence(sentence_id(2, 1))
    with open_project(stage.folder) as project:
        change = SetCorpusState((2,), "deleted")
        apply_edit(project, change, lambda kind, id_: None)
    with qtbot.waitSignal(stage.state.corpora_changed):
        stage.client.event_received.emit(events.Changed("corpus", 2))
    assert stage.state.selection is None
    stage.close()


def test_an_answer_does_not_reach_a_deleted_object(
    open_state: AppState, qtbot: QtBot
) -> None:
    class View(QObject):
        answered = Signal(object)

    view, answers = View(), list[Any]()
    view.answered.connect(answers.append)
    open_state.ask(KeywordQuery(text="one"), lambda answer: view.answered.emit(answer))
    shiboken6.delete(view)
    open_state.ask(KeywordQuery(text="two"), answers.append)  # supersedes the first
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)
    assert len(answers) == 1
