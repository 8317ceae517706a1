"""Contextual encoder: layers over the word vectors of a static encoder.

The vector of a word is the sum of the static encoder's rows of its pieces and n-grams,
so that the words' sum is the static encoder's vector. Transformer layers read the
words, attention and the maximum pool them, and a linear map, zero at first, adds the
result to the static vector: an untrained contextual encoder equals its static encoder.
It may have further dimensions, which a second map computes from the pooled states
alone.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from app.engine.encoders.configs import (
    CONFIG_FILE,
    ContextualConfig,
    EncoderConfig,
    StaticConfig,
)
from app.engine.encoders.folder import fingerprint_of, read_config
from app.engine.encoders.neural import GPU_TOKENS, SentenceModule
from app.engine.encoders.pooling_layers import AttentionShape, InnerAttention, pool_max
from app.engine.encoders.static.encoder import (
    read_romaniser,
    read_vocabulary,
    share_table,
)
from app.engine.encoders.static.module import StaticTokeniser
from app.engine.encoders.tokens import (
    TokenBatch,
    Tokens,
    batches_by_length,
    make_tokens,
)
from app.engine.encoders.transformer import TransformerLayer, sinusoids
from app.engine.numeric import IdArray, hash_runs
from app.engine.text.subword_vocabulary import MAX_CHARACTERS
from app.engine.text.word_vocabulary import UNSPACED_LETTERS, PieceCounts
from app.errors import UserError
from app.paths import resource_dir
from app.protocol.answers.attribution import WORD_PARTS

BASE_FOLDER = "base"
CONTEXT_SCALE = 0.05  # of the map's output, for stable training
_UNSPACED = re.compile(f"[{UNSPACED_LETTERS}]")


class ContextualModule(SentenceModule):
    """Layers over word vectors, whose pooled states are added to the sum of the words.

    Attributes:
        table: float32 (rows, d), table of the static encoder, which is attached after
            the module is made (see `attach_base`), and neither trained nor saved with
            it.
    """

    cpu_tokens = 2_048
    table: Tensor

    def __init__(self, config: ContextualConfig):
        super().__init__()
        width = config.base_dim
        self.dim = config.dim
        self.register_buffer("table", torch.empty(0, width), persistent=False)
        self.first_norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(
            TransformerLayer(config, width) for _ in range(config.n_layers)
        )
        self.last_norm = nn.LayerNorm(width)
        self.attention = InnerAttention(
            width, AttentionShape(config.n_views, config.attention_dim)
        )
        n_pooled = (config.n_views + 1) * width
        self.output = nn.Linear(n_pooled, width, bias=False)
        nn.init.zeros_(self.output.weight)
        n_context = config.dim - width
        self._context_length = config.context_length
        self.context = nn.Linear(n_pooled, n_context, bias=False) if n_context else None

    def forward(self, batch: TokenBatch) -> Tensor:
        """Return float (b, d), of length sqrt(d): its values have a mean square of 1.

        NLI learns slowly from the small values of unit vectors. On a CPU, the layers
        process groups of sentences of similar length, whose states fit in the cache; on
        a GPU, one group.
        """
        words = self.word_vectors(batch)
        n_tokens = GPU_TOKENS if words.is_cuda else self.cpu_tokens
        groups = batches_by_length(batch.lengths.numpy(), n_tokens, len(batch.lengths))
        starts = batch.lengths.cumsum(0) - batch.lengths
        found = [
            self._encode_group(words, starts[group], batch.lengths[group])
            for group in map(torch.from_numpy, groups)
        ]
        order = torch.from_numpy(np.argsort(np.concatenate(groups)))
        return torch.cat(found)[order.to(words.device)]

    def _encode_group(self, words: Tensor, starts: Tensor, lengths: Tensor) -> Tensor:
        """Encode sentences, given as ranges of the batch's words: (g, d)."""
        positions = torch.arange(int(lengths.max()))
        is_token = positions < lengths[:, None]  # (g, t)
        indices = torch.where(is_token, starts[:, None] + positions, 0)
        is_token = is_token.to(words.device)
        padded = words[indices.to(words.device)] * is_token[:, :, None]  # (g, t, d)
        static = functional.normalize(padded.sum(dim=1), dim=1)  # (g, d)
        states = self.states(padded, is_token)
        pooled = torch.cat(
            [
                self.attention(states, is_token).flatten(1),  # (g, k d)
                pool_max(states, is_token),
            ],
            dim=1,
        )
        return self.join(self.sections(static, pooled))

    def sections(self, static: Tensor, pooled: Tensor) -> list[Tensor]:
        """Return the sections of vectors, before they are scaled.

        Args:
            static: (g, d'), sums of the words' vectors, or parts of the sums.
            pooled: (g, (k + 1) d'), pooled states.

        Returns:
            float (g, d'), the static encoder's dimensions, and (g, d - d'), the context
            dimensions, if any.
        """
        sections = [static + CONTEXT_SCALE * self.output(pooled).float()]
        if self.context is not None:
            sections.append(self.context(pooled).float())
        return sections

    def join(self, sections: Sequence[Tensor], parts: Sequence[Tensor] = ()) -> Tensor:
        """Scale sections to their lengths, and join them to vectors of length sqrt(d).

        Args:
            sections: see `sections`.
            parts: parts of each section of one sentence, (t, d'), scaled like the
                section; empty: the sections themselves.

        Returns:
            float (g, d), or (t, d) for parts.
        """
        lengths = (1.0, self._context_length)[: len(sections)]
        total = sum(length**2 for length in lengths) ** 0.5
        scaled = [
            part * (length / total) / section.norm(dim=1, keepdim=True).clamp_min(1e-12)
            for part, section, length in zip(
                parts or sections, sections, lengths, strict=True
            )
        ]
        joined: Tensor = torch.cat(scaled, dim=1) * self.dim**0.5
        return joined

    def word_vectors(self, batch: TokenBatch) -> Tensor:
        """Return the sum of each word's table rows: float32 (words, d)."""
        return functional.embedding_bag(
            batch.sub_ids, self.table, batch.sub_starts, mode="sum"
        )

    def states(self, words: Tensor, is_token: Tensor) -> Tensor:
        """Return the last layer's state at each word: (g, t, d) -> (g, t, d)."""
        states, is_heard = self._begin(words, is_token)
        for layer in self.layers:
            states = layer(states, is_heard)
        last: Tensor = self.last_norm(states)
        return last

    def heads(self, words: Tensor, is_token: Tensor) -> list[Tensor]:
        """Return each layer's attention, float (g, heads, t, t); a row's sum is 1."""
        states, is_heard = self._begin(words, is_token)
        found = []
        for layer in self.layers:
            assert isinstance(layer, TransformerLayer)
            found.append(layer.weigh(states, is_heard))
            states = layer(states, is_heard)
        return found

    def _begin(self, words: Tensor, is_token: Tensor) -> tuple[Tensor, Tensor]:
        """Return the first layer's input: states (g, t, d), is_heard (g, 1, 1, t)."""
        states: Tensor = self.first_norm(words)
        states = states + sinusoids(words.shape[1], words.shape[2], states.device)
        return states, is_token[:, None, None, :]


