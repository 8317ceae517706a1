"""Write the lock: the versions in this environment, and their hashes.

Run by hand, in an environment where all checks passed, with the extras `transformers`
and `tsne` installed: `python -m installers.lock`. It writes three files:

- `constraints.txt`: one version of every package, also of the extras and of torch;
- `requirements.txt`: what Isogloss needs, without torch, with the SHA-256 of every
  wheel that the index lists (`pip install --require-hashes --no-deps`);
- `requirements-checks.txt`: the same for the tools of `start.py test`.
"""

import itertools
import re
import urllib.request
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import (
    InvalidWheelFilename,
    canonicalize_name,
    parse_wheel_filename,
)
from pip._internal.models.index import PyPI

from installers.set_up.environment import read_requirements

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "installers"
# Versions of packages that only other systems or other Pythons need.
ELSEWHERE = {"colorama": "0.4.6", "fasttext-predict-v2": "1.1.0"}
EXTRAS = ("transformers", "tsne")
SYSTEMS = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
Environment = tuple[str, str]  # sys.platform, version of Python
EVERYWHERE = frozenset(itertools.product(SYSTEMS, PYTHONS))
HEADER = """\
# The lock: every package Isogloss runs and is tested with, one version each.
# torch has no local suffix and no hash: start.py chooses CPU or CUDA (see --help), and
# NVIDIA's libraries, which that choice may bring, are pinned by torch itself.
# Written by `python -m installers.lock`.
"""


def main() -> None:
    """Write the three files."""
    needed = closure(read_requirements(ROOT, with_checks=False))
    checks = closure(read_requirements(ROOT, with_checks=True))
    everything = closure(read_requirements(ROOT, with_checks=True, extras=EXTRAS))
    lines = [_pin(name, everything[name]) for name in sorted(everything)]
    _write("constraints.txt", lines)
    for found in (needed, checks):
        found.pop("torch")
    added = {
        name: where - needed.get(name, frozenset()) for name, where in checks.items()
    }
    _write("requirements.txt", _with_hashes(needed))
    _write(
        "requirements-checks.txt",
        _with_hashes({name: where for name, where in added.items() if where}),
    )


def closure(requirements: list[str]) -> dict[str, frozenset[Environment]]:
    """Find direct and indirect requirements, and the systems that need them.

    Returns:
        The systems and Pythons that need each package.
    """
    found: dict[str, set[Environment]] = {}
    for system, python in sorted(EVERYWHERE):
        values = {
            "sys_platform": system,
            "platform_system": SYSTEMS[system],
            "os_name": "nt" if system == "win32" else "posix",
            "python_version": python,
            "python_full_version": f"{python}.0",
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
        }
        todo = [(Requirement(text), "") for text in requirements]
        seen: set[tuple[str, str]] = set()
        while todo:
            requirement, extra = todo.pop()
            name = canonicalize_name(requirement.name)
            marker = requirement.marker
            if marker and not marker.evaluate({**values, "extra": extra}):
                continue
            if name.startswith(("nvidia-", "cuda-", "triton")):
                continue  # depend on torch's build
            for extra in ("", *requirement.extras):
                if (name, extra) not in seen:
                    seen.add((name, extra))
                    found.setdefault(name, set()).add((system, python))
                    todo += [(inner, extra) for inner in _requires(name)]
    return {name: frozenset(where) for name, where in found.items()}


def _requires(name: str) -> list[Requirement]:
    if name in ELSEWHERE:
        return []
    return [Requirement(text) for text in metadata.requires(name) or ()]


def _pin(name: str, where: frozenset[Environment]) -> str:
    """Return `name==version`, with a marker if not every system needs it."""
    version = ELSEWHERE.get(name) or metadata.version(name).partition("+")[0]
    systems = sorted({system for system, _python in where})
    pythons = [python for python in PYTHONS if any(it[1] == python for it in where)]
    if frozenset(itertools.product(systems, pythons)) != where:
        raise ValueError(f"{name}: no simple marker describes {sorted(where)}.")
    tests = []
    if len(systems) < len(SYSTEMS):
        tests.append(f"sys_platform in '{' '.join(systems)}'")
    if pythons[0] != PYTHONS[0]:
        tests.append(f"python_version >= '{pythons[0]}'")
    if pythons[-1] != PYTHONS[-1]:
        after = PYTHONS[PYTHONS.index(pythons[-1]) + 1]
        tests.append(f"python_version < '{after}'")
    return f"{name}=={version}" + (f" ; {' and '.join(tests)}" if tests else "")


def _with_hashes(wanted: dict[str, frozenset[Environment]]) -> list[str]:
    lines = []
    for name in sorted(wanted):
        pin = _pin(name, wanted[name])
        hashes = _find_hashes(name, pin.partition("==")[2].partition(" ")[0])
        lines.append(" \\\n".join([pin, *(f"    --hash=sha256:{it}" for it in hashes)]))
    return lines


def _find_hashes(name: str, version: str) -> list[str]:
    """Read the SHA-256 of a version's wheels for CPython from pip's default index."""
    with urllib.request.urlopen(f"{PyPI.simple_url}/{name}/") as reply:
        page = reply.read().decode()
    hashes = set()
    for file_name, digest in re.findall(r"/([^/]+\.whl)#sha256=([0-9a-f]{64})", page):
        try:
            _name, found, _build, tags = parse_wheel_filename(file_name)
        except InvalidWheelFilename:
            continue
        if str(found) == version and any(_fits(tag.interpreter) for tag in tags):
            hashes.add(digest)
    if not hashes:
        raise LookupError(f"The index lists no wheel of {name} {version}.")
    return sorted(hashes)


def _fits(interpreter: str) -> bool:
    """Return whether a wheel's tag matches a Python that Isogloss supports."""
    if interpreter.startswith("py"):
        return interpreter.startswith("py3")
    return interpreter.startswith("cp3") and int(interpreter[3:] or 0) >= 2


def _write(name: str, lines: list[str]) -> None:
    text = HEADER + "".join(f"{line}\n" for line in lines)
    (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
