"""Transformer of the dual encoder: words or pieces, layers, mean over positions.

Chidambaram et al. 2019, "Learning Cross-Lingual Sentence Representations via a
Multi-task Dual-Encoder Model", section 3.1; layers: Vaswani et al. 2017. Not in the
paper and chosen here: the bias-free map from the embeddings' size to the layers', the
sinusoidal positions, dropout, and where a layer normalises (a setting).
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from app.engine.encoders.configs import ContextualConfig, TransformerConfig
from app.engine.encoders.neural import SentenceModule
from app.engine.encoders.pooling_layers import AttentionShape, Pooling
from app.engine.encoders.tokens import TokenBatch
from app.errors import UserError


class TransformerModule(SentenceModule):
    """Embedding of tokens and their n-grams, positions, layers, pooling.

    Attributes:
        embed: (rows, e), pieces, or words and hashed words.
        ngrams: n-grams of words; None with pieces.
        widen: e -> d without bias; None if equal.
        layers: d -> d.
        last_norm: normalisation after the last layer, for pre-norm layers.
        pooling: d -> d.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.dim = config.dim
        embed_dim = config.embed_dim
        self.embed = nn.Embedding(config.n_pieces + config.n_hashed_words, embed_dim)
        nn.init.normal_(self.embed.weight, std=embed_dim**-0.5)
        self.ngrams = (
            NgramEmbedding(config.n_ngrams, embed_dim) if config.n_ngrams else None
        )
        self.widen = (
            None
            if embed_dim == config.dim
            else nn.Linear(embed_dim, config.dim, bias=False)
        )
        self.layers = nn.ModuleList(
            TransformerLayer(config, config.dim) for _ in range(config.n_layers)
        )
        self.last_norm = nn.LayerNorm(config.dim) if config.norm == "pre" else None
        self.pooling = Pooling(
            config.pooling,
            config.dim,
            config.dim,
            attention=AttentionShape(
                config.n_views, config.attention_dim, config.has_attention_bias
            ),
        )
        self._dropout = config.dropout

    def forward(self, batch: TokenBatch) -> Tensor:
        """Return float (b, d)."""
        vectors: Tensor = self.pooling(self.states(batch), batch)
        return vectors

    def states(self, batch: TokenBatch) -> Tensor:
        """Return the last layer's state at each token, float (b, t, d)."""
        states, is_heard = self._begin(batch)
        for layer in self.layers:
            states = layer(states, is_heard)
        if self.last_norm is not None:
            states = self.last_norm(states)
        return states

    def heads(self, batch: TokenBatch) -> list[Tensor]:
        """Return each layer's attention, float (b, heads, t, t); a row's sum is 1."""
        states, is_heard = self._begin(batch)
        found = []
        for layer in self.layers:
            assert isinstance(layer, TransformerLayer)
            found.append(layer.weigh(states, is_heard))
            states = layer(states, is_heard)
        return found

    def _begin(self, batch: TokenBatch) -> tuple[Tensor, Tensor]:
        """Return the first layer's input: states (b, t, d), is_heard (b, 1, 1, t)."""
        embedded = self.embed(batch.ids)  # (b, t) -> (b, t, e)
        if self.ngrams is not None and len(batch.sub_starts):
            sums = self.ngrams(batch.sub_ids, batch.sub_starts)  # (tokens, e)
            added = torch.zeros_like(embedded, dtype=sums.dtype)
            added[batch.is_token] = sums
            embedded = embedded + added
        if self.widen is not None:
            embedded = self.widen(embedded)  # (b, t, e) -> (b, t, d)
        # Vaswani et al. 2017, section 3.4: embeddings are scaled up before positions
        states: Tensor = embedded * math.sqrt(self.dim)
        states = states + sinusoids(batch.ids.shape[1], self.dim, states.device)
        states = functional.dropout(states, self._dropout, self.training)
        return states, batch.is_token[:, None, None, :]  # (b, t) -> (b, 1, 1, t)


class NgramEmbedding(nn.Module):
    """char(w) = sum over the n-grams c of w of tanh(W E[c] + b) (the paper's 3.1)."""

    def __init__(self, n_rows: int, embed_dim: int):
        super().__init__()
        self.embed = nn.Embedding(n_rows, embed_dim)
        nn.init.normal_(self.embed.weight, std=embed_dim**-0.5)
        self.feed_forward = nn.Linear(embed_dim, embed_dim)

    def forward(self, sub_ids: Tensor, sub_starts: Tensor) -> Tensor:
        """Return (tokens, e); each distinct n-gram of a batch is computed once."""
        distinct, indices = torch.unique(sub_ids, return_inverse=True)
        composed = torch.tanh(self.feed_forward(self.embed(distinct)))  # (s', e)
        return functional.embedding_bag(indices, composed, sub_starts, mode="sum")


