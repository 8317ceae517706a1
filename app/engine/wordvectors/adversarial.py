"""Learn a map between two languages without a dictionary, against a discriminator.

Lample et al. 2018, "Word Translation Without Parallel Data", section 2.1 and 3.2: a
discriminator learns to tell mapped source vectors from target vectors, and the map
learns to mislead it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from app.arrays import FloatArray
from app.engine.runtime.report import Report
from app.engine.wordvectors.mapping import measure_criterion

STAGE = "Training adversarially"
PAPER_DIM, PAPER_HIDDEN = 300, 2_048  # the discriminator 300-2048-2048-1
N_FREQUENT = 50_000  # words that the discriminator is shown
BATCH, N_DISCRIMINATOR_STEPS = 32, 5
INPUT_DROPOUT, SLOPE = 0.1, 0.2
SMOOTHING = 0.2  # the discriminator's targets are 0.8 and 0.2
LR, LR_DECAY, LR_SHRINK, MIN_LR = 0.1, 0.98, 0.5, 1e-6
BETA = 0.01  # of the step to an orthogonal matrix
MAX_SAMPLES, SAMPLES_PER_WORD = 1_000_000, 20  # of an epoch


class AdversarialOptions(NamedTuple):
    """How long to train, and from which random numbers."""

    n_epochs: int
    seed: int
    title: str = STAGE


def learn_adversarially(
    source: FloatArray,
    target: FloatArray,
    options: AdversarialOptions,
    report: Report,
) -> FloatArray:
    """Return the map of the epoch with the best unsupervised criterion.

    The hidden layers have 2,048 units at 300 dimensions, and fewer in proportion at
    fewer. The learning rate is halved from the second drop of the criterion on.

    Args:
        source: float32 (n, d), unit rows, the most frequent word first.
        target: float32 (m, d).
        options: epochs and seed.

    Returns:
        float32 (d, d), nearly orthogonal.
    """
    generator = torch.Generator().manual_seed(options.seed)
    sides = tuple(
        torch.from_numpy(np.array(side[:N_FREQUENT])) for side in (source, target)
    )
    game = _Game(sides, generator)
    n_samples = min(MAX_SAMPLES, SAMPLES_PER_WORD * max(map(len, sides)))
    n_steps = max(1, n_samples // BATCH)
    best, best_value, n_drops = game.mapping(), -1.0, 0
    for epoch in range(options.n_epochs):
        for step in range(n_steps):
            done, total = epoch * n_steps + step, options.n_epochs * n_steps
            report.step(options.title, done, total)
            for _ in range(N_DISCRIMINATOR_STEPS):
                game.train_discriminator()
            game.train_mapping()
        mapping = game.mapping()
        value = measure_criterion(source, target, mapping, report)
        report.metric(epoch + 1, criterion=value)
        if value > best_value:
            best, best_value = mapping, value
        else:
            n_drops += 1
        game.lr *= LR_DECAY * (LR_SHRINK if n_drops >= 2 else 1.0)
        if game.lr < MIN_LR:
            break
    return best


class _Game:
    """The two players and their updates.

    Attributes:
        lr: learning rate of both.
    """

    def __init__(self, sides: tuple[Tensor, ...], generator: torch.Generator):
        self.lr = LR
        self._sides, self._generator = sides, generator
        dim = sides[0].shape[1]
        hidden = max(64, PAPER_HIDDEN * dim // PAPER_DIM)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(generator.initial_seed()))
            self._judge = nn.Sequential(
                nn.Linear(dim, hidden),
                nn.LeakyReLU(SLOPE),
                nn.Linear(hidden, hidden),
                nn.LeakyReLU(SLOPE),
                nn.Linear(hidden, 1),
            )
        self._map = torch.eye(dim, requires_grad=True)
        # the target values: 1 - s for mapped source words, s for target words
        values = torch.tensor([1 - SMOOTHING, SMOOTHING])
        self._values = values.repeat_interleave(BATCH)

    def mapping(self) -> FloatArray:
        """Return the map: float32 (d, d)."""
        found: FloatArray = self._map.detach().numpy().copy()
        return found

    def train_discriminator(self) -> None:
        """Improve the discriminator (equation 3)."""
        with torch.no_grad():
            rows = self._batch()
        parameters = list(self._judge.parameters())
        self._descend(self._loss(rows, self._values), parameters)

    def train_mapping(self) -> None:
        """Improve the map against the discriminator (equation 4).

        It stays nearly orthogonal: W <- (1 + beta) W - beta (W W^T) W (equation 7).
        """
        self._descend(self._loss(self._batch(), 1 - self._values), [self._map])
        with torch.no_grad():
            matrix = self._map
            matrix.copy_((1 + BETA) * matrix - BETA * (matrix @ matrix.T @ matrix))

    def _batch(self) -> Tensor:
        """Return mapped source words, then target words: (2 b, d)."""
        some = [
            side[torch.randint(len(side), (BATCH,), generator=self._generator)]
            for side in self._sides
        ]
        return torch.cat([some[0] @ self._map.T, some[1]])

    def _loss(self, rows: Tensor, values: Tensor) -> Tensor:
        random = torch.rand(rows.shape, generator=self._generator)
        kept = rows * (random >= INPUT_DROPOUT) / (1 - INPUT_DROPOUT)
        scores = self._judge(kept).squeeze(1)  # (2 b, d) -> (2 b,)
        return nn.functional.binary_cross_entropy_with_logits(scores, values)

    def _descend(self, loss: Tensor, parameters: Sequence[Tensor]) -> None:
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.sub_(gradient, alpha=self.lr)
