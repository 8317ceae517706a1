"""Natural language inference: entailment, neutral or contradiction of two sentences."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from app.engine.runtime.report import Report
from app.engine.training.data.row_store import RowStore
from app.engine.training.data.sampler import BatchSampler
from app.engine.training.data.tables import CLASSES, open_inference
from app.engine.training.objective import (
    Columns,
    ObjectiveContext,
    ObjectiveLoss,
    encode_columns,
    take_columns,
)

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule

HIDDEN_DIM = 512  # Chidambaram et al. 2019, section 2.2


class InferenceExamples(NamedTuple):
    """Premises, hypotheses and classes int64 (b,) of `CLASSES`."""

    columns: Columns
    classes: NDArray[np.int64]


class InferenceObjective:
    """Classify (u, v, |u - v|, u * v) through one layer of 512 with tanh.

    Conneau et al. 2017, section 3.1, and Chidambaram et al. 2019, section 2.2, who do
    not name the activation.
    """

    name = "nli"

    def __init__(self, context: ObjectiveContext, store: RowStore):
        self.heads: nn.Module = nn.Sequential(
            nn.Linear(4 * context.dim, HIDDEN_DIM),
            nn.Tanh(),
            nn.Linear(HIDDEN_DIM, len(CLASSES)),
        ).to(context.device)
        self.n_examples = store.n_rows
        self.notes = store.notes
        self._device = context.device
        self._store = store
        self._drawer = BatchSampler(store.groups, store.n_tokens(), context.params)

    def prepare(self, step: int, module: "SentenceModule", report: Report) -> None:
        """Do nothing."""

    def draw(self, step: int) -> InferenceExamples:
        """Draw labelled pairs."""
        rows = self._drawer.draw()
        columns = take_columns(self._store.tokens, [2 * rows, 2 * rows + 1])
        return InferenceExamples(columns, self._store.tags[rows].astype(np.int64))

    def loss(
        self, module: "SentenceModule", examples: InferenceExamples
    ) -> ObjectiveLoss:
        """Return cross-entropy and accuracy."""
        premises, hypotheses = encode_columns(module, examples.columns, self._device)
        logits = self.heads(pair_features(premises, hypotheses)).float()  # (b, 3)
        classes = torch.from_numpy(examples.classes).to(self._device)
        accuracy = (logits.detach().argmax(1) == classes).float().mean()
        return ObjectiveLoss(
            functional.cross_entropy(logits, classes),
            {"accuracy": float(accuracy)},
            examples.columns.n_sentences,
            examples.columns.n_tokens,
        )

    def state(self) -> dict[str, Tensor]:
        """Return the counters of the drawing."""
        return self._drawer.state()

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore counters."""
        self._drawer.restore(tensors)


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
    """Make the objective on the params' files of inference."""
    return InferenceObjective(context, open_inference(context, report))