class ContextualTokeniser:
    """Splits texts at spaces into words, each with its rows of the static table.

    In a script without spaces, each piece is a token, and the n-grams of the text
    between two spaces are one further token. See `Tokeniser`.
    """

    def __init__(self, static: StaticTokeniser, max_tokens: int):
        self.n_rows = 0  # ids only distinguish words
        self.n_sub_rows = static.n_rows
        self._static = static
        self._max_tokens = max_tokens

    def tokenise(self, texts: Sequence[str]) -> Tokens:
        """Split texts into at most `max_tokens` tokens each."""
        places: dict[str, int] = {}
        word_ids, lengths = [], []
        for text in texts:
            words = text[:MAX_CHARACTERS].split()[: self._max_tokens]
            word_ids += [places.setdefault(word, len(places)) for word in words]
            lengths.append(len(words))
        cut = _cut_words(self._static, list(places))
        chosen = np.array(word_ids, np.int64)
        tokens = cut.tokens.take(chosen)
        text_ids = np.repeat(np.arange(len(texts)), lengths)
        n_known = np.bincount(text_ids, cut.n_known[chosen], len(texts))
        text_ids = np.repeat(text_ids, tokens.lengths)  # of each token
        counts = np.bincount(text_ids, minlength=len(texts))
        positions = np.arange(len(text_ids)) - (np.cumsum(counts) - counts)[text_ids]
        is_kept = (positions < self._max_tokens) & (n_known > 0)[text_ids]
        each = Tokens(
            tokens.ids,
            np.arange(1, len(tokens.ids) + 1),
            tokens.sub_ids,
            tokens.sub_ends,
        ).take(np.flatnonzero(is_kept))
        n_kept = np.bincount(text_ids[is_kept], minlength=len(texts))
        return make_tokens(each.ids, n_kept, each.sub_ids, each.sub_lengths)

    def names(self, text: str) -> list[str]:
        """Return the tokens that `tokenise` returns for a text, in order."""
        names: list[str] = []
        for word in text[:MAX_CHARACTERS].split()[: self._max_tokens]:
            n_tokens = int(_cut_words(self._static, [word]).tokens.lengths[0])
            if _UNSPACED.search(word):
                pieces = self._static.piece_names(word)
                names += [*pieces, WORD_PARTS][:n_tokens]
            elif n_tokens:
                names.append(word)
        return names[: self._max_tokens]

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces and the unknown pieces of each text."""
        return self._static.count_pieces(texts)


class _CutWords(NamedTuple):
    """Words with their tokens.

    Attributes:
        tokens: tokens of n words, as if each word were a sentence.
        n_known: int64 (n,), known pieces of each word.
    """

    tokens: Tokens
    n_known: NDArray[np.int64]


def _cut_words(static: StaticTokeniser, words: Sequence[str]) -> _CutWords:
    """Return the tokens of words: one each, or several in scripts without spaces."""
    pieces, ngrams = static.cut(words)
    n_known = pieces.lengths
    piece_words = np.repeat(np.arange(len(words)), n_known)
    ngram_words = np.repeat(np.arange(len(words)), ngrams.lengths)
    is_split = np.array([_UNSPACED.search(word) is not None for word in words], bool)
    indices = np.arange(len(piece_words)) - (np.cumsum(n_known) - n_known)[piece_words]
    rows = np.concatenate([pieces.ids, ngrams.ids])
    owners = np.concatenate([piece_words, ngram_words])
    parts = np.concatenate([indices, n_known[ngram_words]]) * is_split[owners]
    order = np.lexsort((parts, owners))
    rows, owners, parts = rows[order], owners[order], parts[order]
    begins = np.ones(len(rows), bool)
    begins[1:] = (owners[1:] != owners[:-1]) | (parts[1:] != parts[:-1])
    sub_lengths = np.diff(np.flatnonzero(begins), append=len(rows)).astype(np.int32)
    lengths = np.bincount(owners[begins], minlength=len(words))
    tokens = make_tokens(_token_ids(rows, sub_lengths), lengths, rows, sub_lengths)
    return _CutWords(tokens, n_known.astype(np.int64))


def _token_ids(rows: IdArray, sub_lengths: IdArray) -> IdArray:
    """Hash the rows of each token to a positive number."""
    hashes = hash_runs(rows, sub_lengths)
    return ((hashes >> np.uint64(34)) + np.uint64(1)).astype(np.int32)


def base_folder(folder: Path, config: ContextualConfig) -> Path:
    """Return the folder of a contextual encoder's static encoder.

    Args:
        folder: folder of the contextual encoder, or of the static encoder itself.
        config: config of the contextual encoder.

    Raises:
        UserError: the static encoder is missing, or differs from the encoder used in
            training.
    """
    places = (folder / BASE_FOLDER, _bundled_folder(config.base), folder)
    found = next(place for place in places if (place / CONFIG_FILE).is_file())
    if fingerprint_of(found) != config.base_fingerprint:
        raise UserError(
            f"{folder} needs the static encoder {config.base} that it was trained "
            "with. Copy it again with its subfolder “base”."
        )
    return found


def _bundled_folder(name: str) -> Path:
    """Return the path of a bundled encoder, safe for any name in a damaged config."""
    return resource_dir() / "encoders" / Path(name).name


def base_files(base: Path, config: ContextualConfig) -> dict[str, bytes]:
    """Return the files that a contextual encoder copies from its static encoder.

    Empty for a bundled static encoder, which is always available.
    """
    if (_bundled_folder(config.base) / CONFIG_FILE).is_file():
        return {}
    return {
        f"{BASE_FOLDER}/{file.name}": file.read_bytes()
        for file in sorted(base.iterdir())
        if file.is_file() and not file.name.startswith(".")
    }


def read_base(folder: Path, config: ContextualConfig) -> tuple[Path, StaticConfig]:
    """Return the folder and the config of a contextual encoder's static encoder.

    Raises:
        UserError: the static encoder is missing, was changed, or differs in dimension.
    """
    base = base_folder(folder, config)
    static = check_base(read_config(base))
    if static.dim != config.base_dim:
        raise UserError(
            f"{base} has {static.dim:,} dimensions, but the layers have "
            f"{config.base_dim:,}."
        )
    return base, static


def check_base(config: object) -> StaticConfig:
    """Check that an encoder can be the base of a contextual encoder.

    Raises:
        UserError: the encoder is not static, or its bigrams cross word boundaries.
    """
    if not isinstance(config, StaticConfig) or config.n_bigrams:
        raise UserError(
            "A contextual encoder needs a static encoder without bigrams to start "
            "from, such as the bundled one."
        )
    return config


def attach_base(module: SentenceModule, folder: Path, config: EncoderConfig) -> None:
    """Attach the static encoder's table to a contextual module; ignore other modules.

    Args:
        folder: folder of the contextual encoder, or of the static encoder.
        config: config of the encoder, which may not be contextual.

    Raises:
        UserError: see `read_base`.
    """
    if isinstance(config, ContextualConfig):
        table = share_table(*read_base(folder, config))
        module.table = torch.from_numpy(table)


def load_tokeniser(folder: Path, config: ContextualConfig) -> ContextualTokeniser:
    """Load the tokeniser of a contextual encoder."""
    base, static = read_base(folder, config)
    romaniser = read_romaniser(base) if static.n_ngrams else None
    tokeniser = StaticTokeniser(read_vocabulary(base, static), static, romaniser)
    return ContextualTokeniser(tokeniser, config.max_tokens)
