"""A translation model that several modules test."""

from pathlib import Path

import pytest

from tests.engine.translation.made import train_to_the_end


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has learned its table; deu-fra was not trained."""
    return train_to_the_end(tmp_path_factory.mktemp("learned"), without=["deu-fra"])
