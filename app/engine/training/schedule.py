"""Learning rates over a training's steps."""


def linear_lr(step: int, *, highest: float, n_warmup: int, n_steps: int) -> float:
    """Give the rate of a step (from 0): linear to the highest, then linear to zero."""
    if step < n_warmup:
        return highest * (step + 1) / n_warmup
    return highest * (n_steps - step) / max(1, n_steps - n_warmup)
