"""Tiny modules, contexts and trainings that the tests of objectives share."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from app.engine.encoders.configs import BilstmConfig, StaticConfig
from app.engine.encoders.neural import SentenceModule
from app.engine.encoders.static.encoder import save_static
from app.engine.encoders.tokenisers import PieceTokeniser
from app.engine.encoders.weights import build_module
from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.held_out import HeldOutSentences, normal_hashes
from app.engine.training.objective import Objective, ObjectiveContext
from app.params import build_params
from app.params.training.encoder import TrainEncoder

DIM = 16
DEFAULTS = {
    "name": "tiny",
    "dim": DIM,
    "embed_dim": 12,
    "dropout": 0.0,
    "batch_size": 16,
    "languages_per_batch": 2,
    "decoder_dim": 24,
    "language_dim": 4,
    "margin": 0.0,
    "temperature": 0.1,
}


def make_context(
    folder: Path,
    vocabulary: Vocabulary,
    *,
    files: Sequence[Path] = (),
    kept_out: Sequence[str] = (),
    **settings: Any,
) -> ObjectiveContext:
    params = build_params(TrainEncoder, DEFAULTS | settings)
    hashes = normal_hashes(kept_out) if kept_out else np.empty(0, np.uint64)
    return ObjectiveContext(
        params=params,
        files=files,
        tokeniser=PieceTokeniser(vocabulary, max_tokens=64),
        vocabulary=vocabulary,
        dim=params.dim,
        folder=folder,
        project_folder=None,
        device="cpu",
        kept_out=HeldOutSentences(hashes),
    )


def save_encoder(folder: Path, vocabulary: Vocabulary, dim: int) -> Path:
    """Save a static encoder of random weights."""
    table = np.random.default_rng(0).normal(size=(vocabulary.n_pieces, dim))
    table[0] = 0
    save_static(
        folder,
        StaticConfig(
            name=folder.name, dim=dim, n_pieces=vocabulary.n_pieces, n_bigrams=0
        ),
        table=table.astype(np.float32),
        vocabulary=vocabulary.model_bytes,
        card=f"# {folder.name}\n",
    )
    return folder


def make_module(vocabulary: Vocabulary, architecture: str = "static") -> SentenceModule:
    torch.manual_seed(0)
    if architecture == "static":
        return build_module(
            StaticConfig(
                name="tiny", dim=DIM, n_pieces=vocabulary.n_pieces, n_bigrams=0
            )
        )
    return build_module(
        BilstmConfig(
            name="tiny",
            dim=DIM,
            n_pieces=vocabulary.n_pieces,
            embed_dim=12,
            hidden_dim=DIM // 2,
            dropout=0.0,
        )
    )


def train(
    objective: Objective, module: SentenceModule, n_steps: int, lr: float = 0.02
) -> list[float]:
    """Return the losses of some steps of Adam."""
    parameters = [*module.parameters(), *objective.heads.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=lr)
    losses = []
    for step in range(n_steps):
        objective.prepare(step, module, Report())
        optimiser.zero_grad()
        found = objective.loss(module, objective.draw(step))
        found.loss.backward()
        optimiser.step()
        losses.append(found.loss.item())
    return losses


def gradient_norms(objective: Objective, module: SentenceModule) -> dict[str, float]:
    """Return the length of each parameter's gradient after one batch."""
    objective.prepare(0, module, Report())
    loss = objective.loss(module, objective.draw(0)).loss
    loss.backward()
    named = [*module.named_parameters(), *objective.heads.named_parameters()]
    return {
        name: 0.0 if p.grad is None else float(p.grad.norm())
        for name, p in named
        if p.requires_grad
    }


def flat(examples: Any) -> list[Any]:
    """Return all arrays of drawn examples as lists, for comparison."""
    if isinstance(examples, np.ndarray):
        return [examples.tolist()]
    if isinstance(examples, dict):
        return [value for part in examples.values() for value in flat(part)]
    if isinstance(examples, tuple):
        return [value for part in examples for value in flat(part)]
    if hasattr(examples, "ids"):
        return [examples.ids.tolist(), examples.ends.tolist()]
    return [examples]


def check_draws_are_reproducible(make: Any, n_before: int = 5) -> None:
    """Check that equal seeds draw alike, and a restored objective goes on alike."""
    first, second, restored = make(), make(), make()
    for step in range(n_before):
        drawn = flat(first.draw(step))
        assert drawn == flat(second.draw(step))
    restored.restore(first.state())
    for step in range(n_before, 2 * n_before):
        assert flat(first.draw(step)) == flat(restored.draw(step))
