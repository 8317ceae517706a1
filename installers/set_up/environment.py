"""The environment `.venv`: created, filled with locked packages, reused later."""

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
import venv
from collections.abc import Sequence
from pathlib import Path

from app.engine.runtime.nvidia_driver import find_nvidia_driver
from installers.set_up import SetUpError, say
from installers.set_up.torch_build import TorchChoice, describe_driver, plan_torch

STAMP = "isogloss.json"
LOCK = "constraints.txt"  # one version of every package
HASHES, HASHES_OF_CHECKS = "requirements.txt", "requirements-checks.txt"
REACH_TIMEOUT_S = 5
OTHERS_SIZE, OTHERS_SIZE_WITH_CHECKS = "150 MB", "250 MB"  # measured


def make_ready(root: Path, choice: TorchChoice, *, with_checks: bool) -> Path:
    """Create or complete the environment; fast if it is complete.

    Args:
        root: folder of the checkout.
        choice: torch build requested by the user.
        with_checks: also install the tools for `start.py test`.

    Returns:
        The environment's Python.

    Raises:
        SetUpError: a requirement is missing; the message explains what to do.
    """
    folder = root / ".venv"
    python = venv_python(folder)
    wanted = _stamp(root, choice, with_checks)
    found = _read_stamp(folder) if _imports(python, "app") else {}
    if _is_enough(found, wanted, choice):
        return python
    if not _imports(python, "pip"):
        _make_environment(folder)
    (folder / STAMP).unlink(missing_ok=True)
    again = bool(found) and choice != TorchChoice()
    _install_torch(root, python, choice, again=again)
    _install_others(root, python, choice, with_checks=with_checks)
    _show_checkout(folder)
    text = json.dumps(wanted, indent=1)
    (folder / STAMP).write_text(text, encoding="utf-8", newline="\n")
    say(f"The environment {folder} is ready.")
    return python


def venv_python(folder: Path) -> Path:
    """Return the path of an environment's Python."""
    if sys.platform == "win32":
        return folder / "Scripts" / "python.exe"
    return folder / "bin" / "python"


def read_requirements(
    root: Path, *, with_checks: bool, extras: Sequence[str] = ()
) -> list[str]:
    """Read the requirements in pyproject.toml."""
    with (root / "pyproject.toml").open("rb") as stream:
        project = tomllib.load(stream)["project"]
    wanted: list[str] = list(project["dependencies"])
    if with_checks:
        wanted += project["optional-dependencies"]["dev"]
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    return wanted


def read_torch_pin(root: Path) -> str:
    """Read the line for torch in the lock: `torch==2.13.0`."""
    lock = (root / "installers" / LOCK).read_text(encoding="utf-8")
    found = re.search(r"^torch==\S+$", lock, re.MULTILINE)
    if found is None:
        raise SetUpError(f"installers/{LOCK} names no torch: restore the file.")
    return found.group()


