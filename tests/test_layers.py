"""The layers: imports go downwards only, and heavy ones only where they are used."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAX_LINES = 700  # a sign that a module holds two ideas
MAX_MODULES = 21  # of a folder
LARGE_FOLDERS = {"tasks", "widgets"}  # one module per task, one per shared widget


def test_the_contracts_of_pyproject_are_kept() -> None:
    # In a process of its own: import-linter switches all loggers off.
    program = (
        "from importlinter.cli import lint_imports_command; lint_imports_command()"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [
        ("app.engine.process.server", ("torch", "sqlalchemy", "faiss", "PySide6")),
        ("app.cli.main", ("torch", "sqlalchemy", "PySide6")),
        ("app.views.shell.application", ("torch", "faiss", "sentencepiece")),
        ("app.engine.tasks.search", ("PySide6",)),
    ],
)
def test_an_import_brings_nothing_heavy(
    module: str, forbidden: tuple[str, ...]
) -> None:
    program = (
        f"import sys, {module}; print([m for m in {forbidden} if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    assert run.stdout.strip() == "[]", run.stderr


def test_no_file_is_longer_than_a_person_reads() -> None:
    files = [*ROOT.glob("app/**/*.py"), *ROOT.glob("installers/**/*.py")]
    lines = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    assert [file for file, n_lines in lines.items() if n_lines > MAX_LINES] == []


def test_every_folder_of_code_is_a_package() -> None:
    folders = {file.parent for file in (ROOT / "app").glob("**/*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_no_folder_has_more_modules_than_a_person_can_survey() -> None:
    folders = {file.parent for file in (ROOT / "app").glob("**/*.py")}
    crowded = [
        folder
        for folder in folders
        if len([file for file in folder.glob("*.py") if file.stem != "__init__"])
        > MAX_MODULES
    ]
    assert {folder.name for folder in crowded} <= LARGE_FOLDERS
