"""The window's end of the engine, over a fake engine in a real process."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from app.params.vectors import Encode
from app.protocol import commands, events
from app.protocol.queries.search import KeywordQuery
from app.views.client.engine_client import EngineClient

WAIT_MS = 5_000


def encode(how: str) -> Encode:
    return Encode(corpora=("letters",), encoder=how)


def collect(client: EngineClient) -> list[Any]:
    received: list[Any] = []
    client.event_received.connect(received.append)
    return received


def wait_for(qtbot: QtBot, received: list[Any], kind: type) -> Any:
    qtbot.waitUntil(lambda: any(isinstance(e, kind) for e in received), timeout=WAIT_MS)
    return next(e for e in received if isinstance(e, kind))


def test_first_command_starts_the_engine(client: EngineClient, qtbot: QtBot) -> None:
    received = collect(client)
    client.send(commands.Ask(client.next_ticket(), KeywordQuery(text="fähre")))
    answer = wait_for(qtbot, received, events.Answer)
    assert answer.value["hits"][0]["language"] == "fähre"
    assert isinstance(received[0], events.Hello)


def test_run_is_accepted_then_reported_then_finished(
    client: EngineClient, qtbot: QtBot
) -> None:
    received = collect(client)
    client.send(commands.Run(client.next_ticket(), encode("done")))
    wait_for(qtbot, received, events.Finished)
    kinds = [type(e).__name__ for e in received if not isinstance(e, events.Devices)]
    assert kinds == ["Hello", "Accepted", "Progress", "Metric", "Finished"]


@pytest.mark.parametrize(
    ("greeting", "words"),
    [
        ("no-hello", "is not an engine of Isogloss"),
        ("nonsense", "is not an engine of Isogloss"),
        ("endless", "a message that is too long"),
        ("wrong-protocol", "protocol 99"),
        ("dies", "exit code 5"),
    ],
)
def test_engine_that_greets_wrongly_is_stopped_and_explained(
    make_client: Callable[..., EngineClient], qtbot: QtBot, greeting: str, words: str
) -> None:
    client = make_client(greeting)
    received = collect(client)
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS) as stopped:
        client.send(commands.Run(client.next_ticket(), encode("done")))
    assert words in stopped.args[0]
    (refused,) = (e for e in received if isinstance(e, events.Refused))
    assert refused.error.kind == "crash"
    assert not client.is_running


def test_engine_that_says_nothing_is_stopped(
    make_client: Callable[..., EngineClient],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.views.client.engine_client.HELLO_TIMEOUT_MS", 300)
    client = EngineClient(command=["sleep", "60"])
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS) as stopped:
        client.start()
    assert "did not answer" in stopped.args[0]
    client.deleteLater()


def test_program_that_does_not_exist_is_explained(qtbot: QtBot) -> None:
    client = EngineClient(command=["/no/such/program"])
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS) as stopped:
        client.start()
    assert "can't start" in stopped.args[0]
    client.deleteLater()


def test_crash_fails_every_run_and_refuses_every_ticket(
    client: EngineClient, qtbot: QtBot
) -> None:
    received = collect(client)
    client.send(commands.Run(client.next_ticket(), encode("slow")))
    wait_for(qtbot, received, events.Accepted)
    never = client.next_ticket()
    client.send(commands.Ask(never, KeywordQuery(text="never")))
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        client.send(commands.Run(client.next_ticket(), encode("die")))
    failed = [e for e in received if isinstance(e, events.Failed)]
    assert [e.run for e in failed] == [1, 2]
    assert all(e.error.kind == "crash" for e in failed)
    assert "last words" in failed[0].error.traceback
    (refused,) = (e for e in received if isinstance(e, events.Refused))
    assert refused.ticket == never


def test_next_command_after_a_crash_reopens_the_project_first(
    client: EngineClient, qtbot: QtBot, tmp_path: Path
) -> None:
    received = collect(client)
    client.reopen = commands.OpenProject(0, tmp_path)
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        client.send(commands.Ask(client.next_ticket(), KeywordQuery(text="die")))
    received.clear()
    client.send(commands.Ask(client.next_ticket(), KeywordQuery(text="again")))
    wait_for(qtbot, received, events.Answer)
    kinds = [type(e).__name__ for e in received if not isinstance(e, events.Devices)]
    assert kinds == ["Hello", "Opened", "Answer"]


def test_quit_ends_the_engine_without_a_reason(
    client: EngineClient, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(client.engine_started, timeout=WAIT_MS):
        client.start()
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS) as stopped:
        client.quit()
    assert stopped.args == [""]


def test_what_answers_the_end_starts_no_engine(
    client: EngineClient, qtbot: QtBot
) -> None:
    received = collect(client)
    client.send(commands.Run(client.next_ticket(), encode("hang")))
    wait_for(qtbot, received, events.Accepted)

    def _ask_again(event: events.Event) -> None:
        if isinstance(event, events.Failed):
            client.send(commands.Run(client.next_ticket(), encode("done")))

    client.event_received.connect(_ask_again)
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        client.quit()
    assert isinstance(received[-1], events.Failed)
    assert not client.is_running
    client.send(commands.Ask(client.next_ticket(), KeywordQuery(text="late")))
    assert not client.is_running
    client.start()  # what waited is sent now
    wait_for(qtbot, received, events.Finished)


def test_kill_fails_the_run_with_the_reason_given(
    client: EngineClient, qtbot: QtBot
) -> None:
    received = collect(client)
    client.send(commands.Run(client.next_ticket(), encode("hang")))
    wait_for(qtbot, received, events.Accepted)
    client.send(commands.Cancel(1000))
    spy = QSignalSpy(client.engine_stopped)
    client.kill("It was stopped by you.")
    failed = wait_for(qtbot, received, events.Failed)
    assert failed.error.message == "It was stopped by you."
    assert spy.count() == 1


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (KeywordQuery(text="a" * 270_000), "at most 262,144"),
        (KeywordQuery(text="a", k=501), "at query.k"),
        (KeywordQuery(text="half a pair: \ud83d"), "not valid Unicode"),
    ],
)
def test_an_invalid_command_is_refused_by_the_client_and_not_sent(
    client: EngineClient, qtbot: QtBot, query: KeywordQuery, words: str
) -> None:
    received = collect(client)
    ticket = client.next_ticket()
    client.send(commands.Ask(ticket, query))
    refused = wait_for(qtbot, received, events.Refused)
    assert refused.ticket == ticket
    assert words in refused.error.message
    assert not client.is_running
