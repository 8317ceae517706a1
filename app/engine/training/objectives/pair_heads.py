"""Heads that stand between sentence vectors and a task, and are dropped afterwards."""

from torch import nn

HIDDEN_SHARE = 320 / 512  # of the vector's dimensions: 320 for 512


def response_head(dim: int) -> nn.Sequential:
    """Make FC 320 tanh, FC 512 tanh for vectors of 512; in proportion for others.

    Chidambaram et al. 2019, section 3.
    """
    hidden = max(1, round(dim * HIDDEN_SHARE))
    return nn.Sequential(
        nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(hidden, dim), nn.Tanh()
    )
