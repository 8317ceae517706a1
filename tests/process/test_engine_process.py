"""The engine process over its channel: order of events, lanes, cancel, crashes."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from app import VERSION
from app.engine.project.project import open_read_only
from app.engine.store import schema
from app.params.corpora import ImportCorpus
from app.params.vectors import Encode, Search
from app.protocol import commands, events
from app.protocol.base import PROTOCOL
from app.protocol.edits.general import AddSearch, DropRun, SaveViewState, SetNote, Undo
from app.protocol.queries.search import KeywordQuery
from tests.process.harness import EngineProcess

# A process whose tasks are the test's: `text` says what the task does.
SCRIPT = """
import ctypes, sys, time
import app.engine.project.runs as runs
from app.errors import ResourceError, UserError

def task(project, params, report):
    if params.text == "segfault":
        ctypes.string_at(0)
    if params.text == "print":
        ctypes.CDLL(None).puts(b"a library's own words")
        sys.stdout.write("noise")
    if params.text == "user error":
        raise UserError("The file x has no line 3.")
    if params.text == "full disk":
        raise OSError(28, "No space left on device")
    if params.text == "fault":
        return {}["nothing"]
    n = 10**9 if params.text == "endless" else 50
    for done in range(n):
        report.step("counting", done + 1, n)
        report.metric(done, loss=1.0 / (done + 1)) if done < 3 else None
        time.sleep(0.001)
    return {"counted": n}

