"""Build the config of an encoder to be trained from the training's params."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from app.engine.encoders.configs import (
    BilstmConfig,
    ContextualConfig,
    EncoderConfig,
    StaticConfig,
    TransformerConfig,
)
from app.engine.encoders.contextual import check_base
from app.engine.encoders.folder import fingerprint_of, read_config
from app.engine.text.word_vocabulary import WORDS_FILE, load_word_vocabulary
from app.errors import UserError
from app.params.training.encoder import TrainEncoder

N_HASHED_WORDS = 10_000  # Chidambaram et al. 2019, section 3.1

TrainableConfig = StaticConfig | BilstmConfig | TransformerConfig | ContextualConfig


def new_config(
    params: TrainEncoder,
    vocabulary: Path,
    *,
    description: str = "",
    languages: Sequence[str] = (),
) -> TrainableConfig:
    """Return the config of the encoder to be trained.

    A BiLSTM without a specified size has `dim` / 2 units per direction, or `dim` / 2 k
    with k views of attention, so that the views together have `dim` dimensions (Conneau
    et al. 2017, section 3.2.3: 4 views of 2 x 512). If the sizes differ, as always with
    several views of a transformer, a linear map projects to `dim`.

    Args:
        vocabulary: folder of the vocabulary, whose size is the number of embeddings;
            for a contextual encoder, the folder of the static encoder.
        description: one sentence.
        languages: codes of the training languages.

    Raises:
        UserError: settings are inconsistent, or the vocabulary is damaged.
    """
    check_settings(params)
    if params.architecture == "contextual":
        return _new_contextual(params, vocabulary, description, languages)
    common: dict[str, Any] = {
        "name": params.name,
        "description": description,
        "dim": params.dim,
        "languages": tuple(languages),
        "n_pieces": _count_units(params, vocabulary),
        "precision": params.storage,
    }
    if params.architecture == "bilstm":
        return _new_bilstm(params, common)
    if params.architecture == "transformer":
        return _new_transformer(params, common)
    return StaticConfig(**common, n_bigrams=params.n_bigrams, n_ngrams=params.n_ngrams)


def with_format_of(config: TrainableConfig, initial: EncoderConfig) -> TrainableConfig:
    """Return a config with the weights' format of an encoder to start from.

    An older encoder has inner attention without bias; no setting changes that.
    """
    if not isinstance(initial, type(config)) or isinstance(
        initial, StaticConfig | ContextualConfig
    ):
        return config
    return msgspec.structs.replace(
        config, has_attention_bias=initial.has_attention_bias
    )


def check_settings(params: TrainEncoder) -> None:
    """Reject inconsistent settings, independent of the data."""
    if params.units == "words" and params.architecture != "transformer":
        raise UserError(
            "Only the transformer supports words as units. Use pieces with "
            f"{params.architecture}."
        )
    _check_storage(params)
    if params.architecture == "bilstm":
        _check_bilstm(params)


def _check_bilstm(params: TrainEncoder) -> None:
    """Reject dimensions that can't be divided over directions and views."""
    n_parts = 2 * _n_views(params)
    if params.hidden_dim or params.dim % n_parts == 0:
        return
    if n_parts > 2:
        raise UserError(
            f"{params.dim:,} dimensions can't be divided among {n_parts // 2} views of "
            f"two directions. Choose a multiple of {n_parts}, or set the hidden size."
        )
    raise UserError(
        "A BiLSTM needs an even number of dimensions, half for each "
        f"direction, but {params.dim} is odd."
    )


def _check_storage(params: TrainEncoder) -> None:
    """Reject 4 bits if unsupported."""
    if params.storage != "int4":
        return
    if params.architecture != "static":
        raise UserError(
            "Only static encoders can be stored as int4. Use int8 with "
            f"{params.architecture}."
        )
    if params.dim % 2:
        raise UserError(
            "int4 storage needs an even number of dimensions, but "
            f"{params.dim} is odd. Choose an even number, or int8."
        )


def _new_bilstm(params: TrainEncoder, common: dict[str, Any]) -> BilstmConfig:
    """Return the config of a BiLSTM."""
    return BilstmConfig(
        **common,
        **_layer_settings(params),
        hidden_dim=params.hidden_dim or params.dim // (2 * _n_views(params)),
        has_end_mark=params.end_mark,
    )


def _new_transformer(params: TrainEncoder, common: dict[str, Any]) -> TransformerConfig:
    """Return the config of a transformer."""
    has_words = params.units == "words"
    return TransformerConfig(
        **common,
        **_layer_settings(params),
        units=params.units,
        n_hashed_words=N_HASHED_WORDS if has_words else 0,
        n_ngrams=params.n_ngrams if has_words else 0,
        n_heads=params.n_heads,
        filter_dim=params.filter_dim,
        norm=params.norm,
    )


def _new_contextual(
    params: TrainEncoder, base: Path, description: str, languages: Sequence[str]
) -> ContextualConfig:
    """Return the config of a contextual encoder.

    Raises:
        UserError: the static encoder has more dimensions than the new encoder.
    """
    static = check_base(read_config(base))
    if params.dim < static.dim:
        raise UserError(
            f"A contextual encoder of {static.name} needs {static.dim:,} dimensions or "
            f"more, but it has {params.dim}."
        )
    return ContextualConfig(
        name=params.name,
        description=description,
        dim=params.dim,
        languages=tuple(dict.fromkeys((*static.languages, *languages))),
        precision=params.storage,
        base=static.name,
        base_fingerprint=fingerprint_of(base),
        base_dim=static.dim,
        n_layers=params.n_layers,
        n_heads=params.n_heads,
        filter_dim=params.filter_dim,
        n_views=params.n_views,
        attention_dim=params.attention_dim,
        dropout=params.dropout,
        max_tokens=params.max_tokens,
    )


def _layer_settings(params: TrainEncoder) -> dict[str, Any]:
    """Return the settings that BiLSTM and transformer share."""
    return {
        "embed_dim": params.embed_dim,
        "n_layers": params.n_layers,
        "pooling": params.pooling,
        "n_views": _n_views(params),
        "attention_dim": params.attention_dim,
        "has_attention_bias": params.pooling == "attention",
        "dropout": params.dropout,
        "max_tokens": params.max_tokens,
    }


def _n_views(params: TrainEncoder) -> int:
    """Return the views of inner attention; 1 for other poolings."""
    return params.n_views if params.pooling == "attention" else 1


def vocabulary_files(folder: Path) -> dict[str, bytes]:
    """Read the vocabulary files that are copied to an encoder, by name."""
    from app.engine.text.subword_vocabulary import MODEL_FILE

    names = (MODEL_FILE, WORDS_FILE)
    return {
        name: (folder / name).read_bytes()
        for name in names
        if (folder / name).is_file()
    }


def _count_units(params: TrainEncoder, vocabulary: Path) -> int:
    """Count the pieces or words of a vocabulary."""
    if params.units == "words":
        return load_word_vocabulary(vocabulary).n_words
    from app.engine.text.subword_vocabulary import load_vocabulary

    return load_vocabulary(vocabulary).n_pieces
