"""Learning rates over a training's steps."""

import math

from app.params.training import TrainEncoder


def linear_lr(step: int, *, highest: float, n_warmup: int, n_steps: int) -> float:
    """Give the rate of a step (from 0): linear to the highest, then linear to zero."""
    if step < n_warmup:
        return highest * (step + 1) / n_warmup
    return highest * (n_steps - step) / max(1, n_steps - n_warmup)


def lr_at(step: int, params: TrainEncoder) -> float:
    """Give the rate of a step (from 0): linear warm-up, then the decay of the params.

    Cosine is half a period of it without restarts (Loshchilov and Hutter 2017,
    equation 5, with a lowest rate of 0).
    """
    if step < params.n_warmup or params.decay == "linear":
        return linear_lr(
            step, highest=params.lr, n_warmup=params.n_warmup, n_steps=params.n_steps
        )
    if params.decay == "constant":
        return params.lr
    done = (step - params.n_warmup) / max(1, params.n_steps - params.n_warmup)
    return params.lr * (1 + math.cos(math.pi * done)) / 2
