"""Quick thought: find the previous and the next sentence of a document."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from app.engine.runtime.report import Report
from app.engine.training.data.language_tasks import LanguageTask, split_language_tasks
from app.engine.training.data.sampler import BatchSampler
from app.engine.training.data.tables import Documents, open_documents
from app.engine.training.objective import (
    Columns,
    ObjectiveContext,
    ObjectiveLoss,
    encode_columns,
    take_columns,
)
from app.engine.training.objectives.contrast import (
    Temperature,
    contrastive_loss,
    response_head,
)
from app.engine.training.objectives.sampled import SampledObjective

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule

NEIGHBOURS = (("predecessor", -1), ("successor", 1))


class TripleExamples(NamedTuple):
    """Sentences with their neighbours.

    Attributes:
        columns: inputs, predecessors, successors.
        masked: bool (b, b) for each of `NEIGHBOURS`: equal inputs or neighbours.
    """

    columns: Columns
    masked: tuple[NDArray[np.bool_], ...]


class QuickThoughtObjective(SampledObjective[BatchSampler]):
    """Sum of two ranking losses, each with a separate head for all three roles.

    Logeswaran and Lee 2018, and Chidambaram et al. 2019, section 2.2; scores as in
    `conversation.py`.
    """

    def __init__(
        self, context: ObjectiveContext, documents: Documents, task: LanguageTask
    ):
        params = context.params
        self.name = task.name
        self._heads = nn.ModuleDict(
            {
                name: response_head(context.dim)
                for name in ("input", *(name for name, _ in NEIGHBOURS))
            }
        )
        self._temperature = Temperature(params)
        self.heads: nn.Module = nn.ModuleDict(
            {"roles": self._heads, "temperature": self._temperature}
        ).to(context.device)
        self.n_examples = task.n_rows
        self.notes = documents.store.notes
        self._device = context.device
        self._documents = documents
        lengths = documents.store.n_tokens()
        middles = documents.middles
        n_tokens = lengths[middles - 1] + lengths[middles] + lengths[middles + 1]
        self._drawer = BatchSampler(
            task.groups, n_tokens, params, smallest=2, seed=task.seed
        )

    def draw(self, step: int) -> TripleExamples:
        """Draw sentences with their neighbours."""
        rows = self._documents.middles[self._drawer.draw()]
        neighbours = [rows + shift for _, shift in NEIGHBOURS]
        tokens = self._documents.store.tokens
        return TripleExamples(
            take_columns(tokens, [rows, *neighbours]),
            tuple(self._mask_equal(rows, column) for column in neighbours),
        )

    def loss(self, module: "SentenceModule", examples: TripleExamples) -> ObjectiveLoss:
        """Return the sum of both losses and the mean of both errors."""
        inputs, *neighbours = encode_columns(module, examples.columns, self._device)
        queries = self._heads["input"](inputs)
        scoring = self._temperature.scoring()
        found = []
        for i, (name, _) in enumerate(NEIGHBOURS):
            masked = torch.from_numpy(examples.masked[i]).to(self._device)
            candidates = self._heads[name](neighbours[i])
            found.append(contrastive_loss(queries, candidates, masked, scoring))
        return ObjectiveLoss.of_columns(
            examples.columns,
            torch.stack([one.loss for one in found]).sum(),
            {"error": float(torch.stack([one.error for one in found]).mean())},
        )

    def _mask_equal(
        self, rows: NDArray[np.int64], neighbours: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Mask combinations of equal inputs or equal neighbours: bool (b, b)."""
        masked = np.zeros((len(rows), len(rows)), np.bool_)
        for column in (rows, neighbours):
            hashes = self._documents.store.hashes[column]
            masked |= hashes[:, None] == hashes
        np.fill_diagonal(masked, False)
        return masked


def make_quick_thought(
    context: ObjectiveContext, report: Report
) -> list[QuickThoughtObjective]:
    """Make the objective from the params' documents, or one per language."""
    documents = open_documents(context, report)
    tasks = split_language_tasks("quick-thought", documents.groups, context.params)
    return [QuickThoughtObjective(context, documents, task) for task in tasks]
