"""The window's end of the engine, over a fake engine in a real process."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from app.params.vectors import Encode
from app.protocol import messages
from app.views.client.engine_client import EngineClient

WAIT_MS = 5_000


def encode(how: str) -> Encode:
    return Encode(corpora=("letters",), encoder=how)


def collect(client: EngineClient) -> list[Any]:
    events: list[Any] = []
    client.event_received.connect(events.append)
    return events


def wait_for(qtbot: QtBot, events: list[Any], kind: type) -> Any:
    qtbot.waitUntil(lambda: any(isinstance(e, kind) for e in events), timeout=WAIT_MS)
    return next(e for e in events if isinstance(e, kind))


def test_first_command_starts_the_engine(client: EngineClient, qtbot: QtBot) -> None:
    events = collect(client)
    client.send(messages.Ask(client.next_ticket(), messages.WordsQuery(text="fähre")))
    answer = wait_for(qtbot, events, messages.Answer)
    assert answer.value == {"text": "fähre"}
    assert isinstance(events[0], messages.Hello)


def test_run_is_accepted_then_reported_then_finished(
    client: EngineClient, qtbot: QtBot
) -> None:
    events = collect(client)
    client.send(messages.Run(client.next_ticket(), encode("done")))
    wait_for(qtbot, events, messages.Finished)
    kinds = [type(e).__name__ for e in events if not isinstance(e, messages.Devices)]
    assert kinds == ["Hello", "Accepted", "Progress", "Metric", "Finished"]


@pytest.mark.parametrize(
    ("greeting", "words"),
    [
        ("wrong-token", "is not its engine"),
        ("wrong-protocol", "protocol 99"),
        ("dies", "exit code 5"),
    ],
)
def test_engine_that_greets_wrongly_is_stopped_and_explained(
    make_client: Callable[..., EngineClient], qtbot: QtBot, greeting: str, words: str
) -> None:
    client = make_client(greeting)
    events = collect(client)
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS) as stopped:
        client.send(messages.Run(client.next_ticket(), encode("done")))
    assert words in stopped.args[0]
    (refused,) = (e for e in events if isinstance(e, messages.Refused))
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
    assert "does not start" in stopped.args[0]
    client.deleteLater()


def test_crash_fails_every_run_and_refuses_every_ticket(
    client: EngineClient, qtbot: QtBot
) -> None:
    events = collect(client)
    client.send(messages.Run(client.next_ticket(), encode("slow")))
    wait_for(qtbot, events, messages.Accepted)
    never = client.next_ticket()
    client.send(messages.Ask(never, messages.WordsQuery(text="never")))
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        client.send(messages.Run(client.next_ticket(), encode("die")))
    failed = [e for e in events if isinstance(e, messages.Failed)]
    assert [e.run for e in failed] == [1, 2]
    assert all(e.error.kind == "crash" for e in failed)
    assert "last words" in failed[0].error.traceback
    (refused,) = (e for e in events if isinstance(e, messages.Refused))
    assert refused.ticket == never


def test_next_command_after_a_crash_reopens_the_project_first(
    client: EngineClient, qtbot: QtBot, tmp_path: Path
) -> None:
    events = collect(client)
    client.reopen = messages.OpenProject(0, tmp_path)
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        client.send(messages.Ask(client.next_ticket(), messages.WordsQuery(text="die")))
    events.clear()
    client.send(messages.Ask(client.next_ticket(), messages.WordsQuery(text="again")))
    wait_for(qtbot, events, messages.Answer)
    kinds = [type(e).__name__ for e in events if not isinstance(e, messages.Devices)]
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
    events = collect(client)
    client.send(messages.Run(client.next_ticket(), encode("hang")))
    wait_for(qtbot, events, messages.Accepted)

    def _ask_again(event: messages.Event) -> None:
        if isinstance(event, messages.Failed):
            client.send(messages.Run(client.next_ticket(), encode("done")))

    client.event_received.connect(_ask_again)
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        client.quit()
    assert isinstance(events[-1], messages.Failed)
    assert not client.is_running
    client.send(messages.Ask(client.next_ticket(), messages.WordsQuery(text="late")))
    assert not client.is_running
    client.start()  # what waited is sent now
    wait_for(qtbot, events, messages.Finished)


def test_kill_fails_the_run_with_the_reason_given(
    client: EngineClient, qtbot: QtBot
) -> None:
    events = collect(client)
    client.send(messages.Run(client.next_ticket(), encode("hang")))
    wait_for(qtbot, events, messages.Accepted)
    client.send(messages.Cancel(1000))
    spy = QSignalSpy(client.engine_stopped)
    client.kill("It was stopped by you.")
    failed = wait_for(qtbot, events, messages.Failed)
    assert failed.error.message == "It was stopped by you."
    assert spy.count() == 1


def test_message_over_64_kb_is_refused_where_it_is_sent(client: EngineClient) -> None:
    query = messages.WordsQuery(text="a" * 70_000)
    with pytest.raises(ValueError, match="over 65536"):
        client.send(messages.Ask(client.next_ticket(), query))
    assert not client.is_running
