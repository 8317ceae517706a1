"""Translation: a decoder generates the target sentence from the source vector."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from app.engine.runtime.report import Report
from app.engine.text.line_files import describe_texts
from app.engine.training.data.aligned import (
    TargetRows,
    describe_directions,
    find_directions,
    gather_targets,
    open_aligned,
)
from app.engine.training.data.row_store import RowStore
from app.engine.training.data.sampler import BatchRotation, BatchSampler
from app.engine.training.objective import (
    Columns,
    ObjectiveContext,
    ObjectiveLoss,
    encode_columns,
    take_columns,
)
from app.engine.training.objectives.sampled import SampledObjective
from app.errors import UserError
from app.languages import language_name
from app.params.training.encoder import TrainEncoder

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule
    from app.engine.text.subword_vocabulary import Vocabulary

CHUNK_LOGITS = 2**24  # 64 MB of float32


class PieceCrossEntropy(torch.autograd.Function):
    """Mean cross-entropy of a linear layer's softmax, with its gradient.

    Loss and gradients are computed in one pass over chunks of positions: 50,000 pieces
    at 12,000 positions would be 2.4 GB of logits, and computing a chunk twice (as
    checkpointing does) costs a third more multiplications.
    """

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weights: Tensor, biases: Tensor, piece_ids: Tensor
    ) -> Tensor:
        """Return the loss.

        Args:
            ctx: stores the gradients.
            states: float32 or bfloat16 (n, h), n > 0.
            weights: float32 (pieces, h).
            biases: float32 (pieces,).
            piece_ids: int64 (n,), the true pieces.
        """
        n = len(states)
        matrix = weights.to(states.dtype)
        state_gradients = torch.empty_like(states)
        weight_gradients = torch.zeros_like(weights)
        bias_gradients = torch.zeros_like(biases)
        loss = torch.zeros((), device=states.device)
        size = max(1, CHUNK_LOGITS // len(weights))
        for first in range(0, n, size):
            chunk, right = states[first : first + size], piece_ids[first : first + size]
            logits = (chunk @ matrix.T).float() + biases  # (c, h) -> (c, pieces)
            log_sums = logits.logsumexp(1, keepdim=True)
            loss += (log_sums - logits.gather(1, right[:, None])).sum()
            shares = logits.sub_(log_sums).exp_()
            rows = torch.arange(len(right), device=right.device)
            shares[rows, right] -= 1
            shares /= n
            bias_gradients += shares.sum(0)
            shares = shares.to(states.dtype)
            state_gradients[first : first + size] = shares @ matrix
            weight_gradients += shares.T @ chunk
        ctx.save_for_backward(state_gradients, weight_gradients, bias_gradients)
        return loss / n

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Scale the gradients that were computed with the loss."""
        (gradient,) = gradients
        states, weights, biases = ctx.saved_tensors
        return states * gradient, weights * gradient, biases * gradient, None


def piece_cross_entropy(
    states: Tensor, weights: Tensor, biases: Tensor, piece_ids: Tensor
) -> Tensor:
    """Return the mean cross-entropy of pieces, a scalar (see `PieceCrossEntropy`).

    float16 is too coarse for shares of a large softmax and becomes float32.
    """
    with torch.autocast(states.device.type, enabled=False):
        if states.dtype == torch.float16:
            states = states.float()
        loss: Tensor = PieceCrossEntropy.apply(  # type: ignore[no-untyped-call] # apply has no types
            states, weights, biases, piece_ids
        )
        return loss


INIT_RANGE = 0.1  # of embeddings, as in fairseq's LSTMs, which LASER uses


class Decoder(nn.Module):
    """Computes the loss of a target sentence, given only the source vector.

    Artetxe and Schwenk 2019, section 3.1. The initial hidden and cell states are linear
    maps of the vector (the paper has one "linear transformation"), and the input of
    every step consists of the previous piece, the target language and the vector. The
    vocabulary is the encoder's, plus a mark that begins and ends a sentence.
    """

    def __init__(self, dim: int, n_pieces: int, n_languages: int, params: TrainEncoder):
        super().__init__()
        hidden_dim = params.decoder_dim
        self.mark_id = n_pieces
        self.pieces = nn.Embedding(n_pieces + 1, params.embed_dim)
        self.languages = nn.Embedding(n_languages, params.language_dim)
        for table in (self.pieces, self.languages):
            nn.init.uniform_(table.weight, -INIT_RANGE, INIT_RANGE)
        self.first_hidden = nn.Linear(dim, hidden_dim)
        self.first_cell = nn.Linear(dim, hidden_dim)
        input_dim = params.embed_dim + dim + params.language_dim
        self.lstm = nn.LSTM(input_dim, hidden_dim, batch_first=True)
        self.output = nn.Linear(hidden_dim, n_pieces + 1)
        self.dropout = nn.Dropout(params.dropout)

    def forward(self, vectors: Tensor, language_ids: Tensor, targets: Tensor) -> Tensor:
        """Return the mean cross-entropy of the pieces of all targets, marks included.

        Args:
            vectors: float (b, d), source vectors.
            language_ids: int64 (b,), of the targets.
            targets: int64 (b, t), pieces and the final mark; -1 is padding.
        """
        known = targets.clamp_min(0)
        begin = torch.full_like(known[:, :1], self.mark_id)
        previous = torch.cat([begin, known[:, :-1]], dim=1)  # (b, t)
        states = self._run(vectors, language_ids, previous)
        is_piece = targets >= 0
        return piece_cross_entropy(
            states[is_piece],  # (b, t, h) -> (pieces, h)
            self.output.weight,
            self.output.bias,
            targets[is_piece],
        )

    def _run(self, vectors: Tensor, language_ids: Tensor, previous: Tensor) -> Tensor:
        """Return the states after each piece: (b, t, h)."""
        n_steps = previous.shape[1]
        constant = torch.cat([vectors, self.languages(language_ids)], dim=1)
        inputs = torch.cat(
            [
                self.dropout(self.pieces(previous)),
                constant[:, None].expand(-1, n_steps, -1),  # (b, c) -> (b, t, c)
            ],
            dim=2,
        )
        first = (self.first_hidden(vectors)[None], self.first_cell(vectors)[None])
        states, _ = self.lstm(inputs, first)
        dropped: Tensor = self.dropout(states)
        return dropped


