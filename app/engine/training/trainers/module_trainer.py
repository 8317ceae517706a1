"""Trainer of torch modules: any architecture and objectives, with autograd."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import torch
from torch import Tensor, nn

from app.engine.encoders.neural import NeuralEncoder, SentenceModule
from app.engine.encoders.weights import TABLES
from app.engine.runtime.report import Report
from app.engine.training.objective import (
    MeasuredObjective,
    Objective,
    ObjectiveLoss,
)
from app.engine.training.objectives.mixture import ObjectiveRotation
from app.engine.training.trainers.precision import DTYPES, Precision, choose_precision
from app.engine.training.trainers.state import TrainingState
from app.engine.training.trainers.trainer import HEADS, StepResult, lr_at
from app.params.training.encoder import TrainEncoder

if TYPE_CHECKING:
    from app.engine.encoders.tokens import Tokeniser

MODULE, MOMENTS, COUNTERS = "module.", "moments.", "counters."
KEPT_HEADS = f"{HEADS}nli."
PRECISION, SCALER = "precision", "scaler."
SCALER_COUNTS = ("growth_interval", "_growth_tracker")
BETAS = (0.9, 0.999)  # Kingma and Ba 2015, section 2


class TrainableModule(NamedTuple):
    """A module and objectives to train.

    Attributes:
        module: module on its device.
        tokeniser: tokeniser of the module.
        objectives: with heads on the same device, in the order of the params.
        weights: relative frequency of each objective.
    """

    module: SentenceModule
    tokeniser: "Tokeniser"
    objectives: Sequence[Objective]
    weights: Sequence[float]


class ModuleTrainer:
    """A training in progress: module, heads, optimiser and the objectives' counters.

    Dropout draws from torch's global generator, which is reseeded before every step
    from the params' seed and the step number, so that the generator's state need not be
    saved, and work between two steps, such as a measurement, has no effect.
    """

    def __init__(self, trained: TrainableModule, params: TrainEncoder, device: str):
        self.step = 0
        self.update_s = 0.0
        self.precision: Precision = "float32"
        self._has_precision = False
        self._module = trained.module
        self._tokeniser = trained.tokeniser
        self._objectives = trained.objectives
        self._rotation = ObjectiveRotation(trained.weights)
        self._params = params
        self._device = torch.device(device)
        self._named = _named_parameters(trained.module, trained.objectives)
        self._embeddings = [p for n, p in self._named.items() if n.endswith(TABLES)]
        self._optimiser = self._make_optimiser()
        self._scaler = torch.amp.GradScaler(self._device.type, enabled=False)

    @property
    def n_parameters(self) -> int:
        """Return the number of trained weights, including heads."""
        return sum(parameter.numel() for parameter in self._named.values())

    def prepare(self, report: Report) -> None:
        """Prepare the step's objective; choose the floating-point format."""
        self._module.train()
        self._current_objective.prepare(self.step, self._module, report)
        if not self._has_precision:
            self._choose_precision()
            self._has_precision = True

    def make_step(self, *, wants_values: bool) -> StepResult:
        """Make one step of the next objective."""
        objective = self._current_objective
        self._module.train()
        torch.manual_seed(_step_seed(self._params.seed, self.step))
        self._optimiser.zero_grad(set_to_none=True)
        n = self._params.n_accumulated
        losses = [self._accumulate(objective, 1 / n) for _ in range(n)]
        begun = time.perf_counter()
        self._update()
        self.update_s = time.perf_counter() - begun
        self.step += 1
        values = _mean_values(losses)
        if len(self._objectives) > 1:
            values = {f"{key}.{objective.name}": v for key, v in values.items()}
        return StepResult(
            objective.name,
            float(torch.stack([one.loss.detach() for one in losses]).mean()),
            values,
            sum(one.n_sentences for one in losses),
            sum(one.n_tokens for one in losses),
        )

    def state(self) -> TrainingState:
        """Return the state that a later run resumes from (shares memory)."""
        tensors = {name: p.detach() for name, p in self._named.items()}
        for name, parameter in self._named.items():
            for key, value in self._optimiser.state[parameter].items():
                if value is not None:  # SGD has no moments
                    tensors[f"{MOMENTS}{name}.{key}"] = value
        for objective in self._objectives:
            for key, value in objective.state().items():
                tensors[f"{COUNTERS}{objective.name}.{key}"] = value
        for key, value in self._scaler.state_dict().items():
            tensors[SCALER + key] = torch.tensor(value, dtype=torch.float64)
        return TrainingState(self.step, tensors, {PRECISION: self.precision})

    def restore(self, state: TrainingState) -> None:
        """Restore a state and its precision."""
        self.step = state.step
        self._set_precision(cast(Precision, state.notes[PRECISION]))
        self._has_precision = True
        with torch.no_grad():
            for name, parameter in self._named.items():
                parameter.copy_(state.tensors[name])
        self._restore_moments(state)
        for objective in self._objectives:
            objective.restore(
                _with_prefix(state.tensors, f"{COUNTERS}{objective.name}.")
            )
        scaler = _with_prefix(state.tensors, SCALER)
        if scaler:
            values = {key: value.item() for key, value in scaler.items()}
            counts = {key: int(values[key]) for key in SCALER_COUNTS}
            self._scaler.load_state_dict(values | counts)

    def weights(self) -> dict[str, Tensor]:
        """Return the module's weights, without heads (shares memory)."""
        return dict(self._module.state_dict())

    def heads(self) -> dict[str, Tensor]:
        """Return the NLI head, which is saved as a classifier."""
        return {
            name: parameter.detach()
            for name, parameter in self._named.items()
            if name.startswith(KEPT_HEADS)
        }

    def measure(self, step: Callable[[str], None]) -> dict[str, float]:
        """Measure the objectives that hold out examples."""
        values: dict[str, float] = {}
        for objective in self._objectives:
            if isinstance(objective, MeasuredObjective):
                values |= objective.measure(self._module.eval(), step)
        return values

    def encoder(self) -> NeuralEncoder:
        """Return an encoder with the module's current weights."""
        return NeuralEncoder(self._module, self._tokeniser, device=str(self._device))

    @property
    def _current_objective(self) -> Objective:
        return self._objectives[self._rotation.task(self.step)]

    def _make_optimiser(self) -> torch.optim.Optimizer:
        lr, weights = self._params.lr, self._named.values()
        is_fused = self._device.type in ("cpu", "cuda")
        if self._params.optimiser == "sgd":
            return torch.optim.SGD(weights, lr=lr, fused=is_fused)
        return torch.optim.Adam(weights, lr=lr, betas=BETAS, fused=is_fused)

    def _accumulate(self, objective: Objective, share: float) -> ObjectiveLoss:
        """Add the gradient of one batch, divided by the number of batches."""
        examples = objective.draw(self.step)
        with torch.autocast(
            self._device.type,
            DTYPES.get(self.precision, torch.bfloat16),
            enabled=self.precision != "float32",
        ):
            loss = objective.loss(self._module, examples)
        scaled = self._scaler.scale(loss.loss * share)
        scaled.backward()
        return loss

    def _update(self) -> None:
        """Clip the gradient and make a step of the optimiser at the current rate.

        With SGD the tables' gradients are multiplied after clipping: Chidambaram et al.
        2019, section 3, multiply the gradients of words and n-grams by 100.
        """
        for group in self._optimiser.param_groups:
            group["lr"] = lr_at(self.step, self._params)
        if self._params.clip_norm:
            self._scaler.unscale_(self._optimiser)
            nn.utils.clip_grad_norm_(self._named.values(), self._params.clip_norm)
        if self._params.optimiser == "sgd" and self._params.embedding_gradient != 1:
            for parameter in self._embeddings:
                if parameter.grad is not None:
                    parameter.grad.mul_(self._params.embedding_gradient)
        self._scaler.step(self._optimiser)
        self._scaler.update()

    def _restore_moments(self, state: TrainingState) -> None:
        """Load the moments of a state into the optimiser."""
        moments = {}
        for i, name in enumerate(self._named):
            found = _with_prefix(state.tensors, f"{MOMENTS}{name}.")
            if found:
                moments[i] = {key: value.clone() for key, value in found.items()}
        groups = self._optimiser.state_dict()["param_groups"]
        self._optimiser.load_state_dict({"state": moments, "param_groups": groups})

    def _choose_precision(self) -> None:
        """Choose the precision; a trial has no side effects."""
        turn = self._current_objective
        counters = turn.state()
        self._set_precision(
            choose_precision(self._params.precision, str(self._device), self._try)
        )
        turn.restore(counters)

    def _set_precision(self, precision: Precision) -> None:
        """Set the precision, as chosen or from a checkpoint."""
        self.precision = precision
        is_scaled = precision == "float16"
        self._scaler = torch.amp.GradScaler(self._device.type, enabled=is_scaled)

    def _try(self, precision: Precision) -> None:
        """Make a forward and backward pass for timing."""
        self._set_precision(precision)
        self._module.train()
        self._accumulate(self._current_objective, 1.0)
        self._optimiser.zero_grad(set_to_none=True)


def _named_parameters(
    module: SentenceModule, objectives: Sequence[Objective]
) -> dict[str, nn.Parameter]:
    """Return all trained parameters by name."""
    named = {MODULE + name: p for name, p in module.named_parameters()}
    for objective in objectives:
        for name, parameter in objective.heads.named_parameters():
            named[f"{HEADS}{objective.name}.{name}"] = parameter
    return {name: p for name, p in named.items() if p.requires_grad}


def _step_seed(seed: int, step: int) -> int:
    """Mix a seed and a step into one seed."""
    return int(np.random.SeedSequence([seed, step]).generate_state(1, np.uint64)[0])


def _mean_values(losses: Sequence[ObjectiveLoss]) -> dict[str, float]:
    """Average the values of accumulated batches."""
    names = dict.fromkeys(name for one in losses for name in one.values)
    return {
        name: float(np.mean([one.values[name] for one in losses if name in one.values]))
        for name in names
    }


def _with_prefix(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Return the tensors whose names have a prefix, without the prefix."""
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
