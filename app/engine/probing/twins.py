"""The untrained twin of an encoder: the same architecture with fresh weights."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from app.engine.encoders.checkpoint import find_encoder, fingerprint_of, read_config
from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.new_config import TrainableConfig

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder


def load_twin(
    name: str, project_folder: Path | None, *, seed: int, device: str = "cpu"
) -> "Encoder | None":
    """Make the untrained twin of an encoder; None: it was made elsewhere.

    It has the encoder's vocabulary and sizes; its weights are those that a training
    would begin with.

    Args:
        name: as of `load_encoder`.
        project_folder: the open project's folder.
        seed: of the weights.
        device: a torch device that exists.
    """
    folder = find_encoder(name, project_folder)
    config = read_config(folder)
    if not isinstance(config, TrainableConfig):
        return None
    import torch

    from app.engine.encoders.neural import NeuralEncoder, build_module

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = build_module(config)
    label = f"untrained {seed} {fingerprint_of(folder)}"
    fingerprint = hashlib.sha256(label.encode()).hexdigest()
    twin_name = f"{config.name} (untrained)"
    if isinstance(config, StaticConfig):
        from app.engine.encoders.static import NgramTable, StaticEncoder
        from app.engine.encoders.static_folder import read_romaniser, read_vocabulary

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
    from app.engine.encoders.units import load_units

    return NeuralEncoder(
        module,
        load_units(folder, config),
        name=twin_name,
        fingerprint=fingerprint,
        device=device,
    )
