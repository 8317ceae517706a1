"""Who can still be among the k nearest of each row, by rough scores with a bound.

Each of n owners (rows of one side) has a threshold: nothing that scores below it can be
among its k nearest. It rises as better ones are seen. What scores above is logged, and
the log is pruned as the thresholds rise, so that a little more than k a row stay.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

MIN_CAP = 128  # candidates that one owner may have before it is left to the slow way
BATCH = 1_000_000  # events that are sorted at once: some 100 MB
# The log is pruned when it has so many times what the last pruning left, and so many
# times k an owner more.
KEPT_SHARE, KEPT_EACH = 1.25, 0.5
_SCORE_BITS = 32


class RoughHits(NamedTuple):
    """Pairs that scored above their owner's threshold, in any order.

    Attributes:
        owners, others: int32 (e,), rows of the two sides.
        scores: float32 (e,), rough cosines.
    """

    owners: Tensor
    others: Tensor
    scores: Tensor


class ErrorBound(NamedTuple):
    """How far a rough score can be off.

    Attributes:
        own: float32 (n,), by the rounding of each owner's vector and of any other's,
            and by summation.
        relative: by the rounding of the score itself, as a share of it.
    """

    own: Tensor
    relative: float


class TopKCandidates:
    """The candidates of n owners.

    Attributes:
        k: neighbours wanted of each.
        thresholds: float32 (n,), the lowest rough score that can still matter; +inf for
            owners that are given up.
        is_given_up: bool (n,), owners with so many candidates within the bound (equal
            vectors, mostly) that a float32 search of their own is quicker.
    """

    def __init__(self, k: int, slack: ErrorBound):
        """Begin without candidates."""
        n, device = len(slack.own), slack.own.device
        self.k = k
        self.cap = max(MIN_CAP, 8 * k)
        self.thresholds = torch.full((n,), -torch.inf, device=device)
        self.is_given_up = torch.zeros(n, dtype=torch.bool, device=device)
        self._best = torch.full((n, k), -torch.inf, device=device)
        self._slack = slack
        self._pending: list[RoughHits] = []
        self._log: list[RoughHits] = []
        self._n_log, self._n_pruned = 0, 0

    def begin(self, lower: Tensor, first: int = 0) -> None:
        """Set first thresholds of some owners in a row.

        Args:
            lower: float32 (n,), what k others or more reach, or -inf.
            first: the first of the owners.
        """
        owners = torch.arange(first, first + len(lower), device=lower.device)
        raised = self._threshold(lower, owners)
        self.thresholds[owners] = torch.maximum(self.thresholds[owners], raised)

    def add(self, events: RoughHits) -> None:
        """Log events; owners with too many of them at once are given up."""
        events, crowded = drop_crowded(events, len(self.thresholds), self.cap)
        self.give_up(crowded)
        self._pending.append(events)

    def add_checked(self, parts: list[RoughHits]) -> None:
        """Log events of which no owner has too many."""
        self._pending += parts

    def give_up(self, owners: Tensor) -> None:
        """Leave owners (int64 ids) to a search of their own."""
        self.is_given_up[owners] = True
        self.thresholds[owners] = torch.inf

    def settle(self) -> None:
        """Raise the thresholds by what was added, and prune the log when it is long."""
        for new in _batches(self._pending):
            self._settle(new)
        self._pending = []
        if self._n_log > KEPT_SHARE * self._n_pruned + KEPT_EACH * self._best.numel():
            self._prune()

    def candidates(self) -> RoughHits:
        """Return all that can be among the k nearest; owners given up have none."""
        self.settle()
        self._prune()
        return self._log[0] if self._log else _no_hits(self.thresholds.device)

    def _settle(self, new: RoughHits) -> None:
        owners, best = _best_of_each(new, self.k)
        # (u, k) and (u, k) -> (u, k)
        together = torch.cat([self._best[owners], best], dim=1)
        merged = together.topk(self.k, dim=1).values
        self._best[owners] = merged
        raised = self._threshold(merged[:, -1], owners)
        self.thresholds[owners] = torch.maximum(self.thresholds[owners], raised)
        self._log.append(new)
        self._n_log += len(new.owners)

    def state(self) -> dict[str, Tensor]:
        """Return all that a killed run needs to go on."""
        events = self.candidates()
        return {
            "thresholds": self.thresholds,
            "is_given_up": self.is_given_up,
            "best": self._best,
            **events._asdict(),
        }

    def restore(self, state: dict[str, Tensor]) -> None:
        """Take up what `state` gave."""
        self.thresholds, self._best = state["thresholds"], state["best"]
        self.is_given_up = state["is_given_up"]
        self._log = [RoughHits(*(state[name] for name in RoughHits._fields))]
        self._n_log = self._n_pruned = len(state["owners"])

    def _threshold(self, reached: Tensor, owners: Tensor) -> Tensor:
        """Return the lowest rough score of a true neighbour.

        k others have the rough score `reached` or more, so the true score of the k-th
        nearest is at least that less the error, and its rough score less it again;
        the rounding is a share of a score that may be lower, and larger in size.
        """
        own = self._slack.own[owners]
        rounding = 1.01 * self._slack.relative * (reached.abs() + 2 * own)
        lowest = reached - 2 * (own + rounding)
        return torch.where(reached == -torch.inf, reached, lowest)

    def _prune(self) -> None:
        if not self._log:
            return
        events = _joined(self._log)
        # On the edge as above it: equal scores all stay.
        is_near = events.scores >= self.thresholds[events.owners]
        events = _chosen(events, is_near & ~self.is_given_up[events.owners])
        events, crowded = drop_crowded(events, len(self.thresholds), self.cap)
        self.give_up(crowded)
        self._log = [events]
        self._n_log = self._n_pruned = len(events.owners)


def drop_crowded(events: RoughHits, n: int, cap: int) -> tuple[RoughHits, Tensor]:
    """Take out the events of owners that have more than `cap`.

    Args:
        events: of owners 0…n - 1.
        n: owners.
        cap: events that one may have.

    Returns:
        The other events; int64, the owners that had too many.
    """
    if len(events.owners) <= cap:
        return events, torch.empty(0, dtype=torch.int64, device=events.owners.device)
    is_crowded = torch.bincount(events.owners, minlength=n) > cap
    crowded = is_crowded.nonzero()[:, 0]
    if not len(crowded):
        return events, crowded
    return _chosen(events, ~is_crowded[events.owners]), crowded


def _best_of_each(events: RoughHits, k: int) -> tuple[Tensor, Tensor]:
    """Return the k best scores of each owner that has events.

    Returns:
        owners: int64 (u,), rising; scores: float32 (u, k), falling, filled with -inf.
    """
    keys = (events.owners.long() << _SCORE_BITS) | _falling_bits(events.scores)
    keys = _sorted(keys)
    owners, counts = torch.unique_consecutive(keys >> _SCORE_BITS, return_counts=True)
    starts = counts.cumsum(0) - counts
    slots = torch.repeat_interleave(counts)  # (e,), which of the owners
    ranks = torch.arange(len(keys), device=keys.device) - starts[slots]
    is_best = ranks < k
    best = torch.full((len(owners), k), -torch.inf, device=keys.device)
    best[slots[is_best], ranks[is_best]] = _score_of(keys[is_best])
    return owners, best


def _falling_bits(scores: Tensor) -> Tensor:
    """Return each score a number of 32 bits that is smaller the higher the score is."""
    bits = scores.contiguous().view(torch.int32).long()
    rising = torch.where(bits >= 0, bits, -(bits & 0x7FFFFFFF))
    return 0x7FFFFFFF - rising


def _score_of(keys: Tensor) -> Tensor:
    rising = 0x7FFFFFFF - (keys & 0xFFFFFFFF)
    size = rising.abs().int().view(torch.float32)
    return torch.where(rising >= 0, size, -size)


def _sorted(keys: Tensor) -> Tensor:
    if keys.device.type == "cpu":
        return torch.from_numpy(np.sort(keys.numpy()))
    return keys.sort().values


def _batches(parts: list[RoughHits]) -> Iterator[RoughHits]:
    """Put events of several blocks together, so many at a time as memory allows."""
    batch: list[RoughHits] = []
    n = 0
    for part in parts:
        batch.append(part)
        n += len(part.owners)
        if n >= BATCH:
            yield _joined(batch)
            batch, n = [], 0
    if n:
        yield _joined(batch)


def _joined(parts: list[RoughHits]) -> RoughHits:
    if len(parts) == 1:
        return parts[0]
    return RoughHits(*(torch.cat(columns) for columns in zip(*parts, strict=True)))


def _chosen(events: RoughHits, which: Tensor) -> RoughHits:
    return RoughHits(*(column[which] for column in events))


def _no_hits(device: torch.device) -> RoughHits:
    ids = torch.empty(0, dtype=torch.int32, device=device)
    return RoughHits(ids, ids, torch.empty(0, device=device))
