"""A tiny encoder made of the tiny vocabulary."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.static.encoder import StaticEncoder, save_static
from app.engine.text.subword_vocabulary import Vocabulary

N_BIGRAMS = 50
DIM = 6


@pytest.fixture(scope="session")
def table(vocabulary: Vocabulary) -> np.ndarray:
    generator = np.random.default_rng(0)
    made = generator.normal(size=(vocabulary.n_pieces + N_BIGRAMS, DIM))
    made[0] = 0
    return made.astype(np.float32)


@pytest.fixture(scope="session")
def encoder(vocabulary: Vocabulary, table: np.ndarray) -> StaticEncoder:
    return StaticEncoder(table, vocabulary, name="tiny")


@pytest.fixture
def folder(vocabulary: Vocabulary, table: np.ndarray, tmp_path: Path) -> Path:
    config = StaticConfig(
        name="tiny", dim=DIM, n_pieces=vocabulary.n_pieces, n_bigrams=N_BIGRAMS
    )
    out = tmp_path / "encoders" / "tiny"
    save_static(
        out, config, table=table, vocabulary=vocabulary.model_bytes, card="# tiny\n"
    )
    return out
