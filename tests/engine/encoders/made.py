"""Tiny encoders of every architecture, with weights drawn from a seed."""

from typing import Any

import torch

from app.engine.encoders.configs import (
    BilstmConfig,
    EncoderConfig,
    StaticConfig,
    TransformerConfig,
)
from app.engine.encoders.neural import NeuralEncoder, SentenceModule
from app.engine.encoders.static.module import StaticTokeniser
from app.engine.encoders.static.table_rows import make_romaniser
from app.engine.encoders.tokenisers import PieceTokeniser, WordTokeniser
from app.engine.encoders.tokens import Tokeniser
from app.engine.encoders.weights import build_module
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.text.word_vocabulary import WordVocabulary

DIM = 16
WORDS = ("bado", "kilu", "meno", ".")


def made_configs(n_pieces: int) -> dict[str, EncoderConfig]:
    """One config for each architecture and each way in which it is built."""
    pieces: dict[str, Any] = {"dim": DIM, "n_pieces": n_pieces}
    layers: dict[str, Any] = {"embed_dim": 12, "n_layers": 2, "max_tokens": 40}
    lstm = {**pieces, **layers, "hidden_dim": DIM // 2}
    former = {**pieces, **layers, "n_heads": 2, "filter_dim": 24}
    words: dict[str, Any] = {"units": "words", "n_hashed_words": 5, "n_ngrams": 30}
    configs = (
        StaticConfig(name="static", **pieces, n_bigrams=20, n_ngrams=0),
        StaticConfig(name="static-ngrams", **pieces, n_bigrams=20, n_ngrams=50),
        BilstmConfig(name="bilstm-max", **lstm, pooling="max"),
        BilstmConfig(name="bilstm-mean", **lstm, pooling="mean"),
        BilstmConfig(name="bilstm-last", **lstm, pooling="last"),
        BilstmConfig(name="bilstm-attention", **lstm, pooling="attention", n_views=3),
        TransformerConfig(name="transformer-post", **former, norm="post"),
        TransformerConfig(name="transformer-pre", **former, norm="pre"),
        TransformerConfig(
            name="transformer-words", **{**former, **words, "n_pieces": len(WORDS)}
        ),
    )
    return {config.name: config for config in configs}


ARCHITECTURES = tuple(made_configs(1))


def made_module(config: EncoderConfig) -> SentenceModule:
    """Build a module with weights of a fixed seed."""
    torch.manual_seed(7)
    return build_module(config).eval()


def made_units(config: EncoderConfig, vocabulary: Vocabulary) -> Tokeniser:
    """Cut texts as the config says."""
    if isinstance(config, StaticConfig):
        romaniser = make_romaniser() if config.n_ngrams else None
        return StaticTokeniser(vocabulary, config, romaniser)
    assert isinstance(config, BilstmConfig | TransformerConfig)
    if isinstance(config, TransformerConfig) and config.units == "words":
        return WordTokeniser(
            WordVocabulary(WORDS),
            n_hashed=config.n_hashed_words,
            n_ngrams=config.n_ngrams,
            max_tokens=config.max_tokens,
        )
    return PieceTokeniser(vocabulary, config.max_tokens)


def made_encoder(name: str, vocabulary: Vocabulary) -> NeuralEncoder:
    """Make the encoder of a config by its name."""
    config = made_configs(vocabulary.n_pieces)[name]
    return NeuralEncoder(made_module(config), made_units(config, vocabulary), name=name)
