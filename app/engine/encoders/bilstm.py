"""The BiLSTM encoder: a stack of bidirectional LSTMs over pieces, pooled over time.

Artetxe and Schwenk 2019, "Massively Multilingual Sentence Embeddings for Zero-Shot
Cross-Lingual Transfer and Beyond", section 3: pieces embedded in 320 dimensions, up to
five layers of 512 each way, maximum over time. Inner attention: Lin et al. 2017.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from app.engine.encoders.configs import BilstmConfig
from app.engine.encoders.neural import SentenceModule
from app.engine.encoders.pooling_layers import AttentionShape, Pooling
from app.engine.encoders.tokens import TokenBatch

EMBED_RANGE = 0.1  # initial embeddings are uniform in -0.1…0.1


class BilstmModule(SentenceModule):
    """Embedding, stacked BiLSTM, pooling.

    The weights have the names and shapes of torch's own `nn.LSTM`. Dropout is on the
    embeddings, between the layers and on the last states.

    Attributes:
        embed: (n_pieces, e), plus one row for an end mark, if any; lstm: input e,
            hidden h per direction; pooling: 2h -> d.
    """

    def __init__(self, config: BilstmConfig):
        super().__init__()
        self.dim = config.dim
        n_rows = config.n_pieces + config.has_end_mark
        self.embed = nn.Embedding(n_rows, config.embed_dim)
        nn.init.uniform_(self.embed.weight, -EMBED_RANGE, EMBED_RANGE)
        self.lstm = nn.LSTM(
            config.embed_dim,
            config.hidden_dim,
            config.n_layers,
            batch_first=True,
            bidirectional=True,
            dropout=config.dropout if config.n_layers > 1 else 0.0,
        )
        self.pooling = Pooling(
            config.pooling,
            2 * config.hidden_dim,
            config.dim,
            attention=AttentionShape(
                config.n_views, config.attention_dim, config.has_attention_bias
            ),
            is_bidirectional=True,
        )
        self._dropout = config.dropout

    def forward(self, batch: TokenBatch) -> Tensor:
        """Return float (b, d)."""
        vectors: Tensor = self.pooling(self.states(batch), batch)
        return vectors

    def states(self, batch: TokenBatch) -> Tensor:
        """Return the last layer's state at each token, float (b, t, 2h)."""
        embedded = self._drop(self.embed(batch.ids))  # (b, t) -> (b, t, e)
        if embedded.device.type == "cpu":
            return self._drop(self._run_on_cpu(embedded, batch))
        packed = pack_padded_sequence(
            embedded, batch.lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self._drop(states)

    def _run_on_cpu(self, embedded: Tensor, batch: TokenBatch) -> Tensor:
        """Run the layers, each direction from its first token, (b, t, 2h).

        Padding after a sentence's last token does not affect its states, so packing is
        not needed if each sentence is reversed within its own length for the backward
        direction. On the CPU, torch runs packed sequences in a plain loop over time,
        but padded sequences with oneDNN's kernel, which is several times as fast.
        """
        turned = _reversed_positions(batch)
        states = embedded.transpose(0, 1).contiguous()  # (b, t, e) -> (t, b, e)
        for layer in range(self.lstm.num_layers):
            if layer:
                states = self._drop(states)
            ahead = self._run_direction(states, f"l{layer}")
            back = self._run_direction(_take(states, turned), f"l{layer}_reverse")
            states = torch.cat([ahead, _take(back, turned)], dim=2)  # (t, b, 2h)
        return states.transpose(0, 1)

    def _run_direction(self, inputs: Tensor, name: str) -> Tensor:
        """Run one direction of one layer, (t, b, i) -> (t, b, h)."""
        parts = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        weights = [getattr(self.lstm, f"{part}_{name}") for part in parts]
        zeros = inputs.new_zeros(1, inputs.shape[1], self.lstm.hidden_size)
        states: Tensor = torch.lstm(
            inputs, (zeros, zeros), weights, True, 1, 0.0, self.training, False, False
        )[0]
        return states

    def _drop(self, values: Tensor) -> Tensor:
        """Drop values in training."""
        return functional.dropout(values, self._dropout, self.training)


def _reversed_positions(batch: TokenBatch) -> Tensor:
    """Return each position's index in the reversed sentence, int64 (t, b, 1).

    Padding keeps its position, so reversing twice is the identity.
    """
    positions = torch.arange(batch.ids.shape[1])[:, None]  # (t, 1)
    turned = batch.lengths[None, :] - 1 - positions  # (t, b)
    return torch.where(turned < 0, positions, turned)[:, :, None]


def _take(states: Tensor, positions: Tensor) -> Tensor:
    """Take the states (t, b, h) at positions (t, b, 1), (t, b, h)."""
    return states.gather(0, positions.expand(-1, -1, states.shape[2]))
