"""The layers: imports go downwards only, and heavy ones only where they are used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAX_LINES = 400
STORE_FOR_VIEWS = {
    "app.engine.store.arrays",
    "app.engine.store.bead_rows",
    "app.engine.store.classifier_rows",
    "app.engine.store.dictionary_rows",
    "app.engine.store.document_book",
    "app.engine.store.document_rows",
    "app.engine.store.finding_rows",
    "app.engine.store.hidden_rows",
    "app.engine.store.hit_rows",
    "app.engine.store.label_rows",
    "app.engine.store.measurement_rows",
    "app.engine.store.metric_rows",
    "app.engine.store.pair_counts",
    "app.engine.store.pair_rows",
    "app.engine.store.pair_texts",
    "app.engine.store.point_rows",
    "app.engine.store.projection_rows",
    "app.engine.store.prediction_arrays",
    "app.engine.store.result_rows",
    "app.engine.store.review_rows",
    "app.engine.store.rows",
    "app.engine.store.session",
    "app.engine.store.subcorpus_rows",
    "app.engine.store.transfer_rows",
}
VIEWS = sorted((ROOT / "app" / "views").glob("*_view.py"))


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
        ("app.engine.server", ("torch", "sqlalchemy", "faiss", "PySide6")),
        ("app.cli", ("torch", "sqlalchemy", "PySide6")),
        ("app.views.application", ("torch", "faiss", "sentencepiece")),
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


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.stem)
def test_no_view_imports_another(view: Path) -> None:
    others = {f"app.views.{other.stem}" for other in VIEWS if other != view}
    assert not imports_of(view) & others


def test_the_window_reads_the_engine_only_through_the_store() -> None:
    files = (ROOT / "app" / "views").glob("**/*.py")
    imported = set[str]().union(*(imports_of(file) for file in files))
    engine = {name for name in imported if name.startswith("app.engine")}
    assert engine <= STORE_FOR_VIEWS


def test_no_file_is_longer_than_a_person_reads() -> None:
    files = [*ROOT.glob("app/**/*.py"), *ROOT.glob("installers/**/*.py")]
    lines = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    assert [file for file, n_lines in lines.items() if n_lines > MAX_LINES] == []


def test_every_folder_of_code_is_a_package() -> None:
    folders = {file.parent for file in (ROOT / "app").glob("**/*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def imports_of(file: Path) -> set[str]:
    """Name the modules that a file imports."""
    names = set[str]()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            folder = ROOT.joinpath(*node.module.split("."))
            inside = {a.name for a in node.names if (folder / f"{a.name}.py").exists()}
            names.update(f"{node.module}.{name}" for name in inside)
            if len(inside) < len(node.names):
                names.add(node.module)
    return names
