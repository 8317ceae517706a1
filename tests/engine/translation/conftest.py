"""A translation model that several modules test."""

from pathlib import Path

import pytest

from tests.engine.translation.made import train


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has learned its table; deu-fra was not trained."""
    return train(
        tmp_path_factory.mktemp("learned"),
        n_steps=400,
        batch_size=32,
        embed_dim=32,
        dim=64,
        bridge_dim=32,
        n_heads=5,
        lr=0.01,
        dropout=0.0,
        without=["deu-fra"],
        evaluate_every=250,
    )
