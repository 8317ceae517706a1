"""Attacks on the channel between window and engine, by other users and bad peers."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from app.protocol import commands, events
from app.protocol.base import CHANNEL_VARIABLE, encode_line
from app.views.client.engine_client import EngineClient
from tests.process.harness import EngineProcess

WAIT_MS = 30_000
GIGABYTE = 10**9
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
as_root = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root can change its user"
)
BECOME_NOBODY = """
import ctypes, os, select, sys  # while they can be read
os.setgroups([]); os.setgid(65534); os.setuid(65534)
"""

# What an earlier attack did: list new listening ports until stdin closes.
WATCH_PORTS = """
seen = set()
print("watching", flush=True)
while not select.select([sys.stdin], [], [], 0.002)[0]:
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in open(table).readlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] not in seen:
                seen.add(fields[9])
                print(fields[9], flush=True)
"""

# Every way of Linux to reach a descriptor of another process.
REACH_IN = """
libc = ctypes.CDLL(None, use_errno=True)
PIDFD_GETFD, PTRACE_SEIZE = 438, 0x4206
for process in map(int, sys.argv[1:]):
    for name in (f"/proc/{process}/fd", f"/proc/{process}/environ"):
        try:
            os.listdir(name) if name.endswith("fd") else open(name).read()
            print("read", name)
        except PermissionError:
            print("refused")
    handle = os.pidfd_open(process)
    taken = sum(libc.syscall(PIDFD_GETFD, handle, n, 0) >= 0 for n in range(64))
    traced = libc.ptrace(PTRACE_SEIZE, process, None, None) >= 0
    print(f"took {taken}, traced {traced}" if taken or traced else "refused")
"""


@pytest.fixture
def client(qtbot: QtBot, data_dir: Path) -> Iterator[EngineClient]:
    """The window's end of a real engine."""
    client = EngineClient()
    yield client
    if client.is_running:
        with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
            client.quit()
    client.deleteLater()


def start(client: EngineClient, qtbot: QtBot) -> psutil.Process:
    """Start the engine and return its process."""
    with qtbot.waitSignal(client.engine_started, timeout=WAIT_MS):
        client.start()
    children = psutil.Process().children()
    return next(child for child in children if "engine" in child.cmdline())


def sockets_of(process: int) -> set[str]:
    """Return the inodes of a process's sockets."""
    inodes = set()
    for file in Path(f"/proc/{process}/fd").iterdir():
        target = os.readlink(file) if file.is_symlink() else ""
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    return inodes


