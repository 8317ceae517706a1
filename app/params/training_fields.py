"""The fields of a training by section, and which of them a choice disables."""

from collections.abc import Iterable
from typing import Any, NamedTuple

OBJECTIVES = (
    "ranking",
    "translation",
    "nli",
    "quick-thought",
    "conversation",
    "distillation",
)

# Every field of TrainEncoder stands in exactly one section.
SECTIONS: dict[str, tuple[str, ...]] = {
    "data": (
        "name",
        "corpora",
        "pairs",
        "sampling_exponent",
        "out",
    ),
    "encoder": (
        "initial",
        "architecture",
        "units",
        "vocabulary",
        "vocabulary_model",
        "n_pieces",
        "n_bigrams",
        "n_ngrams",
        "storage",
        "dim",
        "embed_dim",
        "n_layers",
        "n_heads",
        "filter_dim",
        "norm",
        "pooling",
        "n_views",
        "dropout",
        "max_tokens",
    ),
    "objectives": (
        "objectives",
        "temperature",
        "learns_temperature",
        "similarity",
        "margin",
        "direction",
        "n_hard_negatives",
        "negatives_pool",
        "coarse_encoder",
        "negatives_every",
        "target_languages",
        "decoder_dim",
        "language_dim",
        "nli",
        "documents",
        "conversations",
        "teacher",
    ),
    "steps": (
        "n_steps",
        "batch_size",
        "batch_tokens",
        "n_accumulated",
        "languages_per_batch",
        "lr",
        "n_warmup",
        "decay",
        "clip_norm",
        "precision",
        "checkpoint_every_s",
        "seed",
    ),
    "development": (
        "kept_out_corpora",
        "kept_out",
        "n_development",
        "evaluate_every",
        "patience",
    ),
}

# Where the field's own name does not say it.
TITLES: dict[str, str] = {
    "pairs": "Files of pairs",
    "kept_out": "Files kept out",
    "kept_out_corpora": "Corpora kept out",
    "out": "Folder",
    "initial": "Go on from",
    "vocabulary_model": "Kind of vocabulary",
    "n_pieces": "Pieces",
    "n_bigrams": "Rows for bigrams",
    "n_ngrams": "Rows for character n-grams",
    "storage": "Stored as",
    "dim": "Dimensions",
    "embed_dim": "Dimensions of a piece",
    "n_layers": "Layers",
    "n_heads": "Heads",
    "filter_dim": "Inner size",
    "norm": "Normalisation",
    "n_views": "Views",
    "max_tokens": "Longest sentence",
    "learns_temperature": "Learn the temperature",
    "n_hard_negatives": "Hard negatives",
    "negatives_pool": "Hard negatives of",
    "coarse_encoder": "Coarse encoder",
    "negatives_every": "Mine them again every",
    "target_languages": "Target languages",
    "decoder_dim": "Size of the decoder",
    "language_dim": "Size of a language",
    "nli": "Files of NLI",
    "documents": "Files of documents",
    "conversations": "Files of conversations",
    "n_steps": "Steps",
    "batch_size": "Pairs in a batch",
    "batch_tokens": "Tokens in a batch",
    "n_accumulated": "Batches in a step",
    "languages_per_batch": "Languages in a batch",
    "lr": "Learning rate",
    "n_warmup": "Steps of warm-up",
    "clip_norm": "Longest gradient",
    "n_development": "Pairs held out",
    "evaluate_every": "Measure every",
    "checkpoint_every_s": "Checkpoint every",
}

_BODY = ("embed_dim", "n_layers", "pooling", "dropout", "max_tokens")
_TRANSFORMER = ("units", "n_heads", "filter_dim", "norm")
_NEGATIVES = ("negatives_pool", "coarse_encoder", "negatives_every")
_OF_OBJECTIVE: dict[str, tuple[str, ...]] = {
    "ranking": ("margin", "direction", "n_hard_negatives", *_NEGATIVES),
    "translation": ("target_languages", "decoder_dim", "language_dim"),
    "nli": ("nli",),
    "quick-thought": ("documents",),
    "conversation": ("conversations",),
    "distillation": ("teacher",),
}
_WITH_SOFTMAX = {"ranking", "quick-thought", "conversation"}


class Objective(NamedTuple):
    """An objective of a training and its weight among the others."""

    name: str
    weight: float = 1.0


def split_objectives(texts: Iterable[str]) -> list[Objective]:
    """Read `nli:0.5` as name and weight; a weight that is no number counts as 1."""
    found = []
    for text in texts:
        name, _, weight = text.partition(":")
        try:
            found.append(Objective(name.strip(), float(weight or 1)))
        except ValueError:
            found.append(Objective(name.strip()))
    return found


def join_objectives(objectives: Iterable[Objective]) -> tuple[str, ...]:
    """Write objectives as the params hold them; a weight of 1 is not written."""
    return tuple(
        name if weight == 1 else f"{name}:{weight:g}" for name, weight in objectives
    )


def unused_fields(values: dict[str, Any]) -> set[str]:
    """Name the fields that do nothing with these values.

    Args:
        values: of TrainEncoder's fields; at least architecture, units, pooling,
            objectives, n_hard_negatives, vocabulary, n_accumulated and n_development.
    """
    unused = _unused_of_encoder(values) | _unused_of_objectives(values)
    if not values["n_development"]:
        unused |= {"evaluate_every", "patience"}
    return unused


def _unused_of_encoder(values: dict[str, Any]) -> set[str]:
    unused: set[str] = set()
    architecture = values["architecture"]
    is_words = architecture == "transformer" and values["units"] == "words"
    if architecture == "static":
        unused |= {*_BODY, "batch_tokens"}
    else:
        unused |= {"n_bigrams"}
    if architecture != "transformer":
        unused |= set(_TRANSFORMER)
    if architecture != "static" and not is_words:
        unused |= {"n_ngrams"}
    if architecture == "static" or values["pooling"] != "attention":
        unused |= {"n_views"}
    if is_words:
        unused |= {"vocabulary_model"}
    if values["vocabulary"]:
        unused |= {"vocabulary_model", "n_pieces"}
    return unused


def _unused_of_objectives(values: dict[str, Any]) -> set[str]:
    names = {objective.name for objective in split_objectives(values["objectives"])}
    unused = {
        field
        for name, fields in _OF_OBJECTIVE.items()
        if name not in names
        for field in fields
    }
    if not names & _WITH_SOFTMAX:
        unused |= {"temperature", "learns_temperature", "similarity"}
    if not values["n_hard_negatives"]:
        unused |= set(_NEGATIVES)
    return unused
