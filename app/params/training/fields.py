"""Fields of a training by section, and fields without effect."""

from collections.abc import Iterable
from typing import Any, NamedTuple

OBJECTIVES = (
    "ranking",
    "translation",
    "nli",
    "contradiction",
    "quick-thought",
    "conversation",
    "distillation",
)

# Every field of TrainEncoder is in exactly one section.
SECTIONS: dict[str, tuple[str, ...]] = {
    "data": (
        "name",
        "corpora",
        "pair_sets",
        "pairs",
        "word_lists",
        "languages",
        "sampling_exponent",
        "pair_weights",
        "out",
    ),
    "encoder": (
        "initial",
        "architecture",
        "base",
        "units",
        "vocabulary",
        "vocabulary_model",
        "n_pieces",
        "n_bigrams",
        "n_ngrams",
        "storage",
        "dim",
        "embed_dim",
        "hidden_dim",
        "n_layers",
        "end_mark",
        "n_heads",
        "filter_dim",
        "norm",
        "pooling",
        "n_views",
        "attention_dim",
        "dropout",
        "max_tokens",
    ),
    "objectives": (
        "objectives",
        "tasks_per_language",
        "native_languages",
        "temperature",
        "learns_temperature",
        "similarity",
        "margin",
        "direction",
        "n_hard_negatives",
        "negatives_pool",
        "coarse_encoder",
        "n_coarse_steps",
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
        "optimiser",
        "embedding_gradient",
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
        "selected_by",
        "patience",
    ),
}

# Titles that differ from the field's name.
TITLES: dict[str, str] = {
    "pairs": "Pair files",
    "word_lists": "Word lists",
    "pair_weights": "Weights of pair files",
    "kept_out": "Excluded files",
    "kept_out_corpora": "Excluded corpora",
    "out": "Folder",
    "initial": "Start from",
    "base": "Static encoder",
    "vocabulary_model": "Vocabulary type",
    "n_pieces": "Vocabulary size",
    "n_bigrams": "Bigram rows",
    "n_ngrams": "Character n-gram rows",
    "storage": "Storage",
    "dim": "Dimensions",
    "embed_dim": "Embedding size",
    "bridge_dim": "Bridge size",
    "hidden_dim": "Hidden size",
    "n_layers": "Layers",
    "end_mark": "End mark",
    "system": "Architecture",
    "copies": "Autoencoding",
    "n_heads": "Heads",
    "filter_dim": "Feed-forward size",
    "norm": "Normalisation",
    "n_views": "Views",
    "attention_dim": "Attention size",
    "max_tokens": "Maximum tokens",
    "learns_temperature": "Learn temperature",
    "n_hard_negatives": "Hard negatives",
    "negatives_pool": "Hard-negative pool",
    "coarse_encoder": "Coarse encoder",
    "tasks_per_language": "One task per language",
    "native_languages": "Monolingual languages",
    "n_coarse_steps": "Coarse encoder (steps)",
    "negatives_every": "Mining interval (steps)",
    "target_languages": "Target languages",
    "decoder_dim": "Decoder size",
    "language_dim": "Language dimensions",
    "nli": "NLI files",
    "documents": "Document files",
    "conversations": "Conversation files",
    "n_steps": "Steps",
    "batch_size": "Batch size (pairs)",
    "batch_tokens": "Batch size (tokens)",
    "n_accumulated": "Accumulated batches",
    "languages_per_batch": "Languages per batch",
    "embedding_gradient": "Embedding gradient ×",
    "lr": "Learning rate",
    "seed": "Random seed",
    "n_warmup": "Warm-up steps",
    "clip_norm": "Maximum gradient norm",
    "n_development": "Development pairs",
    "evaluate_every": "Evaluation interval (steps)",
    "selected_by": "Keep the best by",
    "select_by": "Keep the best by",
    "checkpoint_every_s": "Checkpoint interval (s)",
}

_BODY = ("embed_dim", "n_layers", "pooling", "dropout", "max_tokens")
_OF_STATIC = {  # inherited from the static encoder or fixed in a contextual encoder
    *("units", "vocabulary", "vocabulary_model", "n_pieces", "n_bigrams", "n_ngrams"),
    *("embed_dim", "hidden_dim", "end_mark", "norm", "pooling"),
}
_TRANSFORMER = ("units", "n_heads", "filter_dim", "norm")
_NEGATIVES = ("negatives_pool", "coarse_encoder", "n_coarse_steps", "negatives_every")
_OF_OBJECTIVE: dict[str, tuple[str, ...]] = {
    "ranking": ("margin", "direction", "n_hard_negatives", *_NEGATIVES),
    "translation": ("target_languages", "decoder_dim", "language_dim"),
    "nli": ("nli",),
    "contradiction": ("nli", "margin"),
    "quick-thought": ("documents",),
    "conversation": ("conversations",),
    "distillation": ("teacher",),
}
_MONOLINGUAL = {"quick-thought", "conversation"}
_WITH_SOFTMAX = {"ranking", "contradiction", *_MONOLINGUAL}

