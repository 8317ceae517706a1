"""start.py: what it says, what it starts, and with which exit code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import start
from installers.set_up import SetUpError
from installers.set_up.checks import STEPS, run_checks

ROOT = Path(__file__).resolve().parent.parent
PYTHON = Path(sys.executable)
NO_DISPLAY = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What start.py starts, in an environment that stands ready."""
    commands: list[list[str]] = []

    def run(command: list[str], **_options: object) -> subprocess.CompletedProcess[str]:
        commands.append(command[1:])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(start, "make_ready", lambda *_args, **_options: PYTHON)
    monkeypatch.setattr(start, "qt_trouble", lambda *_args: "")
    monkeypatch.setattr(subprocess, "run", run)
    return commands


def test_an_older_python_is_told_what_to_do() -> None:
    program = (
        "import sys; sys.version_info = (3, 9, 0, 'final', 0); "
        f"exec(open({str(ROOT / 'start.py')!r}).read())"
    )
    run = subprocess.run([PYTHON, "-c", program], capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.startswith("isogloss: Isogloss needs Python 3.11 or newer")
    assert "this is 3.9" in run.stderr


@pytest.mark.parametrize(
    "file", ["start.py", *map(str, ROOT.glob("installers/set_up/*.py"))]
)
def test_nothing_but_the_standard_library_is_imported(file: str) -> None:
    program = (
        f"import runpy, sys; sys.path[0:0] = [{str(ROOT)!r}]; "
        f"runpy.run_path({str(ROOT / file)!r}); "
        "known = sys.stdlib_module_names | {'app', 'installers', '__main__'}; "
        "print({name.partition('.')[0] for name in sys.modules} - known)"
    )
    run = subprocess.run([PYTHON, "-IS", "-c", program], capture_output=True, text=True)
    assert run.stdout.strip() == "set()", run.stderr


def test_with_a_display_the_window_opens(
    started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "has_display", lambda _environ: True)
    assert start.main([]) == 0
    assert started == [["-m", "app"]]


def test_without_a_display_the_demo_runs_and_that_is_said(
    started: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(start, "has_display", lambda _environ: False)
    assert start.main([]) == 0
    assert started == [["-m", "app", "demo"]]
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("isogloss: There is no display (neither DISPLAY nor WAY")


def test_what_qt_misses_stops_the_window_but_not_the_demo(
    started: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sentence = "Qt misses libEGL.so.1 of the system: install it."
    monkeypatch.setattr(start, "qt_trouble", lambda *_args: sentence)
    monkeypatch.setattr(start, "has_display", lambda _environ: True)
    assert start.main([]) == 1
    assert started == []
    assert capsys.readouterr().err == f"isogloss: {sentence}\n"
    monkeypatch.setattr(start, "has_display", lambda _environ: False)
    assert start.main([]) == 0
    assert sentence in capsys.readouterr().out


def test_trouble_is_one_sentence_and_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_args: object, **_options: object) -> Path:
        raise SetUpError("The disk is full: free some space.")

    monkeypatch.setattr(start, "make_ready", fail)
    assert start.main(["test"]) == 1
    assert capsys.readouterr().err == "isogloss: The disk is full: free some space.\n"


def test_a_build_of_torch_is_chosen_once() -> None:
    with pytest.raises(SystemExit):
        start.read_options(["--cpu", "--torch-index", "https://example.org"])


def test_the_checks_are_the_five_that_were_agreed() -> None:
    words = " ".join(" ".join(arguments) for _name, arguments in STEPS)
    for tool in ("ruff check", "ruff format --check", "mypy", "lint_imports", "pytest"):
        assert tool in words
    # A sub-command and its options are words of their own.
    assert all(" " not in word for _, words_of in STEPS[:3] for word in words_of)


def test_every_check_runs_after_one_failed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    steps = (
        ("first", ("-c", "raise SystemExit(3)")),
        ("second", ("-c", "import os; print(os.environ['QT_QPA_PLATFORM'])")),
    )
    assert run_checks(PYTHON, tmp_path, steps) == 1
    output = capfd.readouterr().out
    assert f"{'first':15} FAILED" in output
    assert f"{'second':15} passed" in output
    assert "offscreen" in output
    assert run_checks(PYTHON, tmp_path, steps[1:]) == 0


@pytest.mark.skipif(os.name == "nt", reason="bash is no part of Windows")
def test_ci_runs_start_py_test() -> None:
    script = ROOT / ".ci" / "run"
    assert "exec python3 start.py test" in script.read_text(encoding="utf-8")
    subprocess.run(["bash", "-n", script], check=True)
