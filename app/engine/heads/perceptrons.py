"""The tuned perceptron of the probing protocol: a grid of perceptrons trained at once.

One hidden layer with dropout and sigmoid, as in SentEval (Conneau and Kiela 2018); the
grid of hidden size, dropout and L2 is from the probing tasks (Conneau et al. 2018,
section 3). Adam; every fourth epoch is measured on the development set, and training
ends at the sixth measurement without improvement (SentEval's tenacity of 5 allows five,
and improvements do not reset the count); the best weights are returned. Perceptrons
with the same hidden size are slices of one array: a batch of rows passes through all of
them in one matrix product, and stacks are processed in parallel.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from app.arrays import FloatArray, IntArray
from app.engine.heads.workers import Workers

HIDDEN = (50, 100, 200)
DROPOUTS = (0.0, 0.1, 0.2)
L2 = (1e-5, 1e-4, 1e-3, 1e-2)  # as in SentEval's grid of weight decay
LR, BETAS, EPSILON = 1e-3, (0.9, 0.999), 1e-8  # of Adam
BATCH = 64
EPOCHS = 4  # epochs between two measurements
TENACITY = 5  # measurements allowed without improvement
MAX_EPOCHS = 200
UNITS = 600  # hidden units per stack, whose weights fit in one processor's cache


class PerceptronConfig(NamedTuple):
    """A perceptron of a grid.

    Attributes:
        hidden: size of the hidden layer.
        dropout: share of the layer's inputs to the sigmoid that are set to 0.
        l2: weight decay that is added to the gradient.
        seed: seed of the initial weights.
        labelling: index of the labelling to learn.
    """

    hidden: int
    dropout: float
    l2: float
    seed: int
    labelling: int = 0


class MultiLabelledRows(NamedTuple):
    """Rows with one or several labellings.

    Attributes:
        features: float32 (n, f).
        labels: int64 (l, n), 0…c-1; negative: no class.
    """

    features: Tensor
    labels: Tensor


class TrainedPerceptron(NamedTuple):
    """A trained perceptron.

    Attributes:
        arrays: weights (h, f), biases (h,), weights (c, h), biases (c,).
        development: best accuracy on the development set, 0…1.
        epoch: epoch of the best accuracy.
    """

    arrays: tuple[Tensor, ...]
    development: float
    epoch: int

    def predict(self, features: Tensor) -> IntArray:
        """Return the most likely class of each row, int64 (n,)."""
        stacked = [array[None] for array in self.arrays]
        found: IntArray = _forward(stacked, features)[0].argmax(dim=1).numpy()
        return found


def list_grid(seed: int) -> list[PerceptronConfig]:
    """List the grid, smallest and least regularised perceptrons first."""
    return [PerceptronConfig(*one, seed) for one in product(HIDDEN, DROPOUTS, L2)]


def make_rows(
    features: FloatArray, labellings: Sequence[IntArray]
) -> MultiLabelledRows:
    """Scale vectors of mean squared length 1 to a variance of 1 per dimension."""
    scale = np.float32(np.sqrt(features.shape[1]))
    return MultiLabelledRows(
        torch.from_numpy(features * scale), torch.from_numpy(np.stack(labellings))
    )


def train_grid(
    train: MultiLabelledRows,
    development: MultiLabelledRows,
    n_classes: int,
    members: Sequence[PerceptronConfig],
    *,
    seed: int,
    workers: Workers,
) -> list[TrainedPerceptron]:
    """Train perceptrons together; each ends at the same epoch as if trained alone.

    Args:
        train: rows with the members' labellings.
        development: development rows with the same labellings.
        n_classes: c.
        members: the perceptrons.
        seed: seed of dropout and of the order of rows, which all members share.
        workers: workers that process one stack each.
    """
    generator = torch.Generator().manual_seed(seed)
    shape = train.features.shape[1], n_classes
    stacks = [
        _Stack(some, shape, seed=seed + number)
        for number, some in enumerate(_stack_configs(members))
    ]
    done: dict[int, TrainedPerceptron] = {}
    for epoch in range(EPOCHS, MAX_EPOCHS + 1, EPOCHS):
        workers.report.step("Training", epoch - EPOCHS, MAX_EPOCHS)
        orders = [
            torch.randperm(len(train.features), generator=generator)
            for _ in range(EPOCHS)
        ]
        learn = partial(_learn, train=train, orders=orders, workers=workers)
        workers.each(learn, stacks)
        for stack in stacks:
            done |= stack.measure(development, epoch)
        stacks = [stack for stack in stacks if stack.seats]
        if not stacks:
            break
    for stack in stacks:
        done |= stack.end()
    return [done[index] for index in range(len(members))]


def _learn(
    stack: "_Stack",
    *,
    train: MultiLabelledRows,
    orders: Sequence[Tensor],
    workers: Workers,
) -> None:
    """Train a stack on all rows, in each of several orders."""
    for order in orders:
        for rows in torch.split(order, BATCH):
            workers.go_on()
            stack.learn(train.features[rows], train.labels[:, rows])


class _MemberState:
    """Position and progress of one perceptron in a stack.

    Attributes:
        place: index among all members.
        best: perceptron at its best measurement.
        n_worse: measurements without improvement.
    """

    def __init__(self, index: int, member: PerceptronConfig):
        self.place, self.member = index, member
        self.best: TrainedPerceptron | None = None
        self.n_worse = 0


class _Stack:
    """Perceptrons of one size, with stacked weights.

    Attributes:
        seats: states of the members still in training.
    """

    def __init__(
        self, members: dict[int, PerceptronConfig], shape: tuple[int, int], *, seed: int
    ):
        self.seats = [_MemberState(place, member) for place, member in members.items()]
        drawn = [_first_weights(shape, member) for member in members.values()]
        self._weights = [torch.stack(arrays) for arrays in zip(*drawn, strict=True)]
        self._moments = [(one * 0, one * 0) for one in self._weights]
        self._n_steps = 0
        self._generator = torch.Generator().manual_seed(seed)
        self._lay_out()

    def learn(self, features: Tensor, labels: Tensor) -> None:
        """Make one step of Adam (Kingma and Ba 2015) on a batch."""
        for weight in self._weights:
            weight.requires_grad_(True)
        logits = _forward(self._weights, features, self._dropouts, self._generator)
        loss = functional.cross_entropy(
            logits.flatten(0, 1), labels[self._labellings].flatten(), reduction="sum"
        )
        slopes = torch.autograd.grad(loss / len(features), self._weights)
        self._n_steps += 1
        rates = [1 - beta**self._n_steps for beta in BETAS]
        with torch.no_grad():
            for weight, slope, (mean, square) in zip(
                self._weights, slopes, self._moments, strict=True
            ):
                l2 = self._l2.view(-1, *[1] * (weight.ndim - 1))  # (m,) -> (m, 1, …)
                slope = torch.addcmul(slope, weight, l2)
                mean.lerp_(slope, 1 - BETAS[0])
                square.mul_(BETAS[1]).addcmul_(slope, slope, value=1 - BETAS[1])
                spread = square.sqrt().mul_(rates[1] ** -0.5).add_(EPSILON)
                weight.addcdiv_(mean, spread, value=-LR / rates[0])

    def measure(
        self, development: MultiLabelledRows, epoch: int
    ) -> dict[int, TrainedPerceptron]:
        """Measure all members; return the members that end here, by index."""
        with torch.no_grad():
            found = _forward(self._weights, development.features).argmax(dim=2)
        right = (found == development.labels[self._labellings]).float().mean(dim=1)
        for number, (seat, accuracy) in enumerate(
            zip(self.seats, right.tolist(), strict=True)
        ):
            if seat.best is None or accuracy > seat.best.development:
                arrays = tuple(one[number].detach().clone() for one in self._weights)
                seat.best = TrainedPerceptron(arrays, accuracy, epoch)
            else:
                seat.n_worse += 1
        return self._keep([seat.n_worse <= TENACITY for seat in self.seats])

    def end(self) -> dict[int, TrainedPerceptron]:
        """Return the best weights of all remaining members."""
        return self._keep([False] * len(self.seats))

    def _keep(self, is_kept: list[bool]) -> dict[int, TrainedPerceptron]:
        """Continue with some members; return the other members."""
        ended = {
            seat.place: seat.best
            for seat, kept in zip(self.seats, is_kept, strict=True)
            if not kept and seat.best is not None
        }
        if ended:
            rows = torch.tensor(is_kept)
            self._weights = [one.detach()[rows] for one in self._weights]
            self._moments = [(one[rows], other[rows]) for one, other in self._moments]
            self.seats = [seat for seat in self.seats if seat.place not in ended]
            self._lay_out()
        return ended

    def _lay_out(self) -> None:
        """Collect the settings of the members in arrays (m,)."""
        members = [seat.member for seat in self.seats]
        self._dropouts = torch.tensor([member.dropout for member in members])
        self._l2 = torch.tensor([member.l2 for member in members])
        self._labellings = torch.tensor(
            [member.labelling for member in members], dtype=torch.int64
        )


def _forward(
    weights: Sequence[Tensor],
    features: Tensor,
    dropouts: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Pass rows through m perceptrons: float32 (b, f) -> (m, b, c)."""
    first, first_bias, last, last_bias = weights
    m, h, f = first.shape
    inputs = functional.linear(features, first.view(m * h, f), first_bias.view(-1))
    inputs = inputs.view(-1, m, h)  # (b, mh) -> (b, m, h)
    if dropouts is not None and dropouts.any():
        kept = torch.rand(inputs.shape, generator=generator) >= dropouts[:, None]
        inputs = inputs * kept / (1 - dropouts[:, None])
    states = torch.sigmoid(inputs).transpose(0, 1)  # (b, m, h) -> (m, b, h)
    return torch.baddbmm(last_bias[:, None], states, last.transpose(1, 2))


def _first_weights(shape: tuple[int, int], member: PerceptronConfig) -> list[Tensor]:
    """Draw uniform weights within ±1/√in, as torch's linear layers do."""
    generator = torch.Generator().manual_seed(member.seed)
    n_in, n_out = shape
    drawn = []
    for inputs, outputs in ((n_in, member.hidden), (member.hidden, n_out)):
        for size in ((outputs, inputs), (outputs,)):
            values = torch.rand(size, generator=generator)
            drawn.append((2 * values - 1) * inputs**-0.5)
    return drawn


def _stack_configs(
    members: Sequence[PerceptronConfig],
) -> Iterator[dict[int, PerceptronConfig]]:
    """Yield stacks of members with the same hidden size, as indices."""
    for hidden in sorted({member.hidden for member in members}):
        indices = [n for n, member in enumerate(members) if member.hidden == hidden]
        size = max(1, UNITS // hidden)
        for first in range(0, len(indices), size):
            yield {index: members[index] for index in indices[first : first + size]}
