"""The wheel: what it carries, and that it works from another folder."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = (
    "app",
    "resources",
    "docs",
    "LICENSE",
    "NOTICE",
    "README.md",
    "pyproject.toml",
    "setup.py",
)
MAX_ENCODER_BYTES = 32_000_000
BUILD = "import sys, setuptools.build_meta as b; b.build_wheel(sys.argv[1])"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the checkout without a network and unpacked."""
    tree = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, tree / name)
    command = [sys.executable, "-c", BUILD, str(tree / "dist")]
    run = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    (wheel,) = (tree / "dist").glob("isogloss-*.whl")
    place = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    return place


def files_of(folder: Path) -> set[str]:
    """Name the files under a folder, as the wheel does."""
    files = (file for file in folder.rglob("*") if file.is_file())
    found = {file.relative_to(folder).as_posix() for file in files}
    return {name for name in found if "__pycache__" not in name and ".mypy" not in name}


def test_the_wheel_carries_code_resources_and_documentation(installed: Path) -> None:
    carried = files_of(installed / "app")
    bundled = {
        f"{folder}/{name}"
        for folder in ("resources", "docs")
        for name in files_of(ROOT / folder)
    }
    assert carried == files_of(ROOT / "app") | bundled
    for name in ("samples/en.tsv", "encoders/isogloss-2", "style", "icons"):
        assert (installed / "app" / "resources" / name).exists()
    assert (installed / "app" / "docs" / "README.md").exists()
    assert (installed / "app/engine/store/migrations/env.py").exists()


def test_the_wheel_carries_nothing_else(installed: Path) -> None:
    assert {path.name.partition("-")[0] for path in installed.iterdir()} == {
        "app",
        "isogloss",
    }


def test_the_wheel_names_command_licence_and_needs(installed: Path) -> None:
    (facts,) = installed.glob("isogloss-*.dist-info")
    commands = (facts / "entry_points.txt").read_text(encoding="utf-8")
    assert "isogloss = app.__main__:main" in commands
    metadata = (facts / "METADATA").read_text(encoding="utf-8")
    assert "License-Expression: Apache-2.0" in metadata
    assert "Requires-Python: >=3.11" in metadata
    assert "Requires-Dist: PySide6-Essentials<6.12,>=6.8" in metadata
    licence = (facts / "licenses" / "LICENSE").read_bytes()
    assert licence == (ROOT / "LICENSE").read_bytes()


def test_the_bundled_encoders_are_small(installed: Path) -> None:
    for encoder in (installed / "app" / "resources" / "encoders").iterdir():
        files = (file for file in encoder.rglob("*") if file.is_file())
        assert sum(file.stat().st_size for file in files) <= MAX_ENCODER_BYTES


def test_the_wheel_imports_encodes_and_searches(
    installed: Path, tmp_path: Path
) -> None:
    samples = installed / "app" / "resources" / "samples"
    project = str(tmp_path / "mine.isogloss")
    run_isogloss(installed, tmp_path, "new", project)
    for language in ("en", "fr"):
        table = ["--file", str(samples / f"{language}.tsv"), "--columns", "text"]
        words = ["--language", language, "--name", language]
        run_isogloss(installed, tmp_path, "import-corpus", project, *table, *words)
    run_isogloss(
        installed, tmp_path, "encode", project, "--corpus", "en", "--corpus", "fr"
    )
    found = run_isogloss(
        installed,
        tmp_path,
        *("search", project, "--text", "Take an umbrella, you never know!"),
        *("--language", "fr", "--k", "4"),
    )
    assert [hit["rank"] for hit in found["hits"]] == [1, 2, 3, 4]
    assert {hit["language"] for hit in found["hits"]} == {"fr"}


def run_isogloss(installed: Path, folder: Path, *arguments: str) -> Any:
    """Run the unpacked program from another folder; give its JSON."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(installed),
        "PYTHONSAFEPATH": "1",
        "ISOGLOSS_DATA": str(folder / "data"),
    }
    command = [sys.executable, "-m", "app", *arguments]
    run = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