NEED_PAIRS = {"ranking", "translation", "contradiction", "distillation"}
PAIR_FIELDS = ("corpora", "pair_sets", "pairs")
NEEDED_FILES = {  # data of the other objectives
    "nli": "nli",
    "quick-thought": "documents",
    "conversation": "conversations",
}


class WeightedObjective(NamedTuple):
    """An objective of a training and its relative weight."""

    name: str
    weight: float = 1.0


def split_objectives(texts: Iterable[str]) -> list[WeightedObjective]:
    """Parse `nli:0.5` into name and weight; an invalid weight counts as 1."""
    found = []
    for text in texts:
        name, _, weight = text.partition(":")
        try:
            found.append(WeightedObjective(name.strip(), float(weight or 1)))
        except ValueError:
            found.append(WeightedObjective(name.strip()))
    return found


def join_objectives(objectives: Iterable[WeightedObjective]) -> tuple[str, ...]:
    """Format objectives as in the params; a weight of 1 is omitted."""
    return tuple(
        name if weight == 1 else f"{name}:{weight:g}" for name, weight in objectives
    )


def unused_fields(values: dict[str, Any]) -> set[str]:
    """Return the fields that have no effect with these values.

    Args:
        values: values of TrainEncoder's fields; at least architecture, units, pooling,
            objectives, n_hard_negatives, coarse_encoder, vocabulary, optimiser,
            n_accumulated and n_development.
    """
    unused = _unused_of_encoder(values) | _unused_of_objectives(values)
    if not values["n_development"]:
        unused |= {"evaluate_every", "selected_by", "patience"}
    if values["optimiser"] == "adam":  # Adam cancels a constant factor
        unused |= {"embedding_gradient"}
    return unused


def missing_files(values: dict[str, Any]) -> str:
    """Return the first empty field that an objective needs; "": none.

    Args:
        values: of TrainEncoder's fields.
    """
    names = {objective.name for objective in split_objectives(values["objectives"])}
    if names & NEED_PAIRS and not any(values[field] for field in PAIR_FIELDS):
        return "corpora"
    for name, field in NEEDED_FILES.items():
        if name in names and not values[field]:
            return field
    return ""


def _unused_of_encoder(values: dict[str, Any]) -> set[str]:
    unused: set[str] = set()
    architecture = values["architecture"]
    is_words = architecture == "transformer" and values["units"] == "words"
    if architecture == "static":
        unused |= {*_BODY, "batch_tokens"}
    else:
        unused |= {"n_bigrams"}
    if architecture == "contextual":
        unused |= _OF_STATIC
        return unused if not values.get("initial") else unused | {"base"}
    unused |= {"base"}
    if architecture != "transformer":
        unused |= set(_TRANSFORMER)
    if architecture != "bilstm":
        unused |= {"hidden_dim", "end_mark"}
    if architecture != "static" and not is_words:
        unused |= {"n_ngrams"}
    if architecture == "static" or values["pooling"] != "attention":
        unused |= {"n_views", "attention_dim"}
    if is_words:
        unused |= {"vocabulary_model"}
    if values["vocabulary"]:
        unused |= {"vocabulary_model", "n_pieces"}
    return unused


def _unused_of_objectives(values: dict[str, Any]) -> set[str]:
    names = {objective.name for objective in split_objectives(values["objectives"])}
    used = {field for name in names for field in _OF_OBJECTIVE.get(name, ())}
    unused = {field for fields in _OF_OBJECTIVE.values() for field in fields} - used
    if not names & _WITH_SOFTMAX:
        unused |= {
            "temperature",
            "learns_temperature",
            "similarity",
            "tasks_per_language",
        }
    if not names & _MONOLINGUAL:
        unused |= {"native_languages"}
    if not values["n_hard_negatives"]:
        unused |= set(_NEGATIVES)
    elif values["coarse_encoder"]:
        unused |= {"n_coarse_steps"}
    if "nli" not in names:
        unused |= {"selected_by"}
    return unused
