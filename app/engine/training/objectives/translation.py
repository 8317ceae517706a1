"""Translation: a decoder writes the sentence in another language from its vector."""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from app.engine.report import Report
from app.engine.training.data.aligned import open_aligned
from app.engine.training.data.directions import (
    TargetRows,
    describe_directions,
    find_directions,
    gather_targets,
)
from app.engine.training.data.drawing import BatchDrawer
from app.engine.training.data.row_store import RowStore
from app.engine.training.objectives.decoder import Decoder, pad_targets
from app.engine.training.objectives.encoding import (
    Columns,
    encode_columns,
    take_columns,
)
from app.engine.training.objectives.objective import ObjectiveContext, ObjectiveLoss
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule
    from app.engine.text.vocabulary import Vocabulary

HIGHEST_LOSS = 80.0  # above it the perplexity is no longer a useful number


class TranslationExamples(NamedTuple):
    """Sources and their translations.

    Attributes:
        columns: the sources.
        targets: int64 (b, t), pieces, the mark at the end, -1 where padded.
        language_ids: int64 (b,), of the targets.
    """

    columns: Columns
    targets: NDArray[np.int64]
    language_ids: NDArray[np.int64]


class TranslationObjective:
    """LASER's objective (see `Decoder`): cross-entropy of the translation's pieces.

    The target languages that the data have take turns, one a batch; the languages that
    are translated into it are drawn by size (`sampling_exponent`).
    """

    name = "translation"

    def __init__(
        self,
        context: ObjectiveContext,
        store: RowStore,
        vocabulary: "Vocabulary",
        rows: list[TargetRows],
    ):
        params = context.params
        self._languages = list(dict.fromkeys(params.target_languages))
        self.heads: nn.Module = Decoder(
            context.dim, vocabulary.n_pieces, len(self._languages), params
        ).to(context.device)
        self.n_examples = sum(len(one.source_ids) for one in rows)
        self.notes: tuple[str, ...] = store.notes
        self._context = context
        self._store = store
        self._vocabulary = vocabulary
        self._rows = rows
        lengths = store.tokens.lengths
        self._drawers = [
            BatchDrawer(
                one.groups,
                lengths[one.source_ids] + lengths[one.target_ids],
                params,
                seed=i,
            )
            for i, one in enumerate(rows)
        ]
        self._n_draws = 0

    def prepare(self, step: int, module: "SentenceModule", report: Report) -> None:
        """Do nothing."""

    def draw(self, step: int) -> TranslationExamples:
        """Draw sentences and their translations into the language that is on turn."""
        turn = self._n_draws % len(self._rows)
        self._n_draws += 1
        into = self._rows[turn]
        rows = self._drawers[turn].draw()
        piece_ids, lengths = self._vocabulary.tokenise(
            self._store.texts(into.target_ids[rows])
        )
        targets = pad_targets(
            piece_ids,
            lengths,
            mark_id=self._vocabulary.n_pieces,
            max_pieces=self._context.params.max_tokens,
        )
        language_id = self._languages.index(into.target)
        return TranslationExamples(
            take_columns(self._store.tokens, [into.source_ids[rows]]),
            targets,
            np.full(len(rows), language_id, np.int64),
        )

    def loss(
        self, module: "SentenceModule", examples: TranslationExamples
    ) -> ObjectiveLoss:
        """Give the mean cross-entropy of a piece and its exponential."""
        device = self._context.device
        (vectors,) = encode_columns(module, examples.columns, device)
        loss: Tensor = self.heads(
            vectors,
            torch.from_numpy(examples.language_ids).to(device),
            torch.from_numpy(examples.targets).to(device),
        )
        return ObjectiveLoss(
            loss,
            {"perplexity": math.exp(min(float(loss.detach()), HIGHEST_LOSS))},
            examples.columns.n_sentences,
            examples.columns.n_tokens,
        )

    def state(self) -> dict[str, Tensor]:
        """Give the counters of the turns and of each language's drawing."""
        tensors = {"n_draws": torch.tensor([self._n_draws])}
        for i, drawer in enumerate(self._drawers):
            tensors |= {f"{i}.{name}": t for name, t in drawer.state().items()}
        return tensors

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Go on from counters."""
        self._n_draws = int(tensors["n_draws"])
        for i, drawer in enumerate(self._drawers):
            names = drawer.state()
            drawer.restore({name: tensors[f"{i}.{name}"] for name in names})


def make_translation(context: ObjectiveContext, report: Report) -> TranslationObjective:
    """Make the objective on the context's aligned files.

    Raises:
        UserError: nothing is translated into the target languages, or the encoder cuts
            text into words, which no decoder can write.
    """
    if context.vocabulary is None:
        raise UserError(
            "Translation needs a vocabulary of pieces: choose the units pieces."
        )
    store = open_aligned(context, report)
    targets = tuple(dict.fromkeys(context.params.target_languages))
    directions = find_directions(store, targets)
    rows = gather_targets(directions, targets)
    if not rows:
        names = ", ".join(group.name for group in store.groups[:8])
        raise UserError(
            f"No file of pairs holds {' or '.join(targets)} beside another language; "
            f"there are {names}: name other target languages."
        )
    objective = TranslationObjective(context, store, context.vocabulary, rows)
    missing = sorted(set(targets) - {one.target for one in rows})
    if missing:
        objective.notes += (
            f"No file of pairs holds the target language {', '.join(missing)}: "
            "nothing is translated into it.",
        )
    objective.notes += describe_directions(directions)
    return objective
