"""Two projects: one that exports pairs, and one in which they are judged."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.project.project import Project, create_project
from tests.engine.review.made import add_corpora, add_pairs
from tests.engine.review.packages.handing import N


@pytest.fixture
def here(tmp_path: Path, data_dir: Path) -> Iterator[Project]:
    with create_project(tmp_path / "here.isogloss") as project:
        add_corpora(project, N)
        add_pairs(project, N)
        yield project


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "there.isogloss") as project:
        yield project