class TransformerLayer(nn.Module):
    """Attention and feed-forward, each added to its input and normalised.

    Post-norm as in Vaswani et al. 2017, pre-norm as in Xiong et al. 2020.
    """

    def __init__(self, config: TransformerConfig | ContextualConfig, dim: int):
        super().__init__()
        if dim % (2 * config.n_heads):
            raise UserError(
                f"{dim:,} dimensions can't be divided among "
                f"{config.n_heads} heads. Choose a multiple of {2 * config.n_heads}."
            )
        self.projections = nn.Linear(dim, 3 * dim)  # queries, keys, values
        self.output = nn.Linear(dim, dim)
        self.expand = nn.Linear(dim, config.filter_dim)
        self.contract = nn.Linear(config.filter_dim, dim)
        self.attention_norm = nn.LayerNorm(dim)
        self.filter_norm = nn.LayerNorm(dim)
        self._n_heads = config.n_heads
        self._is_pre_norm = config.norm == "pre"
        self._dropout = config.dropout

    def forward(self, states: Tensor, is_heard: Tensor) -> Tensor:
        """Return (b, t, d) of states (b, t, d) and is_heard (b, 1, 1, t)."""
        if self._is_pre_norm:
            states = states + self._attend(self.attention_norm(states), is_heard)
            return states + self._filter(self.filter_norm(states))
        states = self.attention_norm(states + self._attend(states, is_heard))
        filtered: Tensor = self.filter_norm(states + self._filter(states))
        return filtered

    def weigh(self, states: Tensor, is_heard: Tensor) -> Tensor:
        """Return the attention weights, (b, heads, t, t), of states (b, t, d).

        Vaswani et al. 2017, equation 1: softmax(Q K^T / sqrt(d')).
        """
        if self._is_pre_norm:
            states = self.attention_norm(states)
        queries, keys, _ = self._project(states)
        scores = queries @ keys.transpose(2, 3) / math.sqrt(queries.shape[3])
        return torch.softmax(scores.masked_fill(~is_heard, -torch.inf), dim=3)

    def _project(self, states: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values of the heads, each (b, heads, t, d')."""
        n_sentences, n_tokens, dim = states.shape
        projected = self.projections(states)  # (b, t, d) -> (b, t, 3d)
        shape = (n_sentences, n_tokens, 3, self._n_heads, dim // self._n_heads)
        split = projected.view(shape).permute(2, 0, 3, 1, 4)  # (3, b, heads, t, d')
        queries, keys, values = split.unbind(0)
        return queries, keys, values

    def _attend(self, states: Tensor, is_heard: Tensor) -> Tensor:
        """Attend to the tokens of the same sentence, (b, t, d)."""
        queries, keys, values = self._project(states)
        if queries.is_cuda:
            attended = functional.scaled_dot_product_attention(
                queries,
                keys,
                values,
                attn_mask=is_heard,
                dropout_p=self._dropout if self.training else 0.0,
            )  # (b, heads, t, d')
        else:
            scores = queries @ keys.transpose(2, 3) * queries.shape[3] ** -0.5
            scores = scores.masked_fill(~is_heard, -torch.inf)
            attended = self._drop(torch.softmax(scores, dim=3)) @ values
        joined = attended.transpose(1, 2).reshape(states.shape)  # (b, t, d)
        return self._drop(self.output(joined))

    def _filter(self, states: Tensor) -> Tensor:
        """Apply the feed-forward layers, (b, t, d)."""
        expanded = self._drop(functional.relu(self.expand(states)))  # (b, t, filter)
        return self._drop(self.contract(expanded))

    def _drop(self, values: Tensor) -> Tensor:
        """Drop values in training."""
        return functional.dropout(values, self._dropout, self.training)


def sinusoids(n_positions: int, dim: int, device: torch.device) -> Tensor:
    """Return position encodings, float32 (t, d): sines at even, cosines at odd indices.

    Vaswani et al. 2017, section 3.5.
    """
    positions = torch.arange(n_positions, dtype=torch.float32, device=device)
    even = torch.arange(0, dim, 2, dtype=torch.float32, device=device)
    angles = positions[:, None] * torch.exp(even * (-math.log(10_000.0) / dim))
    # (t, d / 2, 2) -> (t, d)
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)
