"""Untrained twins of encoders: the same architecture with random weights."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from app.engine.encoders.configs import BridgeConfig, StaticConfig
from app.engine.encoders.folder import count_parameters, fingerprint_of, read_config
from app.engine.encoders.new_config import TrainableConfig
from app.engine.encoders.registry import find_encoder, find_with_heads

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

MAX_CACHED_BYTES = 1_000_000_000  # of weights of cached twins


class UntrainedEncoders:
    """Cache of untrained twins, limited by memory."""

    def __init__(self, project_folder: Path | None, device: str):
        self._folder, self._device = project_folder, device
        self._kept: dict[tuple[str, int], Encoder | None] = {}
        self._n_bytes = 0

    def get(self, name: str, seed: int) -> "Encoder | None":
        """Return the twin of an encoder for a seed; None for an imported encoder."""
        if (name, seed) in self._kept:
            return self._kept[name, seed]
        twin = load_untrained(name, self._folder, seed=seed, device=self._device)
        n_bytes = 4 * count_parameters(find_encoder(name, self._folder))
        if self._n_bytes + n_bytes <= MAX_CACHED_BYTES:
            self._n_bytes += n_bytes
            self._kept[name, seed] = twin
        return twin


def load_untrained(
    name: str, project_folder: Path | None, *, seed: int, device: str = "cpu"
) -> "Encoder | None":
    """Make the untrained twin of an encoder; None for an imported encoder.

    It has the encoder's vocabulary and sizes, and random initial weights as in
    training.

    Args:
        name: name as in `load_encoder`.
    """
    folder, rows = find_with_heads(name, project_folder)
    config = read_config(folder)
    if isinstance(config, BridgeConfig):
        return _untrained_bridge(folder, config, rows, seed=seed, device=device)
    if not isinstance(config, TrainableConfig):
        return None
    import torch

    from app.engine.encoders.contextual import attach_base
    from app.engine.encoders.neural import NeuralEncoder
    from app.engine.encoders.weights import build_module

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = build_module(config)
    attach_base(module, folder, config)
    fingerprint = _fingerprint_of_twin(folder, seed)
    twin_name = f"{config.name} (untrained)"
    if isinstance(config, StaticConfig):
        from app.engine.encoders.static.encoder import (
            NgramTable,
            StaticEncoder,
            read_romaniser,
            read_vocabulary,
        )

        table = module.get_parameter("table").detach().numpy()
        n_rows = config.n_ngrams
        return StaticEncoder(
            table,
            read_vocabulary(folder, config),
            ngrams=NgramTable(read_romaniser(folder), n_rows) if n_rows else None,
            name=twin_name,
            fingerprint=fingerprint,
            device=device,
        )
    from app.engine.encoders.tokenisers import load_tokeniser

    return NeuralEncoder(
        module,
        load_tokeniser(folder, config),
        name=twin_name,
        fingerprint=fingerprint,
        device=device,
    )


def _untrained_bridge(
    folder: Path, config: BridgeConfig, rows: str, *, seed: int, device: str
) -> "Encoder":
    """Make the untrained twin of a translation model, or of some of its heads."""
    from app.engine.encoders.bridge.codec import load_codec
    from app.engine.encoders.bridge.encoder import MEAN, BridgeEncoder, make_module

    twin_config = msgspec.structs.replace(config, name=f"{config.name} (untrained)")
    return BridgeEncoder(
        make_module(twin_config, seed=seed),
        load_codec(folder, config),
        rows=rows or MEAN,
        fingerprint=_fingerprint_of_twin(folder, seed),
        device=device,
    )


def _fingerprint_of_twin(folder: Path, seed: int) -> str:
    """Return a fingerprint that differs from all trained encoders."""
    label = f"untrained {seed} {fingerprint_of(folder)}"
    return hashlib.sha256(label.encode()).hexdigest()
