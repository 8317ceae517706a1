"""What the arguments of the program select: window, project, engine or command."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.__main__ import project_argument


@pytest.mark.parametrize(
    ("words", "is_project"),
    [
        (["letters.isogloss"], True),
        (["/some/where/letters.isogloss"], True),
        ([], False),
        (["demo"], False),
        (["--help"], False),
        (["--x.isogloss"], False),
        (["search", "letters.isogloss"], False),
    ],
)
def test_a_project_as_the_only_argument_is_opened(
    words: list[str], is_project: bool
) -> None:
    found = project_argument(words)
    assert found == (Path(words[0]).absolute() if is_project else None)


def test_a_folder_with_a_database_is_a_project(tmp_path: Path) -> None:
    assert project_argument([str(tmp_path)]) is None
    (tmp_path / "project.sqlite").touch()
    assert project_argument([str(tmp_path)]) == tmp_path


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")
def test_sigterm_while_a_command_is_imported_exits_with_143() -> None:
    code = f"""
import signal, sys
from app.__main__ import main
class Killer:
    def find_spec(self, name, path=None, target=None):
        if name == "app.cli.main":
            signal.raise_signal({int(signal.SIGTERM)})
sys.meta_path.insert(0, Killer())
sys.exit(main(["--version"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "")
