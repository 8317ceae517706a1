"""A child process: its answer, its errors, Cancel, and a parent that is killed."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from app.engine.runtime.blocking_calls import ChildCall, run_in_child
from app.engine.runtime.report import Report
from app.errors import Cancelled, UserError

FUNCTIONS = "tests.engine.runtime.child_functions"


def call(name: str, **arguments: object) -> object:
    made = ChildCall(f"{FUNCTIONS}:{name}", arguments)
    return run_in_child(made, Report(), stage="Testing")


def wait_for_pid(file: Path) -> int:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if file.exists() and file.read_text(encoding="utf-8"):
            return int(file.read_text(encoding="utf-8"))
        time.sleep(0.02)
    raise AssertionError("the child never began")


def test_result_comes_back() -> None:
    assert call("add", a=2, b=3) == 5


def test_users_error_crosses_the_border() -> None:
    with pytest.raises(UserError, match="This cannot be"):
        call("refuse")


def test_fault_comes_with_its_traceback() -> None:
    with pytest.raises(RuntimeError, match=r"break_down[\s\S]*broken"):
        call("break_down")


def test_death_is_told_with_its_code() -> None:
    with pytest.raises(RuntimeError, match="ended with 3"):
        call("die")


def test_cancel_kills_within_a_second(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    report = Report()
    cancelled_at: list[float] = []

    def cancel() -> None:
        wait_for_pid(file)
        cancelled_at.append(time.monotonic())
        report.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    made = ChildCall(f"{FUNCTIONS}:sleep_long", {"file": str(file)})
    with pytest.raises(Cancelled):
        run_in_child(made, report, stage="Testing")
    thread.join()
    assert time.monotonic() - cancelled_at[0] < 1
    assert not psutil.pid_exists(int(file.read_text(encoding="utf-8")))


def test_child_dies_with_its_killed_parent(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    code = (
        "from app.engine.runtime.blocking_calls import ChildCall, run_in_child\n"
        "from app.engine.runtime.report import Report\n"
        "if __name__ == '__main__':\n"
        f"    made = ChildCall('{FUNCTIONS}:sleep_long', {{'file': {str(file)!r}}})\n"
        "    run_in_child(made, Report(), stage='Testing')\n"
    )
    script = tmp_path / "parent.py"
    script.write_text(code, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen([sys.executable, str(script)], env=environment)
    child = psutil.Process(wait_for_pid(file))
    parent.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    parent.wait()
    _, alive = psutil.wait_procs([child], timeout=5)
    assert not alive
