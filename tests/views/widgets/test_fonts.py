"""Scripts that no font can draw are named with what brings them."""

import pytest
from PySide6.QtWidgets import QApplication

from app.views.widgets.fonts import (
    can_draw_character,
    font_package,
    interface_families,
    missing_scripts,
    script_of,
)


@pytest.mark.parametrize(
    ("character", "script"),
    [
        ("a", "Latin"),
        ("न", "Devanagari"),
        ("海", "Chinese"),
        ("の", "Japanese"),
        ("한", "Korean"),
        ("ጤ", "Ethiopic"),
        ("ش", "Arabic"),
        ("7", ""),
        ("—", ""),
        ("\u0301", ""),
    ],
)
def test_script_is_told_by_the_character(character: str, script: str) -> None:
    assert script_of(character) == script


def test_missing_script_is_named_once_with_an_example() -> None:
    sentences = missing_scripts(
        ["Guten Tag", "ጤና ይስጥልኝ", "नमस्ते"],
        can_draw=lambda c: script_of(c) != "Ethiopic",
    )
    assert len(sentences) == 1
    assert sentences[0].startswith("No installed font can draw Ethiopic")
    assert "U+12" in sentences[0]


def test_nothing_is_said_when_all_can_be_drawn() -> None:
    assert missing_scripts(["a", "海"], can_draw=lambda _: True) == []


@pytest.mark.parametrize(
    ("script", "system", "package"),
    [
        ("Ethiopic", "debian", "the package fonts-noto-core"),
        ("Chinese", "ubuntu debian", "the package fonts-noto-cjk"),
        ("Khmer", "fedora", "the package google-noto-sans-khmer-fonts"),
        ("Korean", "rocky rhel fedora", "the package google-noto-sans-cjk-fonts"),
        ("Thai", "", "the font Noto Sans Thai"),
        ("Japanese", "arch", "the font Noto Sans CJK"),
    ],
)
def test_package_is_named_for_the_system(
    script: str, system: str, package: str
) -> None:
    assert font_package(script, system=system) == package


def test_fonts_of_this_machine_draw_latin_and_no_private_sign(
    qapp: QApplication,
) -> None:
    assert interface_families()
    assert can_draw_character("a")
    assert not can_draw_character("\U0010fffd")