runs.import_task = lambda params_type: task
from app.engine.process.server import main
sys.exit(main())
"""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[EngineProcess]:
    script = tmp_path / "engine_with_test_tasks.py"
    script.write_text(SCRIPT, encoding="utf-8")
    with EngineProcess(tmp_path, (str(script),)) as process:
        process.open(tmp_path / "p.isogloss", "create")
        yield process


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """An engine for tests that it must survive."""
    with EngineProcess(tmp_path_factory.mktemp("shared")) as process:
        yield process


def test_hello_names_protocol_and_version(tmp_path: Path) -> None:
    with EngineProcess(tmp_path) as process:
        assert process.hello == events.Hello(PROTOCOL, VERSION)


def test_nothing_heavy_is_imported_before_hello(tmp_path: Path) -> None:
    code = (
        "import sys, app.engine.process.server; "
        "heavy = {'torch', 'sqlalchemy', 'numpy', 'faiss', 'PySide6'}; "
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == ""


def test_events_of_a_run_come_in_order(engine: EngineProcess) -> None:
    run = engine.run(Search(text="count"))
    finished = engine.wait_for(events.Finished)
    assert finished == events.Finished(run, {"counted": 50})
    kinds = [
        type(event).__name__
        for event in engine.events
        if getattr(event, "run", None) == run
    ]
    assert kinds[0] == "Accepted"
    assert kinds[-1] == "Finished"
    assert set(kinds[1:-1]) == {"Progress", "Metric"}
    last = [e for e in engine.events if isinstance(e, events.Progress)][-1]
    assert (last.stage, last.done, last.total) == ("counting", 50, 50)


def test_progress_is_throttled_to_twenty_a_second(engine: EngineProcess) -> None:
    started = time.monotonic()
    engine.run(Search(text="count"))
    engine.wait_for(events.Finished)
    elapsed = time.monotonic() - started
    shown = [e for e in engine.events if isinstance(e, events.Progress)]
    assert len(shown) <= elapsed * 20 + 2  # the first and the last are always shown


def test_cancel_is_met_within_a_second(engine: EngineProcess) -> None:
    run = engine.run(Search(text="endless"))
    engine.wait_for(events.Progress)
    started = time.monotonic()
    engine.send(commands.Cancel(run))
    assert engine.wait_for(events.Cancelled).run == run
    assert time.monotonic() - started < 1.0


def test_a_queued_run_can_be_cancelled_before_it_starts(engine: EngineProcess) -> None:
    first = engine.run(Search(text="endless"))
    second = engine.run(Search(text="endless"))
    engine.send(commands.Cancel(second))
    engine.send(commands.Cancel(first))
    assert engine.wait_for(events.Cancelled).run == first
    assert engine.wait_for(events.Cancelled).run == second


def test_asks_and_edits_are_met_while_a_run_works(engine: EngineProcess) -> None:
    run = engine.run(Search(text="endless"))
    answer = engine.edit(SaveViewState(None, {"view": "search"}))
    assert answer.id == 1
    engine.send(commands.Cancel(run))
    engine.wait_for(events.Cancelled)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("user error", "user", "The file x has no line 3."),
        ("full disk", "resource", "The disk is full. Free some space"),
        ("fault", "bug", "Internal error in Isogloss (KeyError: 'nothing')."),
    ],
)
def test_errors_cross_as_kind_and_sentence(
    engine: EngineProcess, text: str, kind: str, message: str
) -> None:
    engine.run(Search(text=text))
    error = engine.wait_for(events.Failed).error
    assert error.kind == kind
    assert error.message.startswith(message)


def test_what_a_library_prints_does_not_reach_the_protocol(
    engine: EngineProcess,
) -> None:
    engine.run(Search(text="print"))
    engine.wait_for(events.Finished)
    engine.close()
    assert "a library's own words" in engine.output


@pytest.mark.parametrize("end", ["segfault", "kill"])
def test_a_crash_leaves_the_run_interrupted(
    engine: EngineProcess, tmp_path: Path, end: str
) -> None:
    run = engine.run(Search(text="segfault" if end == "segfault" else "endless"))
    if end == "kill":
        engine.process.kill()
    with pytest.raises(ConnectionError):
        engine.wait_for(events.Finished)
    code = engine.close()
    assert code == -(signal.SIGSEGV if end == "segfault" else signal.SIGKILL)
    if end == "segfault":
        assert "Segmentation fault" in engine.output
    with EngineProcess(tmp_path) as again:
        opened = again.open(tmp_path / "p.isogloss")
        assert opened.interrupted == [run]


def test_a_dropped_run_is_not_offered_again(
    engine: EngineProcess, tmp_path: Path
) -> None:
    run = engine.run(Search(text="endless"))
    engine.process.kill()
    engine.close()
    with EngineProcess(tmp_path) as again:
        again.open(tmp_path / "p.isogloss")
        again.edit(DropRun(run))
        assert again.open(tmp_path / "p.isogloss").interrupted == []


def test_a_damaged_command_is_skipped(engine: EngineProcess) -> None:
    engine.send_raw(b'{"type":"Run","ticket":"no number"}\n')
    engine.send_raw(b"\xff\xfe nonsense\n")
    engine.send_raw(json.dumps({"type": "Format the disk"}).encode() + b"\n")
    run = engine.run(Search(text="count"))
    assert engine.wait_for(events.Finished).run == run


def test_the_engine_leaves_when_the_window_is_gone(tmp_path: Path) -> None:
    with EngineProcess(tmp_path) as process:
        assert process.close() == 0


def test_a_command_without_a_project_is_refused(tmp_path: Path) -> None:
    with (
        EngineProcess(tmp_path) as process,
        pytest.raises(AssertionError, match="No project is open"),
    ):
        process.run(Encode(corpora=("a",)))


def test_a_second_writer_is_refused_with_the_holder(
    engine: EngineProcess, tmp_path: Path
) -> None:
    with (
        EngineProcess(tmp_path) as second,
        pytest.raises(AssertionError, match="in use by the Isogloss window"),
    ):
        second.open(tmp_path / "p.isogloss")


EDIT = b'{"type":"Edit","ticket":7,"change":'


@pytest.mark.parametrize(
    ("line", "ticket", "words"),
    [
        (EDIT + b'{"change":"SetNote","sentence":1,', 7, "not valid"),
        (b"hello", None, "not valid"),
        (b"[]", None, "Expected `object`"),
        (b'{"type":"Dance","ticket":7}', 7, "Invalid value 'Dance' (at type)"),
        (b'{"ticket":7}', 7, "missing required field `type`"),
        (b'{"type":"Quit","ticket":7,"sure":true}', 7, "unknown field `sure`"),
        (b'{"type":"CloseProject","ticket":"7"}', None, "got `str` (at ticket)"),
        (b'{"type":"Cancel","run":null}', None, "got `null` (at run)"),
        (
            EDIT + b'{"change":"SetNote","sentence":1,"text":"%s"}}' % (b"a" * 20_001),
            7,
            "The text is too long: shorten it to 20,000 characters (change.text).",
        ),
        (
            b'{"type":"Ask","ticket":7,"query":{"query":"KeywordQuery","text":"a","k":0}}',
            7,
            "Expected `int` >= 1 (at query.k)",
        ),
        (EDIT + b'"%s"}' % (b"a" * 600_000), 7, "at most 262,144"),
        (b'{"type":"Quit","ticket":7,"x":"caf\xe9"}', 7, "not valid"),
    ],
)
def test_a_command_that_cannot_be_decoded_is_refused_and_the_next_one_is_answered(
    shared: EngineProcess, tmp_path: Path, line: bytes, ticket: int | None, words: str
) -> None:
    shared.events.clear()
    shared.send_raw(line + b"\n")
    refused = shared.wait_for(events.Refused)
    assert refused.ticket == ticket
    assert words in refused.error.message
    shared.open(tmp_path / "p.isogloss", "create")
    refusals = [e for e in shared.events if isinstance(e, events.Refused)]
    assert refusals == [refused]  # exactly one reply


@pytest.mark.parametrize("letter", ["a", "語", "\U0001f600", "\x01"])
def test_a_note_of_20_000_characters_fits_in_any_script(
    shared: EngineProcess, tmp_path: Path, letter: str
) -> None:
    shared.open(tmp_path / "p.isogloss", "create")
    ticket = shared.ticket()
    note = SetNote(sentence=1, text=letter * 20_000)
    shared.send(commands.Edit(ticket, note, shared.project))
    refused = shared.wait_for(events.Refused)
    assert refused.ticket == ticket
    assert "not in the project" in refused.error.message  # it was read in full


def test_what_is_meant_for_another_project_is_refused(
    shared: EngineProcess, tmp_path: Path
) -> None:
    first, second = tmp_path / "a.isogloss", tmp_path / "b.isogloss"
    text = tmp_path / "quay.en.txt"
    text.write_text("The ferry waits.\n", encoding="utf-8")
    importing = ImportCorpus(files=(text,), languages=("en",))
    for folder in (first, second):
        shared.open(folder, "create")
        shared.run(importing)
        shared.wait_for(events.Finished)
    shared.open(first)
    opening, tickets = shared.ticket(), [shared.ticket() for _ in range(5)]
    meant: list[commands.Command] = [  # sent before the engine has opened the second
        commands.OpenProject(opening, second),
        commands.Edit(tickets[0], SetNote(sentence=1, text="a"), first),
        commands.Edit(tickets[1], AddSearch("tea", {}), first),
        commands.Edit(tickets[2], Undo(), first),
        commands.Ask(tickets[3], KeywordQuery(text="e"), first),
        commands.Run(tickets[4], importing, project=first),
    ]
    for command in meant:
        shared.send(command)
    shared.wait_for(events.Opened, opening)
    refused = [shared.wait_for(events.Refused) for _ in tickets]
    assert [one.ticket for one in refused] == tickets
    words = (
        "The action was not done in a.isogloss, because b.isogloss was opened before "
        "it started. Open a.isogloss, and try again."
    )
    of_edits_and_runs = [refused[i].error.message for i in (0, 1, 2, 4)]
    assert of_edits_and_runs == [words] * 4
    assert refused[3].error.kind == "superseded"
    for folder in (first, second):
        with open_read_only(folder) as project, project.store.connect() as connection:
            rows = {
                table.name: connection.scalar(select(func.count()).select_from(table))
                for table in (schema.note, schema.search, schema.run, schema.corpus)
            }
        assert rows == {"note": 0, "search": 0, "run": 1, "corpus": 1}
