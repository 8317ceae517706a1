"""System libraries that Qt lacks, and the packages that contain them."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from installers.set_up.environment import read_os_release

# Library: (package of Debian and Ubuntu, package of Fedora).
PACKAGES = {
    "libEGL.so.1": ("libegl1", "libglvnd-egl"),
    "libGL.so.1": ("libgl1", "libglvnd-glx"),
    "libGLX.so.0": ("libgl1", "libglvnd-glx"),
    "libX11.so.6": ("libx11-6", "libX11"),
    "libX11-xcb.so.1": ("libx11-xcb1", "libX11-xcb"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig"),
    "libfreetype.so.6": ("libfreetype6", "freetype"),
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "glib2"),
    "libgssapi_krb5.so.2": ("libgssapi-krb5-2", "krb5-libs"),
    "libwayland-client.so.0": ("libwayland-client0", "libwayland-client"),
    "libwayland-cursor.so.0": ("libwayland-cursor0", "libwayland-cursor"),
    "libwayland-egl.so.1": ("libwayland-egl1", "libwayland-egl"),
    "libxcb.so.1": ("libxcb1", "libxcb"),
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms"),
    "libxcb-randr.so.0": ("libxcb-randr0", "libxcb"),
    "libxcb-render.so.0": ("libxcb-render0", "libxcb"),
    "libxcb-render-util.so.0": ("libxcb-render-util0", "xcb-util-renderutil"),
    "libxcb-shape.so.0": ("libxcb-shape0", "libxcb"),
    "libxcb-shm.so.0": ("libxcb-shm0", "libxcb"),
    "libxcb-sync.so.1": ("libxcb-sync1", "libxcb"),
    "libxcb-util.so.1": ("libxcb-util1", "xcb-util"),
    "libxcb-xfixes.so.0": ("libxcb-xfixes0", "libxcb"),
    "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11"),
}
MODULES = ("QtGui.abi3.so", "QtWidgets.abi3.so", "QtNetwork.abi3.so")
PROBE = (
    "import sys; from PySide6.QtGui import QGuiApplication; "
    "import PySide6.QtWidgets, PySide6.QtNetwork; QGuiApplication(sys.argv)"
)


def has_display(environ: Mapping[str, str], system: str = sys.platform) -> bool:
    """Return whether a window can be shown."""
    if system in ("win32", "darwin"):
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def qt_trouble(python: Path, environ: Mapping[str, str]) -> str:
    """Return why Qt can't start and what to do; empty if it can start.

    Args:
        python: Python of the environment that Qt is installed in.
        environ: environment of the workbench, which determines the platform.
    """
    probe = subprocess.run(
        [str(python), "-c", PROBE], env=environ, capture_output=True, text=True
    )
    if probe.returncode == 0:
        return ""
    missing = _missing_libraries(python, environ) if sys.platform == "linux" else []
    if missing:
        return missing_sentence(missing, read_os_release())
    lines = probe.stderr.strip().splitlines() or [f"exit code {probe.returncode}"]
    return f"Qt can't open a window here: {lines[-1]}"


def missing_sentence(missing: list[str], os_release: str) -> str:
    """Return a sentence with the missing libraries, and the command to install them."""
    named = f"Qt misses {', '.join(missing)} of the system"
    is_debian = "debian" in os_release.lower()
    is_fedora = any(name in os_release.lower() for name in ("fedora", "rhel"))
    if (not is_debian and not is_fedora) or not all(
        name in PACKAGES for name in missing
    ):
        return f"{named}: install the packages that bring them and start again."
    column, tool = (0, "apt") if is_debian else (1, "dnf")
    packages = sorted({PACKAGES[name][column] for name in missing})
    command = f"sudo {tool} install {' '.join(packages)}"
    return f"{named}: install them with '{command}' and start again."


def parse_missing(ldd_output: str) -> set[str]:
    """Parse the libraries that `ldd` did not find."""
    lines = ldd_output.splitlines()
    return {line.split()[0] for line in lines if line.endswith("not found")}


def _missing_libraries(python: Path, environ: Mapping[str, str]) -> list[str]:
    place = next(python.parent.parent.glob("lib/python3*/site-packages/PySide6"), None)
    if place is None:
        return []
    plugin = _platform(environ)
    files = [place / name for name in MODULES]
    files.append(place / "Qt" / "plugins" / "platforms" / f"libq{plugin}.so")
    command = ["ldd", *(str(file) for file in files if file.exists())]
    try:
        answer = subprocess.run(command, capture_output=True, text=True)
    except OSError:  # no glibc
        return []
    return sorted(parse_missing(answer.stdout))


def _platform(environ: Mapping[str, str]) -> str:
    chosen = environ.get("QT_QPA_PLATFORM", "").split(":")[0].split(";")[0]
    return chosen or ("xcb" if environ.get("DISPLAY") else "wayland")
