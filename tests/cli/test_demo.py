"""The demo in the terminal: what it finds, what it says, what it leaves."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.cli import demo
from app.paths import demo_project_dir


@pytest.fixture
def tours(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """A tour that takes no pictures; its own test takes them."""
    commands: list[list[str]] = []
    really_run = subprocess.run

    def run(command: Any, **options: Any) -> subprocess.CompletedProcess[Any]:
        if "tour" not in command:
            return really_run(command, **options)
        commands.append(command)
        output = json.dumps({"pictures": ["search-light.png"]}).encode()
        return subprocess.CompletedProcess(command, 0, output)

    monkeypatch.setattr(subprocess, "run", run)
    return commands


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the user that is empty."""
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    return tmp_path


def test_the_demo_finds_translations_and_takes_pictures(
    data: Path, tours: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    result = demo.main()
    assert result["project"] == str(demo_project_dir())
    assert result["pictures"] == ["search-light.png"]
    assert tours[0][-3:] == ["tour", "--out", str(data / "tour")]
    by_query = {search["text"]: search["hits"] for search in result["searches"]}
    umbrella = by_query["Take an umbrella, you never know!"]
    assert len({hit["language"] for hit in umbrella}) == len(umbrella) == 12
    french = next(hit for hit in umbrella if hit["language"] == "fr")
    assert french["text"].startswith("Prends un parapluie")
    printed = capsys.readouterr()
    assert printed.out == ""
    assert french["text"] in printed.err
