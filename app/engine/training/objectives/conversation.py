"""Conversation response: rank the true response above the others in the batch."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from app.engine.runtime.report import Report
from app.engine.training.data.language_tasks import LanguageTask, split_language_tasks
from app.engine.training.data.row_store import RowStore
from app.engine.training.data.sampler import BatchSampler
from app.engine.training.data.tables import open_conversations
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
from app.engine.training.objectives.hard_negatives import shares_side
from app.engine.training.objectives.sampled import SampledObjective

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule


class ConversationExamples(NamedTuple):
    """Inputs and responses; masked: bool (b, b), equal inputs or responses."""

    columns: Columns
    masked: NDArray[np.bool_]


class ConversationObjective(SampledObjective[BatchSampler]):
    """Rank responses: no head on the input, two layers on the response.

    Chidambaram et al. 2019, section 3: without a head, the gradient shapes the encoder
    directly. The paper scores by the dot product (`similarity` = dot); the default here
    is the cosine, which is used to compare vectors everywhere else.
    """

    def __init__(self, context: ObjectiveContext, store: RowStore, task: LanguageTask):
        params = context.params
        self.name = task.name
        self._response = response_head(context.dim)
        self._temperature = Temperature(params)
        self.heads: nn.Module = nn.ModuleDict(
            {"response": self._response, "temperature": self._temperature}
        ).to(context.device)
        self.n_examples = task.n_rows
        self.notes = store.notes
        self._device = context.device
        self._store = store
        self._drawer = BatchSampler(
            task.groups, store.n_tokens(), params, smallest=2, seed=task.seed
        )

    def draw(self, step: int) -> ConversationExamples:
        """Draw inputs with their responses."""
        rows = self._drawer.draw()
        masked = shares_side(self._store, rows[:, None], rows)
        np.fill_diagonal(masked, False)
        columns = take_columns(self._store.tokens, [2 * rows, 2 * rows + 1])
        return ConversationExamples(columns, masked)

    def loss(
        self, module: "SentenceModule", examples: ConversationExamples
    ) -> ObjectiveLoss:
        """Return the ranking loss of the responses, in one direction."""
        inputs, responses = encode_columns(module, examples.columns, self._device)
        found = contrastive_loss(
            inputs,
            self._response(responses),
            torch.from_numpy(examples.masked).to(self._device),
            self._temperature.scoring(),
        )
        return ObjectiveLoss.of_columns(
            examples.columns,
            found.loss,
            {"error": float(found.error)},
        )


def make_conversation(
    context: ObjectiveContext, report: Report
) -> list[ConversationObjective]:
    """Make the objective from the params' conversations, or one per language."""
    store = open_conversations(context, report)
    tasks = split_language_tasks("conversation", store.groups, context.params)
    return [ConversationObjective(context, store, task) for task in tasks]
