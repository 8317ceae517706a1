"""LASER's decoder: one LSTM for all target languages; it knows a vector, no source."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from app.engine.training.objectives.piece_softmax import piece_cross_entropy
from app.params.training import TrainEncoder

INIT_RANGE = 0.1  # of embeddings, as in fairseq's LSTMs, of which LASER was made


class Decoder(nn.Module):
    """Gives the loss of a sentence in the target language, seeing its vector alone.

    Artetxe and Schwenk 2019, section 3.1. The vector gives the first hidden and cell
    state by a linear map each (the paper says one "linear transformation") and stands
    in the input of every step beside the previous piece and the target language. The
    vocabulary is that of the encoder and a mark, which begins and ends a sentence.
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
        """Give the mean cross-entropy of the pieces of all targets, marks included.

        Args:
            vectors: float (b, d), of the sources.
            language_ids: int64 (b,), of the targets.
            targets: int64 (b, t), pieces and the mark at the end; -1 where padded.
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
        """Give the states after each piece: (b, t, h)."""
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
        piece_ids: int32 (p,), of all sentences one after the other.
        lengths: int32 (b,).
        mark_id: ends a sentence.
        max_pieces: of a sentence; the rest is cut off, the mark stays.

    Returns:
        int64 (b, t).
    """
    kept = np.minimum(lengths, max_pieces)
    starts = np.cumsum(lengths) - lengths
    padded = np.full((len(lengths), int(kept.max(initial=0)) + 1), -1, np.int64)
    places = np.arange(padded.shape[1])
    is_piece = places < kept[:, None]  # (b, t)
    padded[is_piece] = piece_ids[(starts[:, None] + places)[is_piece]]
    padded[np.arange(len(kept)), kept] = mark_id
    return padded