def missing_module_sentence(module: str, os_release: str) -> str:
    """Return a sentence with the package of a module that this Python lacks."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if "debian" in os_release.lower():
        what = f"install it with 'sudo apt install python{version}-venv'"
    elif "fedora" in os_release.lower():
        what = f"install it with 'sudo dnf install python{version} python3-pip'"
    else:
        what = "install Python with its standard library whole"
    return f"This Python {version} lacks {module}: {what} and start again."


def read_os_release() -> str:
    """Return the Linux distribution; empty on other systems."""
    try:
        return Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        return ""


def _stamp(root: Path, choice: TorchChoice, with_checks: bool) -> dict[str, object]:
    digest = hashlib.sha256()
    for name in (LOCK, HASHES, HASHES_OF_CHECKS):
        digest.update((root / "installers" / name).read_bytes())
    for line in read_requirements(root, with_checks=True):
        digest.update(line.encode())
    kind = str(choice.wheels or choice.index or ("cpu" if choice.cpu else ""))
    return {"lock": digest.hexdigest(), "checks": with_checks, "torch": kind}


def _read_stamp(folder: Path) -> dict[str, object]:
    try:
        stamp: dict[str, object] = json.loads((folder / STAMP).read_bytes())
        return stamp
    except (OSError, ValueError):
        return {}


def _imports(python: Path, module: str) -> bool:
    """Return whether an environment is complete and has a Python."""
    command = [str(python), "-I", "-c", f"import {module}"]
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


def _is_enough(
    found: dict[str, object], wanted: dict[str, object], choice: TorchChoice
) -> bool:
    """Return whether the installed packages suffice, with any torch by default."""
    torch_fits = choice == TorchChoice() or found.get("torch") == wanted["torch"]
    checks_fit = bool(found.get("checks")) or not wanted["checks"]
    return found.get("lock") == wanted["lock"] and torch_fits and checks_fit


def _make_environment(folder: Path) -> None:
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            raise SetUpError(missing_module_sentence(module, read_os_release()))
    say(f"Making the environment {folder} …")
    try:
        venv.create(folder, with_pip=True, clear=True, symlinks=os.name != "nt")
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetUpError(f"The environment {folder} can't be made: {error}.") from error


def _install_torch(
    root: Path, python: Path, choice: TorchChoice, *, again: bool
) -> None:
    pin = read_torch_pin(root)
    driver = find_nvidia_driver()
    say(describe_driver(driver))
    sources = plan_torch(
        choice, driver, has_own_folder=_has_own_folder(python), reaches=_reaches
    )
    force = ("--force-reinstall",) if again else ()
    for source in sources:
        say(f"Installing {pin}, not checked by a hash: {source.description} …")
        if _pip(python, "--no-deps", *force, *source.options, pin):
            return
    raise SetUpError(
        f"pip could not install {pin} (its reason stands above): check the "
        "connection, or give --torch-index URL or --wheels DIR."
    )


def _install_others(
    root: Path, python: Path, choice: TorchChoice, *, with_checks: bool
) -> None:
    options = ["--only-binary", ":all:"]
    if choice.wheels:
        say(f"Installing the other packages from {choice.wheels}, hashes not checked …")
        options += ["--no-index", "--find-links", str(choice.wheels)]
        options += ["--constraint", str(root / "installers" / LOCK)]
        options += read_requirements(root, with_checks=with_checks)
    else:
        size = OTHERS_SIZE_WITH_CHECKS if with_checks else OTHERS_SIZE
        say(f"Installing the other packages, checked by their hashes, about {size} …")
        options += ["--require-hashes", "--no-deps"]
        for name in (HASHES, HASHES_OF_CHECKS)[: 1 + with_checks]:
            options += ["--requirement", str(root / "installers" / name)]
    if not _pip(python, *options):
        raise SetUpError(
            "pip could not install the packages (its reason stands above): check the "
            "connection and the disk, then start again; what is there is kept."
        )


def _pip(python: Path, *arguments: str) -> bool:
    """Run `pip install`, which shows sizes and progress."""
    options = ["--disable-pip-version-check", "--no-input"]
    if not sys.stdout.isatty():
        options += ["--progress-bar", "off"]
    command = [str(python), "-I", "-m", "pip", "install", *options, *arguments]
    environment = {**os.environ, "PIP_USER": "0"}
    return subprocess.run(command, env=environment).returncode == 0


def _has_own_folder(python: Path) -> bool:
    command = [str(python), "-I", "-m", "pip", "config", "list"]
    answer = subprocess.run(command, capture_output=True, text=True)
    return "find-links" in answer.stdout


def _reaches(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/torch/", timeout=REACH_TIMEOUT_S):
            return True
    except (OSError, urllib.error.URLError, ValueError):
        return False


def _show_checkout(folder: Path) -> None:
    """Let the environment's Python import `app` from the checkout."""
    if sys.platform == "win32":
        place = folder / "Lib" / "site-packages"
    else:
        place = next((folder / "lib").glob("python3*/site-packages"))
    root = os.path.relpath(folder.parent, place)
    (place / "isogloss.pth").write_text(f"{root}\n", encoding="utf-8", newline="\n")
