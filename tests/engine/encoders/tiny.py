"""Encoders that tests make: tiny ones on disk."""

from pathlib import Path

import numpy as np

from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.registry import find_encoder
from app.engine.encoders.static.encoder import save_static
from app.engine.text.subword_vocabulary import load_vocabulary

DIM, N_BIGRAMS = 6, 50


def save_tiny(folder: Path, *, seed: int = 0, languages: tuple[str, ...] = ()) -> None:
    """Save a static encoder of random weights over the bundled vocabulary."""
    vocabulary = load_vocabulary(find_encoder(""))
    generator = np.random.default_rng(seed)
    table = generator.normal(size=(vocabulary.n_pieces + N_BIGRAMS, DIM))
    table[0] = 0
    config = StaticConfig(
        name=folder.name,
        description="Random weights of a test.",
        dim=DIM,
        n_pieces=vocabulary.n_pieces,
        n_bigrams=N_BIGRAMS,
        languages=languages,
    )
    save_static(
        folder,
        config,
        table=table.astype(np.float32),
        vocabulary=vocabulary.model_bytes,
        card=f"# {folder.name}\n\nMade by a test.\n",
    )
