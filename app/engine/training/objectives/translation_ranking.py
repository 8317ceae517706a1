"""Translation ranking for any module: in-batch softmax with mined hard negatives."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from app.engine.runtime.report import Report
from app.engine.training.data.aligned import open_aligned
from app.engine.training.data.language_tasks import LanguageTask, split_pair_tasks
from app.engine.training.data.row_store import RowStore
from app.engine.training.data.sampler import BatchSampler
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
)
from app.engine.training.objectives.hard_negatives import (
    SIDES,
    NegativeCache,
    shares_side,
)
from app.engine.training.objectives.sampled import SampledObjective

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule

FOUND_BY = {"source": ("target",), "target": ("source",), "both": ("target", "source")}


class RankingExamples(NamedTuple):
    """Pairs and, for each retrieved side, the mask of its candidates.

    Attributes:
        columns: sources, targets, then the negatives of each side of `masked`.
        masked: by retrieved side, bool (b, b + n): candidates that are not negatives,
            the b true candidates first.
    """

    columns: Columns
    masked: dict[str, NDArray[np.bool_]]


class RankingObjective(SampledObjective[BatchSampler]):
    """Rank each sentence's translation first in the batch (see `contrast`).

    Directions: sources retrieve targets, targets retrieve sources, or both, with
    averaged losses. Each direction has its own hard negatives, which are candidates for
    the complete batch (`negatives_pool` = batch: b + k b candidates) or only for their
    own pair (own: b + k); Chidambaram et al. 2019 do not specify which. No candidate
    that shares a side with the pair counts as negative.
    """

    def __init__(self, context: ObjectiveContext, store: RowStore, task: LanguageTask):
        params = context.params
        self.name = task.name
        self._temperature = Temperature(params)
        self.heads: nn.Module = nn.ModuleDict({"temperature": self._temperature})
        self.heads.to(context.device)
        self.n_examples = task.n_rows
        self.notes = store.notes
        self._context = context
        self._store = store
        self._found = FOUND_BY[params.direction]
        k = params.n_hard_negatives
        n_sentences = 2 + k * len(self._found)
        n_tokens = store.n_tokens() * n_sentences // 2
        self._drawer = BatchSampler(
            task.groups, n_tokens, params, smallest=2, seed=task.seed
        )
        self._negatives = NegativeCache(context, store, self._found) if k else None

    def prepare(self, step: int, module: "SentenceModule", report: Report) -> None:
        """Mine hard negatives when due."""
        if self._negatives:
            self._negatives.prepare(step, module, report)

    def draw(self, step: int) -> RankingExamples:
        """Draw pairs and their negatives; `prepare` must have been called."""
        pair_ids = self._drawer.draw()
        columns = [2 * pair_ids, 2 * pair_ids + 1]
        masked = {}
        for side in self._found:
            masked[side] = shares_side(self._store, pair_ids[:, None], pair_ids)
            np.fill_diagonal(masked[side], False)
            if self._negatives:
                negatives = self._negatives.of(side, pair_ids)  # (b, k)
                columns.append(2 * negatives.ravel() + SIDES.index(side))
                more = self._mask_negatives(pair_ids, negatives)
                masked[side] = np.concatenate([masked[side], more], axis=1)
        return RankingExamples(take_columns(self._store.tokens, columns), masked)

    def loss(
        self, module: "SentenceModule", examples: RankingExamples
    ) -> ObjectiveLoss:
        """Return the mean loss and error of the directions."""
        device = self._context.device
        params = self._context.params
        vectors = encode_columns(module, examples.columns, device)
        scoring = self._temperature.scoring(params.margin)
        found = []
        for i, (side, masked) in enumerate(examples.masked.items()):
            own = SIDES.index(side)
            candidates = torch.cat([vectors[own], *vectors[2 + i : 3 + i]])
            on_device = torch.from_numpy(masked).to(device)
            found.append(
                contrastive_loss(vectors[1 - own], candidates, on_device, scoring)
            )
        values = {"error": float(torch.stack([one.error for one in found]).mean())}
        if params.learns_temperature:
            values["temperature"] = float(scoring.temperature.detach())
        return ObjectiveLoss.of_columns(
            examples.columns,
            torch.stack([one.loss for one in found]).mean(),
            values,
        )

    def _mask_negatives(
        self, pair_ids: NDArray[np.int64], negatives: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Mask mined candidates that are not negatives of a pair: bool (b, b k)."""
        masked = shares_side(self._store, pair_ids[:, None], negatives.ravel())
        masked |= (negatives == pair_ids[:, None]).ravel()  # missing negatives
        if self._context.params.negatives_pool == "own":
            owners = np.repeat(np.arange(len(pair_ids)), negatives.shape[1])
            masked |= owners != np.arange(len(pair_ids))[:, None]
        return masked


def make_ranking(context: ObjectiveContext, report: Report) -> list[RankingObjective]:
    """Make the objective from the context's aligned files, or one per file."""
    store = open_aligned(context, report)
    tasks = split_pair_tasks("ranking", store.groups, context.params)
    return [RankingObjective(context, store, task) for task in tasks]
