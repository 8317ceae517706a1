"""Natural language inference: entailment, neutral or contradiction of two sentences."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from app.engine.encoders.tokens import batches_by_length
from app.engine.runtime.report import Report
from app.engine.training.data.row_store import RowStore
from app.engine.training.data.sampler import BatchSampler
from app.engine.training.data.tables import CLASSES, open_inference
from app.engine.training.data.tokens import RowRange
from app.engine.training.development import NLI_METRIC
from app.engine.training.objective import (
    Columns,
    ObjectiveContext,
    ObjectiveLoss,
    encode_columns,
    take_columns,
)
from app.engine.training.objectives.sampled import SampledObjective
from app.plurals import count_text

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule

HIDDEN_DIM = 512  # Chidambaram et al. 2019, section 2.2
LARGEST_SHARE = 10  # at most one in ten pairs is held out
BATCH_TOKENS, BATCH_PAIRS = 4_096, 256  # batch limits of a measurement


class InferenceExamples(NamedTuple):
    """Premises, hypotheses and classes int64 (b,) of `CLASSES`."""

    columns: Columns
    classes: NDArray[np.int64]


class InferenceObjective(SampledObjective[BatchSampler]):
    """Classify (u, v, |u - v|, u * v) through one layer of 512 with tanh.

    Conneau et al. 2017, section 3.1, and Chidambaram et al. 2019, section 2.2, which
    does not specify the activation. Some pairs are held out, with all pairs of their
    premises, to measure the accuracy.
    """

    name = "nli"

    def __init__(self, context: ObjectiveContext, store: RowStore):
        self.heads: nn.Module = nn.Sequential(
            nn.Linear(4 * context.dim, HIDDEN_DIM),
            nn.Tanh(),
            nn.Linear(HIDDEN_DIM, len(CLASSES)),
        ).to(context.device)
        params = context.params
        is_held = hold_out_premises(store, params.n_development, params.seed)
        self._rows, self._held = np.flatnonzero(~is_held), np.flatnonzero(is_held)
        self.n_examples = len(self._rows)
        self.notes = (*store.notes, *self._describe_held())
        self._device = context.device
        self._store = store
        self._drawer = BatchSampler(
            _count_groups(store.groups, is_held), store.n_tokens()[self._rows], params
        )

    @property
    def n_pairs(self) -> tuple[int, int]:
        """Return the number of training pairs and of held-out pairs."""
        return len(self._rows), len(self._held)

    def draw(self, step: int) -> InferenceExamples:
        """Draw labelled pairs."""
        return self._take(self._rows[self._drawer.draw()])

    def loss(
        self, module: "SentenceModule", examples: InferenceExamples
    ) -> ObjectiveLoss:
        """Return cross-entropy and accuracy."""
        logits = self._logits(module, examples)
        classes = torch.from_numpy(examples.classes).to(self._device)
        accuracy = (logits.detach().argmax(1) == classes).float().mean()
        return ObjectiveLoss.of_columns(
            examples.columns,
            functional.cross_entropy(logits, classes),
            {"accuracy": float(accuracy)},
        )

    def measure(
        self, module: "SentenceModule", step: Callable[[str], None]
    ) -> dict[str, float]:
        """Return the accuracy on the held-out pairs, 0…1."""
        if not len(self._held):
            return {}
        lengths = self._store.n_tokens()[self._held]
        n_right = 0
        for batch in batches_by_length(lengths, BATCH_TOKENS, BATCH_PAIRS):
            step("measuring inference")
            examples = self._take(self._held[batch])
            with torch.inference_mode():
                found = self._logits(module, examples).argmax(1).cpu().numpy()
            n_right += int((found == examples.classes).sum())
        return {NLI_METRIC: n_right / len(self._held)}

    def _take(self, rows: NDArray[np.int64]) -> InferenceExamples:
        """Take some pairs of the store."""
        columns = take_columns(self._store.tokens, [2 * rows, 2 * rows + 1])
        return InferenceExamples(columns, self._store.tags[rows].astype(np.int64))

    def _logits(self, module: "SentenceModule", examples: InferenceExamples) -> Tensor:
        """Return float32 (b, 3)."""
        premises, hypotheses = encode_columns(module, examples.columns, self._device)
        logits: Tensor = self.heads(pair_features(premises, hypotheses))
        return logits.float()

    def _describe_held(self) -> tuple[str, ...]:
        n_held = len(self._held)
        if not n_held:
            return ()
        pairs = count_text(n_held, "NLI pair")
        return (f"Held out {pairs} to measure the accuracy.",)


def hold_out_premises(store: RowStore, n_wanted: int, seed: int) -> NDArray[np.bool_]:
    """Mark pairs to hold out: all pairs of some premises, at most a tenth of all pairs.

    A premise has several hypotheses, so single pairs would share premises with training
    pairs. The selection depends only on the seed and the premises' tokens.

    Returns:
        bool (rows,).
    """
    premises = store.hashes[0::2]
    distinct, indices, counts = np.unique(
        premises, return_inverse=True, return_counts=True
    )
    factor = np.random.default_rng([seed, 3]).integers(1, 2**63, dtype=np.uint64)
    order = np.argsort(distinct * (factor | np.uint64(1)))  # a bijection of 64 bits
    n_most = min(n_wanted, store.n_rows // LARGEST_SHARE)
    is_chosen = np.zeros(len(distinct), np.bool_)
    is_chosen[order[np.cumsum(counts[order]) <= n_most]] = True
    marks: NDArray[np.bool_] = is_chosen[indices]
    return marks


def _count_groups(
    groups: Sequence[RowRange], is_held: NDArray[np.bool_]
) -> list[RowRange]:
    """Return the ranges of the groups without held-out rows."""
    ends = np.cumsum(~is_held)
    ranges = []
    for group in groups:
        first = int(ends[group.first - 1]) if group.first else 0
        n_rows = int(ends[group.first + group.n_pairs - 1]) - first
        if n_rows:
            ranges.append(RowRange(group.name, first, n_rows))
    return ranges


def pair_features(premises: Tensor, hypotheses: Tensor) -> Tensor:
    """Return (u, v, |u - v|, u * v): (b, d), (b, d) -> (b, 4 d)."""
    parts = [
        premises,
        hypotheses,
        (premises - hypotheses).abs(),
        premises * hypotheses,
    ]
    return torch.cat(parts, dim=1)


def make_nli(context: ObjectiveContext, report: Report) -> InferenceObjective:
    """Make the objective from the params' NLI files."""
    return InferenceObjective(context, open_inference(context, report))
