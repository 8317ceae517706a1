"""What holds for every test: no display, no data of the user, few threads."""

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Before Qt or a numerical library is imported by any test.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OMP_NUM_THREADS", "1")
if "PYTEST_XDIST_WORKER" in os.environ:  # two tests at once: a thread each
    os.environ["OMP_NUM_THREADS"] = "1"
# New objects between collections: with 700, those take much of the time of a view test.
gc.set_threshold(50_000)
# Each run tries the same examples: what fails once fails again.
settings.register_profile("same", derandomize=True)
settings.load_profile("same")
os.environ["ISOGLOSS_DATA"] = tempfile.mkdtemp(prefix="isogloss-tests-")


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return this test a data folder of its own."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("ISOGLOSS_DATA", str(folder))
    return folder


def _list_windows() -> dict[int, Any]:
    """Return the widgets without a parent, by the address of their C++ object."""
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return {}
    pointer = sys.modules["shiboken6"].getCppPointer
    found = widgets.QApplication.topLevelWidgets()
    return {pointer(it)[0]: it for it in found if it.parentWidget() is None}


@pytest.fixture(autouse=True)
def _delete_windows() -> Iterator[None]:
    """Delete the windows that a test made: they would slow every later one down."""
    before = set(_list_windows())
    yield
    made = {key: it for key, it in _list_windows().items() if key not in before}
    for window in made.values():
        window.deleteLater()
    if made:
        core = sys.modules["PySide6.QtCore"]
        deferred = core.QEvent.Type.DeferredDelete
        core.QCoreApplication.sendPostedEvents(None, deferred)
    gc.enable()


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call() -> Iterator[None]:
    """Collect no garbage between a test and the deletion of its windows.

    pytest-qt draws the windows once more. Nothing refers to them any more: a collection
    in the middle of their drawing deleted them, and Qt crashed.
    """
    yield
    gc.disable()


LONGEST = ("tests/tour/", "tests/process/", "tests/test_package.py")
N_WORKERS = 4  # of start.py test


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each worker begin with a share of the longest tests, so that none ends last.

    Each worker first takes an equal share of the list; modules stay together.
    """
    modules: dict[str, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.nodeid.partition("::")[0], []).append(item)
    long = [them for name, them in modules.items() if name.startswith(LONGEST)]
    short = [them for name, them in modules.items() if not name.startswith(LONGEST)]
    shares: list[list[pytest.Item]] = [[] for _ in range(N_WORKERS)]
    for number, them in enumerate(sorted(long, key=lambda it: it[0].nodeid)):
        shares[number % N_WORKERS] += them
    most = -(-len(items) // N_WORKERS)
    index = 0
    for them in short:
        while index < N_WORKERS - 1 and len(shares[index]) + len(them) > most:
            index += 1
        shares[index] += them
    items[:] = [item for share in shares for item in share]
