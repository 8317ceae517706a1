"""Presets and sections of a training: valid values, every field in its place."""

import msgspec
import pytest

from app.params.presets import PRESETS, preset_params
from app.params.training import TrainEncoder
from app.params.training_fields import (
    OBJECTIVES,
    SECTIONS,
    Objective,
    join_objectives,
    split_objectives,
    unused_fields,
)

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
        Objective("ranking", 1.0),
        Objective("nli", 0.5),
        Objective("translation", 1.0),
    ]
    assert join_objectives(read[:2]) == ("ranking", "nli:0.5")
