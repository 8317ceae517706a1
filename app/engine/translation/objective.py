"""Objective of a translation model: directions alternate, one per batch."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from app.engine.encoders.bridge.codec import Codec
from app.engine.encoders.bridge.module import TranslationModule, bridge_penalty
from app.engine.encoders.neural import SentenceModule
from app.engine.encoders.tokens import TokenBatch, Tokens, collate, make_tokens
from app.engine.runtime.report import Report
from app.engine.training.data.sampler import BatchRotation, BatchSampler
from app.engine.training.data.tokens import RowRange
from app.engine.training.objective import ObjectiveLoss
from app.engine.training.objectives.sampled import SampledObjective
from app.engine.training.objectives.translation import pad_targets, piece_cross_entropy
from app.engine.translation.data import Direction
from app.params.training.encoder import TrainEncoder

BLOCK = 20_000  # sentences tokenised at once
STAGE = "Tokenising"


class TranslationBatch(NamedTuple):
    """b sentences and their translations.

    Attributes:
        direction: direction of all sentences.
        sources: padded pieces.
        targets: int64 (b, t), pieces and the final mark; -1 is padding.
    """

    direction: Direction
    sources: TokenBatch
    targets: Tensor


class TokenisedTexts:
    """Sentences of all languages as pieces."""

    def __init__(self, codec: Codec, texts: Mapping[str, list[str]], report: Report):
        self.codec = codec
        self._tokens = {
            code: _tokenise(codec, code, sentences, report)
            for code, sentences in texts.items()
        }

    def lengths(self, language: str) -> NDArray[np.int32]:
        """Return the number of pieces of each sentence, int32 (n,)."""
        return self._tokens[language].lengths

    def batch(
        self, direction: Direction, rows: NDArray[np.int64], device: str
    ) -> TranslationBatch:
        """Return the batch of pairs of indices, int64 (b, 2)."""
        source, target = direction
        sources = self._tokens[source].take(rows[:, 0])
        sources = self.codec.tokeniser(source, target).mark(sources)
        targets = self._tokens[target].take(rows[:, 1])
        padded = pad_targets(
            targets.ids,
            targets.lengths,
            mark_id=self.codec.vocabularies[target].n_pieces,
            max_pieces=self.codec.config.max_tokens,
        )
        return TranslationBatch(
            direction,
            collate(sources, np.arange(len(rows)), device),
            torch.from_numpy(padded).to(device),
        )


class LossSums(NamedTuple):
    """Components of a batch's loss.

    Attributes:
        cross_entropy: mean over the pieces of all targets, including marks.
        penalty: sum over the sentences of ‖A Aᵀ − I‖²_F; 0 without a bridge.
        n_pieces: number of pieces of all targets, including marks.
    """

    cross_entropy: Tensor
    penalty: Tensor
    n_pieces: int


def measure_batch(model: TranslationModule, batch: TranslationBatch) -> LossSums:
    """Compute the loss of a batch."""
    source, target = batch.direction
    memory = model.read(source, batch.sources)
    decoder = model.decoder(target)
    known = batch.targets.clamp_min(0)
    begin = torch.full_like(known[:, :1], decoder.mark_id)
    previous = torch.cat([begin, known[:, :-1]], dim=1)  # (b, t)
    states, _ = decoder.run(memory, previous, decoder.begin(memory))
    is_piece = batch.targets >= 0
    cross_entropy = piece_cross_entropy(
        states[is_piece],  # (b, t, h) -> (pieces, h)
        decoder.output.weight,
        decoder.output.bias,
        batch.targets[is_piece],
    )
    penalty = cross_entropy.new_zeros(())
    if memory.weights is not None:
        penalty = bridge_penalty(memory.weights.float()).sum()
    return LossSums(cross_entropy, penalty, int(is_piece.sum()))


class DirectionRotation(SampledObjective[BatchRotation]):
    """Trains direction t mod n at the t-th draw (see `Objective`).

    A batch's loss is Σ_s (−Σ_t log p(y_t | y_<t, X) + λ ‖A Aᵀ − I‖²_F) over its
    sentences s (Vázquez et al. 2020, section 3.1), divided by the number of target
    pieces: so the weight λ is per sentence, as in the paper.
    """

    name = "translation"

    def __init__(
        self,
        texts: TokenisedTexts,
        pairs: Mapping[Direction, NDArray[np.int64]],
        settings: TrainEncoder,
        *,
        penalty: float,
        device: str,
    ):
        """Prepare the draws of each direction.

        Args:
            texts: sentences as pieces.
            pairs: int64 (n, 2) for each direction; pairs with a sentence without pieces
                are left out.
            settings: limits of a batch, and the seed.
            penalty: λ.
        """
        self.heads: nn.Module = nn.Module()  # the decoders are part of the model
        self.notes: tuple[str, ...] = ()
        self._texts = texts
        self._penalty = penalty
        self._device = device
        self._pairs = {
            direction: _with_pieces(texts, direction, rows)
            for direction, rows in pairs.items()
        }
        self.n_examples = sum(map(len, self._pairs.values()))
        self._directions: Sequence[Direction] = list(self._pairs)
        self._drawer = BatchRotation(
            [
                BatchSampler(
                    [RowRange("-".join(direction), 0, len(rows))],
                    texts.lengths(direction[0])[rows[:, 0]]
                    + texts.lengths(direction[1])[rows[:, 1]],
                    settings,
                    seed=i,
                )
                for i, (direction, rows) in enumerate(self._pairs.items())
            ]
        )

    def draw(self, step: int) -> TranslationBatch:
        """Draw a batch of the next direction."""
        turn, drawn = self._drawer.draw()
        direction = self._directions[turn]
        rows = self._pairs[direction][drawn]
        return self._texts.batch(direction, rows, self._device)

    def loss(self, module: SentenceModule, examples: TranslationBatch) -> ObjectiveLoss:
        """Return the loss of a batch, with its components to show."""
        assert isinstance(module, TranslationModule)
        sums = measure_batch(module, examples)
        loss = sums.cross_entropy + self._penalty * sums.penalty / sums.n_pieces
        n_sentences = len(examples.targets)
        values = {
            f"loss.{'-'.join(examples.direction)}": float(sums.cross_entropy.detach())
        }
        if module.bridge is not None:
            values["penalty"] = float(sums.penalty.detach()) / n_sentences
        n_tokens = int(examples.sources.lengths.sum())
        return ObjectiveLoss(loss, values, n_sentences, n_tokens)


def _with_pieces(
    texts: TokenisedTexts, direction: Direction, rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the pairs with pieces on both sides."""
    has_pieces = [
        texts.lengths(code)[rows[:, i]] > 0 for i, code in enumerate(direction)
    ]
    return rows[has_pieces[0] & has_pieces[1]]


def _tokenise(
    codec: Codec, language: str, sentences: list[str], report: Report
) -> Tokens:
    tokeniser = codec.tokeniser(language)
    blocks = []
    for start in range(0, len(sentences), BLOCK):
        report.step(STAGE, start, len(sentences), language)
        blocks.append(tokeniser.tokenise(sentences[start : start + BLOCK]))
    return make_tokens(
        np.concatenate([block.ids for block in blocks]),
        np.concatenate([block.lengths for block in blocks]),
    )
