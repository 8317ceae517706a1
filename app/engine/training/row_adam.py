"""Adam on the rows of a table that a batch has touched, and on no others."""

import torch
from torch import Tensor

BETA_1 = 0.9
BETA_2 = 0.999
EPSILON = 1e-8


class RowAdam:
    """Adam (Kingma and Ba 2015, algorithm 1) applied to chosen rows of a table.

    A row that is not chosen keeps its moments (lazy Adam); with all rows chosen at
    each step it is exactly Adam.

    Attributes:
        table: float32 (rows, d), changed in place.
        first_moments, second_moments: float32 (rows, d).
        n_updates: updates made so far; corrects the bias of the moments.
    """

    def __init__(self, table: Tensor):
        self.table = table
        self.first_moments = torch.zeros_like(table)
        self.second_moments = torch.zeros_like(table)
        self.n_updates = 0
        self._rate = 0.0
        self._second_scale = 1.0

    def begin(self, lr: float) -> None:
        """Begin an update at a rate; `apply` then takes its rows in any blocks."""
        self.n_updates += 1
        self._rate = lr / (1 - BETA_1**self.n_updates)
        self._second_scale = 1 - BETA_2**self.n_updates

    def apply(self, rows: Tensor, gradients: Tensor) -> None:
        """Change distinct rows; each at most once an update.

        Args:
            rows: int64 (r,), distinct.
            gradients: float32 (r, d), of the loss by these rows.
        """
        first = self.first_moments[rows].lerp_(gradients, 1 - BETA_1)
        second = self.second_moments[rows].mul_(BETA_2)
        second.addcmul_(gradients, gradients, value=1 - BETA_2)
        self.first_moments.index_copy_(0, rows, first)
        self.second_moments.index_copy_(0, rows, second)
        divisors = second.div_(self._second_scale).sqrt_().add_(EPSILON)
        self.table.index_add_(0, rows, first.div_(divisors), alpha=-self._rate)
