"""What Qt misses of the system is named in one sentence, with the command."""

import os
import sys
from pathlib import Path

import pytest

from installers.set_up.qt_libraries import (
    has_display,
    missing_sentence,
    parse_missing,
    qt_trouble,
)

DEBIAN = "ID=debian"
LDD = """\
libq.so:
\tlinux-vdso.so.1 (0x00007ffd)
\tlibEGL.so.1 => not found
\tlibQt6Gui.so.6 => /x/libQt6Gui.so.6 (0x00007f)
\tlibxcb-cursor.so.0 => not found
\tlibEGL.so.1 => not found
"""


@pytest.mark.parametrize(
    ("environ", "system", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "win32", True),
        ({}, "darwin", True),
    ],
)
def test_a_display_is_found_by_its_variables(
    environ: dict[str, str], system: str, expected: bool
) -> None:
    assert has_display(environ, system) is expected


def test_all_missing_libraries_are_read_once() -> None:
    assert parse_missing(LDD) == {"libEGL.so.1", "libxcb-cursor.so.0"}


def test_debian_is_told_its_packages() -> None:
    sentence = missing_sentence(["libEGL.so.1", "libxcb-cursor.so.0"], DEBIAN)
    assert "'sudo apt install libegl1 libxcb-cursor0'" in sentence


def test_fedora_is_told_its_packages() -> None:
    sentence = missing_sentence(["libgthread-2.0.so.0"], "ID=fedora")
    assert "'sudo dnf install glib2'" in sentence


@pytest.mark.parametrize("os_release", ["ID=arch", DEBIAN])
def test_what_nobody_knows_is_named_as_it_is(os_release: str) -> None:
    sentence = missing_sentence(["libodd.so.7"], os_release)
    assert "libodd.so.7" in sentence
    assert "sudo" not in sentence


def test_qt_starts_offscreen_here() -> None:
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    assert qt_trouble(Path(sys.executable), environ) == ""


def test_a_platform_that_is_none_is_said() -> None:
    environ = {**os.environ, "QT_QPA_PLATFORM": "semaphore"}
    assert "Qt can't open a window here" in qt_trouble(Path(sys.executable), environ)