@as_root
def test_another_user_sees_no_port_while_engines_start(
    client: EngineClient, qtbot: QtBot
) -> None:
    watcher = subprocess.Popen(
        [sys.executable, "-c", BECOME_NOBODY + WATCH_PORTS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with watcher:
        assert watcher.stdin is not None
        assert watcher.stdout is not None
        assert watcher.stdout.readline() == "watching\n"
        ours: set[str] = set()
        for _ in range(3):
            engine = start(client, qtbot)
            ours |= sockets_of(engine.pid) | sockets_of(os.getpid())
            with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
                client.quit()
        with socket.create_server(("127.0.0.1", 0)) as visible:
            inode = str(os.fstat(visible.fileno()).st_ino)
            seen = {watcher.stdout.readline().strip()}
            while inode not in seen:  # the watcher does see a port of this user
                seen.add(watcher.stdout.readline().strip())
        watcher.stdin.close()
    assert ours
    assert not ours & seen


@on_linux
def test_no_socket_of_window_and_engine_has_an_address(
    client: EngineClient, qtbot: QtBot
) -> None:
    engine = start(client, qtbot)
    assert engine.net_connections(kind="inet") == []
    inodes = sockets_of(engine.pid)
    assert inodes
    lines = Path("/proc/net/unix").read_text(encoding="utf-8").splitlines()[1:]
    named = [line for line in lines if len(line.split()) > 7]
    assert not [line for line in named if line.split()[6] in inodes]


@as_root
def test_another_user_cannot_reach_the_channel_through_proc(
    client: EngineClient, qtbot: QtBot
) -> None:
    processes = str(start(client, qtbot).pid), str(os.getpid())
    done = subprocess.run(
        [sys.executable, "-c", BECOME_NOBODY + REACH_IN, *processes],
        capture_output=True,
        text=True,
    )
    assert done.stdout.split("\n") == ["refused"] * 6 + [""], done.stderr


@on_linux
def test_200_attempts_to_open_the_channel_fail_and_the_engine_answers(
    tmp_path: Path,
) -> None:
    with EngineProcess(tmp_path) as engine:
        folder = Path(f"/proc/{engine.process.pid}/fd")
        ends = [f for f in folder.iterdir() if os.readlink(f).startswith("socket:")]
        assert ends
        for attempt in range(200):
            with pytest.raises(OSError, match="No such device or address"):
                os.open(ends[attempt % len(ends)], os.O_RDWR)
        engine.open(tmp_path / "p.isogloss", "create")


@on_linux
def test_children_of_the_engine_do_not_inherit_the_channel(tmp_path: Path) -> None:
    with EngineProcess(tmp_path) as engine:
        for file in Path(f"/proc/{engine.process.pid}/fd").iterdir():
            if os.readlink(file).startswith("socket:"):
                facts = Path(f"/proc/{engine.process.pid}/fdinfo/{file.name}")
                flags = facts.read_text().split("flags:")[1].split()[0]
                assert int(flags, 8) & os.O_CLOEXEC


def test_a_line_of_a_gigabyte_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    with EngineProcess(tmp_path) as engine:
        engine.wait_for(events.Devices)  # torch takes memory of its own
        process = psutil.Process(engine.process.pid)
        before = process.memory_info().rss
        block = b"x" * 2**20
        for _ in range(GIGABYTE // 2**20):
            engine.send_raw(block)
        engine.send_raw(b"\n")
        refused = engine.wait_for(events.Refused)
        assert "at most 262,144" in refused.error.message
        assert process.memory_info().rss - before < 30_000_000
        engine.open(tmp_path / "p.isogloss", "create")


def test_a_command_before_the_greeting_is_answered_after_it(tmp_path: Path) -> None:
    command = commands.OpenProject(7, tmp_path / "p.isogloss", "create")
    with EngineProcess(tmp_path, early=encode_line(command)) as engine:
        assert isinstance(engine.hello, events.Hello)
        assert engine.wait_for(events.Opened).ticket == 7


def test_an_engine_whose_window_only_stops_writing_leaves(tmp_path: Path) -> None:
    with EngineProcess(tmp_path) as engine:
        engine.shut_down(socket.SHUT_WR)
        assert engine.process.wait(timeout=30) == 0


def test_an_engine_whose_window_only_stops_reading_does_its_work(
    tmp_path: Path,
) -> None:
    with EngineProcess(tmp_path) as engine:
        engine.shut_down(socket.SHUT_RD)
        engine.send(
            commands.OpenProject(engine.ticket(), tmp_path / "p.isogloss", "create")
        )
        engine.send(commands.CloseProject(engine.ticket()))
        engine.shut_down(socket.SHUT_WR)
        assert engine.process.wait(timeout=30) == 0
    assert "Traceback" not in engine.output


@pytest.mark.parametrize("address", [None, "", "0", "77", "-1", "x" * 1000])
def test_an_engine_that_no_window_started_ends(
    tmp_path: Path, address: str | None
) -> None:
    environment = {k: v for k, v in os.environ.items() if k != CHANNEL_VARIABLE}
    if address is not None:
        environment[CHANNEL_VARIABLE] = address
    done = subprocess.run(
        [sys.executable, "-m", "app", "engine"],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "Only the window starts the engine" in done.stderr
    assert done.stdout == ""


def test_a_killed_engine_starts_again_with_a_new_channel(
    client: EngineClient, qtbot: QtBot
) -> None:
    first = start(client, qtbot)
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        first.kill()
    n_open = psutil.Process().num_fds()
    for _ in range(3):
        engine = start(client, qtbot)
        assert engine.pid != first.pid
        with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
            engine.kill()
    QCoreApplication.processEvents()
    assert psutil.Process().num_fds() <= n_open
