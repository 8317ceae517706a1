"""Settings are private, and two windows keep each other's changes."""

import os
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from app.paths import user_data_dir
from app.settings import Settings, load_settings, merge_settings, save_settings


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_settings_and_their_folder_can_be_read_only_by_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path / "data"))
    old = os.umask(0)
    try:
        file = user_data_dir() / "settings.json"
        save_settings(Settings(theme="dark"), file)
        save_settings(Settings(theme="light"), file)
    finally:
        os.umask(old)
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_mode & 0o777 == 0o600
    assert load_settings(file).theme == "light"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(
    tmp_path: Path,
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    (tmp_path / f"settings.json.{os.getpid()}.part").symlink_to(victim)
    save_settings(Settings(), tmp_path / "settings.json")
    assert victim.read_text(encoding="utf-8") == "mine"


BASE = Settings(
    theme="light",
    recent_projects=("a", "b"),
    shortcuts={"search": "F3", "mine": "F4"},
)


def test_changes_of_two_windows_are_both_kept() -> None:
    theirs = replace(
        BASE, theme="dark", user_name="Ana", shortcuts={"search": "F3", "map": "F6"}
    )
    mine = replace(
        BASE, text_scale=150, shortcuts={"search": "F5", "mine": "F4", "words": "F7"}
    )
    merged = merge_settings(BASE, mine, theirs)
    assert (merged.theme, merged.user_name, merged.text_scale) == ("dark", "Ana", 150)
    assert merged.shortcuts == {"search": "F5", "map": "F6", "words": "F7"}


@pytest.mark.parametrize(
    ("mine", "theirs", "merged"),
    [
        (("c", "a", "b"), ("d", "a", "b"), ("c", "d", "a", "b")),
        (("b", "a"), ("d", "a", "b"), ("b", "d", "a")),
        (("a",), ("d", "a", "b"), ("d", "a")),
        (("a", "b"), ("d", "a", "b"), ("d", "a", "b")),
        (("b",), ("a", "b"), ("b",)),
    ],
)
def test_recent_projects_of_two_windows_are_merged(
    mine: tuple[str, ...], theirs: tuple[str, ...], merged: tuple[str, ...]
) -> None:
    found = merge_settings(
        BASE,
        replace(BASE, recent_projects=mine),
        replace(BASE, recent_projects=theirs),
    )
    assert found.recent_projects == merged