def pad_targets(
    piece_ids: NDArray[np.int32],
    lengths: NDArray[np.int32],
    *,
    mark_id: int,
    max_pieces: int,
) -> NDArray[np.int64]:
    """Pad target sentences with -1 and put the mark at the end of each.

    Args:
        piece_ids: int32 (p,), concatenated pieces of all sentences.
        lengths: int32 (b,).
        mark_id: ends a sentence.
        max_pieces: maximum per sentence; further pieces are cut off before the mark.

    Returns:
        int64 (b, t).
    """
    kept = np.minimum(lengths, max_pieces)
    starts = np.cumsum(lengths) - lengths
    padded = np.full((len(lengths), int(kept.max(initial=0)) + 1), -1, np.int64)
    indices = np.arange(padded.shape[1])
    is_piece = indices < kept[:, None]  # (b, t)
    padded[is_piece] = piece_ids[(starts[:, None] + indices)[is_piece]]
    padded[np.arange(len(kept)), kept] = mark_id
    return padded


HIGHEST_LOSS = 80.0  # above this, the perplexity is not meaningful


class TranslationExamples(NamedTuple):
    """Source sentences and their translations.

    Attributes:
        columns: the sources.
        targets: int64 (b, t), pieces and the final mark; -1 is padding.
        language_ids: int64 (b,), of the targets.
    """

    columns: Columns
    targets: NDArray[np.int64]
    language_ids: NDArray[np.int64]


class TranslationObjective(SampledObjective[BatchRotation]):
    """LASER's objective (see `Decoder`): cross-entropy of the translation's pieces.

    The target languages in the data alternate, one per batch; source languages are
    drawn by size (`sampling_exponent`).
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
        self._drawer = BatchRotation(
            [
                BatchSampler(
                    one.groups,
                    lengths[one.source_ids] + lengths[one.target_ids],
                    params,
                    seed=i,
                )
                for i, one in enumerate(rows)
            ]
        )

    def draw(self, step: int) -> TranslationExamples:
        """Draw sentences and their translations into the next target language."""
        turn, rows = self._drawer.draw()
        into = self._rows[turn]
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
        """Return the mean cross-entropy per piece and its exponential."""
        device = self._context.device
        (vectors,) = encode_columns(module, examples.columns, device)
        loss: Tensor = self.heads(
            vectors,
            torch.from_numpy(examples.language_ids).to(device),
            torch.from_numpy(examples.targets).to(device),
        )
        return ObjectiveLoss.of_columns(
            examples.columns,
            loss,
            {"perplexity": math.exp(min(float(loss.detach()), HIGHEST_LOSS))},
        )


def make_translation(context: ObjectiveContext, report: Report) -> TranslationObjective:
    """Make the objective from the context's aligned files.

    Raises:
        UserError: there are no translations into the target languages, or the encoder
            uses words instead of pieces, which a decoder can't generate.
    """
    if context.vocabulary is None:
        raise UserError(
            "Translation needs a vocabulary of pieces. Set the units to pieces."
        )
    store = open_aligned(context, report)
    targets = tuple(dict.fromkeys(context.params.target_languages))
    directions = find_directions(store, targets)
    rows = gather_targets(directions, targets)
    if not rows:
        names = ", ".join(describe_texts(group.name) for group in store.groups[:8])
        wanted = " or ".join(map(language_name, targets))
        raise UserError(
            f"No pair file contains {wanted} and another language. The files contain "
            f"{names}. Choose other target languages."
        )
    objective = TranslationObjective(context, store, context.vocabulary, rows)
    missing = sorted(set(targets) - {one.target for one in rows})
    if missing:
        objective.notes += (
            f"No pair file contains the target language "
            f"{', '.join(map(language_name, missing))}, "
            "so nothing is translated into it.",
        )
    objective.notes += describe_directions(directions)
    return objective
