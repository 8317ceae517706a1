"""Training presets: named sets of values of `TrainEncoder`."""

from typing import Any, Literal, NamedTuple

from app.params import build_params
from app.params.training.encoder import TrainEncoder

PresetLevel = Literal["quick", "solid", "paper"]


class Preset(NamedTuple):
    """A named set of training values.

    Attributes:
        card: card that shows the preset; cards with several presets offer a choice.
        title: title in the window.
        summary: a sentence on the trained encoder.
        values: fields of TrainEncoder that differ from their defaults.
    """

    card: PresetLevel
    title: str
    summary: str
    values: dict[str, Any]


_FOUR_OBJECTIVES = ("conversation", "quick-thought", "nli", "ranking")

# Chidambaram et al. 2019, section 3; docs/recipes.md lists the paper's values.
_DUAL_ENCODER: dict[str, Any] = {
    "architecture": "transformer",
    "units": "words",
    "n_pieces": 200_000,
    "n_ngrams": 200_000,
    "embed_dim": 320,
    "dim": 512,
    "n_layers": 3,
    "n_heads": 8,
    "filter_dim": 2_048,
    "norm": "post",
    "pooling": "mean",
    "dropout": 0.1,
    "max_tokens": 64,
    "tasks_per_language": True,
    "similarity": "dot",
    "temperature": 1.0,
    "direction": "target",
    "margin": 0.0,
    "n_hard_negatives": 5,
    "n_coarse_steps": 1_000_000,
    "sampling_exponent": 1.0,
    "n_steps": 30_000_000,
    "batch_size": 100,
    "optimiser": "sgd",
    "embedding_gradient": 100.0,
    "lr": 0.008,
    "n_warmup": 0,
    "decay": "constant",
    "n_development": 1_000,
    "evaluate_every": 10_000,
}

PRESETS: dict[str, Preset] = {
    "quick": Preset(
        card="quick",
        title="Quick",
        summary="A static encoder: sums of piece and n-gram vectors. Trains in "
        "minutes and encodes a corpus in seconds.",
        values={
            "architecture": "static",
            "n_pieces": 16_000,
            "n_ngrams": 65_536,
            "dim": 256,
            "objectives": ("ranking",),
            "n_steps": 1_000,
            "batch_size": 1_024,
            "lr": 0.01,
            "n_warmup": 100,
            "n_development": 200,
            "evaluate_every": 100,
        },
    ),
    "solid": Preset(
        card="solid",
        title="Standard",
        summary="A small transformer that takes word order into account, trained "
        "until it stops improving.",
        values={
            "architecture": "transformer",
            "n_pieces": 32_000,
            "embed_dim": 256,
            "dim": 256,
            "n_layers": 2,
            "n_heads": 8,
            "filter_dim": 1_024,
            "norm": "pre",
            "pooling": "mean",
            "max_tokens": 128,
            "objectives": ("ranking",),
            "n_steps": 6_000,
            "batch_size": 256,
            "batch_tokens": 12_288,
            "lr": 0.001,
            "n_warmup": 500,
            "clip_norm": 1.0,
            "n_development": 500,
            "evaluate_every": 500,
            "patience": 8,
        },
    ),
    # The settings of isogloss-3-context, without its NLI files.
    "contextual": Preset(
        card="solid",
        title="Contextual",
        summary="Layers over the words of the bundled encoder. They keep its languages "
        "and add word order, negations and numbers.",
        values={
            "architecture": "contextual",
            "dim": 512,
            "n_layers": 2,
            "n_heads": 4,
            "filter_dim": 1_024,
            "n_views": 2,
            "attention_dim": 128,
            "dropout": 0.0,
            "objectives": ("ranking", "contradiction"),
            "n_hard_negatives": 1,
            "n_coarse_steps": 0,
            "n_steps": 3_000,
            "batch_size": 512,
            "batch_tokens": 30_000,
            "lr": 0.001,
            "n_warmup": 300,
            "clip_norm": 1.0,
            "n_development": 500,
            "evaluate_every": 500,
            "patience": 8,
        },
    ),
    # Artetxe and Schwenk 2019, section 3: 128,000 tokens a batch over 16 GPUs, 17
    # epochs of 223 million pairs, which are about 840,000 batches of 4,500 sentences.
    "laser": Preset(
        card="paper",
        title="LASER",
        summary="A BiLSTM of 5 layers and a decoder into English and Spanish, 1,024 "
        "dimensions (Artetxe and Schwenk 2019).",
        values={
            "architecture": "bilstm",
            "vocabulary_model": "bpe",
            "n_pieces": 50_000,
            "embed_dim": 320,
            "dim": 1_024,
            "n_layers": 5,
            "end_mark": True,
            "pooling": "max",
            "dropout": 0.1,
            "objectives": ("translation",),
            "target_languages": ("eng", "spa"),
            "decoder_dim": 2_048,
            "language_dim": 32,
            "sampling_exponent": 1.0,
            "n_steps": 840_000,
            "batch_size": 1_024,
            "batch_tokens": 8_000,
            "n_accumulated": 16,
            "lr": 0.001,
            "n_warmup": 0,
            "decay": "constant",
            "n_development": 1_000,
            "evaluate_every": 5_000,
        },
    ),
    "dual-encoder": Preset(
        card="paper",
        title="Dual encoder",
        summary="A transformer of 3 layers over words and character n-grams, trained "
        "on six tasks in turn: conversation and quick thought in two languages, NLI "
        "and translation ranking (Chidambaram et al. 2019).",
        values={**_DUAL_ENCODER, "objectives": _FOUR_OBJECTIVES},
    ),
    "dual-encoder-no-nli": Preset(
        card="paper",
        title="Dual encoder without NLI",
        summary="The dual encoder without NLI: the ablation No SNLI (Chidambaram et "
        "al. 2019).",
        values={
            **_DUAL_ENCODER,
            "objectives": ("conversation", "quick-thought", "ranking"),
        },
    ),
    "dual-encoder-no-quick-thought": Preset(
        card="paper",
        title="Dual encoder without quick thought",
        summary="The dual encoder without quick thought: the ablation No Wiki "
        "(Chidambaram et al. 2019).",
        values={**_DUAL_ENCODER, "objectives": ("conversation", "nli", "ranking")},
    ),
    "dual-encoder-english": Preset(
        card="paper",
        title="Dual encoder, English tasks only",
        summary="The dual encoder with conversation and quick thought only in English: "
        "the ablation No non-English native tasks (Chidambaram et al. 2019).",
        values={
            **_DUAL_ENCODER,
            "objectives": _FOUR_OBJECTIVES,
            "native_languages": ("eng",),
        },
    ),
    "dual-encoder-ranking": Preset(
        card="paper",
        title="Dual encoder, translation ranking only",
        summary="The dual encoder with translation ranking as its only task: the "
        "baseline (Chidambaram et al. 2019).",
        values={**_DUAL_ENCODER, "objectives": ("ranking",)},
    ),
}


def preset_params(key: str, name: str) -> TrainEncoder:
    """Return validated params of a preset for an encoder of this name."""
    params: TrainEncoder = build_params(
        TrainEncoder, {"name": name, **PRESETS[key].values}
    )
    return params
