"""The modules of a translation model: encoders, attention bridge, decoders.

Vázquez et al. 2020, "A Systematic Study of Inner-Attention-Based Sentence
Representations in Multilingual Neural Machine Translation", section 3: a BiLSTM for
each source language, an LSTM with attention for each target language, and between them
one layer that converts the states of any sentence to k rows, which are the decoders'
only input.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from app.engine.encoders.bilstm import BilstmModule
from app.engine.encoders.configs import BilstmConfig, BridgeConfig
from app.engine.encoders.neural import SentenceModule
from app.engine.encoders.tokens import TokenBatch

SHARED = "shared"  # name of the only encoder and decoder of a shared model


class Memory(NamedTuple):
    """Decoder input for b sentences.

    Attributes:
        rows: float (b, k, h), rows of the bridge matrix, or states of the tokens.
        is_row: bool (b, k), false where padded.
        weights: float (b, k, t), attention of each head; None without a bridge.
    """

    rows: Tensor
    is_row: Tensor
    weights: Tensor | None

    def mean(self) -> Tensor:
        """Return the mean of the rows, float (b, h)."""
        shares = self.is_row.to(self.rows.dtype)
        sums = torch.einsum("bkh,bk->bh", self.rows, shares)
        return sums / shares.sum(dim=1, keepdim=True)


class AttentionBridge(nn.Module):
    """k weighted means of the states, with weights A = softmax(W2 ReLU(W1 Hᵀ)).

    Vázquez et al. 2020, equations 1 and 2 (M = A H, rows are heads here), with biases
    in both maps as in the authors' code. Padding is excluded from the softmax.
    """

    def __init__(self, width: int, inner_dim: int, n_heads: int):
        super().__init__()
        self.inner = nn.Linear(width, inner_dim)
        self.heads = nn.Linear(inner_dim, n_heads)

    def forward(self, states: Tensor, is_token: Tensor) -> Tensor:
        """Return A, float (b, k, t), of states (b, t, h) and is_token (b, t)."""
        scores: Tensor = self.heads(torch.relu(self.inner(states)))  # (b, t, k)
        scores = scores.masked_fill(~is_token[:, :, None], -torch.inf)
        return torch.softmax(scores, dim=1).transpose(1, 2)


def bridge_penalty(weights: Tensor) -> Tensor:
    """Return ‖A Aᵀ − I‖²_F of each sentence (Lin et al. 2017, equation 8).

    Args:
        weights: float (b, k, t), 0 where padded.

    Returns:
        float (b,).
    """
    products = weights @ weights.transpose(1, 2)  # (b, k, t) x (b, t, k) -> (b, k, k)
    identity = torch.eye(weights.shape[1], device=weights.device)
    return (products - identity).square().sum(dim=(1, 2))


DecoderState = tuple[Tensor, Tensor]  # hidden and cell, float (layers, b, h) each


class AttentiveDecoder(nn.Module):
    """An LSTM with global attention over the rows of a memory.

    Luong et al. 2015, "Effective Approaches to Attention-based Neural Machine
    Translation", equations 5 and 8 ("general" scores), without input feeding. The
    hidden and cell states of all layers start as the mean of the rows. The vocabulary
    is the language's, plus a mark that begins and ends a sentence.
    """

    def __init__(self, n_pieces: int, config: BridgeConfig):
        super().__init__()
        width = 2 * config.hidden_dim
        self.mark_id = n_pieces
        self.n_layers = config.n_layers
        self.embed = nn.Embedding(n_pieces + 1, config.embed_dim)
        self.lstm = nn.LSTM(
            config.embed_dim,
            width,
            config.n_layers,
            batch_first=True,
            dropout=config.dropout if config.n_layers > 1 else 0.0,
        )
        self.score = nn.Linear(width, width, bias=False)
        self.combine = nn.Linear(2 * width, width, bias=False)
        self.output = nn.Linear(width, n_pieces + 1)
        self.dropout = nn.Dropout(config.dropout)

    def begin(self, memory: Memory) -> DecoderState:
        """Return the state before the first piece."""
        first = memory.mean()[None].expand(self.n_layers, -1, -1).contiguous()
        return first, first.clone()

    def run(
        self, memory: Memory, previous: Tensor, state: DecoderState
    ) -> tuple[Tensor, DecoderState]:
        """Read pieces, and return the input of the output layer after each piece.

        Args:
            memory: memory of b sentences.
            previous: int64 (b, t), pieces that precede the pieces to predict.
            state: state before the first piece.

        Returns:
            float (b, t, h), and the state after the last piece.
        """
        embedded = self.dropout(self.embed(previous))
        states, state = self.lstm(embedded, state)  # (b, t, e) -> (b, t, h)
        scores = self.score(states) @ memory.rows.transpose(1, 2)  # (b, t, k)
        scores = scores.masked_fill(~memory.is_row[:, None], -torch.inf)
        contexts = torch.softmax(scores, dim=2) @ memory.rows  # (b, t, k) -> (b, t, h)
        combined = torch.tanh(self.combine(torch.cat([contexts, states], dim=2)))
        return self.dropout(combined), state


class TranslationModule(SentenceModule):
    """Encoders and decoders by language, and the bridge between them.

    Attributes:
        config: config of the model.
        encoders, decoders: modules by language, or by `SHARED`.
        bridge: None for a model without a bridge.
    """

    def __init__(self, config: BridgeConfig):
        super().__init__()
        self.config = config
        self.dim = 2 * config.hidden_dim
        is_shared = config.system == "shared"
        names = (SHARED,) if is_shared else config.languages
        # a shared encoder has a row for the token of each target language
        n_tokens = len(config.languages) if is_shared else 0
        sizes = dict(zip(names, config.n_pieces, strict=True))
        self.encoders = nn.ModuleDict(
            {
                name: BilstmModule(_encoder_config(config, n + n_tokens))
                for name, n in sizes.items()
            }
        )
        for encoder in self.encoders.values():
            # With LASER's ±0.1, the module's default, a small table learns slowly:
            # after 800 steps on 96 sentences 7 % were right, with this range 100 %
            # after 400.
            assert isinstance(encoder, BilstmModule)
            nn.init.normal_(encoder.embed.weight)
        self.decoders = nn.ModuleDict(
            {name: AttentiveDecoder(n, config) for name, n in sizes.items()}
        )
        self.bridge = (
            AttentionBridge(self.dim, config.bridge_dim, config.n_heads)
            if config.system == "bridge"
            else None
        )

    def forward(self, batch: TokenBatch) -> Tensor:
        """Return the vectors of sentences in the first language, float (b, h)."""
        return self.read(self.config.languages[0], batch).mean()

    def read(self, language: str, batch: TokenBatch) -> Memory:
        """Encode a batch of sentences in a language."""
        states = self.states(language, batch)
        if self.bridge is None:
            return Memory(states, batch.is_token, None)
        weights: Tensor = self.bridge(states, batch.is_token)
        rows = weights @ states  # (b, k, t) x (b, t, h) -> (b, k, h)
        is_row = torch.ones(rows.shape[:2], dtype=torch.bool, device=rows.device)
        return Memory(rows, is_row, weights)

    def states(self, language: str, batch: TokenBatch) -> Tensor:
        """Return the states of the tokens, float (b, t, h)."""
        encoder = self.encoders[self._name(language)]
        assert isinstance(encoder, BilstmModule)
        return encoder.states(batch)

    def decoder(self, language: str) -> AttentiveDecoder:
        """Return the decoder of a language."""
        decoder = self.decoders[self._name(language)]
        assert isinstance(decoder, AttentiveDecoder)
        return decoder

    def _name(self, language: str) -> str:
        return SHARED if self.config.system == "shared" else language


def _encoder_config(config: BridgeConfig, n_pieces: int) -> BilstmConfig:
    """Return the config of a language's encoder; its pooling is not used."""
    return BilstmConfig(
        name=config.name,
        dim=2 * config.hidden_dim,
        n_pieces=n_pieces,
        embed_dim=config.embed_dim,
        hidden_dim=config.hidden_dim,
        n_layers=config.n_layers,
        dropout=config.dropout,
        max_tokens=config.max_tokens,
    )
