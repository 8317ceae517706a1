"""What holds for every test: no display, no data of the user, few threads."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# Before Qt or a numerical library is imported by any test.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OMP_NUM_THREADS", "1")
if "PYTEST_XDIST_WORKER" in os.environ:  # two tests at once: a thread each
    os.environ["OMP_NUM_THREADS"] = "1"
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
