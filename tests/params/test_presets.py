"""Presets and sections of a training: valid values, every field in its place."""

import msgspec
import pytest

from app.params import build_params
from app.params.training.encoder import TrainEncoder
from app.params.training.fields import (
    OBJECTIVES,
    SECTIONS,
    WeightedObjective,
    join_objectives,
    missing_files,
    split_objectives,
    unused_fields,
)
from app.params.training.presets import PRESETS, preset_params

each_preset = pytest.mark.parametrize("key", PRESETS)


def unused_of(**values: object) -> set[str]:
    params = msgspec.structs.replace(TrainEncoder(name="mine"), **values)
    return unused_fields(msgspec.structs.asdict(params))


@each_preset
def test_a_preset_holds_valid_values_of_known_fields(key: str) -> None:
    params = preset_params(key, "mine")
    names = [objective.name for objective in split_objectives(params.objectives)]
    assert set(names) <= set(OBJECTIVES)
    assert params.dim % params.n_heads == 0


@each_preset
def test_a_preset_sets_nothing_that_its_architecture_does_not_use(key: str) -> None:
    params = preset_params(key, "mine")
    assert not set(PRESETS[key].values) & unused_fields(msgspec.structs.asdict(params))


def test_the_paper_presets_have_the_published_sizes() -> None:
    laser, dual = preset_params("laser", "a"), preset_params("dual-encoder", "b")
    assert (laser.n_layers, laser.dim, laser.embed_dim) == (5, 2 * 512, 320)
    assert (laser.decoder_dim, laser.language_dim, laser.n_pieces) == (2048, 32, 50_000)
    assert laser.batch_tokens * laser.n_accumulated == 128_000
    assert (dual.n_layers, dual.n_heads, dual.dim) == (3, 8, 512)
    assert (dual.n_ngrams, dual.max_tokens, dual.batch_size) == (200_000, 64, 100)


# Chidambaram et al. 2019, sections 2 and 3: what the presets of all variants share.
DUAL_ENCODER = {
    "units": "words",
    "n_pieces": 200_000,
    "n_ngrams": 200_000,
    "embed_dim": 320,
    "dim": 512,
    "n_layers": 3,
    "n_heads": 8,
    "filter_dim": 2_048,
    "pooling": "mean",
    "max_tokens": 64,
    "similarity": "dot",  # raw dot products
    "temperature": 1.0,  # without a temperature
    "margin": 0.0,
    "direction": "target",  # P(source | target)
    "n_hard_negatives": 5,
    "coarse_encoder": "",  # a coarse version of the same model mines them
    "tasks_per_language": True,
    "batch_size": 100,
    "batch_tokens": 0,
    "n_accumulated": 1,
    "optimiser": "sgd",
    "lr": 0.008,
    "n_warmup": 0,
    "decay": "constant",
    "clip_norm": 0.0,
    "embedding_gradient": 100.0,
    "n_steps": 30_000_000,
}
FOUR = {"conversation", "quick-thought", "nli", "ranking"}


@pytest.mark.parametrize(
    ("key", "objectives", "native"),
    [
        ("dual-encoder", FOUR, ()),
        ("dual-encoder-no-nli", FOUR - {"nli"}, ()),
        ("dual-encoder-no-quick-thought", FOUR - {"quick-thought"}, ()),
        ("dual-encoder-english", FOUR, ("eng",)),
        ("dual-encoder-ranking", {"ranking"}, ()),
    ],
)
def test_the_dual_encoders_have_the_settings_of_the_paper(
    key: str, objectives: set[str], native: tuple[str, ...]
) -> None:
    params = preset_params(key, "a")
    assert {name: getattr(params, name) for name in DUAL_ENCODER} == DUAL_ENCODER
    assert set(params.objectives) == objectives
    assert params.native_languages == native
    assert params.n_coarse_steps > 0


def test_laser_reads_an_end_mark_and_samples_by_size() -> None:
    laser = preset_params("laser", "a")
    assert laser.end_mark  # Artetxe and Schwenk 2019: H = BiLSTM(E[x_1 … x_n, </s>])
    assert laser.sampling_exponent == 1.0  # without resampling
    assert (laser.vocabulary_model, laser.pooling) == ("bpe", "max")
    assert (laser.optimiser, laser.lr, laser.dropout) == ("adam", 0.001, 0.1)
    assert laser.target_languages == ("eng", "spa")


def test_settings_of_older_versions_are_read() -> None:
    older = msgspec.structs.asdict(TrainEncoder(name="mine"))
    for field in ("optimiser", "end_mark", "hidden_dim", "selected_by"):
        del older[field]
    assert build_params(TrainEncoder, older) == TrainEncoder(name="mine")


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        ({}, "corpora"),
        ({"pairs": ("eng-deu.tsv",)}, ""),
        ({"objectives": ("nli",)}, "nli"),
        ({"objectives": ("nli:2",), "nli": ("nli.tsv",)}, ""),
        ({"objectives": ("quick-thought", "conversation")}, "documents"),
        ({"objectives": ("distillation",)}, "corpora"),
    ],
)
def test_the_data_that_an_objective_needs_are_named(
    values: dict[str, object], missing: str
) -> None:
    params = msgspec.structs.replace(TrainEncoder(name="mine"), **values)
    assert missing_files(msgspec.structs.asdict(params)) == missing


def test_every_field_stands_in_one_section() -> None:
    placed = [name for fields in SECTIONS.values() for name in fields]
    assert sorted(placed) == sorted(TrainEncoder.__struct_fields__)


@pytest.mark.parametrize(
    ("values", "unused", "used"),
    [
        ({}, "n_layers", "n_bigrams"),
        ({"architecture": "bilstm"}, "n_heads", "n_layers"),
        ({"architecture": "bilstm"}, "n_views", "pooling"),
        ({"architecture": "bilstm", "pooling": "attention"}, "units", "n_views"),
        ({"architecture": "transformer"}, "n_ngrams", "filter_dim"),
        ({"architecture": "transformer", "units": "words"}, "n_bigrams", "n_ngrams"),
        ({"objectives": ("nli:0.5",)}, "temperature", "nli"),
        ({"objectives": ("quick-thought",)}, "margin", "documents"),
        ({"objectives": ("translation",)}, "teacher", "decoder_dim"),
        ({"n_hard_negatives": 5}, "teacher", "coarse_encoder"),
        ({"n_development": 0}, "patience", "n_steps"),
    ],
)
def test_a_choice_leaves_fields_unused(
    values: dict[str, object], unused: str, used: str
) -> None:
    found = unused_of(**values)
    assert unused in found
    assert used not in found


def test_objectives_are_read_with_their_weights() -> None:
    read = split_objectives(("ranking", "nli:0.5", "translation:x"))
    assert read == [
        WeightedObjective("ranking", 1.0),
        WeightedObjective("nli", 0.5),
        WeightedObjective("translation", 1.0),
    ]
    assert join_objectives(read[:2]) == ("ranking", "nli:0.5")
